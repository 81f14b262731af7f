//! Races and reads of what nobody wrote: found while the kernel runs, and told after it.
//!
//! A hazard is two overlapping accesses by different threads of one launch, one of them a write, that are not both
//! strong with scopes that reach each other, and of which none happened before the other (PTX ISA 9.0, section 8.9).
//! Two additions teach: lanes of one warp need `__syncwarp()` also between `volatile` accesses, and different values
//! stored by one instruction to one place are a hazard, while the same value is none.
//!
//! Strong reads acquire, with or without a fence behind them; strong writes release only what a fence before them
//! covers. So a missing `__threadfence()` is found, and NVIDIA's own reduction by the last block is clean.

mod clocks;
mod knowledge;
mod shadow;
mod stamp;

use std::collections::HashMap;

pub(crate) use clocks::Clocks;
use knowledge::Locations;
pub(crate) use shadow::Area;
use shadow::Budget;
use stamp::Cell;
pub(crate) use stamp::{Scope, Stamp, Strength};

use crate::op::{LANES, Lanes};

/// Different findings that are kept; more of them would not be read.
const FOUND_MAX: usize = 64;

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
    pub count: u64,
}

/// A read of what nobody wrote, whose value was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unwritten {
    pub pc: usize,
    /// Number of the thread in the grid, from 1.
    pub who: u32,
    /// `None` of a shuffle from a lane that is not there.
    pub at: Option<(Spot, u64, u32)>,
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
    known: HashMap<(usize, usize), usize>,
    pub unwritten: Vec<Used>,
    /// Operations that store, by what they store to.
    pub writers: HashMap<Spot, Vec<usize>>,
    last_writer: Option<(Spot, usize)>,
    /// Weak reads whose value a compare-and-swap checks: `old = *p` before the loop, as the programming guide has it.
    checked_reads: Vec<usize>,
    pub wrote_input: Vec<(Hazard, u64)>,
}

