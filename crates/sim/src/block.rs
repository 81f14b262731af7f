//! A block: its warps take turns, barriers are met, and what waits for ever is named.

use crate::decode::Program;
use crate::launch::Progress;
use crate::memory::{BlockMemory, Memory};
use crate::op::{Kind, LANES, Reduction};
use crate::race::{Clocks, Detector};
use crate::waiting::{self, asked_again};
use crate::warp::{Split, Stop, Wait, Warp};
use crate::{Launch, Related, Trap, TrapKind, Waiting, WaitsFor, context, overflow, told};

/// Warp instructions of one turn.
const TURN: u64 = 4096;

/// What the threads of a block share.
pub(crate) struct Shared<'a, 'm> {
    pub program: &'a Program,
    pub launch: &'a Launch,
    pub block: [u32; 3],
    pub params: &'a [u8],
    pub memory: &'a mut Memory<'m>,
    pub detector: &'a mut Detector,
    /// Threads that arrived at each barrier and did not wait.
    pub arrived: [u64; 16],
    pub clocks: Clocks,
    /// The branch by which the first thread left the kernel while others went on.
    pub left: Option<usize>,
}

/// A block that waits for its turn.
pub(crate) struct Resident {
    block: [u32; 3],
    warps: Vec<Warp>,
    arrived: [u64; 16],
    clocks: Clocks,
    left: Option<usize>,
    memory: BlockMemory,
}

impl Resident {
    /// A block that has not started.
    pub fn new(program: &Program, launch: &Launch) -> Self {
        let threads: usize = launch.block.iter().map(|extent| *extent as usize).product();
        let warps = (0..threads.div_ceil(LANES)).map(|index| Warp::new(program, index, launch.block)).collect();
        let (arrived, clocks, memory) = ([0; 16], Clocks::default(), BlockMemory::default());
        Self { block: [0; 3], warps, arrived, clocks, left: None, memory }
    }

    /// A block starts, perhaps in the room of one that ended.
    pub fn start(
        &mut self,
        program: &Program,
        launch: &Launch,
        (block, detects): ([u32; 3], bool),
        memory: &Memory<'_>,
    ) {
        let [nx, ny, _] = launch.grid;
        let number = (block[2].wrapping_mul(ny).wrapping_add(block[1])).wrapping_mul(nx).wrapping_add(block[0]);
        self.warps.iter_mut().for_each(|warp| warp.start(program, detects));
        self.clocks.start(number, launch.block.iter().product());
        (self.block, self.arrived, self.left) = (block, [0; 16], None);
        memory.start_block(&mut self.memory);
    }

    /// Bytes that its stacks grew by.
    pub fn granted(&self) -> usize {
        self.memory.granted
    }
}

/// A block that runs.
pub(crate) struct Block<'a, 'm> {
    shared: Shared<'a, 'm>,
    warps: Vec<Warp>,
}

/// How a turn of a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// All its threads have ended.
    Ended,
    /// Its turn was over.
    Goes,
}

