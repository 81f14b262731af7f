//! Addresses and what lies there.
//!
//! Generic addresses: shared and local memory in windows below 2^38, every variable and buffer of global memory in the
//! middle of a region of its own of 2^38 bytes above. A 32-bit index error times 16 bytes stays in its region, so
//! `a[i]` past the end is an error of `a`. Every shared variable has a slot of 16 MiB in the 32-bit shared window.

mod code;
mod fork;
mod heap;
mod peek;
mod stack;
mod unwritten;

use unwritten::{extend_unwritten, fill_unwritten};

pub(crate) use self::code::{code_address, function_at};
use self::heap::Heap;
use self::stack::{Budget, Stack};
use crate::decode::Program;
use crate::op::{Gap, LANES, Lanes, MemorySpace};
use crate::race::{Area, Shape, Spot};
use crate::trap::{Space, TrapKind};
use crate::{Buffer, Role};

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

/// What a thread's own memory is called.
const LOCAL_NAME: &str = "a local array";

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

/// The bytes of an access, and where they lie; a fault is boxed, since hardly any access has one.
pub(crate) type Found<T> = Result<(T, Option<Spot>, usize), Box<TrapKind>>;

/// A variable or buffer of global memory, or what `malloc` gave.
#[derive(Clone)]
struct Region {
    name: String,
    /// 0 where an access says how indices are counted.
    element_bytes: u32,
    bytes: Vec<u8>,
    role: Role,
    written: Vec<u64>,
    /// Where it was freed: a line, or 0 where that has none.
    freed_at: Option<u32>,
}

/// Shared and local memory of one block.
#[derive(Default)]
pub(crate) struct BlockMemory {
    shared: Vec<Vec<u8>>,
    local: Vec<Stack>,
    /// Bytes that its stacks grew by.
    pub granted: usize,
    /// Shadow of the shared variables.
    pub areas: Vec<Area>,
}

/// Global memory of a launch, and shared and local memory of the block that runs.
pub(crate) struct Memory<'a> {
    /// Variables of the module, then buffers, then what `malloc` gave.
    regions: Vec<Region>,
    heap: Heap,
    params: &'a [u8],
    /// Names and sizes of the shared variables.
    variables: Vec<(&'a str, usize)>,
    /// Of the block that runs.
    pub block: BlockMemory,
    /// A thread's own memory in the kernel's frame.
    local_bytes: usize,
    /// Of the kernel's frame.
    gaps: &'a [Gap],
    threads: usize,
    stacks: Budget,
}

impl<'a> Memory<'a> {
    /// Takes the content of variables and buffers; [`Self::give_back`] returns it.
    pub fn new(
        program: &'a Program,
        variables: &mut [Buffer],
        buffers: &mut [Buffer],
        params: &'a [u8],
        shared_bytes: u32,
        threads: usize,
    ) -> Self {
        let shared = program.shared.iter().map(|variable| {
            let bytes = variable.bytes.unwrap_or(u64::from(shared_bytes));
            (variable.name.as_str(), bytes as usize)
        });
        let regions = variables.iter_mut().chain(buffers).map(|buffer| Region {
            name: buffer.name.clone(),
            element_bytes: buffer.element_bytes.max(1),
            bytes: std::mem::take(&mut buffer.bytes),
            role: buffer.role,
            written: std::mem::take(&mut buffer.written),
            freed_at: None,
        });
        let regions: Vec<_> = regions.collect();
        Self {
            heap: Heap::after(regions.len()),
            regions,
            params,
            variables: shared.collect(),
            block: BlockMemory::default(),
            local_bytes: program.local_bytes,
            gaps: program.routines.first().map_or(&[], |kernel| &kernel.gaps),
            threads,
            stacks: Budget::default(),
        }
    }

    /// Gives buffers back what they hold now.
    pub fn give_back(self, variables: &mut [Buffer], buffers: &mut [Buffer]) {
        for (region, buffer) in self.regions.into_iter().zip(variables.iter_mut().chain(buffers)) {
            buffer.bytes = region.bytes;
            buffer.written = region.written;
        }
    }

    /// Memory of a block that starts, in the room of one that ended.
    pub fn start_block(&self, room: &mut BlockMemory) {
        room.shared.resize_with(self.variables.len(), Vec::new);
        room.areas.resize_with(self.variables.len(), Area::default);
        for ((_, bytes), room) in self.variables.iter().zip(&mut room.shared) {
            fill_unwritten(room, *bytes);
        }
        room.local.resize_with(self.threads, Stack::default);
        if self.local_bytes != 0 || room.granted != 0 {
            room.local.iter_mut().for_each(|stack| stack.start(self.local_bytes, self.gaps));
        }
        room.granted = 0;
    }

