//! Loads, stores, atomics, and calls that read memory.

use super::{Kind, LANES, Lanes, Shared, Step, Stop, Target, Warp, lanes};
use crate::launch::Progress;
use crate::memory::Access;
use crate::op::{Address, MemorySpace, Order, Source, Width};
use crate::print;
use crate::race::{Event, Spot};
use crate::trap::TrapKind;

/// Bytes of an assertion's text that are read.
const MESSAGE_BYTES_MAX: usize = 200;

impl Warp {
    pub(super) fn note_store(&mut self, active: u32, pc: usize) {
        let place = self.frames.place(self.looks_from, pc);
        for lane in lanes(active) {
            self.stored[lane] = self.stored[lane].max(place + 1);
        }
    }

    pub(super) fn memory_step(
        &mut self,
        kind: &Kind,
        active: u32,
        pc: usize,
        shared: &mut Shared<'_, '_>,
        progress: &mut Progress<'_>,
    ) -> Step {
        match kind {
            Kind::Load { space, width, to, from, order } => {
                let event = event(pc, width.bytes * to.len() as u32, false, *order);
                self.load((*space, *width), to, *from, active, &event, shared)
            }
            Kind::Store { space, width, from, to, order } => {
                let event = event(pc, width.bytes * from.len() as u32, true, *order);
                self.store((*space, *width), from, *to, active, &event, shared)
            }
            Kind::LoadParam { width, to, offset } => {
                for (part, target) in to.iter().enumerate() {
                    let at = offset + part * width.bytes as usize;
                    let value = read(&shared.params[at..at + width.bytes as usize], width.signed);
                    if let Some(target) = target {
                        self.set(*target, active, &[value; LANES]);
                    }
                }
                Ok(())
            }
            Kind::Atomic { .. } => self.atomic(kind, active, pc, shared),
            Kind::Print { to, format, arguments } => {
                self.print(*to, (*format, *arguments), active, pc, shared, progress)
            }
            Kind::Allocate { .. } | Kind::Free { .. } => self.heap_step(kind, active, pc, shared),
            Kind::AssertFail { message } => match lanes(active).next() {
                None => Ok(()),
                Some(lane) => {
                    let address = self.value(*message, lane, shared);
                    let text =
                        shared.memory.text(address, MESSAGE_BYTES_MAX, self.index * LANES + lane).unwrap_or_default();
                    let message = String::from_utf8_lossy(&text).into_owned();
                    Err(Stop { kind: TrapKind::Assert { message }, pc, lane })
                }
            },
            _ => Ok(()),
        }
    }

    pub(super) fn addresses(&self, address: Address, shared: &Shared<'_, '_>) -> [u64; LANES] {
        self.values(address.base, shared).map(|base| base.wrapping_add_signed(address.offset))
    }

    fn atomic(&mut self, kind: &Kind, active: u32, pc: usize, shared: &mut Shared<'_, '_>) -> Step {
        let Kind::Atomic { space, bytes, f, to, at, b, c, order, compares } = kind else { return Ok(()) };
        let (addresses, b, c) = (self.addresses(*at, shared), self.values(*b, shared), self.values(*c, shared));
        let event = Event { compares: *compares, ..event(pc, *bytes, true, *order) };
        let mut old_values = [0; LANES];
        self.note_store(active, pc);
        for lane in lanes(active) {
            let thread = self.index * LANES + lane;
            let access = Access { space: *space, address: addresses[lane], bytes: *bytes, write: true, thread };
            let (slot, spot, offset) = match shared.memory.access(access) {
                Ok(found) => found,
                Err(kind) => {
                    let remaining = active & (u32::MAX << lane);
                    return Err(self.fault(kind, access, &addresses, remaining, pc, shared));
                }
            };
            let old = read(slot, false);
            old_values[lane] = old;
            slot.copy_from_slice(&f(old, b[lane], c[lane]).to_le_bytes()[..*bytes as usize]);
            if let Some(spot) = spot {
                let unwritten = self.note_one((spot, offset), lane, &event, false, shared);
                if unwritten && !is_exchange(kind) {
                    let who = shared.clocks.who(thread);
                    let at = Some((spot, offset as u64, *bytes));
                    let left = shared.left;
                    shared.detector.note_unwritten(crate::race::Unwritten { pc, who, at }, left);
                }
                shared.memory.mark(spot, thread, offset, *bytes as usize, true);
            }
        }
        if let Some(to) = to {
            self.set(*to, active, &old_values);
        }
        Ok(())
    }

