//! The escapes, each as one system call or a few.
//!
//! A refusal counts only where the kernel says so in the words of a refusal: a call that fails for its senseless
//! arguments (EFAULT, EINVAL) has been reached, and is reported as open.

use std::ffi::{CString, c_char, c_int, c_long, c_void};
use std::io::Error;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::confine::{CHANNEL_FD, Kind};

/// What an attempt came to.
pub(super) enum Seen {
    /// As it must be.
    AsExpected(String),
    /// Something came through.
    Open(String),
}

impl Seen {
    /// Whether there is nothing strange.
    pub(super) fn none_of(strange: &[String]) -> Self {
        if strange.is_empty() { Self::AsExpected("none".to_owned()) } else { Self::Open(strange.join(" ")) }
    }

    /// A system call's answer, where these errors are refusals.
    fn of(result: c_long, refusals: &[c_int]) -> Self {
        if result >= 0 {
            return Self::Open(format!("it returned {result}"));
        }
        let error = Error::last_os_error();
        if error.raw_os_error().is_some_and(|code| refusals.contains(&code)) {
            Self::AsExpected(error.to_string())
        } else {
            Self::Open(format!("the call was reached: {error}"))
        }
    }
}

/// Takes down name, expectation and what was seen.
pub(super) type Note<'a> = dyn FnMut(&str, &str, Seen) + 'a;

const REFUSED: &[c_int] = &[libc::EPERM, libc::EACCES, libc::ENOSYS];
/// The file is not there, or not for this process.
const NO_FILE: &[c_int] = &[libc::EPERM, libc::EACCES, libc::ENOENT, libc::EROFS];
/// The process is not there, or not for this one.
const NO_PROCESS: &[c_int] = &[libc::EPERM, libc::ESRCH, libc::ENOSYS];

fn call(note: &mut Note, name: &str, result: c_long) {
    note(name, "blocked", Seen::of(result, REFUSED));
}

/// What no runner reads.
const CLOSED: [&str; 15] = [
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hostname",
    "/proc/1/environ",
    "/proc/1/mem",
    "/proc/self/environ",
    "/proc/self/mem",
    "/root/.bashrc",
    "/root/.ssh",
    "/home",
    "/tmp",
    "/",
    "/var/run/docker.sock",
    "/dev/mem",
    "/dev/kmsg",
];

/// Opens, reads, writes.
pub(super) fn files(note: &mut Note, kind: Kind, canary: &Path) {
    let open = |path: &Path, flags: c_int| -> Seen {
        let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
            return Seen::Open("not a path".to_owned());
        };
        // SAFETY: a plain system call on a live string; what came through is closed.
        unsafe {
            let descriptor = libc::open(path.as_ptr(), flags, 0o600);
            let seen = Seen::of(descriptor.into(), NO_FILE);
            close(descriptor);
            seen
        }
    };
    note("read a file of the grader", "blocked", open(canary, libc::O_RDONLY));
    let home = std::env::current_exe().unwrap_or_default();
    for path in CLOSED {
        // A driver reads of its own process what it likes; the environment holds nothing but this probe's words.
        if kind == Kind::Gpu && path == "/proc/self/environ" {
            continue;
        }
        let flags = if path == "/proc/self/mem" { libc::O_RDWR } else { libc::O_RDONLY };
        note(&format!("open {path}"), "blocked", open(Path::new(path), flags));
    }
    if !home.as_os_str().is_empty() && kind != Kind::Gpu {
        note("open its own program", "blocked", open(&home, libc::O_RDONLY));
    }
    let make = libc::O_WRONLY | libc::O_CREAT;
    for path in [
        "/warpyard-probe",
        "/tmp/warpyard-probe",
        "/dev/shm/warpyard-probe",
        "/var/tmp/warpyard-probe",
        "../../tmp/warpyard-probe",
    ] {
        note(&format!("make {path}"), "blocked", open(Path::new(path), make));
    }
    // SAFETY: plain system calls on constants.
    unsafe {
        let result = libc::unlink(c"/tmp/warpyard-nothing".as_ptr());
        call(note, "unlink", result.into());
        let result = libc::syscall(libc::SYS_open_by_handle_at, -100, std::ptr::null::<u8>(), 0);
        call(note, "open by handle", result);
    }
}

