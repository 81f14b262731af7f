//! Bytes of shared memory that nobody wrote, amid others that somebody wrote.

use super::shadow::LINE_BYTES;
use super::stamp::Stamp;
use super::{Clocks, Detector, Spot};

impl Detector {
    /// Which of these bytes nobody in the block wrote: one bit each.
    #[cold]
    pub fn holes(&mut self, spot: Spot, offset: usize, bytes: usize, clocks: &Clocks) -> u32 {
        let Spot::Shared(index) = spot else { return 0 };
        let Some(area) = self.shared.get_mut(index) else { return 0 };
        let is_hole = |of: &Stamp| of.is_nobody() || of.is_nothing() || clocks.own_thread(of).is_none();
        let mut holes = 0;
        for at in 0..bytes {
            let Some(line) = area.line((offset + at) / LINE_BYTES, &mut self.budget) else { continue };
            holes |= u32::from(is_hole(&line.last_write((offset + at) % LINE_BYTES))) << at;
        }
        holes
    }

    /// What was just stored here is nothing in these bytes.
    #[cold]
    pub fn leave_holes(&mut self, spot: Spot, offset: usize, holes: u32) {
        let Spot::Shared(index) = spot else { return };
        let Some(area) = self.shared.get_mut(index) else { return };
        let nibbles = (0..8).map(|at| holes >> (4 * at) & 0xf);
        let words = offset.is_multiple_of(4) && nibbles.into_iter().all(|word| word == 0 || word == 0xf);
        for at in (0..32).filter(|at| holes >> at & 1 == 1) {
            let place = offset + at;
            let Some(line) = area.unrolled(place / LINE_BYTES, words, &mut self.budget) else { continue };
            line.cells(place % LINE_BYTES, 1).iter_mut().for_each(|cell| cell.write = cell.write.of_nothing());
        }
    }
}
