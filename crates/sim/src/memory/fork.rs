//! Memory of blocks that run side by side on several host threads.

use super::{BlockMemory, Budget, Heap, Memory};
use crate::race::LINE_BYTES;

impl Memory<'_> {
    /// The same memory again, for blocks that run beside these.
    pub fn fork(&self) -> Self {
        Self {
            regions: self.regions.clone(),
            heap: Heap::after(self.regions.len()),
            params: self.params,
            variables: self.variables.clone(),
            block: BlockMemory::default(),
            local_bytes: self.local_bytes,
            gaps: self.gaps,
            threads: self.threads,
            stacks: Budget::default(),
        }
    }

    /// Takes bytes of a line of [`LINE_BYTES`] over from memory that blocks beside these used: a bit for each byte.
    pub fn take_line(&mut self, other: &Self, region: usize, line: usize, bytes: u128) {
        let (mine, theirs) = (&mut self.regions[region], &other.regions[region]);
        let from = line * LINE_BYTES;
        let (Some(to), Some(content)) = (mine.bytes.get_mut(from..), theirs.bytes.get(from..)) else { return };
        if let (u128::MAX, Some(to), Some(content)) =
            (bytes, to.first_chunk_mut::<LINE_BYTES>(), content.first_chunk::<LINE_BYTES>())
        {
            *to = *content;
        } else {
            for (at, (to, byte)) in to.iter_mut().zip(content).enumerate().take(LINE_BYTES) {
                if bytes >> at & 1 == 1 {
                    *to = *byte;
                }
            }
        }
        let words = line * LINE_BYTES / 64;
        if mine.written.len() < theirs.written.len() {
            mine.written.resize(theirs.written.len(), 0);
        }
        for (word, mask) in [(words, bytes as u64), (words + 1, (bytes >> 64) as u64)] {
            if let (Some(mine), Some(theirs)) = (mine.written.get_mut(word), theirs.written.get(word)) {
                *mine = (*mine & !mask) | (theirs & mask);
            }
        }
    }
}
