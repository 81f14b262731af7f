//! Writes down what a warp does: a step begins before its operation, and ends when the registers have changed.

use super::{Kind, LANES, Lanes, Shared, Wait, Warp, lanes};
use crate::launch::Progress;
use crate::memory::{GLOBAL_BASE, LOCAL_WINDOW, PARAM_WINDOW, REGION_BYTES};
use crate::memory::{SHARED_SLOT_BYTES, SHARED_START, SHARED_WINDOW};
use crate::op::copy::Copying;
use crate::op::matrix::Matrix;
use crate::op::{MemorySpace, Op};
use crate::trace::{Accessed, Begun, Change, Event, Touched, Tracer, Way};
use crate::trap::Space;

/// Bytes of a window of generic addresses.
const WINDOW_BYTES: u64 = 1 << 32;
/// Bytes of a row of `ldmatrix` and `stmatrix`.
const MATRIX_ROW_BYTES: u32 = 16;

impl Warp {
    /// The next step begins, and the one before it is over. `mask` are the lanes that are there, `active` those whose
    /// condition holds.
    #[inline]
    pub(super) fn begin_step(
        &self,
        progress: &mut Progress<'_>,
        op: &Op,
        lanes: (u32, u32),
        pc: usize,
        shared: &Shared<'_, '_>,
    ) {
        if let Some(tracer) = &mut progress.tracer {
            self.begin(tracer, op, lanes, pc, shared);
        }
    }

    /// A step is over, if one had begun.
    #[inline]
    pub(super) fn end_step(&self, progress: &mut Progress<'_>, shared: &Shared<'_, '_>) {
        if let Some(tracer) = &mut progress.tracer {
            self.end(tracer, shared);
        }
    }

    fn begin(&self, tracer: &mut Tracer, op: &Op, (mask, active): (u32, u32), pc: usize, shared: &Shared<'_, '_>) {
        self.end(tracer, shared);
        let [nx, ny, _] = shared.launch.grid.map(u64::from);
        let [x, y, z] = shared.block.map(u64::from);
        if !tracer.wants((z * ny + y) * nx + x) {
            return;
        }
        let active = if matches!(op.kind, Kind::Branch { .. }) { mask } else { active };
        let event = Event {
            block: shared.block,
            warp: self.index as u32,
            pc: pc as u32,
            line: shared.program.line_at(pc),
            active,
            accesses: if active == 0 { vec![] } else { self.accesses(&op.kind, active, shared) },
            changes: vec![],
        };
        tracer.begun = Some(Begun { event, frame: self.looks_from });
        if let Some(routine) = shared.program.routine_at(pc) {
            tracer.before.registers.clear();
            tracer.before.registers.extend_from_slice(self.registers.seen(routine.registers));
            tracer.before.predicates.clear();
            tracer.before.predicates.extend_from_slice(self.predicates.seen(routine.predicates));
        }
    }

    /// A step is over. Lanes that only came to wait for others have done nothing: they will come again.
    fn end(&self, tracer: &mut Tracer, shared: &Shared<'_, '_>) {
        let Some(Begun { mut event, frame }) = tracer.begun.take() else { return };
        if shared.program.ops[event.pc as usize].kind.is_collective() {
            let came = |split: &&super::Split| {
                split.wait == Wait::Lanes && split.last_run == self.executed && split.pc == event.pc as usize
            };
            let parked = self.splits.iter().filter(came).fold(0, |mask, split| mask | split.mask);
            if event.active != 0 && event.active & !parked == 0 {
                return;
            }
            event.active &= !parked;
        }
        if frame == self.looks_from {
            event.changes = self.changes(tracer, event.active);
        }
        tracer.keep(event);
    }

