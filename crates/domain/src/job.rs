//! What the server asks of a grader, in one versioned message of ids and values.

use serde::{Deserialize, Serialize};

use crate::id::SubmissionId;

/// Raised when a grader of the version before could misread a job.
pub const JOB_VERSION: u32 = 1;

/// What runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The PTX simulator on the CPU.
    Sim,
    /// A real GPU, with the simulator beside it for the visible cases.
    Gpu,
}

impl Backend {
    /// The word of configuration and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Gpu => "gpu",
        }
    }
}

/// The payload of a queue entry. Everything else is read from the submission's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradeJob {
    /// [`JOB_VERSION`] of the writer.
    pub version: u32,
    /// Whose row to judge.
    pub submission: SubmissionId,
}
