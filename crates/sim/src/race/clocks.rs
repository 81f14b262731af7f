//! Order between the threads of one block, and what each of them knows of others.
//!
//! A full barrier starts a phase: whatever has an earlier phase happened before. Inside a phase every warp has a
//! clock that advances with each of its synchronising events; two lanes know of each other what came before their
//! last common `bar.warp.sync`. Lockstep, shuffles and votes give no order (PTX ISA 9.0, section 8.8).

use std::collections::HashMap;

use super::knowledge::{Knowledge, Locations, Released};
use super::now::Now;
use super::stamp::{Cell, Scope, Stamp, Strength};
use crate::op::LANES;

/// The clock of one warp.
#[derive(Clone, Debug, Default)]
struct WarpClock {
    now: u16,
    /// Accesses of the warp before this are known to all its lanes.
    full: u16,
    /// Where masks were partial: what lane a knows of lane b.
    lanes: Option<Box<[[u16; LANES]; LANES]>>,
    /// What this warp knows of the others by barriers that not all warps join.
    warps: Vec<u16>,
}

impl WarpClock {
    /// Whether it is not as at the start of a phase.
    fn has_moved(&self) -> bool {
        self.now != 0 || self.full != 0 || self.lanes.is_some() || !self.warps.is_empty()
    }
}

/// Clocks of one block.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    /// Number of the block in the grid.
    pub block: u32,
    threads: u32,
    pub phase: u16,
    warps: Vec<WarpClock>,
    /// What the block knows since its last barrier.
    common: Knowledge,
    own: HashMap<u32, Knowledge>,
    /// By thread: what its last fence released.
    fences: HashMap<u32, Released>,
    /// Threads that have fenced in this phase.
    fenced: Vec<u32>,
    /// What fences before a barrier released for whoever writes behind it.
    shared_release: Option<Released>,
    /// Clocks of warps that arrived at a named barrier and went on.
    arrivals: Vec<(u64, usize, u16)>,
}

impl Clocks {
    /// The present of the block.
    #[inline]
    pub fn now(&self) -> Now {
        Now::new(self.block, self.threads, self.phase)
    }

    /// A block starts; room of one that ended is used again.
    pub fn start(&mut self, block: u32, threads: u32) {
        let mut warps = std::mem::take(&mut self.warps);
        warps.clear();
        warps.resize_with((threads as usize).div_ceil(LANES), WarpClock::default);
        *self = Self { block, threads, warps, ..Self::default() };
    }

    /// The stamp of an access by a thread of this block.
    #[inline]
    pub fn stamp(&self, thread: usize, pc: usize, strength: Strength) -> Stamp {
        Stamp::new(self.who(thread), pc, strength, self.phase, self.warps[thread / LANES].now)
    }

    #[inline]
    pub fn who(&self, thread: usize) -> u32 {
        self.block * self.threads + thread as u32 + 1
    }

    /// Whether nobody of another block is in a cell.
    #[inline]
    pub fn is_own_or_nobody(&self, cell: &Cell) -> bool {
        let first = self.block * self.threads + 1;
        let is_fine = |old: &Stamp| old.is_nobody() || old.who.wrapping_sub(first) < self.threads;
        is_fine(&cell.write) && is_fine(&cell.weak) && cell.reads.iter().all(is_fine)
    }

    /// Position in the block, where a stamp is of this block.
    #[inline]
    pub fn own_thread(&self, of: &Stamp) -> Option<usize> {
        let at = of.who.wrapping_sub(self.block * self.threads + 1);
        (at < self.threads).then_some(at as usize)
    }

    /// Block and thread of a stamp.
    pub fn place_of(&self, of: &Stamp) -> (u32, u32) {
        let flat = of.who.saturating_sub(1);
        (flat / self.threads.max(1), flat % self.threads.max(1))
    }

