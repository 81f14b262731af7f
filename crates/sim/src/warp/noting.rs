//! What the detector is told of loads and stores, and what it tells of values that nobody wrote.

use super::{LANES, Shared, Target, Warp, lanes};
use crate::op::Source;
use crate::race::{Event, Places, Spot};

impl Warp {
    pub(super) fn note_load(
        &mut self,
        places: Places<'_>,
        to: &[Option<Target>],
        active: u32,
        event: &Event,
        shared: &mut Shared<'_, '_>,
    ) {
        let mut unwritten = shared.detector.note(places, active, event, 0, &mut shared.clocks, self.index);
        if shared.memory.has_unwritten(places.spot) {
            unwritten |= shared.memory.unwritten_lanes(places, active, event.bytes as usize);
        }
        if unwritten != 0 {
            let width = event.bytes / to.len().max(1) as u32;
            self.taint_load(places, (to, width), (active, unwritten), event, shared);
        }
    }

    /// Marks what the lanes of `unwritten` loaded; some of it may have been written.
    #[cold]
    pub(super) fn taint_load(
        &mut self,
        places: Places<'_>,
        to: (&[Option<Target>], u32),
        (active, unwritten): (u32, u32),
        event: &Event,
        shared: &mut Shared<'_, '_>,
    ) {
        let (spot, bytes) = (places.spot, event.bytes as usize);
        let mut holes = 0;
        for lane in lanes(unwritten) {
            let (thread, offset) = (self.index * LANES + lane, places.offset(lane));
            holes |= shared.detector.holes(spot, offset, bytes, &shared.clocks);
            holes |= shared.memory.holes(spot, thread, offset, bytes);
        }
        let offset = places.offset(unwritten.trailing_zeros() as usize) as u64;
        self.taint_parts(to, (active, unwritten), (event.pc, spot, offset), holes, shared);
    }

    /// Tells the detector of stores; a result that is made of nothing is told at once. `nothing` are the lanes that
    /// store something which nobody wrote, and which of its bytes.
    pub(super) fn note_stores(
        &mut self,
        places: Places<'_>,
        active: u32,
        event: &Event,
        (same, nothing): (u32, (u32, u32)),
        from: &[Source],
        shared: &mut Shared<'_, '_>,
    ) {
        let (spot, (nothing, holes)) = (places.spot, (nothing.0 & active, nothing.1));
        let is_whole = holes == u32::MAX >> (32 - event.bytes.min(32));
        let all_nothing = if is_whole { nothing } else { 0 };
        let event = Event { carries_nothing: all_nothing, ..*event };
        shared.detector.note(places, active, &event, same, &mut shared.clocks, self.index);
        if nothing != 0 && shared.memory.is_result(spot) {
            for source in from {
                let (mask, _) = self.unwritten_of(&[*source], event.bytes / from.len() as u32);
                self.use_of(*source, nothing & mask, shared);
            }
        }
        let first_thread = self.index * LANES;
        if spot == Spot::Local || shared.memory.has_unwritten(spot) {
            shared.memory.mark_lanes(places, (active, all_nothing), event.bytes as usize, first_thread);
        }
        if nothing != all_nothing {
            for lane in lanes(nothing) {
                let offset = places.offset(lane);
                shared.memory.leave_holes(spot, first_thread + lane, offset, holes);
                shared.detector.leave_holes(spot, offset, holes);
            }
        }
    }
}
