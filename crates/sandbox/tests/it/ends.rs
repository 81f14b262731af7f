//! Nothing outlives its end.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sandbox::{Level, Outcome};

use super::{await_that, expect_word, hostile, levels, listen, lives, profile, run, start, start_as};

/// Processes of a uid, dead ones aside.
fn processes_of(uid: u32) -> usize {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let of_uid = entries.filter(|entry| {
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        status.lines().any(|line| {
            line.strip_prefix("Uid:").is_some_and(|rest| rest.split_whitespace().any(|word| word == uid.to_string()))
        }) && !status.contains("State:\tZ")
    });
    of_uid.count()
}

#[test]
fn an_endless_loop_dies_when_killed() {
    for level in levels() {
        let (mut child, mut channel) = start(level, &["loop"]);
        expect_word(&mut channel, "ready");
        let before = Instant::now();
        assert_eq!(child.kill(), Outcome::Signalled(libc::SIGKILL));
        assert!(before.elapsed() < Duration::from_secs(2));
        assert_eq!(listen(&mut channel), "");
        assert!(!lives(child.id()));
        assert_eq!(child.kill(), Outcome::Signalled(libc::SIGKILL));
        assert!(!child.looks_out_of_memory());
    }
}

#[test]
fn a_daemon_dies_when_its_child_is_killed() {
    for level in levels() {
        let (mut child, mut channel) = start(level, &["daemon", "stay"]);
        expect_word(&mut channel, "ready");
        child.kill();
        // The daemon holds the channel: its end is the end of all.
        assert_eq!(listen(&mut channel), "");
        let left = child.uid().map_or(0, processes_of);
        assert_eq!(left, 0, "level {level:?}");
    }
}

#[test]
fn a_daemon_dies_when_its_child_is_dropped() {
    for level in levels() {
        let (child, mut channel) = start(level, &["daemon", "stay"]);
        expect_word(&mut channel, "ready");
        let id = child.id();
        drop(child);
        assert_eq!(listen(&mut channel), "");
        assert!(!std::fs::exists(format!("/proc/{id}")).expect("/proc"), "a zombie is left");
    }
}

#[test]
fn a_daemon_dies_when_its_child_leaves() {
    for level in levels() {
        let (mut child, mut channel) = start(level, &["daemon", "leave"]);
        expect_word(&mut channel, "ready");
        channel.write_all(b"x").expect("it listens");
        assert_eq!(child.await_end(Duration::from_secs(10)), Some(Outcome::Exited(0)));
        assert_eq!(listen(&mut channel), "");
    }
}

#[test]
fn a_child_that_is_dropped_at_once_leaves_nothing() {
    for level in levels() {
        for pause in 0..20 {
            let (child, mut channel) = start(level, &["daemon", "stay"]);
            std::thread::sleep(Duration::from_micros(pause * 300));
            drop(child);
            // Whatever it had said, the channel is closed by the death of all who held it.
            listen(&mut channel);
        }
    }
}

/// A process that ends with the test, also when that fails.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.kill().expect("it lives");
        self.0.wait().expect("it is ours");
    }
}

#[test]
fn runners_die_with_a_grader_that_is_killed() {
    for level in levels() {
        let word = format!("{level:?}");
        let mut grader =
            Ended(Command::new(hostile()).args(["grader", &word]).stdout(Stdio::piped()).spawn().expect("a grader"));
        let mut line = String::new();
        let output = grader.0.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("it speaks");
        let runner: u32 = line.trim().parse().expect("a process id");
        let children = format!("/proc/{runner}/task/{runner}/children");
        let inner: Vec<u32> = std::fs::read_to_string(children)
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        assert!(lives(runner));
        assert_eq!(inner.is_empty(), level == Level::B);
        drop(grader);
        await_that("the runner is gone", || !lives(runner));
        await_that("its namespace is gone", || !inner.iter().any(|process| lives(*process)));
    }
}

#[test]
fn processor_time_has_an_end() {
    for level in levels() {
        let mut profile = profile(&["loop"]);
        profile.limits.cpu_seconds = 1;
        let (mut child, mut channel) = start_as(level, &profile);
        assert_eq!(listen(&mut channel), "ready");
        let outcome = child.reap();
        assert!(outcome.is_out_of_time(), "{outcome}");
    }
}

#[test]
fn memory_has_an_end() {
    for level in levels() {
        for bytes in [64_usize << 30, 2 << 30] {
            let (mut child, mut channel) = start(level, &["hold-memory", &bytes.to_string()]);
            assert_eq!(listen(&mut channel), "asking");
            assert_eq!(child.reap(), Outcome::Signalled(libc::SIGABRT));
            assert!(child.looks_out_of_memory(), "{}", child.stderr());
        }
        let (text, outcome, _) = run(level, &["hold-memory", "100000000"]);
        assert_eq!((text.as_str(), outcome), ("askinggot it", Outcome::Exited(0)));
    }
}

#[test]
fn ends_are_told_apart() {
    for level in levels() {
        assert_eq!(run(level, &["exit", "7"]).1, Outcome::Exited(7));
        assert_eq!(run(level, &["abort"]).1, Outcome::Signalled(libc::SIGABRT));
        let (_, outcome, stderr) = run(level, &["nonsense"]);
        assert_eq!(outcome, Outcome::Exited(101));
        assert!(stderr.contains("unknown words"), "{stderr}");
    }
}

#[test]
fn a_flood_of_standard_error_blocks_nobody() {
    for level in levels() {
        let (text, outcome, stderr) = run(level, &["flood"]);
        assert_eq!((text.as_str(), outcome), ("done", Outcome::Exited(0)));
        assert_eq!(stderr.len(), 16 << 10);
    }
}