    /// Whether an access happened before what `thread` does now.
    #[inline]
    pub fn is_before(&self, of: &Stamp, thread: usize) -> bool {
        if let Some(other) = self.own_thread(of) {
            if of.phase < self.phase || other == thread {
                return true;
            }
            let (warp, theirs) = (&self.warps[thread / LANES], other / LANES);
            if theirs == thread / LANES {
                // A clock that is used up orders everything: a miss costs less than a false alarm.
                if of.clock < warp.full || of.clock == u16::MAX {
                    return true;
                }
                if let Some(lanes) = &warp.lanes
                    && of.clock < lanes[thread % LANES][other % LANES]
                {
                    return true;
                }
            } else if warp.warps.get(theirs).is_some_and(|clock| of.clock < *clock) {
                return true;
            }
        }
        self.is_known(of, thread)
    }

    fn is_known(&self, of: &Stamp, thread: usize) -> bool {
        if self.common.is_empty() && self.own.is_empty() {
            return false;
        }
        let block = self.place_of(of).0;
        self.common.holds(of, block, self.block)
            || self.own.get(&(thread as u32)).is_some_and(|own| own.holds(of, block, self.block))
    }

    fn advance(&mut self, warp: usize) {
        let now = &mut self.warps[warp].now;
        *now = now.saturating_add(1);
    }

    /// `bar.warp.sync` by these lanes of a warp.
    pub fn warp_sync(&mut self, warp: usize, lanes: u32, live: u32) {
        let clock = &mut self.warps[warp];
        let next = clock.now.saturating_add(1);
        if lanes & live == live {
            clock.full = next;
            clock.lanes = None;
        } else {
            let full = clock.full;
            let table = clock.lanes.get_or_insert_with(|| Box::new([[full; LANES]; LANES]));
            let members = || (0..LANES).filter(|lane| lanes >> lane & 1 == 1);
            let mut joined = [0; LANES];
            for member in members() {
                for (joined, known) in joined.iter_mut().zip(&table[member]) {
                    *joined = (*joined).max(*known);
                }
            }
            for member in members() {
                joined[member] = next;
            }
            for member in members() {
                table[member] = joined;
            }
        }
        self.join_own(warp, lanes);
        self.advance(warp);
    }

    /// What one lane learned is handed on by `bar.warp.sync`.
    fn join_own(&mut self, warp: usize, lanes: u32) {
        if self.own.is_empty() {
            return;
        }
        let members = (0..LANES).filter(|lane| lanes >> lane & 1 == 1).map(|lane| (warp * LANES + lane) as u32);
        let members: Vec<u32> = members.collect();
        let mut joined = Knowledge::default();
        for member in &members {
            if let Some(own) = self.own.get(member) {
                joined.join(own);
            }
        }
        if !joined.is_empty() {
            for member in members {
                self.own.insert(member, joined.clone());
            }
        }
    }

    /// A barrier of all live threads. Gives true when the phases are used up and old stamps must go.
    pub fn full_barrier(&mut self, live: usize) -> bool {
        let fenced = std::mem::take(&mut self.fenced);
        if !fenced.is_empty() {
            self.share_fences(&fenced, live);
        }
        if !self.own.is_empty() {
            for own in std::mem::take(&mut self.own).into_values() {
                self.common.join(&own);
            }
        }
        self.warps.iter_mut().filter(|warp| warp.has_moved()).for_each(|warp| *warp = WarpClock::default());
        if !self.fences.is_empty() {
            self.fences.clear();
        }
        self.arrivals.clear();
        if self.phase == u16::MAX - 1 {
            self.phase = 1;
            return true;
        }
        self.phase += 1;
        false
    }

