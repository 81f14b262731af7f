//! What a grader tells while it works. Events of one submission are numbered 1, 2, 3 …

use serde::{Deserialize, Serialize};

use crate::verdict::{CaseReport, Diagnostic, Verdict};

/// The stations of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Waits for a grader.
    Queue,
    /// Source becomes an image.
    Compile,
    /// Every case is run and compared.
    Values,
    /// Accesses are checked on the simulator.
    Memory,
    /// Timed runs on a GPU.
    Timing,
}

impl Stage {
    /// All, in order.
    pub const ALL: [Self; 5] = [Self::Queue, Self::Compile, Self::Values, Self::Memory, Self::Timing];

    /// The word on the page.
    pub fn title(self) -> &'static str {
        match self {
            Self::Queue => "Queue",
            Self::Compile => "Compile",
            Self::Values => "Values",
            Self::Memory => "Memory",
            Self::Timing => "Timing",
        }
    }
}

/// One step of grading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum GradeEvent {
    /// Stored and queued.
    Queued,
    /// A grader begins, or begins again after one was lost: what came before is void.
    Started {
        /// 1 the first time.
        start: i32,
        /// Cases that will be judged.
        case_count: u32,
        /// GPU name or `simulator`.
        device: String,
    },
    /// A stage begins.
    Stage {
        /// Which.
        stage: Stage,
    },
    /// The compiler spoke; errors end grading, warnings do not.
    Compiled {
        /// Its messages.
        diagnostics: Vec<Diagnostic>,
    },
    /// A case ended. Hidden ones are redacted already.
    CaseDone {
        /// How.
        case: CaseReport,
    },
    /// The end.
    Finished {
        /// The verdict.
        verdict: Box<Verdict>,
    },
}

impl GradeEvent {
    /// Whether nothing follows.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Finished { .. })
    }

    /// The name of the event on the stream.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Started { .. } => "started",
            Self::Stage { .. } => "stage",
            Self::Compiled { .. } => "compiled",
            Self::CaseDone { .. } => "case_done",
            Self::Finished { .. } => "finished",
        }
    }
}
