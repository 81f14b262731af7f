//! Addresses and what lies there.
//!
//! Generic addresses: shared and local memory in windows below 2^38, every variable and buffer of global memory in the
//! middle of a region of its own of 2^38 bytes above. A 32-bit index error times 16 bytes stays in its region, so
//! `a[i]` past the end is an error of `a`. Every shared variable has a slot of 16 MiB in the 32-bit shared window.

use crate::Buffer;
use crate::decode::Program;
use crate::op::{Lanes, MemorySpace};
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
/// Generic address of the first parameter; read only.
pub(crate) const PARAM_WINDOW: u64 = 3 << 33;
/// First byte of a thread's own memory.
pub(crate) const LOCAL_START: u64 = 1 << 20;
/// Below this an address counts as null.
const NULL_BYTES: u64 = 1 << 20;

/// Bytes of shared and local memory before anything is written: NaN as a float, -1 as an integer.
const UNWRITTEN: u8 = 0xff;

/// Where an access lands.
#[derive(Clone, Copy, Debug)]
enum Place {
    Region(usize, usize),
    Shared(usize, usize),
    Local(usize),
    Param(usize),
}

/// One access by one thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub space: MemorySpace,
    pub address: u64,
    pub bytes: u32,
    pub write: bool,
    pub thread: usize,
}

/// A variable or buffer of global memory.
struct Region<'a> {
    name: &'a str,
    element_bytes: u32,
    bytes: &'a mut [u8],
}

/// Global memory of a launch, and shared and local memory of the block that runs.
pub(crate) struct Memory<'a> {
    /// Variables of the module, then buffers.
    regions: Vec<Region<'a>>,
    params: &'a [u8],
    shared: Vec<(&'a str, Vec<u8>)>,
    local: Vec<u8>,
    local_bytes: usize,
}

impl<'a> Memory<'a> {
    pub fn new(
        program: &'a Program,
        variables: &'a mut [Buffer],
        buffers: &'a mut [Buffer],
        params: &'a [u8],
        shared_bytes: u32,
        threads: usize,
    ) -> Self {
        let shared = program.shared.iter().map(|variable| {
            let bytes = variable.bytes.unwrap_or(u64::from(shared_bytes));
            (variable.name.as_str(), vec![UNWRITTEN; bytes as usize])
        });
        let regions = variables.iter_mut().chain(buffers).map(|buffer| Region {
            name: &buffer.name,
            element_bytes: buffer.element_bytes.max(1),
            bytes: &mut buffer.bytes,
        });
        Self {
            regions: regions.collect(),
            params,
            shared: shared.collect(),
            local: vec![UNWRITTEN; program.local_bytes * threads],
            local_bytes: program.local_bytes,
        }
    }

    /// Forgets what the block before left.
    pub fn start_block(&mut self) {
        for (_, bytes) in &mut self.shared {
            bytes.fill(UNWRITTEN);
        }
        self.local.fill(UNWRITTEN);
    }

    /// Address of a buffer's first byte.
    pub fn buffer_address(variables: usize, index: usize) -> u64 {
        GLOBAL_BASE + (variables + index) as u64 * REGION_BYTES
    }

    /// The bytes of one access, checked for bounds and alignment.
    #[inline]
    pub fn access(&mut self, access: Access) -> Result<&mut [u8], TrapKind> {
        let place = self.place(access)?;
        let count = access.bytes as usize;
        if access.address & u64::from(access.bytes.wrapping_sub(1)) != 0 {
            let (Place::Region(_, offset) | Place::Shared(_, offset) | Place::Local(offset) | Place::Param(offset)) =
                place;
            return Err(TrapKind::Misaligned { access_bytes: access.bytes, address: offset as u64 });
        }
        let (data, offset) = match place {
            Place::Region(index, offset) => (&mut *self.regions[index].bytes, offset),
            Place::Shared(slot, offset) => (&mut self.shared[slot].1[..], offset),
            Place::Local(offset) => (&mut self.local[..], access.thread * self.local_bytes + offset),
            Place::Param(_) => (&mut [][..], 0),
        };
        Ok(&mut data[offset..offset + count])
    }

    /// The variable in which all active lanes access, checked for bounds and alignment at once, and its address.
    /// `None` where they differ or one is at fault: lane by lane that is found out.
    #[inline]
    pub fn common(&mut self, first: Access, addresses: &Lanes, active: u32) -> Option<(&mut [u8], u64)> {
        let (data, offset) = match self.place(first).ok()? {
            Place::Region(index, offset) => (&mut *self.regions[index].bytes, offset),
            Place::Shared(slot, offset) => (&mut self.shared[slot].1[..], offset),
            Place::Local(_) | Place::Param(_) => return None,
        };
        let start = first.address - offset as u64;
        let last = (data.len() as u64).checked_sub(u64::from(first.bytes))?;
        let low_bits = u64::from(first.bytes.wrapping_sub(1));
        let mut faults = 0;
        for (lane, address) in addresses.iter().enumerate() {
            let fault = u64::from(address.wrapping_sub(start) > last) | (address & low_bits);
            faults |= fault & u64::from(active >> lane & 1).wrapping_neg();
        }
        (faults == 0).then_some((data, start))
    }

