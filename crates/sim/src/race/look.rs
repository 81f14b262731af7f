//! Looking at the shadow of what the lanes of a warp access.

use super::clocks::Clocks;
use super::log::bit;
use super::now::Now;
use super::rules::{Earlier, note_checked, read, renew, write};
use super::shadow::{Area, Budget, LINE_BYTES, Line, Strip};
use super::stamp::{Cell, Stamp, Strength};
use super::{Event, Hazard, Spot};
use crate::op::{LANES, Lanes};

/// How the addresses of lanes lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All 32 lanes, each right behind the one before.
    Row,
    /// All 32 lanes at the same place.
    Same,
    /// The first 16 lanes and the last 16, each right behind the one before: rows of a tile that is 16 wide.
    HalfRows,
    /// The first 16 lanes at one place, and the last 16 at another.
    HalvesSame,
    Any,
}

/// What the active lanes of a warp access: all of it lies in one variable.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub spot: Spot,
    /// Address of the variable's first byte.
    pub start: u64,
    pub addresses: &'a Lanes,
    pub shape: Shape,
}

impl Places<'_> {
    /// Bytes from the variable's first to what a lane accesses.
    #[inline]
    pub fn offset(&self, lane: usize) -> usize {
        self.addresses[lane].wrapping_sub(self.start) as usize
    }

    /// Lanes that access the same as their active neighbours on both sides.
    fn between_equals(&self, active: u32) -> u32 {
        match self.shape {
            Shape::Same => return active & !0x8000_0001,
            Shape::HalvesSame => return active & !0x8001_8001,
            _ => {}
        }
        let pairs = self.addresses.iter().zip(&self.addresses[1..]).enumerate();
        let as_next = pairs.fold(0_u32, |mask, (lane, (one, next))| mask | u32::from(one == next) << lane);
        let as_next = as_next & active & active >> 1;
        as_next & as_next << 1
    }
}

/// What looking at cells needs of a detector.
pub(super) struct Looks<'a> {
    pub budget: &'a mut Budget,
    pub checked_reads: &'a mut Vec<usize>,
    pub has_fences: bool,
    pub event: &'a Event,
    pub clocks: &'a Clocks,
    pub now: Now,
    pub warp: usize,
    /// The stamp of the warp's first lane.
    pub first: Stamp,
    /// Lanes whose store changes no byte.
    pub same: u32,
    pub hazards: Vec<Hazard>,
}

