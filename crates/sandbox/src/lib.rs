//! Linux isolation for processes that see learner bytes.
//!
//! Theory of operation. The grader starts a *runner* for every compilation and every run. [`spawn`] gives it one
//! descriptor besides the null streams: a socket to the grader. The runner first loads and warms what is trusted
//! (NVRTC, the GPU's driver), then calls [`confine`] on itself, and only then reads the first byte of a learner.
//! So the filters need not allow what loading needs, and nothing of a learner ever runs unconfined.
//!
//! Levels. **A**: namespaces by bubblewrap (mount, pid, net, ipc, uts, user) with a root that holds only what the
//! runner needs, then Landlock, seccomp and rlimits. **B**: root without user namespaces: from before its exec the
//! runner has a uid that no other process has; it may read what root may read until it confines itself, so that a
//! toolchain can lie anywhere; then the same three. **C**: neither; the three alone, and only where an operator
//! insists. [`probe::pick_level`] tries the escapes themselves at the start; a level that does not hold is not claimed.
//!
//! Ends. A runner dies with the grader (parent-death signal, so all are started from one thread that never ends).
//! [`Child`] kills and reaps it when it is dropped, with everything it may have started: at level A by the first
//! process of the pid namespace, at level B by the uid, at level C by the process group. After its confinement it
//! cannot start processes at all.
//!
//! What this does not do: wall clocks (the grader's), messages (the grader's), control groups, and the defence of a
//! GPU's driver against its kernels. docs/SANDBOX.md has the threat model.
#![expect(unsafe_code, reason = "system calls between fork and exec, and rlimits")]

pub mod probe;

mod child;
mod confine;
mod outcome;
mod prepare;
mod spawn;
mod syscalls;
mod uid;

use std::ffi::OsString;
use std::path::PathBuf;

pub use child::Child;
pub use confine::{ConfineError, Confined, Confinement, Kind, channel, confine, restrict_early};
pub use outcome::Outcome;
pub use spawn::{SpawnError, spawn};

/// How a runner is kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// bubblewrap + Landlock + seccomp + rlimits.
    A,
    /// Own uid + Landlock + seccomp + rlimits.
    B,
    /// Landlock + seccomp + rlimits; degraded.
    C,
}

/// What a runner may see and use from its start. [`confine`] takes more away.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The program, as an absolute path; it should be among what is read-only, too.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Files and folders that it may read, besides the system's libraries: its own program as well.
    pub read_only: Vec<PathBuf>,
    /// Device nodes.
    pub devices: Vec<PathBuf>,
    /// Whether /proc and /sys are there; only a GPU's driver needs them.
    pub proc: bool,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Bounds.
    pub limits: Limits,
}

/// Bounds of one runner.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Address space; `None` where a driver reserves far more than it uses.
    pub address_space_bytes: Option<u64>,
    /// Processor time.
    pub cpu_seconds: u64,
    /// Size of any file it writes.
    pub file_bytes: u64,
    /// Descriptors.
    pub open_files: u64,
    /// Threads and processes, at level B, whose uid counts only its own.
    pub processes: u64,
}
