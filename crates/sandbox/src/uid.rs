//! Level B's uids: one per job, from a range that no system hands out.
//!
//! A claim is an abstract socket of that name, which the kernel gives to one process at a time and takes back when
//! the grader dies. So two graders of one machine never share a uid either, and no file is left behind.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// First of the uids; far above what systems hand out.
const FIRST: u32 = 0x7a00_0000;
/// Uids before they come round; far more than processes live at a time.
const COUNT: u32 = 0x1_0000;

/// A uid that nobody else has while this lives.
#[derive(Debug)]
pub(crate) struct Claim {
    uid: u32,
    _name: UnixListener,
}

impl Claim {
    /// The next free one.
    pub(crate) fn take() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let start = std::process::id().wrapping_mul(257);
        (0..COUNT).find_map(|_| {
            let offset = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
            Self::of(FIRST + offset)
        })
    }

    fn of(uid: u32) -> Option<Self> {
        let address = SocketAddr::from_abstract_name(format!("warpyard-sandbox-uid-{uid}")).ok()?;
        let name = UnixListener::bind_addr(&address).ok()?;
        let claim = Self { uid, _name: name };
        // What a grader that was killed may have left under this uid ends before the uid is used again.
        claim.sweep();
        Some(claim)
    }

    /// The uid.
    pub(crate) fn uid(&self) -> u32 {
        self.uid
    }

    /// Kills every process of this uid, whatever session or group it fled into.
    ///
    /// Only a process of that uid can mean "all of that uid" by -1 and reach no other. The kernel goes through its
    /// list once under a lock that forks take as well, so nobody escapes by forking, and once is enough.
    pub(crate) fn sweep(&self) {
        let uid = self.uid;
        // SAFETY: the forked process makes raw system calls only, and ends without returning.
        unsafe {
            let process = libc::fork();
            if process == 0 {
                let dropped = libc::syscall(libc::SYS_setgroups, 0, 0) == 0
                    && libc::syscall(libc::SYS_setresgid, uid, uid, uid) == 0
                    && libc::syscall(libc::SYS_setresuid, uid, uid, uid) == 0;
                // Never as root: -1 would be everybody.
                if dropped {
                    libc::kill(-1, libc::SIGKILL);
                }
                libc::_exit(0);
            }
            if process > 0 {
                libc::waitpid(process, std::ptr::null_mut(), 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uid_has_one_owner_at_a_time() {
        let uid = FIRST + COUNT + std::process::id() % 1000;
        let first = Claim::of(uid).unwrap();
        assert!(Claim::of(uid).is_none());
        drop(first);
        // A process that another test forks has a copy of the socket until it ends.
        let free = |_: &i32| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            Claim::of(uid).is_some()
        };
        assert!((0..5000).find(free).is_some());
    }

    #[test]
    fn claims_differ() {
        let (one, other) = (Claim::take().unwrap(), Claim::take().unwrap());
        assert_ne!(one.uid(), other.uid());
    }
}
