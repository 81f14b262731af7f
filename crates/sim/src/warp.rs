//! A warp: splits of lanes, and what operations do to them.
//!
//! The split that is in the deepest call runs first, then the one that is furthest behind, and splits that meet merge, which converges structured code. When
//! one has run for a quantum while another could, the other gets its turn: every live lane goes on eventually.

use crate::block::Shared;
use crate::decode::Program;
use crate::op::{Combine, Kind, LANES, Lanes, Predicate, Reduction, Source, Special, Target, Vote, VoteTarget};
use crate::trap::TrapKind;

mod at_once;
mod barrier;
mod calls;
mod collective;
mod copy;
mod count;
mod frames;
mod matrix;
mod memory;
mod movement;
mod noting;
mod run;
mod splits;
mod step;
mod taint;
mod trace;
mod values;
mod window;

use self::frames::{Frames, ROOT};
use self::window::Window;

/// Why a warp stopped, at which operation and lane.
pub(crate) struct Stop {
    pub kind: TrapKind,
    pub pc: usize,
    pub lane: usize,
}

impl Stop {
    /// A stop, boxed: every operation returns whether there is one, and hardly ever is.
    #[cold]
    pub fn boxed(kind: impl Into<Box<TrapKind>>, pc: usize, lane: usize) -> Box<Self> {
        Box::new(Self { kind: *kind.into(), pc, lane })
    }
}

/// What a split waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Nothing,
    Barrier {
        id: u64,
        count: Option<u64>,
    },
    /// Lanes that a collective names and that are elsewhere.
    Lanes,
}

/// Lanes at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub mask: u32,
    pub pc: usize,
    pub wait: Wait,
    /// The activation that it is in, and how many calls deep that is.
    frame: u32,
    depth: u32,
    last_run: u64,
    /// The conditional branch that was taken last.
    came_by: Option<usize>,
}

impl Split {
    fn waits_at(&self, barrier: u64) -> bool {
        matches!(self.wait, Wait::Barrier { id, .. } if id == barrier)
    }
}

/// 32 lanes, or fewer in the last warp.
pub(crate) struct Warp {
    pub splits: Vec<Split>,
    /// Lanes that ended.
    pub exited: u32,
    /// Lanes that exist.
    pub exists: u32,
    /// Per lane, one past the last place where it stored since the last barrier, beyond what all did together; 0 where
    /// it did not.
    stored: [u64; LANES],
    /// The same, where all lanes did.
    stored_together: u64,
    /// Whether any of `stored` is not 0.
    has_stored: bool,
    index: usize,
    /// `%tid` along x, y, z.
    threads: Box<[Lanes; 3]>,
    registers: Window<Lanes>,
    predicates: Window<u32>,
    frames: Frames,
    /// The frame that registers are seen from, and where its own memory starts.
    looks_from: u32,
    local: u64,
    /// Frames whose room is accounted for.
    frames_paid: usize,
    executed: u64,
    /// What is counted in `executed` and was none.
    no_instructions: u64,
    taint: taint::Taint,
    copies: Option<Box<copy::Copies>>,
}

type Step = Result<(), Box<Stop>>;

impl Warp {
    /// Warp number `index` of a block of so many threads along x, y, z; it must be started before it runs.
    pub fn new(program: &Program, index: usize, block: [u32; 3]) -> Self {
        let [nx, ny, nz] = block.map(|extent| extent as usize);
        let threads = nx * ny * nz - index * LANES;
        let exists = if threads >= LANES { u32::MAX } else { (1 << threads) - 1 };
        let (registers, predicates) =
            program.routines.first().map_or((0, 0), |kernel| (kernel.registers, kernel.predicates));
        let along = |of: &dyn Fn(usize) -> usize| std::array::from_fn(|lane| of(index * LANES + lane) as u64);
        Self {
            splits: vec![],
            exited: 0,
            exists,
            stored: [0; LANES],
            stored_together: 0,
            has_stored: false,
            index,
            threads: Box::new([
                along(&|flat| flat % nx),
                along(&|flat| flat / nx % ny),
                along(&|flat| flat / (nx * ny)),
            ]),
            registers: Window::new(registers, [0; LANES]),
            predicates: Window::new(predicates, 0),
            frames: Frames::new(),
            looks_from: ROOT,
            local: 0,
            frames_paid: 1,
            executed: 0,
            no_instructions: 0,
            taint: taint::Taint::default(),
            copies: None,
        }
    }