/// Sockets of every family, and the channel turned elsewhere.
pub(super) fn sockets(note: &mut Note) {
    let kinds = [
        ("TCP socket", libc::AF_INET, libc::SOCK_STREAM),
        ("TCP socket, version 6", libc::AF_INET6, libc::SOCK_STREAM),
        ("UDP socket", libc::AF_INET, libc::SOCK_DGRAM),
        ("raw socket", libc::AF_INET, libc::SOCK_RAW),
        ("unix socket", libc::AF_UNIX, libc::SOCK_STREAM),
        ("unix datagram socket", libc::AF_UNIX, libc::SOCK_DGRAM),
        ("netlink socket", libc::AF_NETLINK, libc::SOCK_RAW),
        ("packet socket", libc::AF_PACKET, libc::SOCK_RAW),
        ("vsock socket", libc::AF_VSOCK, libc::SOCK_STREAM),
        ("crypto socket", libc::AF_ALG, libc::SOCK_SEQPACKET),
    ];
    for (name, family, kind) in kinds {
        // SAFETY: a plain system call; what came through is closed.
        let descriptor = unsafe { libc::socket(family, kind, 0) };
        call(note, name, descriptor.into());
        close(descriptor);
    }
    let mut pair = [0; 2];
    // SAFETY: as above.
    let result = unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM, 0, pair.as_mut_ptr()) };
    call(note, "socket pair", result.into());
    // SAFETY: all zeros is an address of no family.
    let mut name: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    name.sun_family = libc::AF_UNIX as u16;
    name.sun_path[1] = b'x' as c_char;
    let (address, length) = ((&raw const name).cast(), size_of_val(&name) as u32);
    // SAFETY: plain system calls on a live address.
    unsafe {
        let result = libc::connect(CHANNEL_FD, address, length);
        call(note, "connect the channel elsewhere", result.into());
        let text = b"x".as_ptr().cast();
        let result = libc::sendto(CHANNEL_FD, text, 1, libc::MSG_NOSIGNAL, address, length);
        call(note, "send to an address", result as c_long);
    }
}

/// Other processes. Signal 0 only asks.
pub(super) fn processes(note: &mut Note) {
    // SAFETY: plain system calls; a child that came through ends at once.
    unsafe {
        let parent = libc::getppid();
        let mut quiet = |name: &str, result: c_long| {
            note(name, "blocked", Seen::of(result, NO_PROCESS));
        };
        quiet("signal the parent", libc::kill(parent, 0).into());
        quiet("signal everybody", libc::kill(-1, 0).into());
        quiet("signal process 1", libc::syscall(libc::SYS_tgkill, 1, 1, 0));
        quiet("trace the parent", libc::ptrace(libc::PTRACE_SEIZE, parent, 0, 0));
        quiet("pidfd of the parent", libc::syscall(libc::SYS_pidfd_open, parent, 0));
        let null = std::ptr::null::<c_void>();
        let result = libc::syscall(libc::SYS_process_vm_readv, parent, null, 0, null, 0, 0);
        quiet("read the parent's memory", result);
        let result = libc::syscall(libc::SYS_prlimit64, parent, libc::RLIMIT_CORE, null, null);
        quiet("limits of the parent", result);
        let result = libc::fcntl(CHANNEL_FD, libc::F_SETOWN, parent);
        quiet("signals by descriptor", result.into());
        for (name, number) in [("fork", libc::SYS_fork), ("vfork", libc::SYS_vfork)] {
            let forked = libc::syscall(number);
            if forked == 0 {
                libc::_exit(0);
            }
            call(note, name, forked);
        }
        let forked = libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0);
        if forked == 0 {
            libc::_exit(0);
        }
        call(note, "clone a process", forked);
        call(note, "clone3", libc::syscall(libc::SYS_clone3, null, 0));
    }
}

/// Other programs. One that came through would replace this process, whose report would then break off.
pub(super) fn programs(note: &mut Note) {
    let empty = c"".as_ptr();
    let words: [*const c_char; 2] = [c"/bin/sh".as_ptr(), std::ptr::null()];
    let nothing: [*const c_char; 1] = [std::ptr::null()];
    // SAFETY: plain system calls on live strings and null-terminated lists; what came through is closed.
    unsafe {
        let result = libc::execve(words[0], words.as_ptr(), nothing.as_ptr());
        call(note, "execute /bin/sh", result.into());
        let memory = libc::memfd_create(c"x".as_ptr(), 0);
        if memory >= 0 {
            libc::write(memory, b"#!/bin/sh\n".as_ptr().cast(), 10);
        }
        let flags = libc::AT_EMPTY_PATH;
        let number = libc::SYS_execveat;
        let result = libc::syscall(number, memory, empty, words.as_ptr(), nothing.as_ptr(), flags);
        call(note, "execute an anonymous file", result);
        close(memory);
    }
}

