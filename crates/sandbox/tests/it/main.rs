//! Real processes at the levels that this machine has, against what strangers would try.

mod confinement;
mod ends;
mod inheritance;
mod probe;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Child, Level, Limits, Profile};

/// The program that behaves badly.
fn hostile() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_sandbox-hostile"))
}

/// The levels that this machine has; says aloud which it has not.
fn levels() -> Vec<Level> {
    let mut levels = vec![];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_bubblewrap = std::env::var_os("WARPYARD_BWRAP").is_some()
        || std::env::split_paths(&path).any(|folder| folder.join("bwrap").exists());
    if has_bubblewrap {
        levels.push(Level::A);
    } else {
        skip("level A: bubblewrap is not installed");
    }
    if rustix::process::geteuid().is_root() {
        levels.push(Level::B);
    } else {
        skip("level B: only root can take uids");
    }
    levels
}

/// Past the capture of a passing test's output.
fn skip(what: &str) {
    let _ = writeln!(std::io::stderr().lock(), "SKIPPED {what}");
}

fn profile(words: &[&str]) -> Profile {
    Profile {
        program: hostile(),
        args: words.iter().map(Into::into).collect(),
        read_only: vec![hostile()],
        devices: vec![],
        proc: false,
        env: vec![],
        limits: Limits {
            address_space_bytes: Some(1 << 30),
            cpu_seconds: 30,
            file_bytes: 1 << 20,
            open_files: 64,
            processes: 16,
        },
    }
}

fn start(level: Level, words: &[&str]) -> (Child, UnixStream) {
    start_as(level, &profile(words))
}

fn start_as(level: Level, profile: &Profile) -> (Child, UnixStream) {
    let (child, channel) = sandbox::spawn(level, profile).expect("it starts");
    channel.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket has a timeout");
    (child, channel)
}

/// Everything it says until it, and whoever else holds the channel, has ended.
fn listen(channel: &mut UnixStream) -> String {
    let mut text = String::new();
    channel.read_to_string(&mut text).expect("it ends");
    text
}

fn expect_word(channel: &mut UnixStream, word: &str) {
    let mut bytes = vec![0; word.len()];
    channel.read_exact(&mut bytes).expect("it speaks");
    assert_eq!(String::from_utf8_lossy(&bytes), word);
}

/// What it says, and how it ends.
fn run(level: Level, words: &[&str]) -> (String, sandbox::Outcome, String) {
    let (mut child, mut channel) = start(level, words);
    let text = listen(&mut channel);
    let outcome = child.reap();
    (text, outcome, child.stderr())
}

/// Whether a process is there and no zombie.
fn lives(process: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    status.is_ok_and(|line| {
        let state = line.rsplit(')').next().unwrap_or_default().trim_start();
        !state.starts_with(['Z', 'X'])
    })
}

/// Waits for a condition that must come.
fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(std::time::Instant::now() < deadline, "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