    /// Variables and buffers.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// Which regions hold inputs.
    pub fn inputs(&self) -> Vec<bool> {
        self.regions.iter().map(|region| region.role == Role::Input).collect()
    }

    /// Name, bytes of an element and length of what lies at a spot.
    pub fn describe(&self, spot: Spot, bytes: u32) -> (Option<&str>, u32, usize) {
        match spot {
            Spot::Region(index) => self
                .regions
                .get(index)
                .map_or((None, 1, 0), |region| (Some(region.name.as_str()), region.width(bytes), region.bytes.len())),
            Spot::Shared(index) => {
                self.variables.get(index).map_or((None, 1, 0), |(name, length)| (Some(*name), bytes, *length))
            }
            Spot::Local => (Some(LOCAL_NAME), bytes, self.local_bytes),
        }
    }

    /// Whether this is a buffer that holds nothing at first.
    pub fn has_unwritten(&self, spot: Spot) -> bool {
        matches!(spot, Spot::Region(index)
            if self.regions.get(index).is_some_and(|region| matches!(region.role, Role::Output | Role::Scratch)))
    }

    /// Whether what is stored there is given away: a result, as opposed to room for intermediate values.
    pub fn is_result(&self, spot: Spot) -> bool {
        matches!(spot, Spot::Region(index) if self.regions.get(index).is_some_and(|region| region.role != Role::Scratch))
    }

    /// Address of a buffer's first byte.
    pub fn buffer_address(variables: usize, index: usize) -> u64 {
        GLOBAL_BASE + (variables + index) as u64 * REGION_BYTES
    }

    /// The bytes of one access, checked for bounds and alignment, with the place; `None` is a parameter.
    #[inline]
    pub fn access(&mut self, access: Access) -> Found<&mut [u8]> {
        let place = self.place(access)?;
        let count = access.bytes as usize;
        if access.address & u64::from(access.bytes.wrapping_sub(1)) != 0 {
            let (Place::Region(_, offset) | Place::Shared(_, offset) | Place::Local(offset) | Place::Param(offset)) =
                place;
            return Err(Box::new(TrapKind::Misaligned { access_bytes: access.bytes, address: offset as u64 }));
        }
        let (data, from, spot, offset) = match place {
            Place::Region(index, offset) => {
                (&mut *self.regions[index].bytes, offset, Some(Spot::Region(index)), offset)
            }
            Place::Shared(slot, offset) => (&mut self.block.shared[slot][..], offset, Some(Spot::Shared(slot)), offset),
            Place::Local(offset) => (&mut self.block.local[access.thread].bytes[..], offset, Some(Spot::Local), offset),
            Place::Param(_) => return Ok((&mut [], None, 0)),
        };
        Ok((&mut data[from..from + count], spot, offset))
    }

    /// The variable in which all active lanes access, checked for bounds and alignment at once, its address, and how
    /// the lanes' addresses lie to each other. `None` where they lie in several or one is at fault: lane by lane that
    /// is found out.
    #[inline]
    pub fn common(&mut self, first: Access, addresses: &Lanes, active: u32) -> Option<(Spot, &mut [u8], u64, Shape)> {
        let (spot, data, offset) = match self.place(first).ok()? {
            Place::Region(index, offset) => (Spot::Region(index), &mut *self.regions[index].bytes, offset),
            Place::Shared(slot, offset) => (Spot::Shared(slot), &mut self.block.shared[slot][..], offset),
            Place::Local(_) | Place::Param(_) => return None,
        };
        let start = first.address - offset as u64;
        let last = (data.len() as u64).checked_sub(u64::from(first.bytes))?;
        let low_bits = u64::from(first.bytes.wrapping_sub(1));
        let shape = if active == u32::MAX { shape(addresses, u64::from(first.bytes)) } else { Shape::Any };
        let faults = match shape {
            Shape::Row => u64::from(addresses[LANES - 1].wrapping_sub(start) > last) | (first.address & low_bits),
            Shape::Same => first.address & low_bits,
            Shape::HalfRows | Shape::HalvesSame => {
                let ends = [addresses[LANES / 2 - 1], addresses[LANES / 2], addresses[LANES - 1]];
                let is_outside = ends.iter().any(|address| address.wrapping_sub(start) > last);
                u64::from(is_outside) | ((first.address | addresses[LANES / 2]) & low_bits)
            }
            Shape::Any => addresses.iter().enumerate().fold(0, |faults, (lane, address)| {
                let fault = u64::from(address.wrapping_sub(start) > last) | (address & low_bits);
                faults | fault & u64::from(active >> lane & 1).wrapping_neg()
            }),
        };
        (faults == 0).then_some((spot, data, start, shape))
    }

