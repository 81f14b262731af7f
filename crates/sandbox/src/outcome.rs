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
    /// It could not be waited for.
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
