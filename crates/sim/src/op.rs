//! Decoded operations. Types and rounding are function pointers; names are slots.

use crate::race::{Scope, Strength};

mod call;
pub(crate) mod copy;
pub(crate) mod matrix;

pub(crate) use call::{Call, Callee, Gap, Piece};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// A register file index.
pub(crate) type Slot = u32;

/// Where a value comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// A register.
    Register(Slot),
    /// A constant.
    Constant(u64),
    /// A constant by its number among those that are spread to lanes.
    Spread(u32),
    /// A special register.
    Special(Special),
    /// A local address, counted from where the frame of the running function starts.
    Frame(u64),
}

/// Special registers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    WarpId,
    LaneMask(std::cmp::Ordering, bool),
    Clock,
    /// Bytes of dynamic shared memory.
    DynamicShared,
    /// Bytes of all shared memory of a block.
    TotalShared,
    /// What is the same everywhere: there is one multiprocessor, one grid, and no cluster of blocks.
    Fixed(u32),
}

/// Where a value goes; the mask has the register's width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub slot: Slot,
    pub mask: u64,
}

/// State space of an access; `Generic` is found out by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemorySpace {
    Generic,
    Global,
    Shared,
    Local,
}

/// An address: base and byte offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub base: Source,
    pub offset: i64,
}

/// Width and sign of one loaded or stored element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Width {
    pub bytes: u32,
    pub signed: bool,
}

/// How an access takes part in the memory model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub strength: Strength,
    /// A release operation, with its scope.
    pub releases: Option<Scope>,
}

/// One value per lane.
pub(crate) type Lanes = [u64; LANES];
pub(crate) type Unary = fn(&Lanes, &mut Lanes);
pub(crate) type Binary = fn(&Lanes, &Lanes, &mut Lanes);
pub(crate) type Ternary = fn(&Lanes, &Lanes, &Lanes, &mut Lanes);
pub(crate) type Quaternary = fn(u64, u64, u64, u64) -> u64;
pub(crate) type Test = fn(&Lanes, &Lanes) -> u32;
/// What an atomic stores: of the old value, operand b and operand c. Lanes follow each other, so it takes one.
pub(crate) type Update = fn(u64, u64, u64) -> u64;

/// How a predicate is combined with the result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    And,
    Or,
    Xor,
}

/// Modes of `shfl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// A sum of an extended number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarryForm {
    pub kind: CarryKind,
    pub bits: u32,
    pub signed: bool,
    pub reads: bool,
    pub writes: bool,
}

/// What is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryKind {
    Add,
    Subtract,
    LowProduct,
    HighProduct,
}

/// What `bar.red` gives to all threads of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reduction {
    Count(Target),
    All(Slot),
    Any(Slot),
}

/// Modes of `vote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Copy {
        to: Target,
        a: Source,
    },
    Map1 {
        f: Unary,
        to: Target,
        a: Source,
    },
    Map2 {
        f: Binary,
        to: Target,
        a: Source,
        b: Source,
    },
    Map3 {
        f: Ternary,
        to: Target,
        a: Source,
        b: Source,
        c: Source,
    },
    Map4 {
        f: Quaternary,
        to: Target,
        operands: [Source; 4],
    },
    /// Sums that read or write the carry flag, which is a predicate.
    Carry {
        form: CarryForm,
        to: Target,
        operands: [Source; 3],
        flag: Slot,
    },
    /// Parts of `bits` bits each, the first lowest, become one register.
    Pack {
        to: Target,
        parts: Vec<Source>,
        bits: u32,
    },
    /// The reverse; a part may be dropped.
    Unpack {
        to: Vec<Option<Target>>,
        a: Source,
        bits: u32,
    },
    Compare {
        f: Test,
        to: Slot,
        complement: Option<Slot>,
        a: Source,
        b: Source,
        combine: Option<(Combine, Predicate)>,
    },
    /// Predicate logic over masks.
    Logic {
        f: fn(u32, u32) -> u32,
        to: Slot,
        a: Predicate,
        b: Predicate,
    },
    Select {
        to: Target,
        a: Source,
        b: Source,
        condition: Predicate,
    },
    Branch {
        to: usize,
    },
    Exit,
    Call(Box<Call>),
    /// Back to the caller.
    Return {
        /// Number of the function.
        from: usize,
    },
    Trap,
    Load {
        space: MemorySpace,
        width: Width,
        to: Vec<Option<Target>>,
        from: Address,
        order: Order,
    },
    Store {
        space: MemorySpace,
        width: Width,
        from: Vec<Source>,
        to: Address,
        order: Order,
    },
    /// `membar` and `fence`.
    Fence {
        scope: Scope,
    },
    LoadParam {
        width: Width,
        to: Vec<Option<Target>>,
        offset: usize,
    },
    Atomic {
        space: MemorySpace,
        bytes: u32,
        f: Update,
        to: Option<Target>,
        at: Address,
        b: Source,
        c: Source,
        order: Order,
        /// A compare-and-swap.
        compares: bool,
    },
    /// `bar.sync`; with a reduction also `bar.red`.
    Barrier {
        id: Source,
        count: Option<Source>,
        reduction: Option<(Reduction, Predicate)>,
    },
    /// `bar.arrive`: counts, and goes on.
    Arrive {
        id: Source,
    },
    WarpSync {
        mask: Source,
    },
    Shuffle {
        mode: Shuffle,
        to: Target,
        in_range: Option<Slot>,
        a: Source,
        b: Source,
        c: Source,
        mask: Source,
    },
    Vote {
        mode: Vote,
        to: VoteTarget,
        a: Predicate,
        mask: Source,
    },
    /// The lanes with the same value, or with `all` the mask if it is one value, else 0.
    Match {
        all: bool,
        to: Target,
        agreed: Option<Slot>,
        a: Source,
        mask: Source,
        bits: u32,
    },
    /// One value of all lanes.
    Reduce {
        f: Update,
        to: Target,
        a: Source,
        mask: Source,
    },
    ActiveMask {
        to: Target,
    },
    Print {
        to: Option<Target>,
        format: Source,
        arguments: Source,
    },
    /// `malloc` of a thread.
    Allocate {
        to: Target,
        bytes: Source,
    },
    Free {
        address: Source,
    },
    AssertFail {
        message: Source,
    },
    Copying(Box<copy::Copying>),
    Mbarrier(copy::BarrierOp),
    Matrix(Box<matrix::Matrix>),
    Nothing,
}

impl Kind {
    /// Whether lanes do it together.
    pub fn is_collective(&self) -> bool {
        matches!(
            self,
            Self::WarpSync { .. }
                | Self::Shuffle { .. }
                | Self::Match { .. }
                | Self::Reduce { .. }
                | Self::Vote { .. }
                | Self::Matrix(_)
        )
    }
}

impl Order {
    pub const WEAK: Self = Self { strength: Strength::WEAK, releases: None };
}

/// Where a vote's result goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VoteTarget {
    Predicate(Slot),
    Register(Target),
}

/// A predicate operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Predicate {
    /// A register, and whether it is negated.
    Slot(Slot, bool),
    /// Always this.
    Constant(bool),
}

/// One operation.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub kind: Kind,
    pub guard: Option<Predicate>,
    /// Line in the learner's source; 0 is none.
    pub line: u32,
}