    /// Fences before a barrier count for a strong write behind it by any thread of the block.
    fn share_fences(&mut self, fenced: &[u32], live: usize) {
        let mut shared = self.shared_release.take().unwrap_or_default();
        let all = fenced.len() >= live;
        shared.within = None;
        for thread in fenced {
            let Some(released) = self.fences.get(thread) else { continue };
            if released.within.is_some() {
                shared.within = Some(self.block);
            }
            shared.known.join(&released.known);
            if !all {
                shared.threads.extend(&released.threads);
                shared.block = released.block.or(shared.block);
            }
        }
        if all {
            shared.threads.clear();
            shared.block = Some((self.block, self.phase + 1));
        }
        self.shared_release = Some(shared);
    }

    /// A warp arrived at a barrier that not all warps join, and goes on.
    pub fn arrive(&mut self, id: u64, warp: usize) {
        let now = self.warps[warp].now;
        self.arrivals.push((id, warp, now.saturating_add(1)));
        self.advance(warp);
    }

    /// A barrier of some warps.
    pub fn partial_barrier(&mut self, id: u64, members: &[usize]) {
        let count = self.warps.len();
        let mut joined = vec![0_u16; count];
        for member in members {
            for (joined, known) in joined.iter_mut().zip(&self.warps[*member].warps) {
                *joined = (*joined).max(*known);
            }
            joined[*member] = self.warps[*member].now.saturating_add(1);
        }
        for (_, warp, clock) in self.arrivals.iter().filter(|(at, ..)| *at == id) {
            joined[*warp] = joined[*warp].max(*clock);
        }
        self.arrivals.retain(|(at, ..)| *at != id);
        for member in members {
            let clock = &mut self.warps[*member];
            clock.warps.clone_from(&joined);
            clock.full = clock.now.saturating_add(1);
            clock.lanes = None;
            self.advance(*member);
        }
    }

    /// A fence by these lanes of a warp.
    pub fn fence(&mut self, warp: usize, lanes: u32, scope: Scope) {
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let thread = (warp * LANES + lane) as u32;
            let released = self.releasable(thread, scope);
            self.fences.insert(thread, released);
            if !self.fenced.contains(&thread) {
                self.fenced.push(thread);
            }
        }
        self.advance(warp);
    }

    fn releasable(&self, thread: u32, scope: Scope) -> Released {
        let (warp, lane) = (thread as usize / LANES, thread as usize % LANES);
        let clock = &self.warps[warp];
        let mut threads = vec![(self.who(thread as usize), clock.now.saturating_add(1))];
        for other in (0..LANES).filter(|other| *other != lane) {
            let known = clock.lanes.as_ref().map_or(clock.full, |lanes| lanes[lane][other]);
            if known > 0 {
                threads.push((self.who(warp * LANES + other), known));
            }
        }
        let mut known = self.common.clone();
        if let Some(own) = self.own.get(&thread) {
            known.join(own);
        }
        let within = (scope == Scope::Block).then_some(self.block);
        Released { within, block: Some((self.block, self.phase)), threads, known }
    }

    /// A strong read of a location: the reader learns what was released there.
    pub fn acquire(&mut self, thread: usize, address: u64, locations: &Locations) {
        locations.acquire(address, self.own.entry(thread as u32).or_default());
        if self.own.get(&(thread as u32)).is_some_and(Knowledge::is_empty) {
            self.own.remove(&(thread as u32));
        }
    }

    /// A strong write of a location; with `now` it is a release operation itself.
    pub fn release(
        &mut self,
        thread: usize,
        address: u64,
        (keeps, now): (bool, Option<Scope>),
        locations: &mut Locations,
    ) {
        if let Some(scope) = now {
            let released = self.releasable(thread as u32, scope);
            self.fences.insert(thread as u32, released);
            self.advance(thread / LANES);
        }
        let own = self.fences.get(&(thread as u32));
        if own.is_none() && self.shared_release.is_none() {
            if !keeps {
                locations.overwrite(address);
            }
            return;
        }
        if let Some(shared) = &self.shared_release {
            locations.release(address, shared, keeps);
        }
        if let Some(own) = own {
            locations.release(address, own, keeps || self.shared_release.is_some());
        }
    }
}
