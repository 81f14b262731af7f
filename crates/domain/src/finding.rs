//! What explains a verdict: facts that can be checked by hand.
//!
//! Hidden cases pass through [`Finding::redacted`] before anything leaves the grader.

use serde::{Deserialize, Serialize};

mod lines;
mod race;
mod waiting;

pub use race::{Missing, RaceFacts, RaceSide, Related, RelatedKind};
pub use waiting::{Waiting, WaitsFor, is_deadlock};

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
        /// Line of the first kernel in the source.
        #[serde(default)]
        line: Option<u32>,
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
        /// Where the threads of the block wait; none in a hidden case.
        #[serde(default)]
        waiting: Vec<Waiting>,
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
        /// Where the threads of its block were and what they waited for; none in a hidden case.
        #[serde(default)]
        waiting: Vec<Waiting>,
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
    /// The same without index, value, size, thread and text: what a hidden case may tell.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        if let Some(related) = self.related_mut() {
            related.clear();
        }
        if let Some(waiting) = self.waiting_mut() {
            waiting.clear();
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
mod tests;