    /// Tells the detector of one lane; gives whether it read what nobody wrote.
    pub(super) fn note_one(
        &mut self,
        (spot, offset): (Spot, usize),
        lane: usize,
        event: &Event,
        is_same: bool,
        shared: &mut Shared<'_, '_>,
    ) -> bool {
        if !shared.detector.is_on {
            return false;
        }
        let (active, same) = (1 << lane, u32::from(is_same) << lane);
        let offsets = [offset as u64; LANES];
        let seen = shared.detector.note((spot, &offsets), active, event, same, &mut shared.clocks, self.index);
        let thread = self.index * LANES + lane;
        let reads = !event.write || event.strength.atomic;
        seen != 0 || (reads && shared.memory.is_unwritten(spot, thread, offset, event.bytes as usize))
    }

    pub(super) fn load(
        &mut self,
        (space, width): (MemorySpace, Width),
        to: &[Option<Target>],
        from: Address,
        active: u32,
        event: &Event,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        let addresses = self.addresses(from, shared);
        let bytes = event.bytes;
        let first = self.first_access(space, &addresses, active, bytes, false);
        if let Some((spot, data, start)) = first.and_then(|access| shared.memory.common(access, &addresses, active)) {
            for (part, target) in to.iter().enumerate() {
                if let Some(target) = target {
                    let offset = u64::from(width.bytes) * part as u64;
                    let values = lanes_at(data, &addresses, start.wrapping_sub(offset), active, width);
                    self.set(*target, active, &values);
                }
            }
            if shared.detector.is_on {
                self.note_load((spot, start), &addresses, to, active, event, shared);
            }
            return Ok(());
        }
        for lane in lanes(active) {
            let thread = self.index * LANES + lane;
            let access = Access { space, address: addresses[lane], bytes, write: false, thread };
            match shared.memory.load_at(access) {
                Ok((data, spot, offset)) => {
                    for (part, target) in data.chunks_exact(width.bytes as usize).zip(to) {
                        if let Some(target) = target {
                            self.registers[target.slot][lane] = read(part, width.signed) & target.mask;
                        }
                    }
                    let Some(spot) = spot else { continue };
                    if self.note_one((spot, offset), lane, event, false, shared) {
                        let place = (spot, offset as u64, width.bytes);
                        let slots = to.iter().flatten().map(|target| target.slot);
                        self.taint(slots, (1 << lane, 1 << lane), event.pc, Some(place), shared);
                    }
                }
                Err(kind) => {
                    return Err(self.fault(kind, access, &addresses, active, event.pc, shared));
                }
            }
        }
        Ok(())
    }

    fn note_load(
        &mut self,
        (spot, start): (Spot, u64),
        addresses: &Lanes,
        to: &[Option<Target>],
        active: u32,
        event: &Event,
        shared: &mut Shared<'_, '_>,
    ) {
        let offsets = addresses.map(|address| address.wrapping_sub(start));
        let mut unwritten = shared.detector.note((spot, &offsets), active, event, 0, &mut shared.clocks, self.index);
        if shared.memory.has_unwritten(spot) {
            for lane in lanes(active) {
                if shared.memory.is_unwritten(spot, 0, offsets[lane] as usize, event.bytes as usize) {
                    unwritten |= 1 << lane;
                }
            }
        }
        if unwritten != 0 {
            let offset = offsets[unwritten.trailing_zeros() as usize];
            let width = event.bytes / to.len().max(1) as u32;
            let slots = to.iter().flatten().map(|target| target.slot);
            self.taint(slots, (active, unwritten), event.pc, Some((spot, offset, width)), shared);
        }
    }