impl Detector {
    /// Notes an access by the active lanes of a warp, all in one variable. `same` are lanes whose store changes no
    /// byte. Gives the lanes that read shared memory which nobody in the block had written.
    #[inline]
    pub fn note(
        &mut self,
        (spot, offsets): (Spot, &Lanes),
        active: u32,
        event: &Event,
        same: u32,
        clocks: &mut Clocks,
        warp: usize,
    ) -> u32 {
        let is_shared = matches!(spot, Spot::Shared(_));
        if let Spot::Region(index) = spot
            && self.inputs.get(index) == Some(&true)
        {
            if event.write {
                self.note_input(spot, offsets, active, event, clocks, warp);
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
        let now = clocks.now();
        let (mut unwritten, mut rest, mut hazards) = (0, active, vec![]);
        let first = clocks.stamp(warp * LANES, event.pc, event.strength);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let mut stamp = Stamp { who: first.who + lane as u32, ..first };
            if event.carries_nothing >> lane & 1 == 1 {
                stamp = stamp.of_nothing();
            }
            let mut hazard = None;
            for cell in area.cells(offsets[lane] as usize, event.bytes as usize, &mut self.budget) {
                if !event.write && now.read(cell, stamp, is_shared) {
                    continue;
                }
                if is_shared {
                    renew(cell, clocks);
                    if (cell.write.is_nobody() || cell.write.is_nothing()) && (!event.write || event.strength.atomic) {
                        unwritten |= 1 << lane;
                    }
                }
                if event.write && now.write(cell, stamp, event.compares) {
                    continue;
                }
                if event.compares {
                    note_checked(&mut self.checked_reads, cell, &stamp);
                }
                let (is_same, thread) = (same >> lane & 1 == 1, warp * LANES + lane);
                let found = if event.write {
                    write(cell, stamp, is_same, clocks, thread)
                } else {
                    read(cell, stamp, (is_shared, self.has_fences), clocks, thread)
                };
                hazard = hazard.or(found);
            }
            if let Some((earlier, earlier_writes)) = hazard {
                let (later, later_writes, offset) = (stamp, event.write, offsets[lane]);
                let bytes = event.bytes;
                hazards.push(Hazard { spot, offset, bytes, later, later_writes, earlier, earlier_writes, count: 1 });
            }
        }
        for hazard in hazards {
            self.add(hazard);
        }
        if self.has_fences && event.strength.scope.is_some() {
            for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
                self.synchronise(spot, offsets[lane], event, clocks, warp * LANES + lane);
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

    /// The phases of a block are used up.
    #[cold]
    pub fn forget(&mut self, clocks: &Clocks) {
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
        let (later, earlier) = (hazard.later.pc(), hazard.earlier.pc());
        let key = (later.min(earlier), later.max(earlier));
        if let Some(at) = self.known.get(&key) {
            self.hazards[*at].count += 1;
        } else if self.hazards.len() < FOUND_MAX {
            self.known.insert(key, self.hazards.len());
            self.hazards.push(hazard);
        }
    }

    #[cold]
    fn note_input(&mut self, spot: Spot, offsets: &Lanes, active: u32, event: &Event, clocks: &Clocks, warp: usize) {
        let lanes = u64::from(active.count_ones());
        if let Some(known) = self.wrote_input.iter_mut().find(|(known, _)| known.later.pc() == event.pc) {
            known.1 += lanes;
        } else if self.wrote_input.len() < FOUND_MAX && active != 0 {
            let lane = active.trailing_zeros() as usize;
            let later = clocks.stamp(warp * LANES + lane, event.pc, event.strength);
            let hazard = Hazard {
                spot,
                offset: offsets[lane],
                bytes: event.bytes,
                later,
                later_writes: true,
                earlier: later,
                earlier_writes: true,
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

/// Weak reads of a thread whose value it compares now.
#[cold]
fn note_checked(checked: &mut Vec<usize>, cell: &Cell, stamp: &Stamp) {
    for read in cell.reads.iter().filter(|read| read.who == stamp.who && read.scope().is_none()) {
        if !checked.contains(&read.pc()) {
            checked.push(read.pc());
        }
    }
}

/// Stamps of blocks that had this shared memory before are nobody's.
#[inline]
fn renew(cell: &mut Cell, clocks: &Clocks) {
    if !cell.write.is_nobody() && clocks.own_thread(&cell.write).is_none() {
        cell.write = Stamp::default();
    }
    for read in std::iter::once(&mut cell.weak).chain(&mut cell.reads) {
        if !read.is_nobody() && clocks.own_thread(read).is_none() {
            *read = Stamp::default();
        }
    }
}

type Conflict = Option<(Stamp, bool)>;

#[inline]
fn read(
    cell: &mut Cell,
    stamp: Stamp,
    (is_shared, has_fences): (bool, bool),
    clocks: &Clocks,
    thread: usize,
) -> Conflict {
    let found = if conflicts(&cell.write, &stamp, clocks, thread)
        || (is_shared && !has_fences && is_warp_volatile(&cell.write, &stamp, clocks, thread))
    {
        Some((cell.write, true))
    } else if conflicts(&cell.weak, &stamp, clocks, thread) {
        Some((cell.weak, true))
    } else {
        None
    };
    let [latest, far] = &mut cell.reads;
    if latest.who != stamp.who && !latest.is_nobody() {
        // Of the two older reads the one stays that is harder to have an order with.
        let weight = |old: &Stamp| if old.is_nobody() { 0 } else { distance(old, &stamp, clocks) };
        if weight(latest) >= weight(far) {
            *far = *latest;
        }
    }
    *latest = stamp;
    found
}

#[inline]
fn write(cell: &mut Cell, stamp: Stamp, is_same: bool, clocks: &Clocks, thread: usize) -> Conflict {
    let mut found = None;
    for old in [cell.weak, cell.write] {
        // Two plain stores of one value do no harm; over an atomic even the same value loses what it added.
        if !(is_same && old.scope().is_none()) && found.is_none() && conflicts(&old, &stamp, clocks, thread) {
            found = Some((old, true));
        }
    }
    for read in cell.reads {
        if found.is_none() && conflicts(&read, &stamp, clocks, thread) {
            found = Some((read, false));
        }
    }
    cell.weak = match (stamp.scope(), cell.write.scope()) {
        (Some(_), None) => cell.write,
        (Some(_), Some(_)) => cell.weak,
        (None, _) => Stamp::default(),
    };
    cell.write = stamp;
    cell.reads = [Stamp::default(); 2];
    found
}

#[inline]
fn conflicts(old: &Stamp, new: &Stamp, clocks: &Clocks, thread: usize) -> bool {
    if old.is_nobody() || old.who == new.who {
        return false;
    }
    if let (Some(old_scope), Some(new_scope)) = (old.scope(), new.scope()) {
        let reach = (old_scope == Scope::Gpu && new_scope == Scope::Gpu) || clocks.own_thread(old).is_some();
        if reach {
            return false;
        }
    }
    !clocks.is_before(old, thread)
}

/// Lanes that rely on lockstep through `volatile`, as code before 2017 did.
fn is_warp_volatile(old: &Stamp, new: &Stamp, clocks: &Clocks, thread: usize) -> bool {
    let same_warp = clocks.own_thread(old).is_some_and(|other| other / LANES == thread / LANES);
    same_warp && old.who != new.who && old.is_volatile() && new.is_volatile() && !clocks.is_before(old, thread)
}

/// How far apart two threads are: 3 in other blocks, 2 in other warps, 1 in one warp; 0 if a barrier lies between.
fn distance(old: &Stamp, new: &Stamp, clocks: &Clocks) -> u32 {
    match clocks.own_thread(old) {
        None => 3,
        Some(_) if old.phase < new.phase => 0,
        Some(other) => {
            let mine = clocks.own_thread(new).unwrap_or(other);
            if other / LANES == mine / LANES { 1 } else { 2 }
        }
    }
}
