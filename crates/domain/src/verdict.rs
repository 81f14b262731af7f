//! The verdict: what a submission is told, in one vocabulary.
//!
//! The order of [`VerdictKind`] is the order of precedence when one case shows several faults.
//! What explains a verdict is a [`Finding`].

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, OurReason};

macro_rules! verdict_kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What was decided. Declared in order of precedence, the first wins.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum VerdictKind {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl VerdictKind {
            /// All kinds, in order of precedence.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word used in files, tables and addresses.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }
        }
    };
}

verdict_kinds! {
    /// The compiler refused the source.
    CompileError = "compile-error",
    /// The kernel's parameters are not the exercise's.
    SignatureMismatch = "signature-mismatch",
    /// Compilation hit a limit of time, memory, log or image size.
    CompileLimit = "compile-limit",
    /// The simulator cannot run this; costs no attempt.
    Unsupported = "unsupported",
    /// The launch itself was refused.
    LaunchError = "launch-error",
    /// A read outside a buffer.
    OobRead = "oob-read",
    /// A write outside a buffer.
    OobWrite = "oob-write",
    /// An access outside a shared array.
    OobShared = "oob-shared",
    /// An address that is no multiple of the access size.
    Misaligned = "misaligned",
    /// Stopped by the device without a better diagnosis: trap, assert, bad free.
    Illegal = "illegal",
    /// Live threads do not meet at a barrier.
    BarrierDivergence = "barrier-divergence",
    /// Unordered accesses to shared memory.
    RaceShared = "race-shared",
    /// Unordered accesses to global memory.
    RaceGlobal = "race-global",
    /// A value was read that nobody wrote.
    UninitRead = "uninit-read",
    /// The case did not end in time.
    TimeLimit = "time-limit",
    /// Heap, stack or local memory ran out.
    MemoryLimit = "memory-limit",
    /// Printed more than a case may.
    OutputLimit = "output-limit",
    /// An input buffer changed.
    InputModified = "input-modified",
    /// NaN or infinity where the oracle is finite.
    Nan = "nan",
    /// Part of an output still holds the marker.
    OutputUntouched = "output-untouched",
    /// Two runs of one case differ.
    NonDeterministic = "non-deterministic",
    /// Values outside the tolerance.
    WrongValues = "wrong-values",
    /// Right, but without the structure that the exercise is about.
    Structure = "structure",
    /// Every case agrees.
    Accepted = "accepted",
    /// We failed; costs nothing.
    OurFault = "our-fault",
}

impl VerdictKind {
    /// Reads [`Self::as_str`] back.
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }

    /// Whether this verdict may count as an attempt.
    pub fn costs_attempt(self) -> bool {
        !matches!(
            self,
            Self::CompileError | Self::SignatureMismatch | Self::CompileLimit | Self::Unsupported | Self::OurFault
        )
    }

    /// Whether the process that showed it is gone, so that later cases need a new one.
    pub fn ends_process(self) -> bool {
        self >= Self::OobRead && self <= Self::OutputLimit
    }
}

/// The judgement of one submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was decided.
    pub kind: VerdictKind,
    /// What explains it; `None` of `accepted`.
    pub finding: Option<Finding>,
    /// Every case, in the exercise's order.
    pub cases: Vec<CaseReport>,
    /// What the compiler said: errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Remarks beside `accepted`; never a failure.
    pub marks: Vec<Mark>,
    /// Text the kernel printed in visible cases.
    pub printed: Vec<Printed>,
    /// Name of what ran the kernel: a GPU's name, or `simulator`.
    pub device: String,
}

impl Verdict {
    /// A verdict that no case led to.
    pub fn before_cases(kind: VerdictKind, finding: Finding, diagnostics: Vec<Diagnostic>, device: &str) -> Self {
        Self {
            kind,
            finding: Some(finding),
            cases: vec![],
            diagnostics,
            marks: vec![],
            printed: vec![],
            device: device.to_owned(),
        }
    }

    /// Our fault, for good.
    pub fn our_fault(reference: &str, reason: OurReason) -> Self {
        let finding = Finding::OurFault { reference: reference.to_owned(), reason };
        Self::before_cases(VerdictKind::OurFault, finding, vec![], "")
    }

    /// Cases that agree.
    pub fn agreed(&self) -> usize {
        self.cases.iter().filter(|case| case.outcome == CaseOutcome::Agrees).count()
    }
}

/// A remark beside `accepted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Timing waits for a GPU or for a grader that times.
    TimingPending,
    /// Cases for a GPU were not judged here.
    GpuCasesPending,
    /// The simulator could not run this, so a GPU judged alone.
    SimulatorSilent,
    /// Simulator and GPU disagree; a person looks at it.
    DevicesDisagree,
    /// More memory was touched than races and unwritten values are looked for in.
    DetectionPartial,
    /// The source as it was written, before the optimiser, was not or not wholly inspected.
    InspectionPartial,
}

/// One case of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseReport {
    /// Position in the exercise, from 0.
    pub index: u32,
    /// Sizes in words (`n = 1000`); `None` of a hidden case.
    pub label: Option<String>,
    /// How it ended.
    pub outcome: CaseOutcome,
    /// Wall clock of the run in microseconds, transfers not counted.
    pub elapsed_us: u64,
}

/// How one case ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CaseOutcome {
    /// All outputs agree, all inputs stand.
    Agrees,
    /// It failed.
    Failed {
        /// As what.
        kind: VerdictKind,
        /// Why; boxed since it is large and rare.
        finding: Box<Finding>,
    },
    /// Not run: an earlier case ended the process or the time.
    NotRun,
    /// Not for this device.
    Skipped,
}

impl CaseOutcome {
    /// Kind and finding of a failure.
    pub fn failure(&self) -> Option<(VerdictKind, &Finding)> {
        match self {
            Self::Failed { kind, finding } => Some((*kind, finding)),
            _ => None,
        }
    }
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Line of the learner's source, from 1; `None` where the message is about the whole program.
    pub line: Option<u32>,
    /// The message, one line.
    pub message: String,
}

/// Weight of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing was made.
    Error,
    /// Compiled all the same.
    Warning,
}

/// What the kernel printed in one visible case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// Case, from 0.
    pub case_index: u32,
    /// The first characters, control characters replaced.
    pub text: String,
    /// Bytes that are not shown.
    pub dropped_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for kind in VerdictKind::ALL {
            assert_eq!(VerdictKind::find(kind.as_str()), Some(*kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(VerdictKind::find("REJ"), None);
    }

    #[test]
    fn precedence_is_the_declared_order() {
        assert!(VerdictKind::OobRead < VerdictKind::OobWrite);
        assert!(VerdictKind::OutputUntouched < VerdictKind::WrongValues);
        assert!(VerdictKind::RaceShared < VerdictKind::TimeLimit);
    }
}
