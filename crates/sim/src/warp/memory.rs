//! Loads, stores, atomics, and calls that read memory.

use super::movement::{Elements, read};
use super::{Kind, LANES, Lanes, Shared, Step, Stop, Target, Warp, lanes};
use crate::launch::Progress;
use crate::memory::Access;
use crate::op::{Address, MemorySpace, Order, Source, Width};
use crate::print;
use crate::race::{Event, Places, Shape, Spot};
use crate::trap::TrapKind;

/// Bytes of an assertion's text that are read.
const MESSAGE_BYTES_MAX: usize = 200;

impl Warp {
    pub(super) fn note_store(&mut self, active: u32, pc: usize) {
        let place = self.frames.place(self.looks_from, pc);
        if active == u32::MAX {
            self.stored_together = self.stored_together.max(place + 1);
            return;
        }
        self.has_stored |= active != 0;
        for lane in lanes(active) {
            self.stored[lane] = self.stored[lane].max(place + 1);
        }
    }

    /// A barrier is passed.
    pub(super) fn forget_stores(&mut self) {
        self.stored_together = 0;
        if std::mem::take(&mut self.has_stored) {
            self.stored = [0; LANES];
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
                    Err(Stop::boxed(TrapKind::Assert { message }, pc, lane))
                }
            },
            _ => Ok(()),
        }
    }

    pub(super) fn addresses(&self, address: Address, shared: &Shared<'_, '_>) -> [u64; LANES] {
        if let Source::Register(slot) = address.base {
            return self.registers[slot].map(|base| base.wrapping_add_signed(address.offset));
        }
        let mut room = [0; LANES];
        self.lanes_of(address.base, &mut room, shared).map(|base| base.wrapping_add_signed(address.offset))
    }

    fn atomic(&mut self, kind: &Kind, active: u32, pc: usize, shared: &mut Shared<'_, '_>) -> Step {
        let Kind::Atomic { space, bytes, f, to, at, b, c, order, compares } = kind else { return Ok(()) };
        let (addresses, b, c) = (self.addresses(*at, shared), self.values(*b, shared), self.values(*c, shared));
        let event = Event { compares: *compares, ..event(pc, *bytes, true, *order) };
        let (mut old_values, mut given, mut place) = ([0; LANES], 0, None);
        let is_exchange = is_exchange(*f);
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
                let at = Some((spot, offset as u64, *bytes));
                if unwritten && is_exchange {
                    (given, place) = (given | 1 << lane, place.or(at));
                } else if unwritten {
                    let who = shared.clocks.who(thread);
                    let (left, is_register) = (shared.left, false);
                    shared.detector.note_unwritten(crate::race::Unwritten { pc, who, at, is_register }, left);
                }
                shared.memory.mark(spot, thread, offset, *bytes as usize, true);
            }
        }
        if let Some(to) = to {
            self.set(*to, active, &old_values);
            if given != 0 {
                self.taint(std::iter::once(to.slot), (active, given), pc, place, shared);
            }
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
        let places = Places { spot, start: 0, addresses: &offsets, shape: Shape::Any };
        let seen = shared.detector.note(places, active, event, same, &mut shared.clocks, self.index);
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
        if let Some((spot, data, start, shape)) =
            first.and_then(|access| shared.memory.common(access, &addresses, active))
        {
            let parts = to.len();
            for (part, target) in to.iter().enumerate() {
                if let Some(target) = target {
                    let start = start.wrapping_sub(u64::from(width.bytes) * part as u64);
                    let elements = Elements { addresses: &addresses, start, shape, active, width, parts };
                    elements.load(data, target.mask, &mut self.registers[target.slot]);
                }
            }
            if shared.detector.is_on {
                self.note_load(Places { spot, start, addresses: &addresses, shape }, to, active, event, shared);
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
                        let offsets = [offset as u64; LANES];
                        let places = Places { spot, start: 0, addresses: &offsets, shape: Shape::Any };
                        self.taint_load(places, (to, width.bytes), (1 << lane, 1 << lane), event, shared);
                    }
                }
                Err(kind) => {
                    return Err(self.fault(kind, access, &addresses, active, event.pc, shared));
                }
            }
        }
        Ok(())
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
        let bytes = event.bytes;
        let nothing = self.unwritten_of(from, width.bytes);
        self.note_store(active, event.pc);
        let mut room = [0; LANES];
        let stored = if let [source] = from {
            let values = self.lanes_of(*source, &mut room, shared);
            self.store_in_one(&[values], (space, width), &addresses, active, shared)
        } else {
            let copies: Vec<_> = from.iter().map(|source| self.values(*source, shared)).collect();
            let values: Vec<_> = copies.iter().collect();
            self.store_in_one(&values, (space, width), &addresses, active, shared)
        };
        if let Some((spot, start, shape, same)) = stored {
            if shared.detector.is_on {
                let places = Places { spot, start, addresses: &addresses, shape };
                self.note_stores(places, active, event, (same, nothing), from, shared);
            }
            return Ok(());
        }
        let values: Vec<_> = from.iter().map(|source| self.values(*source, shared)).collect();
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
                        let places = Places { spot, start: 0, addresses: &offsets, shape: Shape::Any };
                        self.note_stores(places, one, event, (same, nothing), from, shared);
                    }
                }
                Err(kind) => {
                    return Err(self.fault(kind, access, &addresses, active, event.pc, shared));
                }
            }
        }
        Ok(())
    }

    /// Stores vectors, where all lanes store to one variable without a fault: which, its address, how the lanes lie,
    /// and those whose store changes nothing.
    fn store_in_one(
        &self,
        values: &[&Lanes],
        (space, width): (MemorySpace, Width),
        addresses: &Lanes,
        active: u32,
        shared: &mut Shared<'_, '_>,
    ) -> Option<(Spot, u64, Shape, u32)> {
        let parts = values.len();
        let first = self.first_access(space, addresses, active, width.bytes * parts as u32, true)?;
        let (spot, data, start, shape) = shared.memory.common(first, addresses, active)?;
        let mut same = active;
        for (part, values) in values.iter().enumerate() {
            let start = start.wrapping_sub(u64::from(width.bytes) * part as u64);
            same &= Elements { addresses, start, shape, active, width, parts }.store(data, values);
        }
        Some((spot, start, shape, same))
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
    #[expect(clippy::unnecessary_box_returns, reason = "stops are boxed where they are made")]
    pub(super) fn fault(
        &self,
        mut kind: Box<TrapKind>,
        access: Access,
        addresses: &[u64; LANES],
        active: u32,
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Box<Stop> {
        let lane = access.thread - self.index * LANES;
        if let TrapKind::OutOfBounds { threads, .. } = &mut *kind {
            let outside = |other: &usize| {
                let (address, thread) = (addresses[*other], self.index * LANES + other);
                let faulted = shared.memory.load(Access { address, thread, ..access });
                faulted.is_err_and(|kind| matches!(*kind, TrapKind::OutOfBounds { .. }))
            };
            *threads = lanes(active).filter(outside).count() as u64;
        }
        Stop::boxed(kind, pc, lane)
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
                print::format(shared.memory, format, arguments, thread).map_err(|kind| Stop::boxed(kind, pc, lane))?;
            let report = &mut progress.report;
            report.printed_bytes += text.len() as u64;
            let room = print::KEPT_BYTES.saturating_sub(report.printed.len()).min(text.len());
            report.printed.extend(&text[..room]);
            if report.printed_bytes > progress.limits.printf_bytes {
                return Err(Stop::boxed(TrapKind::Flood { bytes: report.printed_bytes }, pc, lane));
            }
        }
        if let Some(to) = to {
            self.set(to, active, &[1; LANES]);
        }
        Ok(())
    }
}

/// Whether an atomic stores the same whatever was there: what was there is no operand then, only a result.
fn is_exchange(f: fn(u64, u64, u64) -> u64) -> bool {
    [0, 1, 7, u64::MAX].iter().all(|old| f(*old, 2, 3) == f(0, 2, 3))
}

pub(super) fn event(pc: usize, bytes: u32, write: bool, order: Order) -> Event {
    Event { pc, bytes, write, strength: order.strength, releases: order.releases, carries_nothing: 0, compares: false }
}
