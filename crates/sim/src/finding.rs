//! What a run found besides its result: mistakes that need not stop a kernel.

/// One access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Line in the learner's source.
    pub line: Option<u32>,
    /// Whether it stores.
    pub write: bool,
    /// Whether it is an atomic operation.
    pub atomic: bool,
    /// Block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
}

/// What is missing between the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// `__syncthreads()` between threads of one block.
    Barrier,
    /// `__syncwarp()` between lanes of one warp.
    WarpSync,
    /// Threads of one instruction store different values to one place.
    OneWriter,
    /// Nothing that shows today: both store the same value, which the language still leaves undefined.
    SameValue,
    /// An order between blocks: atomics with a fence, or another launch.
    BlockOrder,
    /// One side is atomic and the other is not.
    Atomic,
    /// An atomic of block scope is used by several blocks.
    WiderScope,
    /// A read through the cache for what nobody writes (`ld.global.nc`), of what was written in this launch.
    Coherence,
}

/// Memory in which a finding lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    /// Which memory.
    pub space: crate::Space,
    /// Name of the variable or buffer.
    pub buffer: Option<String>,
    /// Element index.
    pub index: i64,
    /// Elements.
    pub size: u64,
}

/// Kinds of finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// Two accesses of one place without an order, one of them a write.
    Race {
        /// Where.
        at: Where,
        /// The access that came later here; its line is the finding's.
        later: Side,
        /// The other.
        earlier: Side,
        /// What would order them.
        missing: Missing,
    },
    /// A value was used that nobody had written.
    Uninitialised {
        /// Where it was read; `None` of a register.
        at: Option<Where>,
    },
    /// A shuffle gave a value of a lane that took no part in it, and the value was used.
    AbsentLane,
    /// An input was stored to.
    WroteInput {
        /// Where.
        at: Where,
    },
}

/// A line that a finding also concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Related {
    /// The innermost condition under which the access stands.
    Condition,
    /// Where the memory is stored to.
    Store,
    /// Where threads of the block had ended before.
    Left,
    /// A barrier between the accesses, of one block only.
    BlockBarrier,
    /// Where the index wrapped at 32 bits.
    Overflow,
}

/// A finding, with the first thread that showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What.
    pub kind: FoundKind,
    /// Line in the learner's source.
    pub line: Option<u32>,
    /// Block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
    /// Other lines that it concerns.
    pub related: Vec<(Related, u32)>,
    /// How often it was seen at these lines.
    pub count: u64,
}
