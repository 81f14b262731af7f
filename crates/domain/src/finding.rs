//! What explains a verdict: facts that can be checked by hand.
//!
//! Hidden cases pass through [`Finding::redacted`] before anything leaves the grader.

use serde::{Deserialize, Serialize};

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

/// One access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceSide {
    /// Who.
    pub who: Thread,
    /// Read or write.
    pub access: Access,
    /// Whether it is an atomic operation.
    pub atomic: bool,
}

/// The facts of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceFacts {
    /// Element index.
    pub index: i64,
    /// Elements.
    pub size: u64,
    /// The access that came later in this run, at the finding's line.
    pub later: RaceSide,
    /// The other.
    pub earlier: RaceSide,
}

/// A line that a finding also concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// Line in the source.
    pub line: u32,
    /// What is there.
    pub what: RelatedKind,
}

/// What is at a related line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelatedKind {
    /// Where the memory is declared.
    Declaration,
    /// The innermost condition under which the access stands.
    Condition,
    /// Where the memory is stored to.
    Store,
    /// Where threads of the block had ended before.
    Left,
    /// A barrier between the accesses, of one block only.
    BlockBarrier,
}

/// What would order the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// A barrier of the block.
    Barrier,
    /// A barrier of the warp.
    WarpSync,
    /// One thread that stores.
    OneWriter,
    /// An order between blocks.
    BlockOrder,
    /// The other side must be atomic too.
    Atomic,
    /// An atomic that reaches all blocks.
    WiderScope,
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
        /// Other lines; none in a hidden case.
        #[serde(default)]
        related: Vec<Related>,
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
    /// Two accesses of one place without an order, one of them a write.
    Race {
        /// Shared or global memory.
        space: Space,
        /// Name in the signature or source.
        buffer: String,
        /// What is missing between them.
        missing: Missing,
        /// Line of the later access.
        line: Option<u32>,
        /// Line of the other.
        other_line: Option<u32>,
        /// The facts; none in a hidden case.
        at: Option<RaceFacts>,
        /// Other lines; none in a hidden case.
        #[serde(default)]
        related: Vec<Related>,
    },
    /// A value was used that nobody had written.
    Uninitialised {
        /// Which memory; none of a variable in a register.
        space: Option<Space>,
        /// Name in the signature or source.
        buffer: Option<String>,
        /// Line of the read.
        line: Option<u32>,
        /// Who, and the element; none in a hidden case.
        at: Option<(Thread, i64)>,
        /// Other lines; none in a hidden case.
        #[serde(default)]
        related: Vec<Related>,
    },
    /// A shuffle gave the value of a lane that took no part in it.
    AbsentLane {
        /// Line of the shuffle.
        line: Option<u32>,
        /// Who used the value; none in a hidden case.
        who: Option<Thread>,
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
        /// Line of the store, where known.
        #[serde(default)]
        line: Option<u32>,
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
            | Self::Race { line, .. }
            | Self::AbsentLane { line, .. }
            | Self::Uninitialised { line, .. }
            | Self::WriteConst { line, .. }
            | Self::MemoryLimit { line, .. } => *line,
            _ => None,
        }
    }

    /// All lines that the finding names: two of a race.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        let other = if let Self::Race { other_line, .. } = self { *other_line } else { None };
        self.line().into_iter().chain(other).chain(self.related().iter().map(|related| related.line))
    }

    /// Other lines that it concerns.
    pub fn related(&self) -> &[Related] {
        match self {
            Self::OutOfBounds { related, .. } | Self::Race { related, .. } | Self::Uninitialised { related, .. } => {
                related
            }
            _ => &[],
        }
    }

    fn related_mut(&mut self) -> Option<&mut Vec<Related>> {
        match self {
            Self::OutOfBounds { related, .. } | Self::Race { related, .. } | Self::Uninitialised { related, .. } => {
                Some(related)
            }
            _ => None,
        }
    }

    /// The same with the line where its shared array is declared, found in the source by name.
    #[must_use]
    pub fn with_declaration(mut self, source: &str) -> Self {
        let name = match &self {
            Self::OutOfBounds { space: Space::Shared, buffer: Some(buffer), at: Some(_), .. }
            | Self::Race { space: Space::Shared, buffer, at: Some(_), .. }
            | Self::Uninitialised { space: Some(Space::Shared), buffer: Some(buffer), at: Some(_), .. } => {
                buffer.clone()
            }
            _ => return self,
        };
        let declares = |line: &str| {
            let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            line.contains("__shared__") && words.into_iter().any(|word| word == name)
        };
        if let (Some(at), Some(related)) = (source.lines().position(declares), self.related_mut()) {
            related.insert(0, Related { line: at as u32 + 1, what: RelatedKind::Declaration });
        }
        self
    }

    /// The same without lines that the source does not have: `#line` can name any, and so carry numbers out.
    #[must_use]
    pub fn within(mut self, last_line: u32) -> Self {
        self.each_line(|line| *line = line.filter(|line| *line <= last_line));
        if let Some(related) = self.related_mut() {
            related.retain(|related| related.line <= last_line);
        }
        self
    }

    fn each_line(&mut self, change: impl Fn(&mut Option<u32>)) {
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
            | Self::Uninitialised { line, .. }
            | Self::AbsentLane { line, .. }
            | Self::WriteConst { line, .. }
            | Self::MemoryLimit { line, .. } => change(line),
            Self::Race { line, other_line, .. } => {
                change(line);
                change(other_line);
            }
            _ => {}
        }
    }

    /// The same without index, value, size, thread and text: what a hidden case may tell.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        if let Some(related) = self.related_mut() {
            related.clear();
        }
        match &mut self {
            Self::OutOfBounds { at, .. } => *at = None,
            Self::Misaligned { at, access_bytes, .. } => (*at, *access_bytes) = (None, 0),
            Self::Nan { at, .. } | Self::Untouched { at, .. } | Self::WrongValues { at, .. } => {
                *at = None;
            }
            Self::Illegal { who, error, .. } => {
                *who = None;
                // An assertion's text may carry what the kernel saw.
                error.clear();
            }
            Self::BarrierDivergent { who, arrived, expected, .. } => (*who, *arrived, *expected) = (None, None, None),
            Self::AbsentLane { who, .. } => *who = None,
            Self::Race { at, .. } => *at = None,
            Self::Uninitialised { at, .. } => *at = None,
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
    fn lines_outside_the_source_are_dropped() {
        let race = |line, other_line| Finding::Race {
            space: Space::Shared,
            buffer: "s".into(),
            missing: Missing::Barrier,
            line,
            other_line,
            at: None,
            related: vec![],
        };
        for (given, expect) in [
            (race(Some(3), Some(4)), vec![3, 4]),
            (race(Some(3), Some(11)), vec![3]),
            (race(Some(900_001), Some(4)), vec![4]),
            (Finding::CompileRefused { line: Some(10) }, vec![10]),
            (Finding::CompileRefused { line: Some(11) }, vec![]),
        ] {
            assert_eq!(given.within(10).lines().collect::<Vec<_>>(), expect);
        }
    }

    #[test]
    fn a_hidden_case_tells_no_number() {
        let who = Some(Thread { block: [31_337, 0, 0], thread: [31_337, 0, 0], block_size: [31_337, 1, 1] });
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
        let thread = Thread { block: [31_337, 0, 0], thread: [31_337, 0, 0], block_size: [31_337, 1, 1] };
        let related = vec![Related { line: 31_337, what: RelatedKind::Condition }];
        let side = RaceSide { who: thread, access: Access::Write, atomic: false };
        let reach = Reach { who, index: 31_337, size: 31_337, threads: 31_337, launched: 31_337 };
        let findings = [
            Finding::OutOfBounds {
                access: Access::Read,
                space: Space::Global,
                buffer: Some(out()),
                line: Some(7),
                at: Some(reach),
                related: related.clone(),
            },
            Finding::Misaligned { access_bytes: 31_337, line: Some(7), at: Some((who, 31_337)) },
            Finding::Illegal { error: "31337".into(), line: Some(7), who },
            Finding::BarrierDivergent { line: Some(7), who, arrived: Some(31_337), expected: Some(31_337) },
            Finding::TimeLimit { limit_ms: 2000, line: Some(7), who, warps: Some(31_337) },
            Finding::MemoryLimit { reason: "31337".into(), line: Some(7) },
            Finding::LaunchResources { reason: "31337".into() },
            Finding::OutputFlood { bytes: 31_337 },
            Finding::Race {
                space: Space::Global,
                buffer: out(),
                missing: Missing::Barrier,
                line: Some(7),
                other_line: Some(8),
                at: Some(RaceFacts { index: 31_337, size: 31_337, later: side, earlier: side }),
                related: related.clone(),
            },
            Finding::AbsentLane { line: Some(7), who },
            Finding::Uninitialised {
                space: Some(Space::Shared),
                buffer: Some(out()),
                line: Some(7),
                at: who.map(|who| (who, 31_337)),
                related,
            },
            Finding::WriteConst { buffer: out(), index: Some(31_337), line: Some(7) },
            Finding::Nan { buffer: out(), at: mismatch() },
            Finding::Untouched { buffer: out(), at: mismatch() },
            Finding::WrongValues { buffer: out(), at: mismatch() },
        ];
        for finding in findings {
            let text = serde_json::to_string(&finding.redacted()).unwrap();
            assert!(!text.contains("31337"), "{text}");
        }
    }
}
