//! The present of a block, which settles most accesses at once.

use super::stamp::{Cell, Stamp};

/// What settles most accesses without a look at clocks: an earlier phase of the own block, or the thread itself.
#[derive(Clone, Copy)]
pub(crate) struct Now {
    first: u32,
    threads: u32,
    phase: u16,
}

impl Now {
    /// In a phase of a block of so many threads.
    #[inline]
    pub fn new(block: u32, threads: u32, phase: u16) -> Self {
        Self { first: block.wrapping_mul(threads).wrapping_add(1), threads, phase }
    }

    #[inline]
    fn is_settled(&self, old: &Stamp, who: u32) -> bool {
        (old.who.wrapping_sub(self.first) < self.threads && old.phase < self.phase) || old.who == who
    }

    /// Whether all of a cell is of an earlier phase of the own block, or of nobody.
    pub fn is_past(&self, cell: &Cell) -> bool {
        self.is_past_stamp(&cell.write)
            && self.is_past_stamp(&cell.weak)
            && cell.reads.iter().all(|read| self.is_past_stamp(read))
    }

    /// Whether an access is of an earlier phase of the own block, or of nobody.
    #[inline]
    pub fn is_past_stamp(&self, old: &Stamp) -> bool {
        old.is_nobody() || (old.who.wrapping_sub(self.first) < self.threads && old.phase < self.phase)
    }

    /// Notes a weak read that nothing speaks against; false where a closer look is needed.
    #[inline]
    pub fn read(&self, cell: &mut Cell, stamp: Stamp, is_shared: bool) -> bool {
        let write = &cell.write;
        // What nobody wrote is a question of its own in shared memory.
        let is_fine =
            if write.is_nobody() { !is_shared } else { !write.is_nothing() && self.is_settled(write, stamp.who) };
        if !is_fine || !(cell.weak.is_nobody() || self.is_settled(&cell.weak, stamp.who)) {
            return false;
        }
        let [latest, far] = &mut cell.reads;
        if !latest.is_nobody() && !self.is_settled(latest, stamp.who) {
            if far.is_nobody() || self.is_settled(far, stamp.who) {
                *far = *latest;
            } else if !self.is_same_warp(latest, stamp.who) || latest.clock != stamp.clock {
                return false;
            }
            // Else a lane stands for its neighbour: whoever writes next is not both of the two that are kept.
        }
        *latest = stamp;
        true
    }

    #[inline]
    fn is_same_warp(&self, old: &Stamp, who: u32) -> bool {
        old.who.wrapping_sub(self.first) / 32 == who.wrapping_sub(self.first) / 32
    }

    /// Whether nothing speaks against a write; `false` where a closer look is needed.
    #[inline]
    pub fn may_write(&self, cell: &Cell, stamp: &Stamp) -> bool {
        let fine = |old: &Stamp| old.is_nobody() || self.is_settled(old, stamp.who);
        fine(&cell.write) && fine(&cell.weak) && cell.reads.iter().all(fine)
    }

    /// Notes a plain write that nothing speaks against; false where a closer look is needed.
    #[inline]
    pub fn write(&self, cell: &mut Cell, stamp: Stamp) -> bool {
        let is_fine = self.may_write(cell, &stamp);
        if is_fine {
            *cell = Cell { write: stamp, ..Cell::default() };
        }
        is_fine
    }
}
