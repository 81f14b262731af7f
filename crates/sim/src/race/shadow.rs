//! Shadow memory: beside every 4 bytes that a launch touches, who wrote them last and who read them since.
//!
//! Pages are made at the first touch. A line of 128 bytes that whole warps access in a row, as coalesced code does,
//! is remembered as one [`Strip`]; anything else unrolls it to a cell per word, or per byte where something smaller
//! than a word is accessed, so that neighbours in one word are told apart.

use super::log::ReadLog;
use super::stamp::{Cell, Stamp};

/// Bytes of memory that one line is about: a word for each lane of a warp.
pub(crate) const LINE_BYTES: usize = 128;
const WORD_BYTES: usize = 4;
const LINE_WORDS: usize = LINE_BYTES / WORD_BYTES;
const PAGE_LINES: usize = 32;
/// Bytes of shadow of a launch in all; past it nothing is added, and the report says so.
const SHADOW_BYTES_MAX: usize = 480 << 20;

/// The cells of a line whose stamps differ by lane only: word `i` is of the thread `i >> shift` after the first's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strip {
    /// The first word's.
    pub cell: Cell,
    /// log2 of the words that each lane accesses.
    pub shift: u32,
}

impl Strip {
    /// The cell of a word.
    pub fn word(&self, word: usize) -> Cell {
        let mut cell = self.cell;
        for stamp in cell.stamps() {
            if !stamp.is_nobody() {
                stamp.who += (word >> self.shift) as u32;
            }
        }
        cell
    }
}

/// A cell for each word.
#[derive(Debug)]
pub(super) struct Words {
    pub all: [Cell; LINE_WORDS],
    /// The block and phase in which all was found to be written before; 0 is none.
    pub quiet_in: u64,
}

/// The shadow of 128 bytes.
#[derive(Debug)]
pub(super) enum Line {
    Strip(Strip),
    Words(Box<Words>),
    Bytes(Box<[Cell; LINE_BYTES]>),
}

impl Line {
    /// Bytes that it takes beyond its page.
    fn bytes(&self) -> usize {
        match self {
            Self::Strip(_) => 0,
            Self::Words(cells) => size_of_val(&**cells),
            Self::Bytes(cells) => size_of_val(&**cells),
        }
    }

    /// The cells of an access that begins at a byte of the line.
    #[inline]
    pub fn cells(&mut self, within: usize, bytes: usize) -> &mut [Cell] {
        let (cells, shift) = match self {
            Self::Strip(_) => return &mut [],
            Self::Words(cells) => (&mut cells.all[..], 2),
            Self::Bytes(cells) => (&mut cells[..], 0),
        };
        let (first, last) = (within >> shift, (within + bytes - 1) >> shift);
        cells.get_mut(first..=last).unwrap_or_default()
    }

    /// Who wrote a byte of the line last.
    pub fn last_write(&self, within: usize) -> Stamp {
        match self {
            Self::Strip(strip) => strip.word(within / WORD_BYTES).write,
            Self::Words(cells) => cells.all[within / WORD_BYTES].write,
            Self::Bytes(cells) => cells[within].write,
        }
    }

    /// Becomes a strip again.
    pub fn collapse(&mut self, strip: Strip, budget: &mut Budget) {
        budget.used -= self.bytes();
        *self = Self::Strip(strip);
    }

    /// A strip becomes cells of words or bytes, and words become bytes; `false` where the budget is used up.
    #[cold]
    fn unroll(&mut self, words: bool, budget: &mut Budget) -> bool {
        let wanted = if words { size_of::<Words>() } else { LINE_BYTES * size_of::<Cell>() };
        if !budget.take(wanted - self.bytes()) {
            // Half a truth is worse than none: the line starts anew, and the report says that something is missing.
            self.collapse(Strip::default(), budget);
            return false;
        }
        *self = match self {
            Self::Strip(strip) if words => {
                let strip = *strip;
                Self::Words(Box::new(Words { all: std::array::from_fn(|word| strip.word(word)), quiet_in: 0 }))
            }
            Self::Strip(strip) => {
                let strip = *strip;
                Self::Bytes(Box::new(std::array::from_fn(|byte| strip.word(byte / WORD_BYTES))))
            }
            Self::Words(cells) => Self::Bytes(Box::new(std::array::from_fn(|byte| cells.all[byte / WORD_BYTES]))),
            Self::Bytes(_) => return true,
        };
        true
    }

    fn each_cell(&mut self) -> &mut [Cell] {
        match self {
            Self::Strip(strip) => std::slice::from_mut(&mut strip.cell),
            Self::Words(cells) => &mut cells.all[..],
            Self::Bytes(cells) => &mut cells[..],
        }
    }
}

pub(super) type Page = [Line; PAGE_LINES];

/// The shadow of one variable or buffer.
#[derive(Debug, Default)]
pub(crate) struct Area {
    pages: Vec<Option<Box<Page>>>,
    /// Reads that were not entered yet.
    pub(super) log: ReadLog,
}

/// How many bytes of shadow there are, and whether some could not be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    used: usize,
    most: usize,
    pub is_exhausted: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { used: 0, most: SHADOW_BYTES_MAX, is_exhausted: false }
    }
}

impl Budget {
    /// Of a part that runs beside others. Where that does not suffice, it runs again in turn.
    pub fn of_part() -> Self {
        Self { most: SHADOW_BYTES_MAX / 4, ..Self::default() }
    }