    /// Copies the bytes of a load, which may lie in the parameters too.
    #[inline]
    pub fn load(&mut self, access: Access) -> Result<&[u8], TrapKind> {
        if access.space == MemorySpace::Generic
            && let Ok(Place::Param(offset)) = self.place(access)
        {
            return Ok(&self.params[offset..offset + access.bytes as usize]);
        }
        self.access(access).map(|data| &*data)
    }

    #[inline]
    fn place(&self, access: Access) -> Result<Place, TrapKind> {
        let address = access.address;
        match access.space {
            MemorySpace::Global => self.global(access, address),
            MemorySpace::Shared => self.in_shared(access, address),
            MemorySpace::Local => self.in_local(access, address),
            MemorySpace::Generic => match address.checked_sub(SHARED_WINDOW).map(|at| at >> 32) {
                Some(0) => self.in_shared(access, address - SHARED_WINDOW),
                _ if (LOCAL_WINDOW..LOCAL_WINDOW + (1 << 32)).contains(&address) => {
                    self.in_local(access, address - LOCAL_WINDOW)
                }
                _ => match address.checked_sub(PARAM_WINDOW) {
                    Some(offset) if !access.write && fits(offset, access.bytes, self.params.len()) => {
                        Ok(Place::Param(offset as usize))
                    }
                    _ => self.global(access, address),
                },
            },
        }
    }

    #[inline]
    fn global(&self, access: Access, address: u64) -> Result<Place, TrapKind> {
        if address < NULL_BYTES {
            return Err(outside(access, Space::Null, None, address as i64, 1, 0));
        }
        let index = (address / REGION_BYTES).wrapping_sub(1) as usize;
        let Some(region) = self.regions.get(index) else {
            return Err(outside(access, Space::Wild, None, address as i64, 1, 0));
        };
        let offset = address.wrapping_sub(GLOBAL_BASE + index as u64 * REGION_BYTES);
        if fits(offset, access.bytes, region.bytes.len()) {
            return Ok(Place::Region(index, offset as usize));
        }
        let (width, length) = (region.element_bytes, region.bytes.len());
        Err(outside(access, Space::Global, Some(region.name), offset as i64, width, length))
    }

    fn in_shared(&self, access: Access, address: u64) -> Result<Place, TrapKind> {
        let slot = (address.wrapping_add(SHARED_SLOT_BYTES / 2) / SHARED_SLOT_BYTES).wrapping_sub(1) as usize;
        let Some((name, data)) = self.shared.get(slot) else {
            return Err(outside(access, Space::Wild, None, address as i64, 1, 0));
        };
        let offset = address.wrapping_sub(SHARED_START + slot as u64 * SHARED_SLOT_BYTES);
        if fits(offset, access.bytes, data.len()) {
            return Ok(Place::Shared(slot, offset as usize));
        }
        Err(outside(access, Space::Shared, Some(name), offset as i64, access.bytes, data.len()))
    }

    fn in_local(&self, access: Access, address: u64) -> Result<Place, TrapKind> {
        let offset = address.wrapping_sub(LOCAL_START);
        if fits(offset, access.bytes, self.local_bytes) {
            return Ok(Place::Local(offset as usize));
        }
        let (name, length) = (Some("a local array"), self.local_bytes);
        Err(outside(access, Space::Local, name, offset as i64, access.bytes, length))
    }

    /// A text that ends with NUL, at a generic address; at most `most` bytes.
    pub fn text(&mut self, address: u64, most: usize, thread: usize) -> Result<Vec<u8>, TrapKind> {
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

fn fits(offset: u64, bytes: u32, length: usize) -> bool {
    offset.checked_add(u64::from(bytes)).is_some_and(|end| end <= length as u64)
}

#[cold]
fn outside(
    access: Access,
    space: Space,
    buffer: Option<&str>,
    offset: i64,
    element_bytes: u32,
    length: usize,
) -> TrapKind {
    let width = i64::from(element_bytes.max(1));
    TrapKind::OutOfBounds {
        write: access.write,
        space,
        buffer: buffer.map(str::to_owned),
        index: offset.div_euclid(width),
        size: length as u64 / width as u64,
        threads: 1,
    }
}
