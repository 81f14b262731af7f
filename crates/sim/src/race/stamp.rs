//! One access in shadow memory, and the cell that remembers the last ones.

/// Scope of a strong access: whom it is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// The block.
    Block,
    /// The GPU, or more.
    Gpu,
}

const PC_BITS: u32 = 24;
const STRONG: u32 = 1 << 24;
const BLOCK_SCOPE: u32 = 1 << 25;
const VOLATILE: u32 = 1 << 26;
const ATOMIC: u32 = 1 << 27;
const NOTHING: u32 = 1 << 28;
const READ_ONLY: u32 = 1 << 29;

/// One access: who, where in the program, and when by the clocks of its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Number of the thread in the grid, from 1; 0 is nobody.
    pub who: u32,
    pub place: u32,
    /// Barriers of its block before it.
    pub phase: u16,
    /// Synchronising events of its warp before it.
    pub clock: u16,
}

/// How an access takes part in the memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strength {
    /// `None` is a weak access.
    pub scope: Option<Scope>,
    pub volatile: bool,
    pub atomic: bool,
    /// A read that may come from a cache for what nobody writes in this launch.
    pub read_only: bool,
}

impl Strength {
    pub const WEAK: Self = Self { scope: None, volatile: false, atomic: false, read_only: false };
}

impl Stamp {
    pub fn new(who: u32, pc: usize, strength: Strength, phase: u16, clock: u16) -> Self {
        let mut place = pc as u32 & ((1 << PC_BITS) - 1);
        if let Some(scope) = strength.scope {
            place |= STRONG | if scope == Scope::Block { BLOCK_SCOPE } else { 0 };
        }
        place |= if strength.volatile { VOLATILE } else { 0 } | if strength.atomic { ATOMIC } else { 0 };
        place |= if strength.read_only { READ_ONLY } else { 0 };
        Self { who, place, phase, clock }
    }

    /// The same, of a store whose value nobody wrote.
    pub fn of_nothing(self) -> Self {
        Self { place: self.place | NOTHING, ..self }
    }

    pub fn is_nothing(&self) -> bool {
        self.place & NOTHING != 0
    }

    pub fn is_nobody(&self) -> bool {
        self.who == 0
    }

    pub fn pc(&self) -> usize {
        (self.place & ((1 << PC_BITS) - 1)) as usize
    }

    pub fn scope(&self) -> Option<Scope> {
        (self.place & STRONG != 0).then_some(if self.place & BLOCK_SCOPE != 0 { Scope::Block } else { Scope::Gpu })
    }

    pub fn is_volatile(&self) -> bool {
        self.place & VOLATILE != 0
    }

    pub fn is_read_only(&self) -> bool {
        self.place & READ_ONLY != 0
    }

    pub fn is_atomic(&self) -> bool {
        self.place & ATOMIC != 0
    }
}

/// The last write of a granule, and two reads since: the latest, and one of a thread that is as far as possible.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    pub write: Stamp,
    /// The last weak write, where strong ones came after it: `s = 0` is still there under `atomicAdd(&s, x)`.
    pub weak: Stamp,
    pub reads: [Stamp; 2],
}

impl Cell {
    /// All four.
    pub fn stamps(&mut self) -> impl Iterator<Item = &mut Stamp> {
        [&mut self.write, &mut self.weak].into_iter().chain(&mut self.reads)
    }

    /// Whether nobody was here.
    pub fn is_empty(&self) -> bool {
        self.write.is_nobody() && self.weak.is_nobody() && self.reads.iter().all(Stamp::is_nobody)
    }
}