    pub(super) fn store(
        &mut self,
        (space, width): (MemorySpace, Width),
        from: &[Source],
        to: Address,
        active: u32,
        event: &Event,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        let addresses = self.addresses(to, shared);
        let values: Vec<_> = from.iter().map(|source| self.values(*source, shared)).collect();
        let bytes = event.bytes;
        let nothing = from.iter().fold(0, |mask, source| mask | self.tainted(*source)) & active;
        self.note_store(active, event.pc);
        let first = self.first_access(space, &addresses, active, bytes, true);
        if let Some((spot, data, start)) = first.and_then(|access| shared.memory.common(access, &addresses, active)) {
            let size = width.bytes as usize;
            let mut same = 0;
            for lane in lanes(active) {
                let at = addresses[lane].wrapping_sub(start) as usize;
                let mut is_same = true;
                for (part, values) in data[at..].chunks_exact_mut(size).zip(&values) {
                    let new = values[lane].to_le_bytes();
                    is_same &= *part == new[..size];
                    part.copy_from_slice(&new[..size]);
                }
                same |= u32::from(is_same) << lane;
            }
            if shared.detector.is_on {
                let offsets = addresses.map(|address| address.wrapping_sub(start));
                self.note_stores((spot, &offsets), active, event, (same, nothing), from, shared);
            }
            return Ok(());
        }
        for lane in lanes(active) {
            let thread = self.index * LANES + lane;
            let access = Access { space, address: addresses[lane], bytes, write: true, thread };
            match shared.memory.access(access) {
                Ok((data, spot, offset)) => {
                    let mut is_same = true;
                    for (part, values) in data.chunks_exact_mut(width.bytes as usize).zip(&values) {
                        let new = values[lane].to_le_bytes();
                        is_same &= *part == new[..width.bytes as usize];
                        part.copy_from_slice(&new[..width.bytes as usize]);
                    }
                    if let Some(spot) = spot.filter(|_| shared.detector.is_on) {
                        let offsets = [offset as u64; LANES];
                        let (one, same) = (1 << lane, u32::from(is_same) << lane);
                        self.note_stores((spot, &offsets), one, event, (same, nothing), from, shared);
                    }
                }
                Err(kind) => {
                    return Err(self.fault(kind, access, &addresses, active, event.pc, shared));
                }
            }
        }
        Ok(())
    }

    /// Tells the detector of stores; a result that is made of nothing is told at once.
    fn note_stores(
        &mut self,
        (spot, offsets): (Spot, &Lanes),
        active: u32,
        event: &Event,
        (same, nothing): (u32, u32),
        from: &[Source],
        shared: &mut Shared<'_, '_>,
    ) {
        let nothing = nothing & active;
        let event = Event { carries_nothing: nothing, ..*event };
        shared.detector.note((spot, offsets), active, &event, same, &mut shared.clocks, self.index);
        if nothing != 0 && shared.memory.is_result(spot) {
            for source in from {
                self.use_of(*source, nothing, shared);
            }
        }
        if spot == Spot::Local || shared.memory.has_unwritten(spot) {
            for lane in lanes(active) {
                let thread = self.index * LANES + lane;
                let is_written = nothing >> lane & 1 == 0;
                shared.memory.mark(spot, thread, offsets[lane] as usize, event.bytes as usize, is_written);
            }
        }
    }

    fn first_access(
        &self,
        space: MemorySpace,
        addresses: &Lanes,
        active: u32,
        bytes: u32,
        write: bool,
    ) -> Option<Access> {
        let lane = active.trailing_zeros() as usize;
        let address = *addresses.get(lane)?;
        let thread = self.index * LANES + lane;
        Some(Access { space, address, bytes, write, thread })
    }

