//! `mbarrier`: barriers that are 64 bits of shared memory (PTX ISA 9.0, section 9.7.13.15).

use super::memory::event;
use super::{LANES, Shared, Step, Stop, Warp, lanes};
use crate::exec::barrier::Barrier;
use crate::memory::Access;
use crate::op::Order;
use crate::op::copy::{BarrierAction, BarrierOp};
use crate::race::{Event, Scope, Strength};
use crate::trap::TrapKind;

impl Warp {
    /// One operation of each lane, one after the other.
    pub(super) fn mbarrier(&mut self, op: &BarrierOp, active: u32, pc: usize, shared: &mut Shared<'_, '_>) -> Step {
        let addresses = self.addresses(op.at.address, shared);
        for lane in lanes(active) {
            let thread = self.index * LANES + lane;
            let access = Access { space: op.at.space, address: addresses[lane], bytes: 8, write: true, thread };
            let (bits, spot, offset) = match shared.memory.access(access) {
                Ok((data, spot, offset)) => match data.first_chunk::<8>() {
                    Some(bytes) => (u64::from_le_bytes(*bytes), spot, offset),
                    None => continue,
                },
                Err(kind) => return Err(self.fault(kind, access, &addresses, active, pc, shared)),
            };
            let stop = |kind| Stop::boxed(kind, pc, lane);
            let after = self.after(op.action, bits, lane, shared).map_err(stop)?;
            if let BarrierAction::Arrive { state: Some(to), .. } = op.action {
                self.registers[to.slot][lane] = bits & to.mask;
                self.taint.set(to.slot, 1 << lane, (0, 0));
            }
            let is_over = match op.action {
                BarrierAction::Test { to, state, is_parity } => {
                    let state = self.value(state, lane, shared);
                    let is_over = Barrier::of(bits).is_some_and(|barrier| barrier.is_over(state, is_parity));
                    self.set_predicate(to, 1 << lane, u32::from(is_over) << lane);
                    self.taint.set_predicate(to, 1 << lane, (0, 0));
                    Some(is_over)
                }
                _ => None,
            };
            if after != bits
                && let Ok((data, ..)) = shared.memory.access(access)
            {
                data.copy_from_slice(&after.to_le_bytes());
            }
            // Who finds that a phase is not over learns nothing.
            let Some(spot) = spot.filter(|_| is_over != Some(false)) else { continue };
            let event = noted(op, pc);
            self.note_one((spot, offset), lane, &event, false, shared);
        }
        Ok(())
    }

    /// The bits after an operation.
    fn after(&self, action: BarrierAction, bits: u64, lane: usize, shared: &Shared<'_, '_>) -> Result<u64, TrapKind> {
        let value = |source| self.value(source, lane, shared);
        let count = |source| value(source) & 0xffff_ffff;
        if let BarrierAction::Initialise(source) = action {
            return Barrier::new(count(source))
                .map(Barrier::bits)
                .ok_or_else(|| refused("an mbarrier for no arrivals"));
        }
        let barrier = Barrier::of(bits).ok_or_else(|| refused("an mbarrier that mbarrier.init did not set up"))?;
        let too_many = || refused("an mbarrier of more bytes than it can count");
        let after = match action {
            BarrierAction::Invalidate => return Ok(u64::MAX),
            BarrierAction::Arrive { count: source, bytes, drops, .. } => {
                let arrivals = count(source);
                let counted = barrier.with_bytes(count(bytes) as i64).ok_or_else(too_many)?;
                counted.arrived(arrivals, drops).ok_or(TrapKind::BarrierDivergence {
                    arrived: barrier.expected - barrier.pending.min(barrier.expected) + arrivals,
                    expected: barrier.expected,
                })?
            }
            BarrierAction::Expect(source) => barrier.with_bytes(count(source) as i64).ok_or_else(too_many)?,
            BarrierAction::Complete(source) => {
                barrier.with_bytes(-(count(source) as i64)).ok_or_else(too_many)?.settled()
            }
            BarrierAction::Test { .. } | BarrierAction::Initialise(_) => barrier,
        };
        Ok(after.bits())
    }
}

/// What the race detector is told: arrivals release, a wait that succeeded acquires.
fn noted(op: &BarrierOp, pc: usize) -> Event {
    let is_plain = matches!(op.action, BarrierAction::Initialise(_) | BarrierAction::Invalidate);
    let is_test = matches!(op.action, BarrierAction::Test { .. });
    let scope = (!is_plain).then_some(Scope::Block);
    let strength = Strength { scope, atomic: !is_plain && !is_test, ..Strength::WEAK };
    let releases = op.releases.then_some(Scope::Block);
    event(pc, 8, !is_test, Order { strength, releases })
}

fn refused(what: &str) -> TrapKind {
    TrapKind::Unsupported { what: what.to_owned() }
}
