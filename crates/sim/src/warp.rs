//! A warp: splits of lanes, and what operations do to them.
//!
//! The split that is furthest behind runs first, and splits that meet merge, which converges structured code. When
//! one has run for a quantum while another could, the other gets its turn: every live lane goes on eventually.

use crate::block::Shared;
use crate::decode::Program;
use crate::launch::Progress;
use crate::op::{
    Combine, Kind, LANES, Lanes, MemorySpace, Predicate, Reduction, Source, Special, Target, Vote, VoteTarget,
};
use crate::trap::TrapKind;

mod barrier;
mod collective;
mod copy;
mod matrix;
mod memory;
mod step;
mod taint;

/// Warp instructions after which another split gets its turn.
const QUANTUM: u64 = 1024;

/// Why a warp stopped, at which operation and lane.
pub(crate) struct Stop {
    pub kind: TrapKind,
    pub pc: usize,
    pub lane: usize,
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
#[derive(Clone, Debug)]
pub(crate) struct Split {
    pub mask: u32,
    pub pc: usize,
    pub wait: Wait,
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
    /// Per lane, one past the last place where it stored since the last barrier; 0 where it did not.
    pub stored: [usize; LANES],
    index: usize,
    registers: Vec<Lanes>,
    predicates: Vec<u32>,
    executed: u64,
    taint: taint::Taint,
    copies: copy::Copies,
}

type Step = Result<(), Stop>;

impl Warp {
    pub fn new(program: &Program, index: usize, threads: usize) -> Self {
        let exists = if threads >= LANES { u32::MAX } else { (1 << threads) - 1 };
        Self {
            splits: vec![Split { mask: exists, pc: 0, wait: Wait::Nothing, last_run: 0, came_by: None }],
            exited: 0,
            exists,
            stored: [0; LANES],
            index,
            registers: vec![[0; LANES]; program.registers],
            predicates: vec![0; program.predicates],
            executed: 0,
            taint: taint::Taint::default(),
            copies: copy::Copies::default(),
        }
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
    pub fn votes_at_barrier(&self, id: u64, predicate: Predicate) -> u32 {
        let waiting = self.splits.iter().filter(|split| split.waits_at(id));
        let mask = waiting.fold(0, |mask, split| mask | split.mask);
        mask & self.predicate(predicate)
    }

    /// Lets those who wait at barrier `id` go on, with what all threads' votes gave.
    pub fn pass_barrier(&mut self, id: u64, given: Option<(Reduction, u64)>) {
        for at in 0..self.splits.len() {
            if !self.splits[at].waits_at(id) {
                continue;
            }
            let mask = self.splits[at].mask;
            match given {
                Some((Reduction::Count(to), value)) => self.set(to, mask, &[value; LANES]),
                Some((Reduction::All(slot) | Reduction::Any(slot), value)) => {
                    self.set_predicate(slot, mask, if value == 0 { 0 } else { u32::MAX });
                }
                None => {}
            }
            self.splits[at].wait = Wait::Nothing;
            self.splits[at].pc += 1;
        }
        self.stored = [0; LANES];
        self.merge();
    }

    /// Runs until all splits wait or have ended, or for about `turn` instructions.
    pub fn run(&mut self, shared: &mut Shared<'_, '_>, progress: &mut Progress<'_>, turn: u64) -> Step {
        let end = self.executed + turn;
        let mut held: Option<(u64, usize)> = None;
        while self.executed < end {
            let Some(at) = self.choose(&mut held) else {
                return Ok(());
            };
            self.run_split(at, shared, progress, end)?;
        }
        Ok(())
    }

    /// The next split: the one furthest behind, but after a quantum the one that has waited longest.
    fn choose(&mut self, held: &mut Option<(u64, usize)>) -> Option<usize> {
        self.merge();
        let runnable = || self.splits.iter().enumerate().filter(|(_, split)| split.wait == Wait::Nothing);
        let behind = runnable().min_by_key(|(_, split)| split.pc).map(|(at, _)| at)?;
        let (since, _) = *held.get_or_insert((self.executed, behind));
        if self.executed - since < QUANTUM {
            return Some(behind);
        }
        let oldest = runnable().min_by_key(|(_, split)| split.last_run).map(|(at, _)| at)?;
        if self.executed - since >= 2 * QUANTUM {
            *held = None;
        }
        Some(oldest)
    }

    /// Splits at one place become one. Who waited for lanes looks again whenever others arrive.
    fn merge(&mut self) {
        self.splits.retain(|split| split.mask != 0);
        let mut at = 0;
        while at < self.splits.len() {
            let mut other = at + 1;
            while other < self.splits.len() {
                let same_wait = self.splits[at].wait == self.splits[other].wait
                    || matches!(
                        (self.splits[at].wait, self.splits[other].wait),
                        (Wait::Nothing, Wait::Lanes) | (Wait::Lanes, Wait::Nothing)
                    );
                if self.splits[at].pc == self.splits[other].pc && same_wait {
                    let merged = self.splits.swap_remove(other);
                    self.splits[at].mask |= merged.mask;
                    if self.splits[at].wait == Wait::Lanes || merged.wait == Wait::Lanes {
                        self.splits[at].wait = Wait::Nothing;
                    }
                } else {
                    other += 1;
                }
            }
            at += 1;
        }
    }

    /// Runs one split to the next branch, wait, end, or place where it may meet another.
    fn run_split(&mut self, at: usize, shared: &mut Shared<'_, '_>, progress: &mut Progress<'_>, end: u64) -> Step {
        let meeting =
            self.splits.iter().enumerate().filter(|(other, split)| *other != at && split.pc > self.splits[at].pc);
        let meeting = meeting.map(|(_, split)| split.pc).min().unwrap_or(usize::MAX);
        let program = shared.program;
        loop {
            let Split { mask, pc, .. } = self.splits[at];
            let op = &program.ops[pc];
            self.executed += 1;
            progress.report.warp_instructions += 1;
            self.splits[at].last_run = self.executed;
            let active = op.guard.map_or(mask, |guard| mask & self.predicate(guard));
            if self.taint.any {
                self.spread(&op.kind, op.guard, active, shared);
            }
            match &op.kind {
                Kind::Branch { to } => {
                    self.branch(at, mask, active, *to);
                    return Ok(());
                }
                Kind::Exit => {
                    if active != 0 && active != self.live() && shared.left.is_none() {
                        shared.left = self.splits[at].came_by;
                    }
                    self.exit(at, active);
                    return Ok(());
                }
                Kind::Barrier { id, count, .. } => {
                    if active == 0 {
                        self.splits[at].pc += 1;
                    } else {
                        self.wait_at_barrier(at, active, *id, *count, shared);
                    }
                    return Ok(());
                }
                Kind::WarpSync { mask: named }
                | Kind::Shuffle { mask: named, .. }
                | Kind::Match { mask: named, .. }
                | Kind::Reduce { mask: named, .. }
                | Kind::Vote { mask: named, .. } => {
                    let mut ready = self.arrived(at, active, *named, shared)?;
                    if self.splits[at].wait == Wait::Lanes {
                        return Ok(());
                    }
                    while ready != 0 {
                        let (group, _) = self.group(ready, *named, shared);
                        if shared.detector.is_on && matches!(op.kind, Kind::WarpSync { .. }) {
                            shared.clocks.warp_sync(self.index, group, self.live());
                        }
                        self.collective(&op.kind, group, pc, shared);
                        ready &= !group;
                    }
                }
                Kind::Matrix(matrix) => {
                    let ready = self.arrived(at, active, Source::Constant(u64::from(u32::MAX)), shared)?;
                    if self.splits[at].wait == Wait::Lanes {
                        return Ok(());
                    }
                    self.matrix(matrix, ready, pc, shared)?;
                }
                kind => self.step(kind, active, pc, shared, progress)?,
            }
            self.splits[at].pc += 1;
            if self.splits[at].pc == meeting || self.executed >= end {
                return Ok(());
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
                let last_run = split.last_run;
                self.splits.push(Split { mask: taken, pc: to, wait: Wait::Nothing, last_run, came_by });
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
        let Split { mask, pc, last_run, came_by, .. } = self.splits[at];
        self.splits[at].mask = active;
        self.splits[at].wait = Wait::Barrier { id: id & 15, count };
        if mask != active {
            self.splits.push(Split { mask: mask & !active, pc: pc + 1, wait: Wait::Nothing, last_run, came_by });
        }
    }

    fn predicate(&self, predicate: Predicate) -> u32 {
        match predicate {
            Predicate::Slot(slot, negated) => {
                let mask = self.predicates[slot as usize];
                if negated { !mask } else { mask }
            }
            Predicate::Constant(value) => {
                if value {
                    u32::MAX
                } else {
                    0
                }
            }
        }
    }

    fn set_predicate(&mut self, slot: u32, active: u32, value: u32) {
        let old = &mut self.predicates[slot as usize];
        *old = (*old & !active) | (value & active);
    }

    fn value(&self, source: Source, lane: usize, shared: &Shared<'_, '_>) -> u64 {
        match source {
            Source::Register(slot) => self.registers[slot as usize][lane],
            Source::Constant(value) => value,
            Source::Special(special) => self.special(special, lane, shared),
        }
    }

    /// All lanes of a source; what is no register is written to `room` first.
    #[inline]
    fn lanes_of<'s>(&'s self, source: Source, room: &'s mut Lanes, shared: &Shared<'_, '_>) -> &'s Lanes {
        match source {
            Source::Register(slot) => return &self.registers[slot as usize],
            Source::Constant(value) => room.fill(value),
            Source::Special(special) => {
                *room = std::array::from_fn(|lane| self.special(special, lane, shared));
            }
        }
        room
    }

    /// A copy of all lanes of a source.
    fn values(&self, source: Source, shared: &Shared<'_, '_>) -> Lanes {
        let mut room = [0; LANES];
        *self.lanes_of(source, &mut room, shared)
    }

    fn special(&self, special: Special, lane: usize, shared: &Shared<'_, '_>) -> u64 {
        let flat = self.index * LANES + lane;
        let [nx, ny, _] = shared.launch.block.map(|extent| extent as usize);
        let value = match special {
            Special::Tid(0) => (flat % nx) as u32,
            Special::Tid(1) => (flat / nx % ny) as u32,
            Special::Tid(_) => (flat / (nx * ny)) as u32,
            Special::Ntid(axis) => shared.launch.block[axis],
            Special::Ctaid(axis) => shared.block[axis],
            Special::Nctaid(axis) => shared.launch.grid[axis],
            Special::Lane => lane as u32,
            Special::WarpId => self.index as u32,
            Special::Clock => return self.executed,
            Special::DynamicShared => shared.launch.shared_bytes,
            Special::TotalShared => {
                let sizes = shared.program.shared.iter().map(|variable| variable.bytes.map_or(0, |bytes| bytes as u32));
                sizes.fold(shared.launch.shared_bytes, u32::saturating_add)
            }
            Special::Fixed(value) => value,
            Special::LaneMask(order, with_own) => (0..LANES)
                .filter(|other| other.cmp(&lane) == order || (with_own && *other == lane))
                .fold(0, |mask, other| mask | 1 << other),
        };
        u64::from(value)
    }

    #[inline]
    fn set(&mut self, to: Target, active: u32, values: &Lanes) {
        let register = &mut self.registers[to.slot as usize];
        if active == u32::MAX {
            for (lane, value) in values.iter().enumerate() {
                register[lane] = value & to.mask;
            }
        } else {
            for lane in lanes(active) {
                register[lane] = values[lane] & to.mask;
            }
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
