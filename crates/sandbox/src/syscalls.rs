//! The system calls that remain after the confinement.
//!
//! NVRTC and the simulator have a list of what is allowed, found by what they use after their warm-up. A GPU's
//! driver changes with every release, so it has a list of what is denied, and what is newer than that list is denied
//! too. Everything denied fails with EPERM, so that a library's error stays an error.
//!
//! A thread may be made, a process may not: `clone` needs CLONE_THREAD, and `clone3`, whose flags a filter cannot
//! see, answers ENOSYS, upon which the C library uses `clone`.

mod lists;

use std::collections::BTreeMap;

use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule, sock_filter};

use self::lists::{COMMON, FILES, NEVER};
use crate::Kind;

/// Rules by number; no rule means always.
pub(crate) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The newest call that anybody judged (lsm_list_modules, Linux 6.8). What is above, and all of x32, is not there.
const NEWEST: u32 = 462;

/// Every new namespace that `clone` can ask for; none goes with a thread's own flags, but that is the kernel's word.
const NEW_NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;
const THREAD: u64 = libc::CLONE_THREAD as u64;
/// Flags of `open` that make or empty a file.
const MAKES: u64 = (libc::O_CREAT | libc::O_TRUNC) as u64;
const WRITES: u64 = libc::O_ACCMODE as u64;
const EXECUTABLE: u64 = libc::PROT_EXEC as u64;
/// `fcntl` commands that only concern the descriptor itself. F_SETOWN and its kin can send signals.
const DESCRIPTOR_COMMANDS: [i32; 6] =
    [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL];
const SIGNAL_COMMANDS: [i32; 4] = [
    libc::F_SETOWN,
    10, // F_SETSIG
    15, /* F_SETOWN_EX */
    libc::F_NOTIFY,
];
/// Naming threads and memory is harmless; everything else of `prctl` is not needed.
const NAMING: [i32; 3] = [libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_SET_VMA];

/// What the compiler and the simulator may do.
pub(crate) fn allowed(kind: Kind) -> Result<Rules, BackendError> {
    let files: &[i64] = match kind {
        Kind::Simulator => &[],
        Kind::Compiler | Kind::Gpu => FILES,
    };
    let mut rules: Rules = COMMON.iter().chain(files).map(|call| (*call, vec![])).collect();
    let mut allow = |call: i64, any: Vec<SeccompRule>| rules.insert(call, any);
    allow(libc::SYS_clone, vec![rule(&[flags(0, THREAD | NEW_NAMESPACES, THREAD)?])?]);
    // No memory becomes executable: all code was loaded before the first byte of a learner.
    for (call, protection) in [(libc::SYS_mmap, 2), (libc::SYS_mprotect, 2)] {
        allow(call, vec![rule(&[flags(protection, EXECUTABLE, 0)?])?]);
    }
    if kind != Kind::Simulator {
        for (call, argument) in [(libc::SYS_openat, 2), (libc::SYS_open, 1)] {
            allow(call, vec![rule(&[flags(argument, WRITES | MAKES, 0)?])?]);
        }
    }
    // Limits of oneself may be read, not set.
    allow(libc::SYS_prlimit64, vec![rule(&[is(0, 0)?, pointer(2)?])?]);
    allow(libc::SYS_sendto, vec![rule(&[pointer(4)?])?]);
    let each = |argument, values: &[i32]| -> Result<Vec<_>, BackendError> {
        values.iter().map(|value| rule(&[is(argument, *value)?])).collect()
    };
    allow(libc::SYS_fcntl, each(1, &DESCRIPTOR_COMMANDS)?);
    allow(libc::SYS_prctl, each(0, &NAMING)?);
    // A thread may signal its own process: `abort` is how a lack of memory ends NVRTC.
    allow(libc::SYS_tgkill, vec![rule(&[is(0, std::process::id() as i32)?])?]);
    Ok(rules)
}

