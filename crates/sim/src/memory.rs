//! Addresses and what lies there.
//!
//! Generic addresses: shared and local memory in windows below 2^38, every variable and buffer of global memory in the
//! middle of a region of its own of 2^38 bytes above. A 32-bit index error times 16 bytes stays in its region, so
//! `a[i]` past the end is an error of `a`. Every shared variable has a slot of 16 MiB in the 32-bit shared window.

use crate::Buffer;
use crate::decode::Program;
use crate::op::MemorySpace;
use crate::trap::{Space, TrapKind};

/// Bytes of one region of global memory.
pub(crate) const REGION_BYTES: u64 = 1 << 38;
/// Start of the first variable or buffer: the middle of the first region.
pub(crate) const GLOBAL_BASE: u64 = REGION_BYTES + REGION_BYTES / 2;
/// Generic address of shared address 0.
pub(crate) const SHARED_WINDOW: u64 = 1 << 33;
/// First shared variable; not 0, so that a shared pointer is never null.
pub(crate) const SHARED_START: u64 = SHARED_SLOT_BYTES;
/// Bytes between shared variables.
pub(crate) const SHARED_SLOT_BYTES: u64 = 16 << 20;
/// Generic address of local address 0.
pub(crate) const LOCAL_WINDOW: u64 = 1 << 34;
/// First byte of a thread's own memory.
pub(crate) const LOCAL_START: u64 = 1 << 20;
/// Below this an address counts as null.
const NULL_BYTES: u64 = 1 << 20;

/// Where an access lands.
#[derive(Clone, Copy, Debug)]
enum Place {
    Global(usize, usize),
    Shared(usize, usize),
    Local(usize),
}

/// All memory of one block, and the global memory behind it.
pub(crate) struct Memory<'a> {
    /// Variables of the module, then buffers.
    variables: &'a mut [Buffer],
    buffers: &'a mut [Buffer],
    shared: Vec<(String, Vec<u8>)>,
    local: Vec<u8>,
    local_bytes: usize,
}

impl<'a> Memory<'a> {
    pub fn new(
        program: &Program,
        variables: &'a mut [Buffer],
        buffers: &'a mut [Buffer],
        shared_bytes: u32,
        threads: usize,
    ) -> Self {
        let shared = program
            .shared
            .iter()
            .map(|variable| {
                (
                    variable.name.clone(),
                    vec![0; variable.bytes.unwrap_or(u64::from(shared_bytes)) as usize],
                )
            })
            .collect();
        let local_bytes = program.local_bytes;
        Self {
            variables,
            buffers,
            shared,
            local: vec![0; local_bytes * threads],
            local_bytes,
        }
    }

    /// Address of a buffer's first byte.
    pub fn buffer_address(variables: usize, index: usize) -> u64 {
        GLOBAL_BASE + (variables + index) as u64 * REGION_BYTES
    }

    fn region(&self, index: usize) -> Option<&Buffer> {
        self.variables
            .get(index)
            .or_else(|| self.buffers.get(index.checked_sub(self.variables.len())?))
    }

