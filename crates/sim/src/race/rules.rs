//! When two accesses are a hazard, and what a cell remembers of them.

use super::clocks::Clocks;
use super::stamp::{Cell, Scope, Stamp};
use crate::op::LANES;

/// Weak reads of a thread whose value it compares now.
#[cold]
pub(super) fn note_checked(checked: &mut Vec<usize>, cell: &Cell, stamp: &Stamp) {
    for read in cell.reads.iter().filter(|read| read.who == stamp.who && read.scope().is_none()) {
        if !checked.contains(&read.pc()) {
            checked.push(read.pc());
        }
    }
}

/// Stamps of blocks that had this shared memory before are nobody's.
#[inline]
pub(super) fn renew(cell: &mut Cell, clocks: &Clocks) {
    for stamp in cell.stamps() {
        if !stamp.is_nobody() && clocks.own_thread(stamp).is_none() {
            *stamp = Stamp::default();
        }
    }
}

/// An earlier access that a new one has no order with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    pub stamp: Stamp,
    pub writes: bool,
    /// Both store the same value.
    pub is_same: bool,
}

pub(super) type Conflict = Option<Earlier>;

#[inline]
pub(super) fn read(
    cell: &mut Cell,
    stamp: Stamp,
    (is_shared, has_fences): (bool, bool),
    clocks: &Clocks,
    thread: usize,
) -> Conflict {
    let found = if conflicts(&cell.write, &stamp, clocks, thread)
        || (is_shared && !has_fences && is_warp_volatile(&cell.write, &stamp, clocks, thread))
    {
        Some(Earlier { stamp: cell.write, writes: true, is_same: false })
    } else if conflicts(&cell.weak, &stamp, clocks, thread) {
        Some(Earlier { stamp: cell.weak, writes: true, is_same: false })
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
pub(super) fn write(cell: &mut Cell, stamp: Stamp, is_same: bool, clocks: &Clocks, thread: usize) -> Conflict {
    let writes = [cell.weak, cell.write].map(|old| {
        // Two plain stores of one value do no harm; over an atomic even the same value loses what it added.
        Earlier { stamp: old, writes: true, is_same: is_same && old.scope().is_none() }
    });
    let reads = cell.reads.map(|old| Earlier { stamp: old, writes: false, is_same: false });
    let all = writes.into_iter().chain(reads);
    let against = all.filter(|old| conflicts(&old.stamp, &stamp, clocks, thread));
    let found = against.min_by_key(|old| old.is_same);
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
    // Nothing gives it an order: it may be from before the launch.
    if new.is_read_only() {
        return true;
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
