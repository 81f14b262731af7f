//! Races and reads of what nobody wrote: found while the kernel runs, and told after it.
//!
//! A hazard is two overlapping accesses by different threads of one launch, one of them a write, that are not both
//! strong with scopes that reach each other, and of which none happened before the other (PTX ISA 9.0, section 8.9).
//! Two additions teach: lanes of one warp need `__syncwarp()` also between `volatile` accesses, and different values
//! stored by one instruction to one place are a hazard, while the same value is told apart: it does no harm on today's
//! GPUs.
//!
//! Strong reads acquire, with or without a fence behind them; strong writes release only what a fence before them
//! covers. So a missing `__threadfence()` is found, and NVIDIA's own reduction by the last block is clean.

mod clocks;
mod holes;
mod join;
mod knowledge;
mod log;
mod look;
mod now;
mod rules;
mod shadow;
mod stamp;

use std::collections::HashMap;

pub(crate) use clocks::Clocks;
pub(crate) use join::Part;
use knowledge::Locations;
use look::Looks;
pub(crate) use look::{Places, Shape};
use shadow::Budget;
pub(crate) use shadow::{Area, LINE_BYTES};
pub(crate) use stamp::{Scope, Stamp, Strength};

use crate::op::LANES;

/// Different findings that are kept; more of them would not be read.
const FOUND_MAX: usize = 64;
/// The same, of stores of one value.
const SAME_MAX: usize = 8;

/// Memory that has a shadow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Spot {
    /// A variable or buffer of global memory.
    Region(usize),
    /// A shared variable.
    Shared(usize),
    /// The thread's own memory.
    Local,
}

/// What the lanes of one instruction do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub pc: usize,
    pub bytes: u32,
    pub write: bool,
    pub strength: Strength,
    /// A release operation, with its scope.
    pub releases: Option<Scope>,
    /// A compare-and-swap.
    pub compares: bool,
    /// Lanes that store a value which nobody wrote.
    pub carries_nothing: u32,
}

impl Event {
    /// Whether it is a store that takes no part in synchronisation.
    fn is_plain_write(&self) -> bool {
        self.write && !self.compares && self.strength.scope.is_none()
    }
}

/// A hazard as it was seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hazard {
    pub spot: Spot,
    pub offset: u64,
    pub bytes: u32,
    pub later: Stamp,
    pub later_writes: bool,
    pub earlier: Stamp,
    pub earlier_writes: bool,
    /// Both store the same value, which does no harm on today's GPUs and is undefined still.
    pub is_same: bool,
    pub count: u64,
}

/// A read of what nobody wrote, whose value was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unwritten {
    pub pc: usize,
    /// Number of the thread in the grid, from 1.
    pub who: u32,
    /// `None` of a shuffle from a lane that is not there, and of a register.
    pub at: Option<(Spot, u64, u32)>,
    /// A register that was never written.
    pub is_register: bool,
}

/// An [`Unwritten`] whose value was used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    pub read: Unwritten,
    /// The branch by which threads of the block had ended before.
    pub left: Option<usize>,
    pub count: u64,
}

/// What is found in one launch.
#[derive(Default)]
pub(crate) struct Detector {
    /// Off where threads cannot be numbered, or nobody wants to know.
    pub is_on: bool,
    /// Whether the program has a fence or a release: only then anybody learns anything through memory.
    pub has_fences: bool,
    /// By region: inputs are read by everybody and written by nobody, so they need no shadow.
    pub inputs: Vec<bool>,
    regions: Vec<Area>,
    /// Shadow of the running block's shared variables.
    pub shared: Vec<Area>,
    pub budget: Budget,
    locations: Locations,
    pub hazards: Vec<Hazard>,
    /// Those where both store the same value.
    pub same_values: Vec<Hazard>,
    known: HashMap<(usize, usize), usize>,
    pub unwritten: Vec<Used>,
    /// Operations that store, by what they store to.
    pub writers: HashMap<Spot, Vec<usize>>,
    last_writer: Option<(Spot, usize)>,
    /// Weak reads whose value a compare-and-swap checks: `old = *p` before the loop, as the programming guide has it.
    checked_reads: Vec<usize>,
    pub wrote_input: Vec<(Hazard, u64)>,
    /// Whether stamps were forgotten since phases were used up.
    has_forgotten: bool,
}

