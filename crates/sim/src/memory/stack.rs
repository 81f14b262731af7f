//! Each thread's own memory: its frames in a row, the kernel's first.

use super::{Memory, extend_unwritten};
use crate::op::Gap;

/// Bytes of frames above the kernel's, and of their registers, of all threads that run.
const STACKS_BYTES_MAX: usize = 256 << 20;
/// Room of a thread that is kept from block to block.
const KEPT_BYTES: usize = 4 << 10;

/// What stacks may still grow by.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(STACKS_BYTES_MAX)
    }
}

/// One thread's own memory.
#[derive(Default)]
pub(super) struct Stack {
    pub bytes: Vec<u8>,
    /// One bit for each byte that was written.
    pub written: Vec<u64>,
    /// Bytes that belong to nothing, in order.
    gaps: Vec<Gap>,
}

impl Stack {
    /// A thread that starts: only the kernel's frame.
    pub fn start(&mut self, kernel_bytes: usize, gaps: &[Gap]) {
        if self.bytes.capacity() > kernel_bytes + KEPT_BYTES {
            *self = Self::default();
        }
        self.bytes.clear();
        extend_unwritten(&mut self.bytes, kernel_bytes);
        self.written.clear();
        self.gaps.clear();
        self.gaps.extend(gaps);
    }

    /// The gap into which an access reaches.
    pub fn gap_at(&self, offset: u64, bytes: u32) -> Option<Gap> {
        let is_met = |gap: &&Gap| offset < gap.to && gap.from < offset.saturating_add(u64::from(bytes));
        self.gaps.iter().rev().find(is_met).copied()
    }

    /// Frames from here on are gone.
    fn cut(&mut self, from: u64) {
        self.bytes.truncate(from as usize);
        while self.gaps.last().is_some_and(|gap| gap.from >= from) {
            self.gaps.pop();
        }
    }

    /// Notes whether a byte was written.
    fn set_written(&mut self, at: usize, is_written: bool) {
        if let Some(word) = self.written.get_mut(at / 64) {
            let bit = 1 << (at % 64);
            *word = if is_written { *word | bit } else { *word & !bit };
        }
    }

    /// Nothing from here on was written.
    fn forget(&mut self, from: usize) {
        self.written.truncate(from.div_ceil(64));
        if let Some(last) = self.written.get_mut(from / 64) {
            *last &= !(u64::MAX << (from % 64));
        }
    }
}

impl Memory<'_> {
    /// Takes from what all stacks may grow by; `false` where it is used up.
    pub fn grant(&mut self, bytes: usize) -> bool {
        let rest = self.stacks.0.checked_sub(bytes);
        self.block.granted += if rest.is_some() { bytes } else { 0 };
        self.stacks.0 = rest.unwrap_or(self.stacks.0);
        rest.is_some()
    }

    /// A block ended: its stacks are gone.
    pub fn take_back(&mut self, granted: usize) {
        self.stacks.0 += granted;
    }

    /// A frame starts, with nothing in it; `false` where there is no room.
    pub fn enter_frame(&mut self, thread: usize, (from, end): (u64, u64), gaps: &[Gap]) -> bool {
        let end = end as usize;
        let Some(stack) = self.block.local.get(thread) else { return false };
        if end > stack.bytes.capacity() {
            // A bit per byte comes with it.
            let room = end.next_power_of_two();
            if !self.grant((room - stack.bytes.capacity()) * 9 / 8) {
                return false;
            }
            let stack = &mut self.block.local[thread];
            stack.bytes.reserve_exact(room - stack.bytes.len());
        }
        let stack = &mut self.block.local[thread];
        stack.cut(from);
        extend_unwritten(&mut stack.bytes, end);
        stack.forget(from as usize);
        let placed = |gap: &Gap| Gap { piece: from + gap.piece, from: from + gap.from, to: from + gap.to };
        stack.gaps.extend(gaps.iter().map(placed));
        true
    }

    /// A frame ends, and pointers into it lead nowhere.
    pub fn leave_frame(&mut self, thread: usize, from: u64) {
        if let Some(stack) = self.block.local.get_mut(thread) {
            stack.cut(from);
        }
    }

    /// Copies from frame to frame of one thread, with what is known to be written.
    pub fn copy_local(&mut self, thread: usize, from: u64, to: u64, bytes: u32) {
        let (from, to, bytes) = (from as usize, to as usize, bytes as usize);
        let Some(stack) = self.block.local.get_mut(thread) else { return };
        if from.max(to) + bytes > stack.bytes.len() {
            return;
        }
        stack.bytes.copy_within(from..from + bytes, to);
        if stack.written.is_empty() {
            return;
        }
        let words = (to + bytes).div_ceil(64);
        if stack.written.len() < words {
            stack.written.resize(words, 0);
        }
        for at in 0..bytes {
            let byte = from + at;
            let is_written = stack.written.get(byte / 64).is_some_and(|word| word >> (byte % 64) & 1 == 1);
            stack.set_written(to + at, is_written);
        }
    }
}