    fn changes(&self, tracer: &Tracer, active: u32) -> Vec<Change> {
        let mut changes = vec![];
        let before = &tracer.before;
        let now = self.registers.seen(before.registers.len());
        for (slot, (old, new)) in before.registers.iter().zip(now).enumerate() {
            let changed = lanes(active).filter(|lane| old[*lane] != new[*lane]).fold(0, |mask, lane| mask | 1 << lane);
            if changed != 0 {
                let values = lanes(changed).map(|lane| new[lane]).collect();
                changes.push(Change { slot: slot as u32, is_predicate: false, lanes: changed, values });
            }
        }
        let now = self.predicates.seen(before.predicates.len());
        for (slot, (old, new)) in before.predicates.iter().zip(now).enumerate() {
            let changed = (old ^ new) & active;
            if changed != 0 {
                let values = lanes(changed).map(|lane| u64::from(new >> lane & 1)).collect();
                changes.push(Change { slot: slot as u32, is_predicate: true, lanes: changed, values });
            }
        }
        changes
    }

    fn accesses(&self, kind: &Kind, active: u32, shared: &Shared<'_, '_>) -> Vec<Accessed> {
        let access = |way, space, at, bytes, active| {
            let addresses: Lanes = self.addresses(at, shared);
            let lanes = lanes(active).map(|lane| touched(space, lane, addresses[lane])).collect();
            Accessed { way, bytes, lanes }
        };
        match kind {
            Kind::Load { space, width, to, from, .. } => {
                vec![access(Way::Load, *space, *from, width.bytes * to.len() as u32, active)]
            }
            Kind::Store { space, width, from, to, .. } => {
                vec![access(Way::Store, *space, *to, width.bytes * from.len() as u32, active)]
            }
            Kind::Atomic { space, bytes, at, .. } => vec![access(Way::Atomic, *space, *at, *bytes, active)],
            Kind::Copying(copying) => match &**copying {
                Copying::Start { to, from, bytes, .. } => vec![
                    access(Way::Load, MemorySpace::Global, *from, *bytes, active),
                    access(Way::Store, MemorySpace::Shared, *to, *bytes, active),
                ],
                _ => vec![],
            },
            Kind::Matrix(matrix) => match &**matrix {
                Matrix::LoadRows { to, from, .. } => {
                    let rows = active & rows_mask(to.len());
                    vec![access(Way::Load, from.space, from.address, MATRIX_ROW_BYTES, rows)]
                }
                Matrix::StoreRows { from, to, .. } => {
                    let rows = active & rows_mask(from.len());
                    vec![access(Way::Store, to.space, to.address, MATRIX_ROW_BYTES, rows)]
                }
                _ => vec![],
            },
            _ => vec![],
        }
    }
}

/// Lanes that name the rows of so many matrices of eight.
fn rows_mask(matrices: usize) -> u32 {
    u32::MAX >> (LANES - (8 * matrices).clamp(1, LANES))
}

/// Where an address lies, whether or not anything is there.
fn touched(space: MemorySpace, lane: usize, address: u64) -> Touched {
    let within = |window: u64| Some(address.wrapping_sub(window)).filter(|offset| *offset < WINDOW_BYTES);
    let (space, variable, offset) = match space {
        MemorySpace::Shared => in_shared(address),
        MemorySpace::Local => (Space::Local, None, address),
        MemorySpace::Global => in_global(address),
        MemorySpace::Generic => match (within(SHARED_WINDOW), within(LOCAL_WINDOW)) {
            (Some(address), _) => in_shared(address),
            (_, Some(address)) => (Space::Local, None, address),
            _ if within(PARAM_WINDOW).is_some() => (Space::Wild, None, address),
            _ => in_global(address),
        },
    };
    Touched { lane: lane as u8, space, variable, offset: offset as i64 }
}

fn in_shared(address: u64) -> (Space, Option<u32>, u64) {
    let slot = (address.wrapping_add(SHARED_SLOT_BYTES / 2) / SHARED_SLOT_BYTES).checked_sub(1);
    match slot {
        Some(slot) => (Space::Shared, Some(slot as u32), address.wrapping_sub(SHARED_START + slot * SHARED_SLOT_BYTES)),
        None => (Space::Wild, None, address),
    }
}

fn in_global(address: u64) -> (Space, Option<u32>, u64) {
    match (address / REGION_BYTES).checked_sub(1) {
        Some(region) => {
            let start = GLOBAL_BASE.wrapping_add(region.wrapping_mul(REGION_BYTES));
            (Space::Global, Some(region as u32), address.wrapping_sub(start))
        }
        None => (Space::Wild, None, address),
    }
}
