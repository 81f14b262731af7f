//! The system calls that remain after the confinement, as a list of what is allowed.
//!
//! Found by what NVRTC 13.0, the simulator and the 580 driver use after their warm-up. A thread may be made
//! (NVRTC compiles large sources in several), a process may not: `clone` is allowed with CLONE_THREAD only, and
//! `clone3`, whose flags a filter cannot see, fails in a way that the C library answers with `clone`.

use std::collections::BTreeMap;

use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use crate::Kind;

/// Memory, threads, time, and the descriptors that are open.
const COMMON: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_fcntl,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_recvmsg,
    libc::SYS_sendmsg,
    libc::SYS_shutdown,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getuid,
    libc::SYS_getgid,
    libc::SYS_geteuid,
    libc::SYS_getegid,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getrusage,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Files, as far as Landlock lets them be opened: NVRTC reads headers.
const FILES: &[i64] = &[
    libc::SYS_openat,
    libc::SYS_open,
    libc::SYS_access,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
];

/// What the driver uses beyond these: its nodes answer to ioctl, its events to eventfd, printed text goes to a file.
const GPU: &[i64] = &[
    libc::SYS_ioctl,
    libc::SYS_eventfd2,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_wait,
    libc::SYS_pipe2,
    libc::SYS_dup,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_pwrite64,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_get_mempolicy,
    libc::SYS_mbind,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_getcpu,
    libc::SYS_getppid,
    libc::SYS_set_tid_address,
    libc::SYS_tgkill,
];

/// The rules of one kind of runner.
pub(crate) fn rules(kind: Kind) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let more: &[&[i64]] = match kind {
        Kind::Simulator => &[],
        Kind::Compiler => &[FILES],
        Kind::Gpu => &[FILES, GPU],
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = COMMON
        .iter()
        .chain(more.iter().copied().flatten())
        .map(|call| (*call, vec![]))
        .collect();
    let with = |argument, mask: u64, wanted| {
        SeccompRule::new(vec![SeccompCondition::new(
            argument,
            SeccompCmpArgLen::Qword,
            SeccompCmpOp::MaskedEq(mask),
            wanted,
        )?])
    };
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![with(0, thread, thread)?]);
    // Limits may be read, not set: the second argument of prlimit64's new limit is a null pointer.
    rules.insert(libc::SYS_prlimit64, vec![with(2, u64::MAX, 0)?]);
    rules.insert(libc::SYS_getrlimit, vec![]);
    // Naming a thread is harmless; everything else of prctl is not needed.
    rules.insert(
        libc::SYS_prctl,
        vec![with(0, u64::MAX, libc::PR_SET_NAME as u64)?],
    );
    // A thread may signal its own process with abort: that is how memory ends NVRTC.
    rules.insert(
        libc::SYS_tgkill,
        vec![with(0, u64::MAX, u64::from(std::process::id()))?],
    );
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_dangerous_is_on_any_list() {
        let never = [
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_fork,
            libc::SYS_vfork,
            libc::SYS_clone3,
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
            libc::SYS_accept,
            libc::SYS_accept4,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_pidfd_open,
            libc::SYS_pidfd_send_signal,
            libc::SYS_pidfd_getfd,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_pivot_root,
            libc::SYS_chroot,
            libc::SYS_fsopen,
            libc::SYS_move_mount,
            libc::SYS_open_tree,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_userfaultfd,
            libc::SYS_io_uring_setup,
            libc::SYS_io_uring_enter,
            libc::SYS_keyctl,
            libc::SYS_add_key,
            libc::SYS_request_key,
            libc::SYS_memfd_create,
            libc::SYS_open_by_handle_at,
            libc::SYS_setuid,
            libc::SYS_setresuid,
            libc::SYS_setrlimit,
            libc::SYS_init_module,
            libc::SYS_finit_module,
            libc::SYS_kexec_load,
            libc::SYS_unlink,
            libc::SYS_unlinkat,
            libc::SYS_rename,
            libc::SYS_mkdir,
            libc::SYS_symlink,
            libc::SYS_link,
            libc::SYS_chmod,
            libc::SYS_shmget,
            libc::SYS_msgget,
            libc::SYS_semget,
            libc::SYS_mq_open,
            libc::SYS_personality,
            libc::SYS_modify_ldt,
        ];
        for kind in [Kind::Compiler, Kind::Simulator, Kind::Gpu] {
            let rules = rules(kind).unwrap();
            for call in never {
                assert!(!rules.contains_key(&call), "{kind:?} allows call {call}");
            }
            assert!(!rules[&libc::SYS_clone].is_empty());
        }
        assert!(
            !rules(Kind::Simulator)
                .unwrap()
                .contains_key(&libc::SYS_openat)
        );
    }
}