impl<'a, 'm> Block<'a, 'm> {
    /// Runs a block until it ends, or until it used up its turn.
    pub fn run(
        (program, launch, params): (&'a Program, &'a Launch, &'a [u8]),
        resident: &mut Resident,
        (memory, detector): (&'a mut Memory<'m>, &'a mut Detector),
        progress: &mut Progress<'_>,
        turn: u64,
    ) -> Result<Turn, Box<Trap>> {
        memory.block = std::mem::take(&mut resident.memory);
        detector.shared = std::mem::take(&mut memory.block.areas);
        let (block, arrived) = (resident.block, resident.arrived);
        let clocks = std::mem::take(&mut resident.clocks);
        let left = resident.left;
        let shared = Shared { program, launch, block, params, memory, detector, arrived, clocks, left };
        let mut running = Self { shared, warps: std::mem::take(&mut resident.warps) };
        let ended = running.go(progress, turn);
        let Self { shared, warps } = running;
        (resident.warps, resident.arrived, resident.clocks) = (warps, shared.arrived, shared.clocks);
        resident.left = shared.left;
        resident.memory = std::mem::take(&mut shared.memory.block);
        resident.memory.areas = std::mem::take(&mut shared.detector.shared);
        if ended == Ok(Turn::Ended) {
            shared.detector.end_block(resident.clocks.block);
        }
        ended
    }

    fn go(&mut self, progress: &mut Progress<'_>, turn: u64) -> Result<Turn, Box<Trap>> {
        let end = progress.report.warp_instructions.saturating_add(turn);
        loop {
            let before = progress.report.warp_instructions;
            for index in 0..self.warps.len() {
                let warp = &mut self.warps[index];
                if warp.may_go() {
                    warp.run(&mut self.shared, progress, TURN.min(turn)).map_err(|stop| self.trap(index, *stop))?;
                }
                if progress.is_time_up() {
                    return Err(self.stopped(index, |warps| TrapKind::TimeUp { warps }));
                }
                if progress.report.warp_instructions > progress.limits.warp_instructions {
                    return Err(self.stopped(index, |warps| TrapKind::InstructionLimit { warps }));
                }
            }
            if self.warps.iter().all(Warp::is_done) {
                return Ok(Turn::Ended);
            }
            let released = self.release_barriers()?;
            if progress.report.warp_instructions == before && !released {
                return Err(self.waits_for_ever());
            }
            if progress.report.warp_instructions >= end {
                return Ok(Turn::Goes);
            }
        }
    }

    fn trap(&self, warp: usize, stop: Stop) -> Box<Trap> {
        let related = self.around(warp, &stop);
        Box::new(Trap {
            line: self.line_of(warp, &stop),
            kind: stop.kind,
            block: self.shared.block,
            thread: self.thread(warp * LANES + stop.lane),
            waiting: vec![],
            related,
            found: vec![],
            trace: None,
        })
    }

    /// Lines that matter beside a fault: where an index wrapped, and the condition that leads there.
    fn around(&self, warp: usize, stop: &Stop) -> Vec<(Related, u32)> {
        let program = self.shared.program;
        let value = |source| self.warps.get(warp).map_or(0, |warp| warp.value(source, stop.lane, &self.shared));
        let is_outside = matches!(stop.kind, TrapKind::OutOfBounds { .. });
        let wrapped = is_outside.then(|| overflow::wrapped(program, stop.pc, value)).flatten();
        let condition = context::condition(program, stop.pc);
        let lines = [(Related::Overflow, wrapped), (Related::Condition, condition)];
        lines.into_iter().filter_map(|(what, line)| Some((what, line?))).collect()
    }

    fn line_at(&self, pc: usize) -> Option<u32> {
        self.shared.program.line_at(pc)
    }

    /// The line where a lane stopped: the innermost of its calls that lies in the learner's source.
    fn line_of(&self, warp: usize, stop: &Stop) -> Option<u32> {
        let ops = &self.shared.program.ops;
        let calls = self.warps.get(warp).into_iter().flat_map(|warp| warp.calls_of(stop.lane));
        let lines = std::iter::once(stop.pc).chain(calls).filter_map(|pc| ops.get(pc)).map(|op| op.line);
        lines.into_iter().find(|line| *line != 0).or_else(|| self.line_at(stop.pc))
    }

    fn thread(&self, flat: usize) -> [u32; 3] {
        let [nx, ny, _] = self.shared.launch.block.map(|extent| extent as usize);
        [(flat % nx) as u32, (flat / nx % ny) as u32, (flat / (nx * ny)) as u32]
    }

    /// Where the warps are when time is over: the line of a split that could go on, and how many warps are there.
    fn stopped(&self, from: usize, kind: impl Fn(u64) -> TrapKind) -> Box<Trap> {
        let mut order = (from..self.warps.len()).chain(0..from);
        let here = order.find_map(|warp| Some((warp, self.warps[warp].current()?)));
        let Some((warp, (pc, lane))) = here else {
            return self.trap(from, Stop { kind: kind(0), pc: 0, lane: 0 });
        };
        let line = self.line_at(pc);
        let warps =
            self.warps.iter().filter(|warp| warp.current().is_some_and(|(pc, _)| self.line_at(pc) == line)).count();
        Box::new(Trap { waiting: self.waiting(), ..*self.trap(warp, Stop { kind: kind(warps as u64), pc, lane }) })
    }

    /// Opens barriers at which all live threads, or as many as were asked for, have arrived.
    fn release_barriers(&mut self) -> Result<bool, Box<Trap>> {
        if let Some((pc, id)) = self.all_at_one_barrier() {
            self.pass(pc, id, None);
            return Ok(true);
        }
        let mut released = false;
        let at_barrier = |split: &Split| match split.wait {
            Wait::Barrier { id, .. } => 1_u16 << id,
            _ => 0,
        };
        let waited_at = self.warps.iter().flat_map(|warp| &warp.splits).fold(0, |ids, split| ids | at_barrier(split));
        for id in (0..16).filter(|id| waited_at >> id & 1 == 1) {
            let early = self.shared.arrived[id as usize];
            let (mut arrived, mut live, mut wanted, mut first) = (early, 0, None, None);
            for (index, warp) in self.warps.iter().enumerate() {
                live += u64::from(warp.live().count_ones());
                for split in &warp.splits {
                    if let Wait::Barrier { id: at, count } = split.wait
                        && at == id
                    {
                        arrived += u64::from(split.mask.count_ones());
                        wanted = wanted.or(count);
                        let lane = split.mask.trailing_zeros() as usize;
                        let (pc, _) = *first.get_or_insert((split.pc, warp.place_of(split)));
                        // With a count, producers and consumers may wait in different places.
                        if pc != split.pc && count.is_none() {
                            let expected = live.max(arrived);
                            let kind = TrapKind::BarrierDivergence {
                                arrived: arrived - u64::from(split.mask.count_ones()),
                                expected,
                            };
                            return Err(self.trap(index, Stop { kind, pc: split.pc, lane }));
                        }
                    }
                }
            }
            let Some((pc, place)) = first else { continue };
            if arrived < wanted.map_or(live, |count: u64| count.min(live)) {
                continue;
            }
            self.refuse_skipped((pc, place), arrived)?;
            self.pass(pc, id, wanted.filter(|count| *count < live));
            released = true;
        }
        Ok(released)
    }

    /// Place and number of the barrier at which all threads of the block wait, with none that has ended or is ahead.
    fn all_at_one_barrier(&self) -> Option<(usize, u64)> {
        let at = |warp: &Warp| match warp.splits[..] {
            [Split { mask, pc, wait: Wait::Barrier { id, count: None }, .. }] if mask == warp.exists => Some((pc, id)),
            _ => None,
        };
        let (first, rest) = self.warps.split_first()?;
        let (pc, id) = at(first)?;
        let is_same = rest.iter().all(|warp| at(warp) == Some((pc, id)));
        (is_same && self.shared.arrived[id as usize] == 0).then_some((pc, id))
    }

    /// Opens a barrier; `some` is how many it waited for, where those were not all that live.
    fn pass(&mut self, pc: usize, id: u64, some: Option<u64>) {
        let given = self.reduced(pc, id);
        let live = self.warps.iter().map(|warp| u64::from(warp.live().count_ones())).sum();
        self.order(id, some.is_some(), live);
        for warp in &mut self.warps {
            warp.pass_barrier(id, given.as_ref());
        }
        self.shared.arrived[id as usize] = 0;
    }

    /// Tells the clocks that a barrier is passed, by all or by some warps.
    fn order(&mut self, id: u64, by_some: bool, live: u64) {
        if !self.shared.detector.is_on {
            return;
        }
        let clocks = &mut self.shared.clocks;
        if by_some {
            let waits = |warp: &Warp| warp.waiting_at_barrier(id) != 0;
            let members: Vec<usize> = (0..self.warps.len()).filter(|at| waits(&self.warps[*at])).collect();
            clocks.partial_barrier(id, &members);
        } else if clocks.full_barrier(live as usize) {
            self.shared.detector.forget(clocks);
        }
    }

    /// What `bar.red` gives to those who wait at it.
    fn reduced(&mut self, pc: usize, id: u64) -> Option<(Reduction, u64)> {
        let Kind::Barrier { reduction: Some((reduction, predicate)), .. } = self.shared.program.ops[pc].kind else {
            return None;
        };
        let (mut votes, mut present) = (0, 0);
        for warp in &mut self.warps {
            votes += u64::from(warp.votes_at_barrier(id, predicate).count_ones());
            present += u64::from(warp.waiting_at_barrier(id).count_ones());
        }
        let value = match reduction {
            Reduction::Count(_) => votes,
            Reduction::All(_) => u64::from(votes == present),
            Reduction::Any(_) => u64::from(votes != 0),
        };
        Some((reduction, value))
    }

    /// A barrier that completes only because others went round it and worked on before they ended is an error.
    /// Threads that ended early without doing anything (`if (i >= n) return;`) are none.
    fn refuse_skipped(&self, (pc, place): (usize, u64), arrived: u64) -> Result<(), Box<Trap>> {
        for (index, warp) in self.warps.iter().enumerate().filter(|(_, warp)| warp.exited != 0) {
            let behind = |lane: &usize| warp.exited >> lane & 1 == 1 && warp.stored(*lane) > place;
            let skipped = (0..LANES).filter(behind).fold(0_u32, |mask, lane| mask | 1 << lane);
            if skipped != 0 {
                let expected = self.warps.iter().map(|warp| u64::from(warp.exists.count_ones())).sum();
                let kind = TrapKind::BarrierDivergence { arrived, expected };
                return Err(self.trap(index, Stop { kind, pc, lane: skipped.trailing_zeros() as usize }));
            }
        }
        Ok(())
    }

    /// Nothing can go on: somebody waits at a barrier, or for a lane, that nobody will reach.
    fn waits_for_ever(&self) -> Box<Trap> {
        let live: u64 = self.warps.iter().map(|warp| u64::from(warp.live().count_ones())).sum();
        let waiting = |wanted: usize| -> u64 {
            let splits = self.warps.iter().flat_map(|warp| &warp.splits);
            splits.filter(|split| split.pc == wanted).map(|split| u64::from(split.mask.count_ones())).sum()
        };
        let all =
            self.warps.iter().enumerate().flat_map(|(index, warp)| warp.splits.iter().map(move |split| (index, split)));
        let mut splits: Vec<_> = all.collect();
        // The barrier is what is named; who waits elsewhere is who is missing.
        splits.sort_by_key(|(_, split)| !matches!(self.shared.program.ops[split.pc].kind, Kind::Barrier { .. }));
        let Some((_, first)) = splits.first() else {
            return self.trap(0, Stop { kind: TrapKind::Trap, pc: 0, lane: 0 });
        };
        let missing = splits.iter().find(|(_, split)| split.pc != first.pc).or(splits.first());
        let (warp, lane) = missing.map_or((0, 0), |(warp, split)| (*warp, split.mask.trailing_zeros() as usize));
        let kind = TrapKind::BarrierDivergence { arrived: waiting(first.pc), expected: live };
        Box::new(Trap { waiting: self.waiting(), ..*self.trap(warp, Stop { kind, pc: first.pc, lane }) })
    }

    /// Where the threads of the block are and what they wait for, by line; where most are first.
    fn waiting(&self) -> Vec<Waiting> {
        let mut all: Vec<Waiting> = vec![];
        for (index, warp) in self.warps.iter().enumerate() {
            for split in &warp.splits {
                let lane = split.mask.trailing_zeros() as usize;
                let (line, threads) = (self.line_at(split.pc), u64::from(split.mask.count_ones()));
                let what = match split.wait {
                    Wait::Barrier { .. } => WaitsFor::Barrier,
                    Wait::Lanes => WaitsFor::Lanes,
                    Wait::Nothing => self.asked_of_memory(index, split.pc, lane).unwrap_or(WaitsFor::Nothing),
                };
                match all.iter_mut().find(|known| known.line == line && known.what == what) {
                    Some(known) => known.threads += threads,
                    None => all.push(Waiting { line, threads, thread: self.thread(index * LANES + lane), what }),
                }
            }
        }
        // Who waits for nothing decides whether it is a deadlock, so that is told in any case.
        all.sort_by_key(|waiting| {
            (waiting.what != WaitsFor::Nothing, std::cmp::Reverse(waiting.threads), waiting.line)
        });
        all.truncate(waiting::TOLD_MAX);
        all
    }

    /// The place in memory whose value a lane asks for again and again, and what it holds.
    fn asked_of_memory(&self, warp: usize, pc: usize, lane: usize) -> Option<WaitsFor> {
        let (address, bytes) = asked_again(self.shared.program, pc)?;
        let base = self.warps[warp].value(address.base, lane, &self.shared);
        let (spot, offset, holds) = self.shared.memory.peek(base.wrapping_add_signed(address.offset), bytes)?;
        Some(WaitsFor::Memory { at: told::place(self.shared.memory, spot, offset, bytes), holds })
    }
}
