//! What the tests start in place of a runner: it behaves as badly as its first argument says.
#![expect(unsafe_code, reason = "forks, as strangers do")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use sandbox::{Confinement, Kind, Level, Limits, Profile};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["probe"] => return ExitCode::from(sandbox::probe::child_main()),
        ["grader", level] => grader(level),
        ["pick-without", what] => {
            pick_without(what);
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let mut channel = sandbox::channel();
    match words.as_slice() {
        ["echo"] => echo(&mut channel),
        ["confined-echo", kind] => {
            confine(kind, vec![]);
            echo(&mut channel);
        }
        ["descriptors"] => say(&mut channel, &descriptors()),
        ["variables"] => {
            let names: Vec<_> = std::env::vars().map(|(name, _)| name).collect();
            say(&mut channel, &names.join(" "));
        }
        ["rights"] => rights(&mut channel),
        ["loop"] => {
            say(&mut channel, "ready");
            loop {
                std::hint::spin_loop();
            }
        }
        ["daemon", then] => daemon(&mut channel, then),
        ["hold-memory", bytes] => hold(&mut channel, bytes),
        ["flood"] => flood(&mut channel),
        ["thread", kind] => {
            confine(kind, vec![]);
            let answer = std::thread::Builder::new().spawn(|| 42).map(|t| t.join().ok());
            say(&mut channel, &format!("{answer:?}"));
        }
        ["many-threads"] => many_threads(&mut channel),
        ["confine-with-thread", kind] => {
            std::thread::spawn(|| std::thread::sleep(Duration::from_mins(1)));
            let confinement = Confinement { read: vec![], kind: kind_of(kind) };
            say(&mut channel, &format!("{:?}", sandbox::confine(&confinement)));
        }
        ["read", folder, path] => {
            confine("Compiler", vec![folder.into()]);
            let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
            say(&mut channel, &format!("{text:?}"));
        }
        ["abort"] => std::process::abort(),
        ["exit", code] => return ExitCode::from(code.parse::<u8>().expect("a code")),
        _ => panic!("unknown words: {words:?}"),
    }
    ExitCode::SUCCESS
}

fn kind_of(word: &str) -> Kind {
    match word {
        "Compiler" => Kind::Compiler,
        "Simulator" => Kind::Simulator,
        "Gpu" => Kind::Gpu,
        _ => panic!("unknown kind {word}"),
    }
}

fn confine(kind: &str, read: Vec<PathBuf>) {
    sandbox::confine(&Confinement { read, kind: kind_of(kind) }).expect("confined");
}

fn say(channel: &mut UnixStream, text: &str) {
    channel.write_all(text.as_bytes()).expect("the parent listens");
}

fn echo(channel: &mut UnixStream) {
    let mut block = [0; 4096];
    while let Ok(count @ 1..) = channel.read(&mut block) {
        channel.write_all(&block[..count]).expect("the parent listens");
    }
}

fn descriptors() -> String {
    // SAFETY: asking for flags of a number that may be no descriptor is harmless.
    let open = |descriptor: &i32| unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } >= 0;
    let open: Vec<_> = (0..4096).filter(open).map(|number| number.to_string()).collect();
    open.join(" ")
}

/// Who this is, before and after the confinement.
fn rights(channel: &mut UnixStream) {
    let capabilities = || {
        let mut header = [0x2008_0522_u32, 0];
        let mut words = [0_u32; 6];
        // SAFETY: live arrays in the layout of version 3.
        unsafe { libc::syscall(libc::SYS_capget, header.as_mut_ptr(), words.as_mut_ptr()) };
        words
    };
    // SAFETY: plain system calls.
    let (uid, gid, groups) = unsafe { (libc::getuid(), libc::getgid(), libc::getgroups(0, std::ptr::null_mut())) };
    let before = capabilities();
    // The filter forbids to ask afterwards, so the same steps are watched from a thread's distance: by their effect.
    let confined = sandbox::confine(&Confinement { read: vec![], kind: Kind::Gpu });
    let after = capabilities();
    say(channel, &format!("uid={uid} gid={gid} groups={groups} before={before:?} after={after:?} {confined:?}"));
}

