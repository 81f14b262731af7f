//! Shadow memory: beside every 4 bytes that a launch touches, who wrote them last and who read them since.
//!
//! Pages are made at the first touch. A page where something smaller than 4 bytes is accessed remembers every byte,
//! so neighbours in one word are told apart.

use super::stamp::{Cell, Stamp};

/// Bytes of memory that one page is about.
const PAGE_BYTES: usize = 4096;
/// Cells of a launch in all; past it no page is added, and the report says so.
const CELLS_MAX: usize = 10 << 20;

/// One page.
#[derive(Debug)]
struct Page {
    /// log2 of the bytes per cell: 2 or 0.
    shift: u32,
    cells: Vec<Cell>,
}

/// The shadow of one variable or buffer.
#[derive(Debug, Default)]
pub(crate) struct Area {
    pages: Vec<Option<Box<Page>>>,
}

/// How many cells there are, and whether some could not be made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    used: usize,
    pub is_exhausted: bool,
}

impl Area {
    /// The cells of an access, at most 4 words or 16 bytes; none where the budget is used up.
    #[inline]
    pub fn cells(&mut self, offset: usize, bytes: usize, budget: &mut Budget) -> &mut [Cell] {
        let (number, within) = (offset / PAGE_BYTES, offset % PAGE_BYTES);
        if !matches!(self.pages.get(number), Some(Some(page)) if page.shift == 0 || (offset | bytes).is_multiple_of(4))
        {
            self.prepare(number, (offset | bytes).is_multiple_of(4), budget);
        }
        match self.pages.get_mut(number) {
            Some(Some(page)) => {
                let first = within >> page.shift;
                let last = (within + bytes - 1) >> page.shift;
                page.cells.get_mut(first..=last).unwrap_or_default()
            }
            _ => &mut [],
        }
    }

    #[cold]
    fn prepare(&mut self, number: usize, words: bool, budget: &mut Budget) {
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        let page = &mut self.pages[number];
        let wanted = if words { PAGE_BYTES / 4 } else { PAGE_BYTES };
        let more = wanted - page.as_ref().map_or(0, |page| page.cells.len().min(wanted));
        if budget.used + more > CELLS_MAX {
            budget.is_exhausted = true;
            *page = None;
            return;
        }
        budget.used += more;
        match page {
            None => {
                let cells = vec![Cell::default(); wanted];
                *page = Some(Box::new(Page { shift: if words { 2 } else { 0 }, cells }));
            }
            Some(page) if page.shift == 2 && !words => {
                page.cells = page.cells.iter().flat_map(|cell| [*cell; 4]).collect();
                page.shift = 0;
            }
            Some(_) => {}
        }
    }

    /// Forgets stamps of threads in a range.
    pub fn forget(&mut self, is_old: impl Fn(&Stamp) -> bool) {
        for cell in self.pages.iter_mut().flatten().flat_map(|page| &mut page.cells) {
            for stamp in [&mut cell.write, &mut cell.weak].into_iter().chain(&mut cell.reads) {
                if is_old(stamp) {
                    *stamp = Stamp::default();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_turns_to_bytes_when_bytes_are_touched() {
        let (mut area, mut budget) = (Area::default(), Budget::default());
        let mark = |cell: &mut Cell| cell.write.who = 7;
        area.cells(4096 + 8, 4, &mut budget).iter_mut().for_each(mark);
        assert_eq!(area.cells(4096 + 8, 8, &mut budget).len(), 2);
        let bytes = area.cells(4096 + 10, 1, &mut budget);
        assert_eq!((bytes.len(), bytes[0].write.who), (1, 7));
        let all = area.cells(4096 + 4, 8, &mut budget);
        assert_eq!(all.iter().map(|cell| cell.write.who).collect::<Vec<_>>(), [0, 0, 0, 0, 7, 7, 7, 7]);
        assert_eq!(budget.used, 4096);
    }

    #[test]
    fn a_used_up_budget_gives_no_cells_and_says_so() {
        let mut area = Area::default();
        let mut budget = Budget { used: CELLS_MAX - 1024, is_exhausted: false };
        assert_eq!(area.cells(0, 4, &mut budget).len(), 1);
        assert_eq!(area.cells(4096, 4, &mut budget).len(), 0);
        assert!(budget.is_exhausted);
    }
}
