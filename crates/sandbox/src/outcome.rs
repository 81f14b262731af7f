//! How a process ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The end of a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returned this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It could not be waited for, or did not die in time.
    Unknown,
}

impl Outcome {
    /// Reads a status. bubblewrap passes its child's signal on as 128 + signal.
    pub(crate) fn of(status: ExitStatus, wrapped: bool) -> Self {
        match (status.signal(), status.code()) {
            (Some(signal), _) => Self::Signalled(signal),
            (None, Some(code)) if wrapped && code > 128 => Self::Signalled(code - 128),
            (None, Some(code)) => Self::Exited(code),
            (None, None) => Self::Unknown,
        }
    }

    /// Whether this signal ended it.
    pub fn is_signal(self, signal: i32) -> bool {
        self == Self::Signalled(signal)
    }

    /// Whether a signal ended it.
    pub fn any_signal(self) -> bool {
        matches!(self, Self::Signalled(_))
    }

    /// Whether it asked for more memory than it may have: Rust aborts and says so, the kernel's reaper kills.
    pub fn is_out_of_memory(self, stderr: &str) -> bool {
        self.is_signal(libc::SIGKILL) || (self.is_signal(libc::SIGABRT) && stderr.contains("memory allocation of"))
    }

    /// Whether it ran out of processor time (RLIMIT_CPU).
    pub fn is_out_of_time(self) -> bool {
        self.is_signal(libc::SIGXCPU)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "it returned {code}"),
            Self::Signalled(signal) => write!(f, "signal {signal} ended it"),
            Self::Unknown => f.write_str("its end is unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_passes_signals_on_as_codes() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(Outcome::of(exited(137), true), Outcome::Signalled(9));
        assert_eq!(Outcome::of(exited(137), false), Outcome::Exited(137));
        assert_eq!(Outcome::of(exited(3), true), Outcome::Exited(3));
        assert_eq!(Outcome::of(ExitStatus::from_raw(24), false), Outcome::Signalled(24));
        assert!(Outcome::Signalled(libc::SIGXCPU).is_out_of_time());
        assert!(Outcome::Signalled(libc::SIGKILL).is_out_of_memory(""));
        assert!(Outcome::Signalled(libc::SIGABRT).is_out_of_memory("memory allocation of 64 bytes failed"));
        assert!(!Outcome::Signalled(libc::SIGABRT).is_out_of_memory("assertion failed"));
        assert!(!Outcome::Exited(101).is_out_of_memory("memory allocation of 64 bytes failed"));
    }
}