    /// Whether both together are within the bound.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.used + other.used <= self.most
    }

    /// Whether a line may take another's place; it is accounted for then.
    pub(super) fn replaces(&mut self, old: &Line, new: &Line) -> bool {
        self.used -= old.bytes();
        let fits = self.take(new.bytes());
        if !fits {
            self.used += old.bytes();
        }
        fits
    }

    fn take(&mut self, bytes: usize) -> bool {
        let fits = self.used + bytes <= self.most;
        if fits {
            self.used += bytes;
        } else {
            self.is_exhausted = true;
        }
        fits
    }
}

impl Area {
    /// A line by number, as it is; `None` where the budget is used up.
    #[inline]
    pub(super) fn line(&mut self, number: usize, budget: &mut Budget) -> Option<&mut Line> {
        let page = number / PAGE_LINES;
        if !matches!(self.pages.get(page), Some(Some(_))) {
            self.prepare(page, budget);
        }
        Some(&mut self.pages[page].as_mut()?[number % PAGE_LINES])
    }

    /// A line whose cells can be looked at one by one.
    #[inline]
    pub(super) fn unrolled(&mut self, number: usize, words: bool, budget: &mut Budget) -> Option<&mut Line> {
        let line = self.line(number, budget)?;
        if matches!(line, Line::Bytes(_)) || (words && matches!(line, Line::Words(_))) || line.unroll(words, budget) {
            Some(line)
        } else {
            None
        }
    }

    pub(super) fn pages(&self) -> &[Option<Box<Page>>] {
        &self.pages
    }

    /// Lines with their numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &Line)> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_ref()?)));
        pages.flat_map(|(at, page)| {
            page.iter().enumerate().map(move |(line, content)| (at * PAGE_LINES + line, content))
        })
    }

    pub(super) fn into_lines(self) -> impl Iterator<Item = (usize, Line)> {
        let pages = self.pages.into_iter().enumerate().filter_map(|(at, page)| Some((at, page?)));
        pages.flat_map(|(at, page)| {
            page.into_iter().enumerate().map(move |(line, content)| (at * PAGE_LINES + line, content))
        })
    }

    #[cold]
    fn prepare(&mut self, page: usize, budget: &mut Budget) {
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        if budget.take(size_of::<Page>()) {
            self.pages[page] = Some(Box::new(std::array::from_fn(|_| Line::Strip(Strip::default()))));
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self, budget: &mut Budget) {
        let pages = self.pages.iter().flatten();
        budget.used -= pages.map(|page| size_of::<Page>() + page.iter().map(Line::bytes).sum::<usize>()).sum::<usize>();
        *self = Self::default();
    }

    /// Forgets stamps of threads in a range.
    pub fn forget(&mut self, is_old: impl Fn(&Stamp) -> bool) {
        for line in self.pages.iter_mut().flatten().flat_map(|page| page.iter_mut()) {
            for cell in line.each_cell() {
                for stamp in cell.stamps() {
                    if is_old(stamp) {
                        *stamp = Stamp::default();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(who: u32) -> Stamp {
        Stamp { who, ..Stamp::default() }
    }

    #[test]
    fn a_line_turns_to_bytes_when_bytes_are_touched() {
        let (mut area, mut budget) = (Area::default(), Budget::default());
        let line = area.unrolled(32, true, &mut budget).expect("a line");
        line.cells(8, 4)[0].write.who = 7;
        assert_eq!(line.cells(8, 8).len(), 2);
        let line = area.unrolled(32, false, &mut budget).expect("a line");
        assert_eq!((line.cells(10, 1).len(), line.cells(10, 1)[0].write.who), (1, 7));
        assert_eq!(line.cells(4, 8).iter().map(|cell| cell.write.who).collect::<Vec<_>>(), [0, 0, 0, 0, 7, 7, 7, 7]);
        let line = area.unrolled(32, true, &mut budget).expect("a line");
        assert_eq!(line.cells(4, 8).len(), 8, "bytes stay bytes");
    }

    #[test]
    fn a_strip_unrolls_to_the_cells_of_its_lanes() {
        let (mut area, mut budget) = (Area::default(), Budget::default());
        for (shift, wanted) in [(0, [100, 101, 102, 131]), (1, [100, 100, 101, 115]), (2, [100, 100, 100, 107])] {
            let cell = Cell { write: stamp(100), ..Cell::default() };
            area.line(3, &mut budget).expect("a line").collapse(Strip { cell, shift }, &mut budget);
            let line = area.unrolled(3, true, &mut budget).expect("a line");
            let who = [0, 1, 2, 31].map(|word| line.cells(word * 4, 4)[0].write.who);
            assert_eq!(who, wanted, "shift {shift}");
            assert!(line.cells(0, 128).iter().all(|cell| cell.reads[0].is_nobody()), "nobody stays nobody");
        }
        let used = budget.used;
        area.line(3, &mut budget).expect("a line").collapse(Strip::default(), &mut budget);
        assert_eq!(used - budget.used, size_of::<Words>(), "what is collapsed is given back");
    }

    #[test]
    fn a_used_up_budget_gives_no_lines_and_says_so() {
        let mut area = Area::default();
        let mut budget = Budget { used: SHADOW_BYTES_MAX - size_of::<Page>(), ..Budget::default() };
        assert!(area.line(0, &mut budget).is_some() && !budget.is_exhausted);
        assert!(area.unrolled(0, true, &mut budget).is_none() && budget.is_exhausted);
        assert!(area.line(32, &mut budget).is_none());
    }
}
