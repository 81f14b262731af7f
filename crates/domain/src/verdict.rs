//! The verdict: what a submission is told, in one vocabulary.
//!
//! The order of [`VerdictKind`] is the order of precedence when one case shows several faults.
//! Hidden cases pass through [`Finding::redacted`] before anything leaves the grader.

use serde::{Deserialize, Serialize};

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
            Self::CompileError
                | Self::SignatureMismatch
                | Self::CompileLimit
                | Self::Unsupported
                | Self::OurFault
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
    pub fn before_cases(
        kind: VerdictKind,
        finding: Finding,
        diagnostics: Vec<Diagnostic>,
        device: &str,
    ) -> Self {
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
        let finding = Finding::OurFault {
            reference: reference.to_owned(),
            reason,
        };
        Self::before_cases(VerdictKind::OurFault, finding, vec![], "")
    }

    /// Cases that agree.
    pub fn agreed(&self) -> usize {
        self.cases
            .iter()
            .filter(|case| case.outcome == CaseOutcome::Agrees)
            .count()
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

/// Block and thread of a finding, (x, y, z) each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Block in the grid.
    pub block: [u32; 3],
    /// Thread in the block.
    pub thread: [u32; 3],
    /// Threads of one block, for the line of arithmetic.
    pub block_size: [u32; 3],
}

/// Read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// A load.
    Read,
    /// A store or an atomic.
    Write,
}

/// Where an address lies that is in no buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Beside a buffer of global memory.
    Global,
    /// Beside a shared array.
    Shared,
    /// Beside a thread's own array.
    Local,
    /// Near address 0.
    Null,
    /// In nobody's memory.
    Wild,
}

/// The facts of one out-of-bounds access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// Who; unknown on a GPU.
    pub who: Option<Thread>,
    /// Element index, negative before the start.
    pub index: i64,
    /// Elements of the buffer.
    pub size: u64,
    /// Threads known to do the same.
    pub threads: u64,
    /// Threads launched in all.
    pub launched: u64,
}

/// The first element outside the tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Element index, row-major.
    pub index: u64,
    /// The oracle's value, as text that reads back to the same number.
    pub expected: String,
    /// The kernel's value.
    pub got: String,
    /// `|got - expected|`, where that is a number.
    pub difference: Option<f64>,
    /// What was allowed here.
    pub allowed: f64,
    /// Elements that differ.
    pub count: u64,
    /// Elements in all.
    pub size: u64,
    /// Who owns this element under the exercise's launch, where one thread per element is launched.
    pub who: Option<Thread>,
}

/// What explains a verdict. The fields of `at` are gone in hidden cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "detail", rename_all = "snake_case")]
pub enum Finding {
    /// The first error of the compiler.
    CompileError {
        /// Line in the learner's source.
        line: Option<u32>,
        /// The compiler's message.
        message: String,
    },
    /// No kernel of the wanted name.
    CompileNoKernel {
        /// The wanted signature.
        signature: String,
        /// Kernels that were found.
        found: Vec<String>,
    },
    /// A header that is not here.
    CompileInclude {
        /// The name between quotes or angles.
        header: String,
        /// Line of the include.
        line: Option<u32>,
    },
    /// An include that leaves the learner's files.
    CompileRefused {
        /// Line of the include.
        line: Option<u32>,
    },
    /// A limit of the compiler.
    CompileLimit {
        /// Which.
        limit: CompileLimit,
    },
    /// Parameters differ from the exercise's.
    SignatureMismatch {
        /// The wanted signature.
        signature: String,
        /// What differs, one sentence.
        difference: String,
    },
    /// The simulator lacks something.
    Unsupported {
        /// What, in the words of PTX.
        what: String,
        /// Line in the source.
        line: Option<u32>,
    },
    /// The launch was refused.
    LaunchResources {
        /// What there is too much of, one sentence.
        reason: String,
    },
    /// An access outside of memory.
    OutOfBounds {
        /// Read or write.
        access: Access,
        /// Beside what.
        space: Space,
        /// Name in the signature or source.
        buffer: Option<String>,
        /// Line in the source; unknown on a GPU.
        line: Option<u32>,
        /// The facts; none in a hidden case.
        at: Option<Reach>,
    },
    /// An address that is no multiple of the access size.
    Misaligned {
        /// Bytes of the access.
        access_bytes: u32,
        /// Line in the source.
        line: Option<u32>,
        /// Who, and the address; none in a hidden case.
        at: Option<(Option<Thread>, u64)>,
    },
    /// Stopped by the device.
    Illegal {
        /// The device's word for it, or the assertion's text.
        error: String,
        /// Line in the source.
        line: Option<u32>,
        /// Who, where known and visible.
        who: Option<Thread>,
    },
    /// Live threads miss a barrier.
    BarrierDivergent {
        /// Line of the barrier.
        line: Option<u32>,
        /// Who is missing, where known and visible.
        who: Option<Thread>,
        /// Threads that arrived.
        arrived: Option<u64>,
        /// Threads that had to.
        expected: Option<u64>,
    },
    /// Not done in time.
    TimeLimit {
        /// The limit in milliseconds.
        limit_ms: u64,
        /// Where warps were at the end.
        line: Option<u32>,
        /// One thread that was there.
        who: Option<Thread>,
        /// Warps at that line.
        warps: Option<u64>,
    },
    /// Memory of the device ran out.
    MemoryLimit {
        /// What was asked for, one sentence.
        reason: String,
        /// Line in the source.
        line: Option<u32>,
    },
    /// Printed too much.
    OutputFlood {
        /// Bytes printed, at least.
        bytes: u64,
    },
    /// An input changed.
    WriteConst {
        /// Name of the input.
        buffer: String,
        /// First changed index.
        index: Option<u64>,
    },
    /// NaN or infinity.
    Nan {
        /// Name of the output.
        buffer: String,
        /// The facts; none in a hidden case.
        at: Option<Mismatch>,
    },
    /// The marker survived.
    Untouched {
        /// Name of the output.
        buffer: String,
        /// The facts; none in a hidden case.
        at: Option<Mismatch>,
    },
    /// Outside the tolerance.
    WrongValues {
        /// Name of the output.
        buffer: String,
        /// The facts; none in a hidden case.
        at: Option<Mismatch>,
    },
    /// We failed.
    OurFault {
        /// Number to quote.
        reference: String,
        /// What happened.
        reason: OurReason,
    },
}

