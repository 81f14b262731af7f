//! Copies that are under way while their thread goes on, and barriers in shared memory.

use super::{Address, MemorySpace, Predicate, Source, Target};

/// How much of a copy comes from its source; the rest is zero.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Filled {
    All,
    /// The `src-size` operand.
    Bytes(Source),
    /// Nothing where the predicate holds: the `ignore-src` operand.
    Unless(Predicate),
}

/// `cp.async`, and what waits for it (PTX ISA 9.0, section 9.7.9.25.3).
#[derive(Clone, Debug)]
pub(crate) enum Copying {
    Start {
        to: Address,
        from: Address,
        bytes: u32,
        filled: Filled,
    },
    /// What was started since the last one becomes a group.
    Commit,
    /// Until at most so many groups are under way.
    WaitGroup(usize),
    /// Until everything has come.
    WaitAll,
    /// An arrival at an mbarrier when everything has come; without `noinc` it is one more than expected.
    Arrive {
        at: BarrierAddress,
        expected: bool,
    },
}

/// Where an mbarrier lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierAddress {
    pub space: MemorySpace,
    pub address: Address,
}

/// What is done to an mbarrier (PTX ISA 9.0, section 9.7.13.15).
#[derive(Clone, Copy, Debug)]
pub(crate) enum BarrierAction {
    Initialise(Source),
    Invalidate,
    /// An arrival: how many, bytes that are expected besides, whether they leave for good, and the state before.
    Arrive {
        count: Source,
        bytes: Source,
        drops: bool,
        state: Option<Target>,
    },
    /// More bytes are expected, or have come.
    Expect(Source),
    Complete(Source),
    /// Whether the phase of a state, or of a parity, is over.
    Test {
        to: u32,
        state: Source,
        is_parity: bool,
    },
}

/// One operation on an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierOp {
    pub at: BarrierAddress,
    pub action: BarrierAction,
    /// Whether it hands on what its thread did: `release` by default.
    pub releases: bool,
}
