//! Between fork and exec: everything here is a system call on plain values, since the parent has many threads.

use std::io::{Error, Result};
use std::os::fd::RawFd;

use crate::confine::CHANNEL_FD;
use crate::{Level, Limits};

/// Stack of the first thread; nothing deep is expected of a runner's.
const STACK_BYTES: u64 = 8 << 20;
/// Read any file, look into any folder (capability 2), and its stronger sister, which containers more often grant.
const READ_ANYTHING: u32 = 1 << 2;
const OVERRIDE_MODES: u32 = 1 << 1;

/// What the forked process does to itself before it becomes a runner.
#[derive(Clone, Copy)]
pub(crate) struct Preparation {
    /// The runner's end of the channel.
    pub(crate) channel: RawFd,
    /// Bounds.
    pub(crate) limits: Limits,
    /// The level.
    pub(crate) level: Level,
    /// Level B's uid.
    pub(crate) uid: Option<u32>,
    /// Whether a runner of level B may read what root may read until it confines itself: a toolchain in root's home.
    pub(crate) loads_as_root: bool,
    /// Who forks.
    pub(crate) parent: u32,
}

impl Preparation {
    /// Own session, death with the parent, bounds, own uid, and no descriptor but 0 to 3.
    pub(crate) fn apply(&self) -> Result<()> {
        // SAFETY: plain system calls on constants and on a descriptor that is open here.
        unsafe {
            check(libc::setsid())?;
            if self.channel == CHANNEL_FD {
                check(libc::fcntl(CHANNEL_FD, libc::F_SETFD, 0))?;
            } else {
                check(libc::dup2(self.channel, CHANNEL_FD))?;
            }
            // Not closed, since the standard library still reports a failed exec through one of them; none survives exec.
            check_long(libc::syscall(libc::SYS_close_range, CHANNEL_FD + 1, u32::MAX, libc::CLOSE_RANGE_CLOEXEC))?;
            libc::umask(0o077);
            // When memory runs out, a runner goes before the grader and the database.
            let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY);
            if score >= 0 {
                libc::write(score, c"1000".as_ptr().cast(), 4);
                libc::close(score);
            }
        }
        self.bound()?;
        if let Some(uid) = self.uid {
            take_uid(uid, self.loads_as_root)?;
        }
        // SAFETY: as above. A change of uid clears the parent-death signal, so it comes after.
        unsafe {
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
            if libc::getppid() as u32 != self.parent {
                // It died before the line above.
                libc::_exit(1);
            }
            if self.level != Level::A {
                // bubblewrap does so itself, and where it is installed setuid it may not be done before.
                check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            }
        }
        Ok(())
    }

    fn bound(&self) -> Result<()> {
        let limits = &self.limits;
        limit(libc::RLIMIT_CORE, 0, 0)?;
        limit(libc::RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 2)?;
        limit(libc::RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)?;
        limit(libc::RLIMIT_NOFILE, limits.open_files, limits.open_files)?;
        limit(libc::RLIMIT_STACK, STACK_BYTES, STACK_BYTES)?;
        limit(libc::RLIMIT_MSGQUEUE, 0, 0)?;
        if let Some(bytes) = limits.address_space_bytes {
            limit(libc::RLIMIT_AS, bytes, bytes)?;
        }
        if self.level == Level::B {
            // The kernel counts per uid. At the other levels the uid is the grader's, whose own processes would count.
            limit(libc::RLIMIT_NPROC, limits.processes, limits.processes)?;
        }
        Ok(())
    }
}

/// Sets a limit, or keeps a lower one that is there already and that only root could raise.
fn limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> Result<()> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: live structures of the right type.
    unsafe {
        check(libc::getrlimit(resource, &raw mut now))?;
        let wanted = libc::rlimit { rlim_cur: soft.min(now.rlim_max), rlim_max: hard.min(now.rlim_max) };
        check(libc::setrlimit(resource, &raw const wanted))
    }
}

/// From root to a uid that nobody else has.
///
/// The exec itself may still pass folders that only root may enter. With `keep` the runner may too, until
/// [`crate::confine`]: it loads a toolchain from wherever the operator put it, and has seen no learner's byte yet.
fn take_uid(uid: u32, keep: bool) -> Result<()> {
    let permitted = permitted_capabilities()?;
    let read = if permitted & READ_ANYTHING != 0 { READ_ANYTHING } else { permitted & OVERRIDE_MODES };
    // SAFETY: plain system calls; raw ones, since the C library would address threads that a fork does not copy.
    // Groups go first: a plain uid may not change them.
    unsafe {
        check_long(libc::syscall(libc::SYS_setgroups, 0, 0))?;
        check_long(libc::syscall(libc::SYS_setresgid, uid, uid, uid))?;
        check(libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0))?;
        check_long(libc::syscall(libc::SYS_setresuid, uid, uid, uid))?;
    }
    set_capabilities(read, if keep { read } else { 0 })?;
    if keep && read != 0 {
        let number = read.trailing_zeros();
        // SAFETY: a plain system call.
        check(unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, number, 0, 0) })?;
    }
    Ok(())
}

/// Kernel structures of `capget` and `capset`, version 3.
#[repr(C)]
struct CapabilityHeader {
    version: u32,
    process: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapabilityWord {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

const HEADER: CapabilityHeader = CapabilityHeader { version: 0x2008_0522, process: 0 };

fn permitted_capabilities() -> Result<u32> {
    let mut header = HEADER;
    let mut words = [CapabilityWord::default(); 2];
    // SAFETY: live structures in the layout of version 3.
    check_long(unsafe { libc::syscall(libc::SYS_capget, &raw mut header, words.as_mut_ptr()) })?;
    Ok(words[0].permitted)
}

/// Leaves the calling thread these capabilities and no others.
pub(crate) fn set_capabilities(kept: u32, inheritable: u32) -> Result<()> {
    let mut header = HEADER;
    let words = [CapabilityWord { effective: kept, permitted: kept, inheritable }, CapabilityWord::default()];
    // SAFETY: live structures in the layout of version 3.
    check_long(unsafe { libc::syscall(libc::SYS_capset, &raw mut header, words.as_ptr()) })
}

fn check(result: i32) -> Result<()> {
    check_long(libc::c_long::from(result))
}

fn check_long(result: libc::c_long) -> Result<()> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}
