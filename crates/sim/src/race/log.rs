//! Reads of shared memory that nothing speaks against, kept aside until they matter.
//!
//! Between two barriers a tile is read far more often than written. Such reads decide nothing unless somebody writes
//! what was read before the next barrier: then they are entered into the cells, in their order, before the write is.
//! A full barrier orders them before all that comes after it, so there they are dropped.

use super::clocks::Clocks;
use super::look::{Looks, Places, Shape};
use super::rules::{read, renew};
use super::shadow::{Area, Budget, LINE_BYTES, Line};
use super::stamp::{Cell, Stamp};
use crate::op::LANES;

/// Reads that are kept aside for one variable.
const KEPT_MAX: usize = 4096;
/// Lines that one warp may read at once, to be kept aside.
const LINES_MAX: usize = 8;

/// What the lanes of a warp read.
#[derive(Clone, Debug)]
struct Entry {
    /// Of lane 0.
    first: Stamp,
    active: u32,
    bytes: u32,
    offsets: [u32; LANES],
}

/// Reads of one phase of one block.
#[derive(Debug, Default)]
pub(super) struct ReadLog {
    /// Block and phase; see [`key`].
    of: u64,
    entries: Vec<Entry>,
    /// Lines that were read, by number modulo 64.
    lines: u64,
}

/// Names block and phase; never 0.
fn key(clocks: &Clocks) -> u64 {
    (u64::from(clocks.block) << 16 | u64::from(clocks.phase)) + 1
}

impl ReadLog {
    /// Whether a write to these lines must be preceded by what is kept.
    #[inline]
    pub fn concerns(&self, lines: u64, clocks: &Clocks) -> bool {
        self.lines & lines != 0 && self.of == key(clocks)
    }
}

/// A line's bit in the set of lines.
#[inline]
pub(super) fn bit(line: usize) -> u64 {
    1 << (line % 64)
}

/// Whether all of a line was written by this block before its last barrier, and not since.
#[inline]
fn is_quiet(line: &mut Line, clocks: &Clocks) -> bool {
    let now = clocks.now();
    let is_past = |cell: &Cell| {
        !cell.write.is_nobody()
            && !cell.write.is_nothing()
            && now.is_past_stamp(&cell.write)
            && now.is_past_stamp(&cell.weak)
    };
    match line {
        Line::Strip(strip) => is_past(&strip.cell),
        Line::Words(cells) => {
            let key = key(clocks);
            if cells.quiet_in != key && cells.all.iter().all(is_past) {
                cells.quiet_in = key;
            }
            cells.quiet_in == key
        }
        Line::Bytes(_) => false,
    }
}

/// The lowest and the highest of the active lanes' offsets.
#[inline]
fn bounds(offsets: &[u32; LANES], active: u32, shape: Shape) -> (u32, u32) {
    let (mut low, mut high) = (u32::MAX, 0);
    if shape == Shape::Any {
        for (lane, offset) in offsets.iter().enumerate() {
            // Lanes that are not active touch neither bound.
            let (is_in, is_out) = (active >> lane & 1, (active >> lane & 1).wrapping_sub(1));
            low = low.min(offset | is_out);
            high = high.max(offset & is_in.wrapping_neg());
        }
    } else {
        for end in [0, LANES / 2 - 1, LANES / 2, LANES - 1] {
            (low, high) = (low.min(offsets[end]), high.max(offsets[end]));
        }
    }
    (low, high)
}

impl Area {
    /// Keeps a weak read aside; false where it must be looked at now.
    #[inline]
    pub(super) fn keep_aside(
        &mut self,
        places: Places<'_>,
        (active, bytes): (u32, u32),
        looks: &mut Looks<'_>,
    ) -> bool {
        let (clocks, budget) = (looks.clocks, &mut *looks.budget);
        let offsets = std::array::from_fn(|lane| places.offset(lane) as u32);
        let (low, high) = bounds(&offsets, active, places.shape);
        let lines = low as usize / LINE_BYTES..(high + bytes - 1) as usize / LINE_BYTES + 1;
        if active == 0 || lines.len() > LINES_MAX {
            return false;
        }
        if self.log.entries.len() >= KEPT_MAX {
            self.enter_kept(looks.has_fences, clocks, budget);
        }
        let mut bits = 0;
        for number in lines {
            if !self.line(number, budget).is_some_and(|line| is_quiet(line, clocks)) {
                return false;
            }
            bits |= bit(number);
        }
        let key = key(clocks);
        if self.log.of != key {
            (self.log.of, self.log.lines) = (key, 0);
            self.log.entries.clear();
        }
        self.log.lines |= bits;
        self.log.entries.push(Entry { first: looks.first, active, bytes, offsets });
        true
    }

    /// Enters what is kept aside into the cells.
    #[cold]
    pub(super) fn enter_kept(&mut self, has_fences: bool, clocks: &Clocks, budget: &mut Budget) {
        let now = clocks.now();
        let entries = std::mem::take(&mut self.log.entries);
        self.log.lines = 0;
        for entry in &entries {
            for lane in (0..LANES).filter(|lane| entry.active >> lane & 1 == 1) {
                let (offset, bytes) = (entry.offsets[lane] as usize, entry.bytes as usize);
                let stamp = Stamp { who: entry.first.who + lane as u32, ..entry.first };
                let words = (offset | bytes).is_multiple_of(4);
                let Some(line) = self.unrolled(offset / LINE_BYTES, words, budget) else { continue };
                for cell in line.cells(offset % LINE_BYTES, bytes) {
                    if !now.read(cell, stamp, true) {
                        renew(cell, clocks);
                        let thread = clocks.own_thread(&stamp).unwrap_or_default();
                        // It was seen already that no write speaks against it.
                        let _ = read(cell, stamp, (true, has_fences), clocks, thread);
                    }
                }
            }
        }
        self.log.entries = entries;
        self.log.entries.clear();
    }
}
