//! Why a run stopped.

/// A stop, with the first thread at fault and the line in the learner's source.
#[derive(Clone, Debug, PartialEq)]
pub struct Trap {
    /// Why.
    pub kind: TrapKind,
    /// Line in `kernel.cu`, from 1.
    pub line: Option<u32>,
    /// Block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
    /// Where threads of the block wait, the most first; of stops that are about waiting.
    pub waiting: Vec<crate::Waiting>,
    /// Other lines that it concerns.
    pub related: Vec<(crate::Related, u32)>,
    /// What was found before, the first first.
    pub found: Vec<crate::Found>,
    /// The steps until then, where they were wanted; the last is the one at fault, unless the trace is cut.
    pub trace: Option<crate::Trace>,
}

/// Beside what an address lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A buffer of global memory.
    Global,
    /// A shared variable.
    Shared,
    /// A thread's own memory.
    Local,
    /// Near address 0.
    Null,
    /// Nobody's memory.
    Wild,
}

/// Kinds of stop.
#[derive(Clone, Debug, PartialEq)]
pub enum TrapKind {
    /// An access outside of memory.
    OutOfBounds {
        /// A store or an atomic.
        write: bool,
        /// Beside what.
        space: Space,
        /// Its name.
        buffer: Option<String>,
        /// Element index; negative before the start.
        index: i64,
        /// Elements.
        size: u64,
        /// Lanes of this instruction that do it.
        threads: u64,
    },
    /// An address that is no multiple of the access size.
    Misaligned {
        /// Bytes of the access.
        access_bytes: u32,
        /// Byte offset from the start of the memory it lies in.
        address: u64,
    },
    /// Threads wait at a barrier or for a lane that does not come.
    BarrierDivergence {
        /// Threads that arrived.
        arrived: u64,
        /// Threads that had to.
        expected: u64,
    },
    /// The caller's time was over.
    TimeUp {
        /// Warps of the block at that line.
        warps: u64,
    },
    /// [`crate::Limits::warp_instructions`] was reached.
    InstructionLimit {
        /// Warps of the block at that line.
        warps: u64,
    },
    /// A failed `assert`.
    Assert {
        /// Its text.
        message: String,
    },
    /// A `trap` instruction.
    Trap,
    /// A function pointer or an address given to `free` that is none.
    Illegal {
        /// One sentence.
        reason: String,
    },
    /// The launch is not possible.
    Launch {
        /// One sentence.
        reason: String,
    },
    /// A thread's own memory ran out.
    Stack {
        /// One sentence.
        reason: String,
    },
    /// More was printed than allowed.
    Flood {
        /// Bytes printed.
        bytes: u64,
    },
    /// Met only while running: an address form that is not simulated.
    Unsupported {
        /// What.
        what: String,
    },
}
