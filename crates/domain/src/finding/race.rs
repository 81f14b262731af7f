//! Facts of races, and lines that a finding also concerns.

use serde::{Deserialize, Serialize};

use super::{Access, Thread};

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
    /// Where the index wrapped at 32 bits.
    Overflow,
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
    /// One thread that stores, though all store the same value: a remark, unless the exercise is strict.
    SameValue,
    /// An order between blocks.
    BlockOrder,
    /// The other side must be atomic too.
    Atomic,
    /// An atomic that reaches all blocks.
    WiderScope,
    /// A read that does not come from a cache for constant data.
    Coherence,
}