    fn place(
        &self,
        space: MemorySpace,
        address: u64,
        bytes: u32,
        write: bool,
    ) -> Result<Place, TrapKind> {
        let out = |space, buffer: Option<String>, offset: i64, width: u32, length: usize| {
            let width = i64::from(width.max(1));
            let (index, size) = (offset.div_euclid(width), length as u64 / width as u64);
            TrapKind::OutOfBounds {
                write,
                space,
                buffer,
                index,
                size,
                threads: 1,
            }
        };
        let fits = |offset: u64, length: usize| {
            offset
                .checked_add(u64::from(bytes))
                .is_some_and(|end| end <= length as u64)
        };
        let (space, address) = match space {
            MemorySpace::Generic
                if (SHARED_WINDOW..SHARED_WINDOW + (1 << 32)).contains(&address) =>
            {
                (MemorySpace::Shared, address - SHARED_WINDOW)
            }
            MemorySpace::Generic if (LOCAL_WINDOW..LOCAL_WINDOW + (1 << 32)).contains(&address) => {
                (MemorySpace::Local, address - LOCAL_WINDOW)
            }
            MemorySpace::Generic => (MemorySpace::Global, address),
            named => (named, address),
        };
        match space {
            MemorySpace::Shared => {
                let slot = (address.wrapping_add(SHARED_SLOT_BYTES / 2) / SHARED_SLOT_BYTES)
                    .checked_sub(1)
                    .map(|slot| slot as usize);
                let found = slot.and_then(|slot| Some((slot, self.shared.get(slot)?)));
                let Some((slot, (name, data))) = found else {
                    return Err(out(Space::Wild, None, address as i64, 1, 0));
                };
                let offset =
                    address as i64 - (SHARED_START + slot as u64 * SHARED_SLOT_BYTES) as i64;
                match u64::try_from(offset) {
                    Ok(offset) if fits(offset, data.len()) => {
                        Ok(Place::Shared(slot, offset as usize))
                    }
                    _ => Err(out(
                        Space::Shared,
                        Some(name.clone()),
                        offset,
                        bytes,
                        data.len(),
                    )),
                }
            }
            MemorySpace::Local => {
                let offset = address as i64 - LOCAL_START as i64;
                match u64::try_from(offset) {
                    Ok(offset) if fits(offset, self.local_bytes) => {
                        Ok(Place::Local(offset as usize))
                    }
                    _ => Err(out(
                        Space::Local,
                        Some("a local array".to_owned()),
                        offset,
                        bytes,
                        self.local_bytes,
                    )),
                }
            }
            MemorySpace::Global | MemorySpace::Generic => {
                if address < NULL_BYTES {
                    return Err(out(Space::Null, None, address as i64, 1, 0));
                }
                let index = (address / REGION_BYTES)
                    .checked_sub(1)
                    .map(|index| index as usize);
                let found = index.and_then(|index| Some((index, self.region(index)?)));
                let Some((index, buffer)) = found else {
                    return Err(out(Space::Wild, None, address as i64, 1, 0));
                };
                let offset = address.wrapping_sub(GLOBAL_BASE + index as u64 * REGION_BYTES) as i64;
                match u64::try_from(offset) {
                    Ok(offset) if fits(offset, buffer.bytes.len()) => {
                        Ok(Place::Global(index, offset as usize))
                    }
                    _ => Err(out(
                        Space::Global,
                        Some(buffer.name.clone()),
                        offset,
                        buffer.element_bytes,
                        buffer.bytes.len(),
                    )),
                }
            }
        }
    }

    fn bytes_at(&mut self, place: Place, thread: usize, count: usize) -> &mut [u8] {
        let (data, offset) = match place {
            Place::Global(index, offset) => {
                let variables = self.variables.len();
                let buffer = if index < variables {
                    &mut self.variables[index]
                } else {
                    &mut self.buffers[index - variables]
                };
                (&mut buffer.bytes, offset)
            }
            Place::Shared(slot, offset) => (&mut self.shared[slot].1, offset),
            Place::Local(offset) => (&mut self.local, thread * self.local_bytes + offset),
        };
        &mut data[offset..offset + count]
    }

    /// The bytes of one access, checked for bounds and alignment.
    pub fn access(
        &mut self,
        space: MemorySpace,
        address: u64,
        bytes: u32,
        write: bool,
        thread: usize,
    ) -> Result<&mut [u8], TrapKind> {
        let place = self.place(space, address, bytes, write)?;
        if !address.is_multiple_of(u64::from(bytes.max(1))) {
            let offset = match place {
                Place::Global(_, offset) | Place::Shared(_, offset) | Place::Local(offset) => {
                    offset as u64
                }
            };
            return Err(TrapKind::Misaligned {
                access_bytes: bytes,
                address: offset,
            });
        }
        Ok(self.bytes_at(place, thread, bytes as usize))
    }

    /// A text that ends with NUL, at a generic address; at most `most` bytes.
    pub fn text(&mut self, address: u64, most: usize, thread: usize) -> Result<Vec<u8>, TrapKind> {
        let mut text = vec![];
        while text.len() < most {
            let byte = self.access(
                MemorySpace::Generic,
                address.wrapping_add(text.len() as u64),
                1,
                false,
                thread,
            )?[0];
            if byte == 0 {
                break;
            }
            text.push(byte);
        }
        Ok(text)
    }
}