    /// The bytes of a load, which may lie in the parameters too, with the place.
    #[inline]
    pub fn load_at(&mut self, access: Access) -> Found<&[u8]> {
        if access.space == MemorySpace::Generic
            && let Ok(Place::Param(offset)) = self.place(access)
        {
            return Ok((&self.params[offset..offset + access.bytes as usize], None, offset));
        }
        self.access(access).map(|(data, spot, offset)| (&*data, spot, offset))
    }

    /// The bytes of a load.
    pub fn load(&mut self, access: Access) -> Result<&[u8], Box<TrapKind>> {
        self.load_at(access).map(|(data, ..)| data)
    }

    #[inline]
    fn place(&self, access: Access) -> Result<Place, Box<TrapKind>> {
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
    fn global(&self, access: Access, address: u64) -> Result<Place, Box<TrapKind>> {
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
        if let Some(kind) = region.used_after_free() {
            return Err(kind);
        }
        let (width, length) = (region.width(access.bytes), region.bytes.len());
        Err(outside(access, Space::Global, Some(&region.name), offset as i64, width, length))
    }

    fn in_shared(&self, access: Access, address: u64) -> Result<Place, Box<TrapKind>> {
        let slot = (address.wrapping_add(SHARED_SLOT_BYTES / 2) / SHARED_SLOT_BYTES).wrapping_sub(1) as usize;
        let Some((name, length)) = self.variables.get(slot) else {
            return Err(outside(access, Space::Wild, None, address as i64, 1, 0));
        };
        let offset = address.wrapping_sub(SHARED_START + slot as u64 * SHARED_SLOT_BYTES);
        if fits(offset, access.bytes, *length) {
            return Ok(Place::Shared(slot, offset as usize));
        }
        Err(outside(access, Space::Shared, Some(name), offset as i64, access.bytes, *length))
    }

    fn in_local(&self, access: Access, address: u64) -> Result<Place, Box<TrapKind>> {
        let offset = address.wrapping_sub(LOCAL_START);
        let stack = self.block.local.get(access.thread);
        let length = stack.map_or(0, |stack| stack.bytes.len());
        let (start, length) = match stack.and_then(|stack| stack.gap_at(offset, access.bytes)) {
            Some(gap) => (gap.piece, (gap.from - gap.piece) as usize),
            None if fits(offset, access.bytes, length) => return Ok(Place::Local(offset as usize)),
            None => (0, length),
        };
        let index = offset.wrapping_sub(start) as i64;
        Err(outside(access, Space::Local, Some(LOCAL_NAME), index, access.bytes, length))
    }
}

/// How the addresses of 32 lanes lie that access so many bytes each.
#[inline]
fn shape(addresses: &Lanes, bytes: u64) -> Shape {
    let (low, high) = addresses.split_at(LANES / 2);
    let step = low[1].wrapping_sub(low[0]);
    if step != 0 && step != bytes {
        return Shape::Any;
    }
    let uneven = |half: &[u64]| {
        let steps = half.iter().zip(&half[1..]).map(|(one, next)| next.wrapping_sub(*one) ^ step);
        steps.fold(0, |differs, step| differs | step)
    };
    let differs = uneven(low) | uneven(high);
    let is_one = high[0].wrapping_sub(low[LANES / 2 - 1]) == step;
    match (differs == 0, step == 0, is_one) {
        (false, ..) => Shape::Any,
        (_, true, true) => Shape::Same,
        (_, true, false) => Shape::HalvesSame,
        (_, false, true) => Shape::Row,
        (_, false, false) => Shape::HalfRows,
    }
}

fn fits(offset: u64, bytes: u32, length: usize) -> bool {
    offset.checked_add(u64::from(bytes)).is_some_and(|end| end <= length as u64)
}

#[cold]
#[expect(clippy::unnecessary_box_returns, reason = "faults are boxed where they are made")]
fn outside(
    access: Access,
    space: Space,
    buffer: Option<&str>,
    offset: i64,
    element_bytes: u32,
    length: usize,
) -> Box<TrapKind> {
    let width = i64::from(element_bytes.max(1));
    Box::new(TrapKind::OutOfBounds {
        write: access.write,
        space,
        buffer: buffer.map(str::to_owned),
        index: offset.div_euclid(width),
        size: length as u64 / width as u64,
        threads: 1,
    })
}
