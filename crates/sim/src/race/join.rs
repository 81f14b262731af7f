//! What parts of a grid did that ran side by side, made one.
//!
//! A part may join those before it where nobody wrote what the other touched: then it saw and left what it would have
//! seen and left after them.

use std::collections::HashMap;

use super::shadow::{Area, Budget, LINE_BYTES, Line, Strip};
use super::stamp::Cell;
use super::{Detector, FOUND_MAX, Hazard, Spot, Used};

/// What a detector knows of one part; it can go to another host thread.
pub(crate) struct Part {
    regions: Vec<Area>,
    budget: Budget,
    hazards: Vec<Hazard>,
    same_values: Vec<Hazard>,
    unwritten: Vec<Used>,
    writers: HashMap<Spot, Vec<usize>>,
    checked_reads: Vec<usize>,
    /// Whether something was lost that it takes to tell what was touched.
    is_incomplete: bool,
}

/// Bytes of a line that were written, and that were touched: one bit each.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Marks {
    written: u128,
    touched: u128,
}

fn marks(line: &Line) -> Marks {
    let mut marks = Marks::default();
    let mut add = |cell: &Cell, bits: u128| {
        if !cell.write.is_nobody() {
            marks.written |= bits;
        }
        if !cell.is_empty() {
            marks.touched |= bits;
        }
    };
    match line {
        Line::Strip(strip) => add(&strip.cell, u128::MAX),
        Line::Words(cells) => cells.all.iter().enumerate().for_each(|(word, cell)| add(cell, 0xf << (4 * word))),
        Line::Bytes(cells) => cells.iter().enumerate().for_each(|(byte, cell)| add(cell, 1 << byte)),
    }
    marks
}

impl Detector {
    /// A detector of a part that runs beside others.
    pub fn start_part(regions: usize, inputs: Vec<bool>) -> Self {
        Self { budget: Budget::of_part(), ..Self::start(regions, inputs, false) }
    }

    /// What can be handed to another host thread.
    pub fn into_part(self) -> Part {
        let is_incomplete = self.budget.is_exhausted
            || self.has_forgotten
            || !self.wrote_input.is_empty()
            || self.hazards.len() == FOUND_MAX
            || self.unwritten.len() == FOUND_MAX;
        let Self { regions, budget, hazards, same_values, unwritten, writers, checked_reads, .. } = self;
        Part { regions, budget, hazards, same_values, unwritten, writers, checked_reads, is_incomplete }
    }

    /// Whether a part saw and left what it would have after this one.
    pub fn may_join(&self, part: &Part) -> bool {
        let both = self.regions.iter().zip(&part.regions);
        let meets = |one: &Area, other: &Area| {
            one.lines_of_both(other).any(|(one, other)| {
                let (one, other) = (marks(one), marks(other));
                (one.written & other.touched) | (one.touched & other.written) != 0
            })
        };
        !part.is_incomplete
            && !self.has_forgotten
            && self.wrote_input.is_empty()
            && self.budget.fits(&part.budget)
            && !both.into_iter().any(|(one, other)| meets(one, other))
    }

    /// Joins a part. `written` is told of each line: region, number of the line, and a bit for each byte written.
    pub fn join(&mut self, part: Part, mut written: impl FnMut(usize, usize, u128)) {
        for (index, (area, other)) in self.regions.iter_mut().zip(part.regions).enumerate() {
            for (number, line) in other.lines() {
                let Marks { written: bytes, .. } = marks(line);
                if bytes != 0 {
                    written(index, number, bytes);
                }
            }
            area.join(other, &mut self.budget);
        }
        for hazard in part.hazards.into_iter().chain(part.same_values) {
            self.add(hazard);
        }
        for used in part.unwritten {
            if let Some(known) = self.unwritten.iter_mut().find(|known| known.read.pc == used.read.pc) {
                known.count += used.count;
            } else if self.unwritten.len() < FOUND_MAX {
                self.unwritten.push(used);
            }
        }
        for (spot, places) in part.writers {
            let known = self.writers.entry(spot).or_default();
            for pc in places {
                if known.len() < FOUND_MAX && !known.contains(&pc) {
                    known.push(pc);
                }
            }
        }
        for pc in part.checked_reads {
            if !self.checked_reads.contains(&pc) {
                self.checked_reads.push(pc);
            }
        }
    }
}

impl Area {
    /// Lines that both have, one beside the other.
    fn lines_of_both<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Line, &'a Line)> {
        let pages = self.pages().iter().zip(other.pages());
        pages.filter_map(|(one, other)| Some(one.as_ref()?.iter().zip(other.as_ref()?.iter()))).flatten()
    }

    /// Takes over what another part did.
    fn join(&mut self, other: Self, budget: &mut Budget) {
        for (number, line) in other.into_lines() {
            let theirs = marks(&line);
            if theirs == Marks::default() {
                continue;
            }
            let Some(mine) = self.line(number, budget) else { continue };
            if marks(mine) == Marks::default() {
                if budget.replaces(mine, &line) {
                    *mine = line;
                }
                continue;
            }
            let words = !matches!(line, Line::Bytes(_));
            let Some(mine) = self.unrolled(number, words, budget) else { continue };
            let step = if matches!(mine, Line::Words(_)) { 4 } else { 1 };
            for byte in (0..LINE_BYTES).step_by(step) {
                join_cells(&mut mine.cells(byte, step)[0], cell_at(&line, byte));
            }
        }
    }
}

/// The cell of a byte.
fn cell_at(line: &Line, byte: usize) -> Cell {
    match line {
        Line::Strip(strip) => Strip::word(strip, byte / 4),
        Line::Words(cells) => cells.all[byte / 4],
        Line::Bytes(cells) => cells[byte],
    }
}

/// Cells of which at most one was written; where both were read, of each the latest read stays.
fn join_cells(mine: &mut Cell, theirs: Cell) {
    if mine.is_empty() {
        *mine = theirs;
    } else if !theirs.is_empty() {
        mine.reads = [theirs.reads[0], mine.reads[0]];
    }
}