/// What a GPU's driver may not do.
pub(crate) fn denied() -> Result<Rules, BackendError> {
    let mut rules: Rules = NEVER.iter().map(|call| (*call, vec![])).collect();
    let mut deny = |call: i64, any: Vec<SeccompRule>| rules.insert(call, any);
    let mut process = vec![rule(&[flags(0, THREAD, 0)?])?];
    for bit in (0..64).map(|shift| 1 << shift).filter(|bit| NEW_NAMESPACES & bit != 0) {
        process.push(rule(&[flags(0, bit, bit)?])?);
    }
    deny(libc::SYS_clone, process);
    // It opens its nodes for writing, but makes no file.
    for (call, argument) in [(libc::SYS_openat, 2), (libc::SYS_open, 1)] {
        let makes = [libc::O_CREAT, libc::O_TRUNC].map(|flag| flag as u64);
        let any = makes.map(|flag| rule(&[flags(argument, flag, flag)?]));
        deny(call, any.into_iter().collect::<Result<_, _>>()?);
    }
    let not = |argument, value: i32| condition(argument, SeccompCmpOp::Ne, value as u32);
    let other = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    deny(libc::SYS_prlimit64, vec![rule(&[other])?, rule(&[not(0, 0)?])?]);
    let elsewhere = SeccompCondition::new(4, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    deny(libc::SYS_sendto, vec![rule(&[elsewhere])?]);
    let signalling = SIGNAL_COMMANDS.map(|command| rule(&[is(1, command)?]));
    deny(libc::SYS_fcntl, signalling.into_iter().collect::<Result<_, _>>()?);
    let unnamed = NAMING.map(|option| not(0, option));
    let unnamed = unnamed.into_iter().collect::<Result<Vec<_>, _>>()?;
    deny(libc::SYS_prctl, vec![rule(&unnamed)?]);
    deny(libc::SYS_tgkill, vec![rule(&[not(0, std::process::id() as i32)?])?]);
    Ok(rules)
}

/// A filter before the others: what is newer than this file, x32, and `clone3` are "not there" (ENOSYS).
///
/// Written by hand, since the library compares numbers for equality only and knows one answer per filter.
pub(crate) fn guard() -> Vec<sock_filter> {
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let absent = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    vec![
        // The number is the first word of seccomp_data. The architecture is the other filter's affair.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, 1, 0, NEWEST),
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, libc::SYS_clone3 as u32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, absent),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

fn rule(all: &[SeccompCondition]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(all.to_vec())
}

fn flags(argument: u8, mask: u64, wanted: u64) -> Result<SeccompCondition, BackendError> {
    let masked = SeccompCmpOp::MaskedEq(mask);
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, masked, wanted)
}

/// The kernel takes an `int` from the lower half alone, so that is what is compared.
fn condition(argument: u8, operator: SeccompCmpOp, value: u32) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, u64::from(value))
}

fn is(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
    condition(argument, SeccompCmpOp::Eq, value as u32)
}

/// A null pointer.
fn pointer(argument: u8) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_dangerous_is_allowed() {
        for kind in [Kind::Compiler, Kind::Simulator] {
            let rules = allowed(kind).unwrap();
            for call in NEVER {
                assert!(!rules.contains_key(call), "{kind:?} allows call {call}");
            }
            assert!(!rules.contains_key(&libc::SYS_memfd_create));
            assert!(!rules.contains_key(&libc::SYS_ioctl));
            assert!(!rules[&libc::SYS_clone].is_empty());
        }
        assert!(!allowed(Kind::Simulator).unwrap().contains_key(&libc::SYS_openat));
    }

    #[test]
    fn the_lists_do_not_contradict_each_other() {
        let denied = denied().unwrap();
        for call in COMMON.iter().chain(FILES) {
            assert!(!denied.contains_key(call), "call {call} is on both lists");
        }
        let newest = NEVER.iter().chain(COMMON).max().unwrap();
        assert!(*newest <= i64::from(NEWEST));
    }
}