    /// A block starts: all lanes are at the kernel's first operation. `detects` is whether unset variables are told.
    pub fn start(&mut self, program: &Program, detects: bool) {
        let mask = self.exists;
        let wait = Wait::Nothing;
        self.splits.clear();
        self.splits.push(Split { mask, pc: 0, wait, frame: ROOT, depth: 0, last_run: 0, came_by: None });
        self.look_from(ROOT);
        // Frames of functions start where this one ends, so with them all is cleared.
        match program.unset.as_ref().filter(|_| program.routines.len() == 1) {
            Some(slots) => slots.iter().for_each(|slot| self.registers[*slot].fill(0)),
            None => self.registers.restart(program.routines[0].registers, [0; LANES]),
        }
        self.predicates.restart(program.routines[0].predicates, 0);
        if self.frames.len() > 1 {
            (self.frames, self.frames_paid) = (Frames::new(), 1);
        }
        (self.exited, self.executed, self.no_instructions, self.copies) = (0, 0, 0, None);
        self.forget_stores();
        self.taint.restart();
        if detects {
            self.taint.start_unset(&program.never_set, self.exists);
        }
    }

    /// One past the last place where a lane stored since the last barrier; 0 where it did not.
    pub fn stored(&self, lane: usize) -> u64 {
        self.stored[lane].max(self.stored_together)
    }

    pub fn live(&self) -> u32 {
        self.exists & !self.exited
    }

    pub fn is_done(&self) -> bool {
        self.splits.is_empty()
    }

    /// Place and first lane of a split, one that can go on if there is any.
    pub fn current(&self) -> Option<(usize, usize)> {
        let split = self.splits.iter().find(|split| split.wait == Wait::Nothing).or(self.splits.first())?;
        Some((split.pc, split.mask.trailing_zeros() as usize))
    }

    /// Lanes at barrier `id` whose predicate holds.
    pub fn votes_at_barrier(&mut self, id: u64, predicate: Predicate) -> u32 {
        let mut votes = 0;
        for at in 0..self.splits.len() {
            if self.splits[at].waits_at(id) {
                self.look_from(self.splits[at].frame);
                votes |= self.splits[at].mask & self.predicate(predicate);
            }
        }
        votes
    }

    /// Lanes at barrier `id`.
    pub fn waiting_at_barrier(&self, id: u64) -> u32 {
        self.splits.iter().filter(|split| split.waits_at(id)).fold(0, |mask, split| mask | split.mask)
    }

    /// Where a split is in the order of the text; places of functions are those of their calls.
    pub fn place_of(&self, split: &Split) -> u64 {
        self.frames.place(split.frame, split.pc)
    }

    /// Lets those who wait at barrier `id` go on, with what all threads' votes gave.
    pub fn pass_barrier(&mut self, id: u64, given: Option<&(Reduction, u64)>) {
        for at in 0..self.splits.len() {
            if !self.splits[at].waits_at(id) {
                continue;
            }
            if let Some(given) = given {
                self.take_given(at, given);
            }
            self.splits[at].wait = Wait::Nothing;
            self.splits[at].pc += 1;
        }
        self.forget_stores();
        if self.splits.len() > 1 {
            self.merge();
        }
    }

    /// Gives a split what all threads' votes gave.
    fn take_given(&mut self, at: usize, (reduction, value): &(Reduction, u64)) {
        let mask = self.splits[at].mask;
        self.look_from(self.splits[at].frame);
        match *reduction {
            Reduction::Count(to) => self.set(to, mask, &[*value; LANES]),
            Reduction::All(slot) | Reduction::Any(slot) => {
                self.set_predicate(slot, mask, if *value == 0 { 0 } else { u32::MAX });
            }
        }
    }

    fn branch(&mut self, at: usize, mask: u32, taken: u32, to: usize) {
        let split = &mut self.splits[at];
        let came_by = Some(split.pc);
        if taken == mask {
            split.pc = to;
        } else {
            split.pc += 1;
            if taken != 0 {
                split.mask = mask & !taken;
                let other = Split { mask: taken, pc: to, wait: Wait::Nothing, came_by, ..*split };
                self.splits.push(other);
            }
        }
    }

    fn exit(&mut self, at: usize, active: u32) {
        self.exited |= active;
        self.splits[at].mask &= !active;
        self.splits[at].pc += 1;
        // Whoever waits for one of these lanes need not any more.
        for split in &mut self.splits {
            if split.wait == Wait::Lanes {
                split.wait = Wait::Nothing;
            }
        }
        self.splits.retain(|split| split.mask != 0);
    }

    fn wait_at_barrier(&mut self, at: usize, active: u32, id: Source, count: Option<Source>, shared: &Shared<'_, '_>) {
        let lane = active.trailing_zeros() as usize;
        let id = self.value(id, lane, shared);
        let count = count.map(|count| self.value(count, lane, shared));
        let before = self.splits[at];
        self.splits[at].mask = active;
        self.splits[at].wait = Wait::Barrier { id: id & 15, count };
        if before.mask != active {
            self.splits.push(Split { mask: before.mask & !active, pc: before.pc + 1, wait: Wait::Nothing, ..before });
        }
    }
}

/// The lanes of a mask, in order.
fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}
