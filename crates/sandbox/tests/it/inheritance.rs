//! What a child has from its parent: one channel, and nothing else.

use std::io::{Read, Write};
use std::net::Shutdown;

use rustix::fs::{Mode, OFlags};
use sandbox::Level;

use super::{levels, listen, profile, run, start, start_as};

#[test]
fn the_channel_works_both_ways() {
    for level in levels() {
        for words in [
            ["echo", ""].as_slice(),
            &["confined-echo", "Compiler"],
            &["confined-echo", "Simulator"],
            &["confined-echo", "Gpu"],
        ] {
            let words: Vec<_> = words.iter().copied().filter(|word| !word.is_empty()).collect();
            let (mut child, mut channel) = start(level, &words);
            let sent = vec![7_u8; 1 << 20];
            let mut writer = channel.try_clone().expect("a second handle");
            let copy = sent.clone();
            let sender = std::thread::spawn(move || {
                writer.write_all(&copy).expect("it listens");
                writer.shutdown(Shutdown::Write).expect("it is open");
            });
            let mut received = vec![];
            channel.read_to_end(&mut received).expect("it answers");
            sender.join().expect("all was sent");
            assert_eq!(received, sent);
            assert!(!child.reap().any_signal(), "{}", child.stderr());
        }
    }
}

#[test]
fn open_files_stay_with_the_parent() {
    // As a library would that forgot to say so.
    let leak = rustix::fs::open("/etc/passwd", OFlags::RDONLY, Mode::empty()).expect("it opens");
    assert!(!rustix::io::fcntl_getfd(&leak).expect("open").contains(rustix::io::FdFlags::CLOEXEC));
    for level in levels() {
        assert_eq!(run(level, &["descriptors"]).0, "0 1 2 3");
    }
}

#[test]
fn variables_stay_with_the_parent() {
    for level in levels() {
        let mut profile = profile(&["variables"]);
        profile.env.push(("SAID".into(), "x".into()));
        let (_child, mut channel) = start_as(level, &profile);
        let mut names = listen(&mut channel);
        if level == Level::A {
            names = names.replace("PWD", "").trim().to_owned();
        }
        assert_eq!(names, "SAID");
    }
}

#[test]
fn nobody_is_root_and_no_capability_is_left() {
    for level in levels() {
        let (mut child, mut channel) = start(level, &["rights"]);
        let uid = child.uid();
        let text = listen(&mut channel);
        child.reap();
        let expected = uid.unwrap_or(65534);
        assert!(text.starts_with(&format!("uid={expected} gid={expected} ")), "{text}");
        assert!(text.contains("after=[0, 0, 0, 0, 0, 0] Ok("), "{text} {}", child.stderr());
        if level == Level::A {
            assert!(text.contains("before=[0, 0, 0, 0, 0, 0]"), "{text}");
        } else {
            assert!(text.contains("groups=0"), "{text}");
        }
    }
}

#[test]
fn concurrent_jobs_never_share_a_uid() {
    if !levels().contains(&Level::B) {
        return;
    }
    let children: Vec<_> = (0..5).map(|_| start(Level::B, &["echo"])).collect();
    let mut uids: Vec<_> = children.iter().filter_map(|(child, _)| child.uid()).collect();
    uids.sort_unstable();
    uids.dedup();
    assert_eq!(uids.len(), 5);
}