/// New namespaces and mounts.
pub(super) fn namespaces(note: &mut Note) {
    let root = c"/".as_ptr();
    // Were these calls open, they must not change the machine of somebody who only asks.
    let nowhere = c"/warpyard-nowhere".as_ptr();
    let null = std::ptr::null::<c_void>();
    // SAFETY: plain system calls on constants; none succeeds in a sandbox that holds.
    unsafe {
        call(note, "new user namespace", libc::unshare(libc::CLONE_NEWUSER).into());
        call(note, "new mount namespace", libc::unshare(libc::CLONE_NEWNS).into());
        call(note, "setns", libc::setns(0, 0).into());
        call(note, "mount", libc::mount(root, nowhere, c"tmpfs".as_ptr(), 0, null).into());
        call(note, "unmount", libc::umount2(nowhere, libc::MNT_DETACH).into());
        call(note, "pivot_root", libc::syscall(libc::SYS_pivot_root, root, root));
        call(note, "chroot", libc::chroot(root).into());
        call(note, "fsopen", libc::syscall(libc::SYS_fsopen, c"tmpfs".as_ptr(), 0));
        call(note, "open_tree", libc::syscall(libc::SYS_open_tree, -100, root, 1));
    }
}

/// Parts of the kernel that have let people out before.
pub(super) fn kernel(note: &mut Note) {
    let null = std::ptr::null::<c_void>();
    // SAFETY: plain system calls whose arguments are constants or null.
    unsafe {
        call(note, "bpf", libc::syscall(libc::SYS_bpf, 0, null, 0));
        let result = libc::syscall(libc::SYS_perf_event_open, null, 0, -1, -1, 0);
        call(note, "perf_event_open", result);
        call(note, "userfaultfd", libc::syscall(libc::SYS_userfaultfd, 1));
        call(note, "io_uring", libc::syscall(libc::SYS_io_uring_setup, 1, null));
        call(note, "keyctl", libc::syscall(libc::SYS_keyctl, 0, -3, 1));
        let result = libc::syscall(libc::SYS_add_key, null, null, null, 0, -3);
        call(note, "add_key", result);
        call(note, "shared memory", libc::shmget(libc::IPC_PRIVATE, 4096, 0o600).into());
        call(note, "personality", libc::syscall(libc::SYS_personality, 0x0040_0000));
        call(note, "x32 system call", libc::syscall(0x4000_0000 + libc::SYS_getpid));
        call(note, "a call of the future", libc::syscall(9999));
    }
}

/// Rights and bounds.
pub(super) fn rights(note: &mut Note) {
    let free = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    let mut core = free;
    let length = 64 << 30;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: plain system calls on live structures; a mapping that came through is not touched.
    unsafe {
        call(note, "become root", libc::syscall(libc::SYS_setresuid, 0, 0, 0));
        let result = libc::setrlimit(libc::RLIMIT_CORE, &raw const free);
        call(note, "lift a limit", result.into());
        libc::getrlimit(libc::RLIMIT_CORE, &raw mut core);
        let seen = format!("{} bytes", core.rlim_cur);
        let seen = if core.rlim_cur == 0 { Seen::AsExpected(seen) } else { Seen::Open(seen) };
        note("core dump", "0 bytes", seen);
        let all = libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0);
        let result = if all == libc::MAP_FAILED { -1 } else { 0 };
        note("64 GiB of memory", "blocked", Seen::of(result, &[libc::ENOMEM]));
    }
}

/// Whether the entry for 32-bit programs answers: its numbers mean other calls than the filter's.
pub(super) fn old_call_works() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let answer: i64;
        // SAFETY: call 20 of the 32-bit entry is getpid, which takes nothing. The kernel changes rax and, by its
        // 32-bit convention, may zero r8 to r11.
        unsafe {
            std::arch::asm!(
                "int 0x80", inlateout("rax") 20_i64 => answer,
                out("r8") _, out("r9") _, out("r10") _, out("r11") _,
            );
        }
        answer > 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn close(descriptor: c_int) {
    if descriptor >= 0 {
        // SAFETY: just returned by the kernel, and nobody else has seen it.
        drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
    }
}
