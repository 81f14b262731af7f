//! What memory holds before anything is written, and which bytes were written.

use super::Memory;
use crate::Role;
use crate::op::LANES;
use crate::race::{Places, Shape, Spot};

/// Words of shared and local memory before anything is written: NaN as a float of 4 or 8 bytes, and nothing that a
/// small sum turns into 0.
const UNWRITTEN: [u8; 4] = 0xfff5_a5c3_u32.to_le_bytes();

/// Lengthens or cuts to `bytes`; what is new holds nothing.
pub(crate) fn extend_unwritten(room: &mut Vec<u8>, bytes: usize) {
    let from = room.len().min(bytes);
    room.resize(bytes, 0);
    for (at, byte) in room[from..].iter_mut().enumerate() {
        *byte = UNWRITTEN[(from + at) % UNWRITTEN.len()];
    }
}

pub(crate) fn fill_unwritten(room: &mut Vec<u8>, bytes: usize) {
    room.resize(bytes, 0);
    for (byte, unwritten) in room.iter_mut().zip(UNWRITTEN.iter().cycle()) {
        *byte = *unwritten;
    }
}

impl Memory<'_> {
    fn bits(&mut self, spot: Spot, thread: usize, offset: usize) -> Option<(&mut Vec<u64>, usize)> {
        match spot {
            Spot::Region(index) => {
                let region = &mut self.regions[index];
                matches!(region.role, Role::Output | Role::Scratch).then_some((&mut region.written, offset))
            }
            Spot::Local => Some((&mut self.block.local[thread].written, offset)),
            Spot::Shared(_) => None,
        }
    }

    /// Marks what the active lanes stored; `nothing` are lanes whose value nobody wrote.
    pub fn mark_lanes(&mut self, places: Places<'_>, (active, nothing): (u32, u32), bytes: usize, first_thread: usize) {
        if places.shape == Shape::Row && nothing == 0 && matches!(places.spot, Spot::Region(_)) {
            self.mark(places.spot, first_thread, places.offset(0), bytes * LANES, true);
            return;
        }
        for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
            let is_written = nothing >> lane & 1 == 0;
            self.mark(places.spot, first_thread + lane, places.offset(lane), bytes, is_written);
        }
    }

    /// The active lanes that read bytes of a buffer which nobody wrote.
    pub fn unwritten_lanes(&mut self, places: Places<'_>, active: u32, bytes: usize) -> u32 {
        let whole = match places.shape {
            Shape::Row => Some(bytes * LANES),
            Shape::Same => Some(bytes),
            Shape::HalfRows | Shape::HalvesSame | Shape::Any => None,
        };
        if whole.is_some_and(|bytes| !self.is_unwritten(places.spot, 0, places.offset(0), bytes)) {
            return 0;
        }
        let is_unwritten =
            |lane: &usize| active >> lane & 1 == 1 && self.is_unwritten(places.spot, 0, places.offset(*lane), bytes);
        (0..LANES).filter(is_unwritten).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// Marks bytes as written, or as not written where a value that nobody wrote was stored.
    #[inline]
    pub fn mark(&mut self, spot: Spot, thread: usize, offset: usize, bytes: usize, is_written: bool) {
        let Some((bits, start)) = self.bits(spot, thread, offset) else { return };
        let end = start + bytes;
        if bits.len() * 64 < end {
            bits.resize(end.div_ceil(64).next_power_of_two(), 0);
        }
        for (word, mask) in words_of(start, end) {
            if is_written {
                bits[word] |= mask;
            } else {
                bits[word] &= !mask;
            }
        }
    }

    /// Whether some of these bytes were never written.
    #[inline]
    pub fn is_unwritten(&mut self, spot: Spot, thread: usize, offset: usize, bytes: usize) -> bool {
        let Some((bits, start)) = self.bits(spot, thread, offset) else { return false };
        !words_of(start, start + bytes).all(|(word, mask)| bits.get(word).is_some_and(|bits| bits & mask == mask))
    }

    /// Marks these bytes, one bit each, as not written.
    #[cold]
    pub fn leave_holes(&mut self, spot: Spot, thread: usize, offset: usize, holes: u32) {
        for at in (0..32).filter(|at| holes >> at & 1 == 1) {
            self.mark(spot, thread, offset + at, 1, false);
        }
    }

    /// Which of these bytes of a buffer or of a thread's own memory nobody wrote: one bit each.
    #[cold]
    pub fn holes(&mut self, spot: Spot, thread: usize, offset: usize, bytes: usize) -> u32 {
        (0..bytes).fold(0, |holes, at| holes | u32::from(self.is_unwritten(spot, thread, offset + at, 1)) << at)
    }
}

/// The words that hold the bits from `start` to before `end`, with a mask of each.
#[inline]
fn words_of(start: usize, end: usize) -> impl Iterator<Item = (usize, u64)> {
    (start / 64..end.div_ceil(64)).map(move |word| {
        let from = start.saturating_sub(word * 64);
        let to = (end - word * 64).min(64);
        (word, u64::MAX << from & u64::MAX >> (64 - to))
    })
}
