//! Looking at memory from outside of the kernel.

use super::{Access, Memory, Place, SHARED_WINDOW};
use crate::op::MemorySpace;
use crate::race::Spot;
use crate::trap::TrapKind;

impl Memory<'_> {
    /// What lies at an address of global or shared memory, generic or not: its place and value.
    pub fn peek(&self, address: u64, bytes: u32) -> Option<(Spot, u64, u64)> {
        let space = if address < SHARED_WINDOW { MemorySpace::Shared } else { MemorySpace::Generic };
        let (spot, data, offset) = match self.place(Access { space, address, bytes, write: false, thread: 0 }).ok()? {
            Place::Region(index, offset) => (Spot::Region(index), &self.regions[index].bytes, offset),
            Place::Shared(slot, offset) => (Spot::Shared(slot), &self.block.shared[slot], offset),
            Place::Local(_) | Place::Param(_) => return None,
        };
        let mut value = [0; 8];
        let count = (bytes as usize).min(8);
        value[..count].copy_from_slice(data.get(offset..offset + count)?);
        Some((spot, offset as u64, u64::from_le_bytes(value)))
    }

    /// A text that ends with NUL, at a generic address; at most `most` bytes.
    pub fn text(&mut self, address: u64, most: usize, thread: usize) -> Result<Vec<u8>, Box<TrapKind>> {
        let mut text = vec![];
        while text.len() < most {
            let byte = self.load(Access {
                space: MemorySpace::Generic,
                address: address.wrapping_add(text.len() as u64),
                bytes: 1,
                write: false,
                thread,
            })?[0];
            if byte == 0 {
                break;
            }
            text.push(byte);
        }
        Ok(text)
    }
}