/// Two forks, a session of its own, deaf to everything that can be ignored.
fn daemon(channel: &mut UnixStream, then: &str) {
    // SAFETY: this process has one thread.
    unsafe {
        if libc::fork() == 0 {
            libc::setsid();
            if libc::fork() != 0 {
                libc::_exit(0);
            }
            for signal in 1..32 {
                libc::signal(signal, libc::SIG_IGN);
            }
            libc::setsid();
            say(channel, "ready");
            loop {
                libc::sleep(1000);
            }
        }
    }
    if then == "stay" {
        loop {
            std::thread::sleep(Duration::from_secs(1000));
        }
    }
    // Only the daemon keeps the channel open; this process ends when it is asked to.
    let mut byte = [0];
    let _ = channel.read(&mut byte);
}

fn hold(channel: &mut UnixStream, bytes: &str) {
    confine("Simulator", vec![]);
    let bytes = bytes.parse::<usize>().expect("a number");
    say(channel, "asking");
    let mut memory = vec![0_u8; bytes];
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    std::hint::black_box(&memory);
    say(channel, "got it");
}

fn flood(channel: &mut UnixStream) {
    let block = vec![b'x'; 1 << 16];
    for _ in 0..1024 {
        std::io::stderr().write_all(&block).expect("standard error takes all");
    }
    say(channel, "done");
}

fn many_threads(channel: &mut UnixStream) {
    let mut started = 0;
    let sleep = || std::thread::sleep(Duration::from_secs(100));
    while started < 1000 && std::thread::Builder::new().stack_size(65536).spawn(sleep).is_ok() {
        started += 1;
    }
    say(channel, &started.to_string());
}

/// Stands for a grader: starts a runner, says its process ids, and waits to be killed.
fn grader(level: &str) {
    let level = if level == "A" { Level::A } else { Level::B };
    let program = std::env::current_exe().expect("its own path");
    let limits = Limits { address_space_bytes: None, cpu_seconds: 60, file_bytes: 0, open_files: 64, processes: 16 };
    let profile = Profile {
        program: program.clone(),
        args: vec!["loop".into()],
        read_only: vec![program],
        devices: vec![],
        proc: false,
        env: vec![],
        limits,
    };
    let (child, mut channel) = sandbox::spawn(level, &profile).expect("a runner");
    let mut ready = [0; 5];
    channel.read_exact(&mut ready).expect("it says ready");
    println!("{}", child.id());
    std::thread::sleep(Duration::from_secs(1000));
}

/// Stands for a grader on a kernel that lacks something: the same is refused to all that it starts.
fn pick_without(what: &str) {
    use seccompiler::{SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule};
    let always = vec![];
    let user = libc::CLONE_NEWUSER as u64;
    let masked = SeccompCmpOp::MaskedEq(user);
    let condition = SeccompCondition::new(0, SeccompCmpArgLen::Qword, masked, user).expect("valid");
    let new_user = vec![SeccompRule::new(vec![condition]).expect("valid")];
    let rules = match what {
        "landlock" => vec![(libc::SYS_landlock_create_ruleset, always)],
        "namespaces" => vec![(libc::SYS_clone, new_user.clone()), (libc::SYS_unshare, new_user)],
        "seccomp" => vec![(libc::SYS_seccomp, always)],
        _ => panic!("unknown lack {what}"),
    };
    let (allow, absent) = (SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32));
    let architecture = std::env::consts::ARCH.try_into().expect("supported");
    let filter = SeccompFilter::new(rules.into_iter().collect(), allow, absent, architecture);
    let program: seccompiler::BpfProgram = filter.expect("valid").try_into().expect("valid");
    seccompiler::apply_filter(&program).expect("it applies");
    match sandbox::probe::pick_level(&std::env::current_exe().expect("its own path"), false) {
        Ok(report) => println!("{:?}", report.level),
        Err(error) => println!("{error}"),
    }
}