impl Detector {
    /// Notes an access by the active lanes of a warp, all in one variable. `same` are lanes whose store changes no
    /// byte. Gives the lanes that read shared memory which nobody in the block had written.
    #[inline]
    pub fn note(
        &mut self,
        places: Places<'_>,
        active: u32,
        event: &Event,
        same: u32,
        clocks: &mut Clocks,
        warp: usize,
    ) -> u32 {
        let spot = places.spot;
        if let Spot::Region(index) = spot
            && self.inputs.get(index) == Some(&true)
        {
            if event.write {
                self.note_input(places, active, event, clocks, warp);
            }
            return 0;
        }
        if event.write && self.last_writer != Some((spot, event.pc)) && active != 0 {
            self.note_writer(spot, event.pc);
        }
        let area = match spot {
            Spot::Region(index) => self.regions.get_mut(index),
            Spot::Shared(index) => self.shared.get_mut(index),
            Spot::Local => None,
        };
        let Some(area) = area else { return 0 };
        let mut looks = Looks {
            budget: &mut self.budget,
            checked_reads: &mut self.checked_reads,
            has_fences: self.has_fences,
            event,
            clocks,
            now: clocks.now(),
            warp,
            first: clocks.stamp(warp * LANES, event.pc, event.strength),
            same,
            hazards: vec![],
        };
        let unwritten = looks.at(area, places, active);
        for hazard in looks.hazards {
            self.add(hazard);
        }
        if self.has_fences && event.strength.scope.is_some() {
            for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
                self.synchronise(spot, places.offset(lane) as u64, event, clocks, warp * LANES + lane);
            }
        }
        unwritten
    }

    /// Strong accesses hand knowledge on.
    fn synchronise(&mut self, spot: Spot, offset: u64, event: &Event, clocks: &mut Clocks, thread: usize) {
        let address = match spot {
            Spot::Region(index) => offset | (index as u64) << 40,
            // Shared memory of every block is its own; blocks are numbered with 32 bits.
            Spot::Shared(index) => 1 << 63 | u64::from(clocks.block) << 31 | (index as u64) << 24 | offset & 0xff_ffff,
            Spot::Local => return,
        };
        if !event.write || event.strength.atomic {
            clocks.acquire(thread, address, &self.locations);
        }
        if event.write {
            clocks.release(thread, address, (event.strength.atomic, event.releases), &mut self.locations);
        }
    }

    /// A block ended: what its shared memory synchronised is over.
    pub fn end_block(&mut self, block: u32) {
        self.locations.forget(|address| address >> 63 == 0 || (address >> 31) as u32 != block);
    }

    /// A region begins anew, or is one more: what `malloc` gives.
    pub fn start_region(&mut self, index: usize) {
        if self.is_on {
            if self.regions.len() <= index {
                self.regions.resize_with(index + 1, Area::default);
            }
            self.regions[index].clear(&mut self.budget);
        }
    }

    /// The phases of a block are used up.
    #[cold]
    pub fn forget(&mut self, clocks: &Clocks) {
        self.has_forgotten = true;
        for area in self.regions.iter_mut().chain(&mut self.shared) {
            area.forget(|stamp| clocks.own_thread(stamp).is_some());
        }
    }

    pub fn start(regions: usize, inputs: Vec<bool>, has_fences: bool) -> Self {
        let mut areas = vec![];
        areas.resize_with(regions, Area::default);
        Self { is_on: true, has_fences, inputs, regions: areas, ..Self::default() }
    }

    fn add(&mut self, hazard: Hazard) {
        if hazard.is_same {
            self.add_same(hazard);
            return;
        }
        let (later, earlier) = (hazard.later.pc(), hazard.earlier.pc());
        let key = (later.min(earlier), later.max(earlier));
        if let Some(at) = self.known.get(&key) {
            self.hazards[*at].count += hazard.count;
        } else if self.hazards.len() < FOUND_MAX {
            self.known.insert(key, self.hazards.len());
            self.hazards.push(hazard);
        }
    }

    #[cold]
    fn add_same(&mut self, hazard: Hazard) {
        let is_known = |known: &&mut Hazard| known.later.pc() == hazard.later.pc();
        if let Some(known) = self.same_values.iter_mut().find(is_known) {
            known.count += hazard.count;
        } else if self.same_values.len() < SAME_MAX {
            self.same_values.push(hazard);
        }
    }

    #[cold]
    fn note_input(&mut self, places: Places<'_>, active: u32, event: &Event, clocks: &Clocks, warp: usize) {
        let lanes = u64::from(active.count_ones());
        if let Some(known) = self.wrote_input.iter_mut().find(|(known, _)| known.later.pc() == event.pc) {
            known.1 += lanes;
        } else if self.wrote_input.len() < FOUND_MAX && active != 0 {
            let lane = active.trailing_zeros() as usize;
            let later = clocks.stamp(warp * LANES + lane, event.pc, event.strength);
            let hazard = Hazard {
                spot: places.spot,
                offset: places.offset(lane) as u64,
                bytes: event.bytes,
                later,
                later_writes: true,
                earlier: later,
                earlier_writes: true,
                is_same: false,
                count: lanes,
            };
            self.wrote_input.push((hazard, lanes));
        }
    }

    #[cold]
    fn note_writer(&mut self, spot: Spot, pc: usize) {
        self.last_writer = Some((spot, pc));
        let known = self.writers.entry(spot).or_default();
        if known.len() < FOUND_MAX && !known.contains(&pc) {
            known.push(pc);
        }
    }

    /// Whether a hazard is a guess that a compare-and-swap checks afterwards.
    pub fn is_checked(&self, hazard: &Hazard) -> bool {
        let guess = |read: &Stamp, writes: bool, other: &Stamp| {
            !writes && read.scope().is_none() && other.is_atomic() && self.checked_reads.contains(&read.pc())
        };
        guess(&hazard.later, hazard.later_writes, &hazard.earlier)
            || guess(&hazard.earlier, hazard.earlier_writes, &hazard.later)
    }

    /// A value that nobody wrote was used.
    #[cold]
    pub fn note_unwritten(&mut self, read: Unwritten, left: Option<usize>) {
        if let Some(known) = self.unwritten.iter_mut().find(|known| known.read.pc == read.pc) {
            known.count += 1;
        } else if self.unwritten.len() < FOUND_MAX {
            self.unwritten.push(Used { read, left, count: 1 });
        }
    }
}
