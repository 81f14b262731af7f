//! `malloc` and `free` of threads: every allocation is a region of its own, with bounds of its own.
//!
//! Races and reads of what nobody wrote are looked for there; whether `free` has an order with the last uses is not.

use std::collections::VecDeque;

use super::{GLOBAL_BASE, Memory, REGION_BYTES, Region, fill_unwritten};
use crate::Role;
use crate::trap::TrapKind;

/// What a launch may allocate: the size that CUDA's heap has by default.
const HEAP_BYTES: u64 = 8 << 20;
/// What an allocation takes at least, and the step of its size.
const STEP_BYTES: u64 = 80;
/// Freed allocations that are remembered, so that their use is told.
const FREED_MAX: usize = 4096;

/// What is allocated.
pub(super) struct Heap {
    /// Its first region.
    first: usize,
    used: u64,
    /// Regions that were freed, the oldest first.
    freed: VecDeque<usize>,
}

impl Heap {
    /// An empty heap, after so many regions.
    pub fn after(regions: usize) -> Self {
        Self { first: regions, used: 0, freed: VecDeque::new() }
    }
}

impl Region {
    /// Bytes of an element, where an access of so many bytes is told.
    pub fn width(&self, bytes: u32) -> u32 {
        if self.element_bytes == 0 { bytes.max(1) } else { self.element_bytes }
    }

    /// The fault of an access to memory that was freed.
    #[cold]
    pub fn used_after_free(&self) -> Option<Box<TrapKind>> {
        let line = self.freed_at?;
        let reason = format!("Memory of `{}` is used after it was freed{}.", self.name, at_line(line));
        Some(Box::new(TrapKind::Illegal { reason }))
    }
}

impl Memory<'_> {
    /// A new allocation, its region and its address; `None` where the heap is used up. `line` is where, or 0.
    pub fn allocate(&mut self, bytes: u64, line: u32) -> Option<(usize, u64)> {
        let taken = bytes.max(1).checked_next_multiple_of(STEP_BYTES).and_then(|more| self.heap.used.checked_add(more));
        self.heap.used = taken.filter(|used| *used <= HEAP_BYTES)?;
        let region = Region {
            name: format!("malloc{}", at_line(line)),
            element_bytes: 0,
            bytes: {
                let mut room = vec![];
                fill_unwritten(&mut room, bytes as usize);
                room
            },
            role: Role::Scratch,
            written: vec![],
            freed_at: None,
        };
        let again = if self.heap.freed.len() > FREED_MAX { self.heap.freed.pop_front() } else { None };
        let index = again.unwrap_or(self.regions.len());
        match self.regions.get_mut(index) {
            Some(old) => *old = region,
            None => self.regions.push(region),
        }
        Some((index, start_of(index)))
    }

    /// Gives an allocation back; null is nothing.
    pub fn free(&mut self, address: u64, line: u32) -> Result<(), Box<TrapKind>> {
        if address == 0 {
            return Ok(());
        }
        let index = (address / REGION_BYTES).wrapping_sub(1) as usize;
        let region = self.regions.get_mut(index).filter(|_| index >= self.heap.first && address == start_of(index));
        let Some(region) = region else {
            let reason = format!("`free` is given 0x{address:x}, which is no start of what `malloc` gave.");
            return Err(Box::new(TrapKind::Illegal { reason }));
        };
        if let Some(before) = region.freed_at {
            let reason = format!("Memory of `{}` is freed again; it was freed{}.", region.name, at_line(before));
            return Err(Box::new(TrapKind::Illegal { reason }));
        }
        region.freed_at = Some(line);
        region.written = vec![];
        let bytes = std::mem::take(&mut region.bytes).len() as u64;
        self.heap.used -= bytes.max(1).next_multiple_of(STEP_BYTES);
        self.heap.freed.push_back(index);
        Ok(())
    }
}

/// Address of an allocation by its region.
fn start_of(index: usize) -> u64 {
    GLOBAL_BASE + index as u64 * REGION_BYTES
}

/// ` at line 5`, or nothing where there is no line.
fn at_line(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" at line {line}") }
}
