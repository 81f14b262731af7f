//! What a detector noted -> findings with names, lines and threads, the first cause first.

use crate::decode::Program;
use crate::finding::{Found, FoundKind, Missing, Related, Side, Where};
use crate::memory::Memory;
use crate::op::LANES;
use crate::race::{Detector, Hazard, Scope, Spot, Used};
use crate::{Launch, Space, context};

/// All findings of a launch. Reads of unwritten memory and races are each in the order in which they were seen;
/// what is unwritten because of a race is told as the race first.
pub(crate) fn findings(program: &Program, launch: &Launch, memory: &Memory<'_>, detector: &Detector) -> Vec<Found> {
    let teller = Teller { program, launch, memory };
    let races = detector.hazards.iter().filter(|hazard| !detector.is_checked(hazard));
    let mut found: Vec<Found> = races.map(|hazard| teller.race(hazard)).collect();
    // Where warps race too, a barrier of the block is missing, and `__syncwarp()` would be bad advice.
    found.sort_by_key(|found| matches!(found.kind, FoundKind::Race { missing: Missing::WarpSync, .. }));
    found.extend(detector.unwritten.iter().map(|used| teller.unwritten(used, detector)));
    found.extend(detector.wrote_input.iter().map(|(hazard, count)| teller.wrote_input(hazard, *count)));
    // Where a place is raced for with different values too, that is what to mend.
    let is_raced = |hazard: &&Hazard| detector.hazards.iter().any(|other| other.spot == hazard.spot);
    found.extend(detector.same_values.iter().filter(|hazard| !is_raced(hazard)).map(|hazard| teller.race(hazard)));
    found
}

/// A place in memory by name and element.
pub(crate) fn place(memory: &Memory<'_>, spot: Spot, offset: u64, bytes: u32) -> Where {
    let (name, width, length) = memory.describe(spot, bytes);
    let space = match spot {
        Spot::Region(_) => Space::Global,
        Spot::Shared(_) => Space::Shared,
        Spot::Local => Space::Local,
    };
    let width = u64::from(width.max(1));
    Where { space, buffer: name.map(str::to_owned), index: (offset / width) as i64, size: length as u64 / width }
}

struct Teller<'a, 'm> {
    program: &'a Program,
    launch: &'a Launch,
    memory: &'a Memory<'m>,
}

type Who = ([u32; 3], [u32; 3]);

impl Teller<'_, '_> {
    fn line(&self, pc: usize) -> Option<u32> {
        self.program.line_at(pc)
    }

    /// Block and thread of a number in the grid.
    fn who(&self, who: u32) -> Who {
        let threads: u32 = self.launch.block.iter().product();
        let flat = who.saturating_sub(1);
        let split = |flat: u32, [nx, ny, _]: [u32; 3]| [flat % nx, flat / nx % ny, flat / nx / ny];
        (split(flat / threads, self.launch.grid), split(flat % threads, self.launch.block))
    }

    fn place(&self, spot: Spot, offset: u64, bytes: u32) -> Where {
        place(self.memory, spot, offset, bytes)
    }

    fn race(&self, hazard: &Hazard) -> Found {
        let side = |stamp: &crate::race::Stamp, write: bool| {
            let (block, thread) = self.who(stamp.who);
            Side { line: self.line(stamp.pc()), write, atomic: stamp.is_atomic(), block, thread }
        };
        let later = side(&hazard.later, hazard.later_writes);
        let earlier = side(&hazard.earlier, hazard.earlier_writes);
        Found {
            kind: FoundKind::Race {
                at: self.place(hazard.spot, hazard.offset, hazard.bytes),
                later,
                earlier,
                missing: self.missing(hazard),
            },
            line: later.line.or(earlier.line),
            block: later.block,
            thread: later.thread,
            related: self.around_race(hazard),
            count: hazard.count,
        }
    }

    fn missing(&self, hazard: &Hazard) -> Missing {
        if hazard.is_same {
            return Missing::SameValue;
        }
        if hazard.later.is_read_only() {
            return Missing::Coherence;
        }
        let threads: u32 = self.launch.block.iter().product();
        let (later, earlier) = (hazard.later.who - 1, hazard.earlier.who - 1);
        let strong = [hazard.later.scope(), hazard.earlier.scope()];
        if later / threads != earlier / threads {
            return match strong {
                [Some(a), Some(b)] if a == Scope::Block || b == Scope::Block => Missing::WiderScope,
                [None, None] => Missing::BlockOrder,
                _ => Missing::Atomic,
            };
        }
        let warp = |flat: u32| (flat % threads) as usize / LANES;
        if warp(later) != warp(earlier) {
            return Missing::Barrier;
        }
        let one_instruction = hazard.later.pc() == hazard.earlier.pc()
            && hazard.later.clock == hazard.earlier.clock
            && hazard.later_writes;
        if one_instruction && hazard.earlier_writes { Missing::OneWriter } else { Missing::WarpSync }
    }

    fn around_race(&self, hazard: &Hazard) -> Vec<(Related, u32)> {
        let (later, earlier) = (hazard.later.pc(), hazard.earlier.pc());
        let conditions = [later, earlier].into_iter().filter_map(|pc| context::condition(self.program, pc));
        let mut related: Vec<_> = conditions.map(|line| (Related::Condition, line)).collect();
        let threads: u32 = self.launch.block.iter().product();
        if (hazard.later.who - 1) / threads != (hazard.earlier.who - 1) / threads {
            let barriers = context::barriers(self.program, later, earlier);
            related.extend(barriers.into_iter().map(|line| (Related::BlockBarrier, line)));
        }
        related.dedup();
        related
    }

    fn unwritten(&self, used: &Used, detector: &Detector) -> Found {
        let Used { read, left, count } = *used;
        let (block, thread) = self.who(read.who);
        let at = read.at.map(|(spot, offset, bytes)| self.place(spot, offset, bytes));
        let stores = read.at.and_then(|(spot, ..)| detector.writers.get(&spot)).into_iter().flatten();
        let stores = stores.flat_map(|pc| {
            [(Related::Store, Some(*pc)), (Related::Condition, None)].map(|(what, at)| {
                let line = at.map_or_else(|| context::condition(self.program, *pc), |pc| self.line(pc));
                line.map(|line| (what, line))
            })
        });
        let mut related: Vec<_> = stores.flatten().collect();
        related.extend(left.and_then(|pc| self.line(pc)).map(|line| (Related::Left, line)));
        related.sort_unstable();
        related.dedup();
        let kind =
            if read.at.is_some() || read.is_register { FoundKind::Uninitialised { at } } else { FoundKind::AbsentLane };
        Found { kind, line: self.line(read.pc), block, thread, related, count }
    }

    fn wrote_input(&self, hazard: &Hazard, count: u64) -> Found {
        let (block, thread) = self.who(hazard.later.who);
        let at = self.place(hazard.spot, hazard.offset, hazard.bytes);
        Found {
            kind: FoundKind::WroteInput { at },
            line: self.line(hazard.later.pc()),
            block,
            thread,
            related: vec![],
            count,
        }
    }
}