/// Which limit of the compiler was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompileLimit {
    /// Wall clock or processor time.
    Time,
    /// Memory.
    Memory,
    /// Messages.
    Log,
    /// Size of the result.
    Image,
}

/// Why we failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OurReason {
    /// Graders stopped while they worked on it, [`crate::limits::STARTS_MAX`] times.
    GaveUp,
    /// The exercise's own reference fails.
    Content,
    /// The exercise is gone or was never here.
    UnknownExercise,
}

impl Finding {
    /// The line in the learner's source, where one is known.
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::CompileError { line, .. }
            | Self::CompileInclude { line, .. }
            | Self::CompileRefused { line }
            | Self::Unsupported { line, .. }
            | Self::OutOfBounds { line, .. }
            | Self::Misaligned { line, .. }
            | Self::Illegal { line, .. }
            | Self::BarrierDivergent { line, .. }
            | Self::TimeLimit { line, .. }
            | Self::MemoryLimit { line, .. } => *line,
            _ => None,
        }
    }

    /// The same without index, value, size, thread and text: what a hidden case may tell.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        match &mut self {
            Self::OutOfBounds { at, .. } => *at = None,
            Self::Misaligned { at, .. } => *at = None,
            Self::Nan { at, .. } | Self::Untouched { at, .. } | Self::WrongValues { at, .. } => {
                *at = None;
            }
            Self::Illegal { who, error, .. } => {
                *who = None;
                // An assertion's text may carry what the kernel saw.
                error.clear();
            }
            Self::BarrierDivergent {
                who,
                arrived,
                expected,
                ..
            } => (*who, *arrived, *expected) = (None, None, None),
            Self::TimeLimit { who, warps, .. } => (*who, *warps) = (None, None),
            Self::WriteConst { index, .. } => *index = None,
            Self::OutputFlood { bytes } => *bytes = 0,
            Self::MemoryLimit { reason, .. } | Self::LaunchResources { reason } => reason.clear(),
            Self::CompileError { .. }
            | Self::CompileNoKernel { .. }
            | Self::CompileInclude { .. }
            | Self::CompileRefused { .. }
            | Self::CompileLimit { .. }
            | Self::SignatureMismatch { .. }
            | Self::Unsupported { .. }
            | Self::OurFault { .. } => {}
        }
        self
    }
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

    #[test]
    fn a_hidden_case_tells_no_number() {
        let who = Some(Thread {
            block: [31_337, 0, 0],
            thread: [31_337, 0, 0],
            block_size: [31_337, 1, 1],
        });
        let mismatch = || {
            Some(Mismatch {
                index: 31_337,
                expected: "31337".into(),
                got: "31337".into(),
                difference: Some(31_337.0),
                allowed: 31_337.0,
                count: 31_337,
                size: 31_337,
                who,
            })
        };
        let out = || "out".to_owned();
        let reach = Reach {
            who,
            index: 31_337,
            size: 31_337,
            threads: 31_337,
            launched: 31_337,
        };
        let findings = [
            Finding::OutOfBounds {
                access: Access::Read,
                space: Space::Global,
                buffer: Some(out()),
                line: Some(7),
                at: Some(reach),
            },
            Finding::Misaligned {
                access_bytes: 4,
                line: Some(7),
                at: Some((who, 31_337)),
            },
            Finding::Illegal {
                error: "31337".into(),
                line: Some(7),
                who,
            },
            Finding::BarrierDivergent {
                line: Some(7),
                who,
                arrived: Some(31_337),
                expected: Some(31_337),
            },
            Finding::TimeLimit {
                limit_ms: 2000,
                line: Some(7),
                who,
                warps: Some(31_337),
            },
            Finding::MemoryLimit {
                reason: "31337".into(),
                line: Some(7),
            },
            Finding::LaunchResources {
                reason: "31337".into(),
            },
            Finding::OutputFlood { bytes: 31_337 },
            Finding::WriteConst {
                buffer: out(),
                index: Some(31_337),
            },
            Finding::Nan {
                buffer: out(),
                at: mismatch(),
            },
            Finding::Untouched {
                buffer: out(),
                at: mismatch(),
            },
            Finding::WrongValues {
                buffer: out(),
                at: mismatch(),
            },
        ];
        for finding in findings {
            let text = serde_json::to_string(&finding.redacted()).unwrap();
            assert!(!text.contains("31337"), "{text}");
        }
    }
}