    /// The first lane's fault, with the count of lanes that share it.
    pub(super) fn fault(
        &self,
        mut kind: TrapKind,
        access: Access,
        addresses: &[u64; LANES],
        active: u32,
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Stop {
        let lane = access.thread - self.index * LANES;
        if let TrapKind::OutOfBounds { threads, .. } = &mut kind {
            let outside = |other: &usize| {
                let (address, thread) = (addresses[*other], self.index * LANES + other);
                let faulted = shared.memory.load(Access { address, thread, ..access });
                matches!(faulted, Err(TrapKind::OutOfBounds { .. }))
            };
            *threads = lanes(active).filter(outside).count() as u64;
        }
        Stop { kind, pc, lane }
    }

    fn print(
        &mut self,
        to: Option<Target>,
        (format, arguments): (Source, Source),
        active: u32,
        pc: usize,
        shared: &mut Shared<'_, '_>,
        progress: &mut Progress<'_>,
    ) -> Step {
        for lane in lanes(active) {
            let thread = self.index * LANES + lane;
            let (format, arguments) = (self.value(format, lane, shared), self.value(arguments, lane, shared));
            let text =
                print::format(shared.memory, format, arguments, thread).map_err(|kind| Stop { kind, pc, lane })?;
            let report = &mut progress.report;
            report.printed_bytes += text.len() as u64;
            let room = print::KEPT_BYTES.saturating_sub(report.printed.len()).min(text.len());
            report.printed.extend(&text[..room]);
            if report.printed_bytes > progress.limits.printf_bytes {
                return Err(Stop { kind: TrapKind::Flood { bytes: report.printed_bytes }, pc, lane });
            }
        }
        if let Some(to) = to {
            self.set(to, active, &[1; LANES]);
        }
        Ok(())
    }
}

/// An atomic whose old value nobody looks at, and which does not depend on it.
fn is_exchange(kind: &Kind) -> bool {
    matches!(kind, Kind::Atomic { f, to: None, .. } if f(1, 2, 3) == f(0, 2, 3))
}

pub(super) fn event(pc: usize, bytes: u32, write: bool, order: Order) -> Event {
    Event { pc, bytes, write, strength: order.strength, releases: order.releases, carries_nothing: 0, compares: false }
}

/// What the active lanes load from one variable; all addresses lie in it.
fn lanes_at(data: &[u8], addresses: &Lanes, start: u64, active: u32, width: Width) -> Lanes {
    fn gather<const BYTES: usize>(
        data: &[u8],
        addresses: &Lanes,
        start: u64,
        active: u32,
        value: impl Fn([u8; BYTES]) -> u64,
    ) -> Lanes {
        let mut out = [0; LANES];
        for lane in lanes(active) {
            let at = addresses[lane].wrapping_sub(start) as usize;
            if let Some(bytes) = data.get(at..).and_then(|rest| rest.first_chunk()) {
                out[lane] = value(*bytes);
            }
        }
        out
    }
    match (width.bytes, width.signed) {
        (1, false) => gather(data, addresses, start, active, |bytes| u8::from_le_bytes(bytes).into()),
        (1, true) => gather(data, addresses, start, active, |bytes| i8::from_le_bytes(bytes) as u64),
        (2, false) => gather(data, addresses, start, active, |bytes| u16::from_le_bytes(bytes).into()),
        (2, true) => gather(data, addresses, start, active, |bytes| i16::from_le_bytes(bytes) as u64),
        (4, false) => gather(data, addresses, start, active, |bytes| u32::from_le_bytes(bytes).into()),
        (4, true) => gather(data, addresses, start, active, |bytes| i32::from_le_bytes(bytes) as u64),
        _ => gather(data, addresses, start, active, u64::from_le_bytes),
    }
}

/// A little-endian value of up to 8 bytes.
fn read(bytes: &[u8], signed: bool) -> u64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let value = u64::from_le_bytes(wide);
    let unused = 64 - 8 * bytes.len() as u32;
    if signed && unused < 64 { ((value << unused) as i64 >> unused) as u64 } else { value }
}