impl Looks<'_> {
    /// Looks at all that the active lanes access; gives the lanes that read shared memory which nobody had written.
    #[inline]
    pub fn at(&mut self, area: &mut Area, places: Places<'_>, active: u32) -> u32 {
        let Event { bytes, carries_nothing, write, strength, .. } = *self.event;
        let is_row = places.shape == Shape::Row
            && active == u32::MAX
            && carries_nothing == 0
            && !strength.read_only
            && matches!(bytes, 4 | 8 | 16)
            && places.offset(0).is_multiple_of(LINE_BYTES);
        if matches!(places.spot, Spot::Shared(_)) {
            if write || strength != Strength::WEAK {
                let lines = lanes(active).fold(0, |lines, lane| lines | bit(places.offset(lane) / LINE_BYTES));
                if area.log.concerns(lines, self.clocks) {
                    area.enter_kept(self.has_fences, self.clocks, self.budget);
                }
            } else if !is_row && area.keep_aside(places, (active, bytes), self) {
                return 0;
            }
        }
        if is_row { self.rows(area, places, bytes.trailing_zeros() - 2) } else { self.one_by_one(area, places, active) }
    }

    /// Lines that the whole warp accesses in a row: 1, 2 or 4.
    fn rows(&mut self, area: &mut Area, places: Places<'_>, shift: u32) -> u32 {
        let (number, lanes) = (places.offset(0) / LINE_BYTES, LANES >> shift);
        let mut unwritten = 0;
        for row in 0..1 << shift {
            let stamp = Stamp { who: self.first.who + (row * lanes) as u32, ..self.first };
            let Some(line) = area.line(number + row, self.budget) else { continue };
            if !self.row(line, Strip { cell: Cell { write: stamp, ..Cell::default() }, shift }, places.spot) {
                let members = if shift == 0 { u32::MAX } else { ((1 << lanes) - 1) << (row * lanes) };
                unwritten |= self.one_by_one(area, places, members);
            }
        }
        unwritten
    }

    /// A line that is accessed in a row, as a strip of these writes; false where its cells must be looked at.
    #[inline]
    fn row(&mut self, line: &mut Line, written: Strip, spot: Spot) -> bool {
        let (stamp, shift, now) = (written.cell.write, written.shift, self.now);
        let is_shared = matches!(spot, Spot::Shared(_));
        let is_plain = self.event.is_plain_write();
        match line {
            Line::Strip(strip) => {
                if is_shared && !self.clocks.is_own_or_nobody(&strip.cell) {
                    renew(&mut strip.cell, self.clocks);
                }
                if strip.shift != shift && !strip.cell.is_empty() {
                    // Writes in a row replace whatever is settled, read or written by whomever.
                    let is_past = now.is_past(&strip.cell) && is_plain;
                    if is_past {
                        *strip = written;
                    }
                    return is_past;
                }
                strip.shift = shift;
                if self.event.write {
                    is_plain && now.write(&mut strip.cell, stamp)
                } else {
                    now.read(&mut strip.cell, stamp, is_shared)
                }
            }
            Line::Words(cells) if is_plain => {
                let mut of_lane = stamp;
                for (word, cell) in cells.all.iter_mut().enumerate() {
                    of_lane.who = stamp.who + (word >> shift) as u32;
                    if is_shared && !self.clocks.is_own_or_nobody(cell) {
                        renew(cell, self.clocks);
                    }
                    if !now.may_write(cell, &of_lane) {
                        return false;
                    }
                }
                line.collapse(written, self.budget);
                true
            }
            Line::Words(_) | Line::Bytes(_) => false,
        }
    }

    /// Lane by lane.
    fn one_by_one(&mut self, area: &mut Area, places: Places<'_>, active: u32) -> u32 {
        let bytes = self.event.bytes as usize;
        let skippable = if self.event.write { 0 } else { places.between_equals(active) };
        let (mut unwritten, mut rest) = (0, active);
        while rest != 0 {
            let number = places.offset(rest.trailing_zeros() as usize) / LINE_BYTES;
            let words = (places.offset(rest.trailing_zeros() as usize) | bytes).is_multiple_of(4);
            let Some(line) = area.unrolled(number, words, self.budget) else {
                rest &= rest - 1;
                continue;
            };
            if let Line::Words(cells) = line
                && self.event.write
            {
                cells.quiet_in = 0;
            }
            let mut was_plain = false;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                let offset = places.offset(lane);
                if offset / LINE_BYTES != number || (offset | bytes).is_multiple_of(4) != words {
                    break;
                }
                rest &= rest - 1;
                // A read between two equal ones leaves no trace of its own.
                if was_plain && skippable >> lane & 1 == 1 {
                    continue;
                }
                let (is_plain, is_unwritten) = self.lane(line, places.spot, lane, offset);
                was_plain = is_plain;
                unwritten |= u32::from(is_unwritten) << lane;
            }
        }
        unwritten
    }

    /// One lane: whether nothing spoke against it, and whether it read what nobody wrote.
    #[inline]
    fn lane(&mut self, line: &mut Line, spot: Spot, lane: usize, offset: usize) -> (bool, bool) {
        let Event { bytes, write: is_write, carries_nothing, strength, compares, .. } = *self.event;
        let is_shared = matches!(spot, Spot::Shared(_));
        let mut stamp = Stamp { who: self.first.who + lane as u32, ..self.first };
        if carries_nothing >> lane & 1 == 1 {
            stamp = stamp.of_nothing();
        }
        let (mut hazard, mut is_unwritten, mut is_plain) = (None, false, true);
        for cell in line.cells(offset % LINE_BYTES, bytes as usize) {
            if !is_write && !strength.read_only && self.now.read(cell, stamp, is_shared) {
                continue;
            }
            is_plain = false;
            if is_shared {
                renew(cell, self.clocks);
                is_unwritten |= (cell.write.is_nobody() || cell.write.is_nothing()) && (!is_write || strength.atomic);
            }
            if self.event.is_plain_write() && self.now.write(cell, stamp) {
                continue;
            }
            if compares {
                note_checked(self.checked_reads, cell, &stamp);
            }
            let (is_same, thread) = (self.same >> lane & 1 == 1, self.warp * LANES + lane);
            let found = if is_write {
                write(cell, stamp, is_same, self.clocks, thread)
            } else {
                read(cell, stamp, (is_shared, self.has_fences), self.clocks, thread)
            };
            hazard = hazard.filter(|known: &Earlier| !known.is_same).or(found).or(hazard);
        }
        if let Some(Earlier { stamp: earlier, writes: earlier_writes, is_same }) = hazard {
            let (later, later_writes, offset, count) = (stamp, is_write, offset as u64, 1);
            self.hazards.push(Hazard {
                spot,
                offset,
                bytes,
                later,
                later_writes,
                earlier,
                earlier_writes,
                is_same,
                count,
            });
        }
        (is_plain, is_unwritten)
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}
