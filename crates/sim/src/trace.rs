//! What a small launch did, step by step, for a replay: who was where, which memory was touched, which registers changed.
//!
//! Rules: simulator design, section 7. A step is one operation of some lanes of a warp. Steps of different warps stand in
//! the order in which they ran here, which is one of many orders that are possible. A trace has bounds; what comes after
//! them is left out, and the trace says so. It holds no time and no whole memory.

use ptx::debug::{Place, Variable};

use crate::decode::{Program, Routine};
use crate::op::Lanes;
use crate::trap::Space;

/// Bounds of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceLimits {
    /// Steps at most.
    pub events: usize,
    /// Bytes at most that the events take in memory, by [`Event::bytes`].
    pub bytes: usize,
    /// Blocks that are looked at: the first so many, x fastest.
    pub blocks: u64,
}

/// 100,000 steps of the first four blocks in 16 MiB (simulator design, section 7.2).
impl Default for TraceLimits {
    fn default() -> Self {
        Self { events: 100_000, bytes: 16 << 20, blocks: 4 }
    }
}

/// The steps of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In the order in which they ran.
    pub events: Vec<Event>,
    /// Bytes of all events.
    pub bytes: usize,
    /// A bound was met: later steps are missing.
    pub is_cut: bool,
}

/// One operation of some lanes of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Block along x, y, z.
    pub block: [u32; 3],
    /// Warp of its block.
    pub warp: u32,
    /// Number of the operation in its program.
    pub pc: u32,
    /// Line in the learner's source, from 1.
    pub line: Option<u32>,
    /// Lanes that execute it: of a conditional branch all that decide, else those whose condition holds.
    pub active: u32,
    /// What is asked of memory. Empty where it asks for nothing; a copy asks twice.
    pub accesses: Vec<Accessed>,
    /// Registers that have another value afterwards. What a barrier gives to its threads is not among them.
    pub changes: Vec<Change>,
}

/// What one operation asks of memory, whether or not it may have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// What is done there.
    pub way: Way,
    /// Bytes of each lane.
    pub bytes: u32,
    /// Where, in the order of lanes.
    pub lanes: Vec<Touched>,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// Both, as one.
    Atomic,
}

/// Where one lane accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Which lane.
    pub lane: u8,
    /// In which memory.
    pub space: Space,
    /// Global: position among variables of the module and buffers, see [`Program::global_name`]. Shared: position among
    /// shared variables, see [`Program::shared_name`]. None where the address belongs to nobody.
    pub variable: Option<u32>,
    /// Bytes from the start of that, perhaps before or past it; without one, the address.
    pub offset: i64,
}

/// A register that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which, of its function: [`Program::register_name`] says how it is called.
    pub slot: u32,
    /// It is a predicate; its values are 0 and 1.
    pub is_predicate: bool,
    /// Lanes in which it has changed.
    pub lanes: u32,
    /// The new value of each of these lanes.
    pub values: Vec<u64>,
}

impl Event {
    /// What it takes in memory.
    pub fn bytes(&self) -> usize {
        let accesses = self.accesses.iter().map(|one| size_of::<Accessed>() + one.lanes.len() * size_of::<Touched>());
        let changes = self.changes.iter().map(|one| size_of::<Change>() + one.values.len() * size_of::<u64>());
        size_of::<Self>() + accesses.sum::<usize>() + changes.sum::<usize>()
    }
}

impl Program {
    /// How a changed register is called in the PTX text, `%r12`; what only lies between two operations has no name.
    pub fn register_name(&self, pc: u32, change: &Change) -> Option<&str> {
        let routine = self.routine_at(pc as usize)?;
        let names = &routine.register_names[usize::from(change.is_predicate)];
        names.get(change.slot as usize).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The name of a variable of the module; what comes behind them are the buffers of the launch, in their order.
    ///
    /// # Errors
    /// The position of the buffer.
    pub fn global_name(&self, variable: u32) -> Result<&str, usize> {
        let at = variable as usize;
        self.globals.get(at).map(|variable| variable.name.as_str()).ok_or_else(|| at.saturating_sub(self.globals.len()))
    }

    /// The name of a shared variable.
    pub fn shared_name(&self, variable: u32) -> Option<&str> {
        self.shared.get(variable as usize).map(|variable| variable.name.as_str())
    }

    /// The register that holds a variable of a build for debugging when an operation begins; none where it holds none
    /// there. `variable` is of the text that was decoded.
    pub fn register_of<'v>(&self, variable: &'v Variable, pc: u32) -> Option<&'v str> {
        let routine = self.routine_at(pc as usize).filter(|routine| routine.label == variable.function)?;
        let is_here = |place: &&Place| match &place.between {
            None => true,
            Some((from, to)) => {
                let [from, to] = [from, to].map(|label| routine.labels.get(label).copied());
                from.is_some_and(|from| from <= pc as usize) && to.is_none_or(|to| (pc as usize) < to)
            }
        };
        variable.places.iter().find(is_here).map(|place| place.register.as_str())
    }

    pub(crate) fn routine_at(&self, pc: usize) -> Option<&Routine> {
        let after = self.routines.partition_point(|routine| routine.start <= pc);
        self.routines.get(after.checked_sub(1)?)
    }
}

/// What the registers of a frame hold.
#[derive(Default)]
pub(crate) struct Held {
    pub registers: Vec<Lanes>,
    pub predicates: Vec<u32>,
}

/// A step that has begun.
pub(crate) struct Begun {
    pub event: Event,
    pub frame: u32,
}

/// A trace that is being made.
pub(crate) struct Tracer {
    limits: TraceLimits,
    pub trace: Trace,
    pub begun: Option<Begun>,
    /// Before the step that has begun.
    pub before: Held,
}

impl Tracer {
    pub fn new(limits: TraceLimits) -> Self {
        Self { limits, trace: Trace::default(), begun: None, before: Held::default() }
    }

    /// Whether the next step of a block is to be kept; where it does not fit, the trace is cut.
    pub fn wants(&mut self, block_number: u64) -> bool {
        if self.trace.is_cut || block_number >= self.limits.blocks {
            return false;
        }
        self.trace.is_cut = self.trace.events.len() >= self.limits.events;
        !self.trace.is_cut
    }

    /// Keeps a step that is over.
    pub fn keep(&mut self, event: Event) {
        let bytes = self.trace.bytes.saturating_add(event.bytes());
        if bytes > self.limits.bytes {
            self.trace.is_cut = true;
            return;
        }
        self.trace.bytes = bytes;
        self.trace.events.push(event);
    }
}
