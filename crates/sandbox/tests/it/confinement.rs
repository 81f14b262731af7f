//! What is left after a runner confined itself, and what is not.

use sandbox::Level;

use super::{levels, listen, profile, run, start_as};

#[test]
fn threads_can_be_made_by_every_kind() {
    for level in levels() {
        for kind in ["Compiler", "Simulator", "Gpu"] {
            let (text, outcome, stderr) = run(level, &["thread", kind]);
            assert_eq!(text, "Ok(Some(42))", "{kind} {outcome} {stderr}");
        }
    }
}

#[test]
fn threads_are_bounded_by_the_uid() {
    if !levels().contains(&Level::B) {
        return;
    }
    let (text, _, _) = run(Level::B, &["many-threads"]);
    assert_eq!(text, "15");
}

#[test]
fn threads_that_landlock_would_not_hold_are_refused() {
    for level in levels() {
        for kind in ["Compiler", "Simulator"] {
            assert_eq!(run(level, &["confine-with-thread", kind]).0, "Err(Threads)");
        }
        let (text, ..) = run(level, &["confine-with-thread", "Gpu"]);
        assert!(text.contains("landlock_holds_all_threads: false"), "{text}");
    }
}

#[test]
fn headers_can_be_read_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).expect("ours");
    let header = folder.path().join("header.h");
    std::fs::write(&header, "HEADER").expect("ours");
    let name = |path: &std::path::Path| path.to_str().expect("plain").to_owned();
    let secret = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(secret.path(), "SECRET").expect("ours");
    for level in levels() {
        let read = |path: &std::path::Path| {
            let mut profile = profile(&["read", &name(folder.path()), &name(path)]);
            // Both are visible from the start; the confinement alone decides.
            profile.read_only.extend([folder.path().to_owned(), secret.path().to_owned()]);
            let (_child, mut channel) = start_as(level, &profile);
            listen(&mut channel)
        };
        assert_eq!(read(&header), "Ok(\"HEADER\")");
        assert_eq!(read(secret.path()), "Err(\"Permission denied (os error 13)\")");
        let around = folder.path().join("..").join(secret.path().file_name().expect("a name"));
        assert_eq!(read(&around), "Err(\"Permission denied (os error 13)\")");
    }
}

#[test]
fn headers_that_only_root_reads_are_named() {
    if !levels().contains(&Level::B) {
        return;
    }
    let private = tempfile::tempdir().expect("a folder");
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(private.path(), closed).expect("ours");
    let inner = private.path().join("include");
    std::fs::create_dir(&inner).expect("ours");
    let word = inner.to_str().expect("plain").to_owned();
    let (text, outcome, stderr) = run(Level::B, &["read", &word, "/x"]);
    assert_eq!(text, "");
    assert_eq!(outcome, sandbox::Outcome::Exited(101));
    assert!(stderr.contains("Unreadable") && stderr.contains(&word), "{stderr}");
}
