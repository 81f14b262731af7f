//! Operations of one lane each, for all active lanes.

use super::{Combine, Kind, LANES, Shared, Step, Stop, Warp, lanes};
use crate::exec;
use crate::launch::{Progress, Rooms};
use crate::trap::TrapKind;

impl Warp {
    pub(super) fn step(
        &mut self,
        kind: &Kind,
        active: u32,
        pc: usize,
        shared: &mut Shared<'_, '_>,
        progress: &mut Progress<'_>,
    ) -> Step {
        match kind {
            Kind::Copy { to, a } => {
                let Rooms { a: room, out, .. } = &mut *progress.rooms;
                out.copy_from_slice(self.lanes_of(*a, room, shared));
                self.set(*to, active, out);
            }
            Kind::Map1 { f, to, a } => {
                let Rooms { a: first, out, .. } = &mut *progress.rooms;
                f(self.lanes_of(*a, first, shared), out);
                self.set(*to, active, out);
            }
            Kind::Map2 { f, to, a, b } => {
                let Rooms { a: first, b: second, out, .. } = &mut *progress.rooms;
                f(self.lanes_of(*a, first, shared), self.lanes_of(*b, second, shared), out);
                self.set(*to, active, out);
            }
            Kind::Map3 { f, to, a, b, c } => {
                let Rooms { a: first, b: second, c: third, out } = &mut *progress.rooms;
                f(
                    self.lanes_of(*a, first, shared),
                    self.lanes_of(*b, second, shared),
                    self.lanes_of(*c, third, shared),
                    out,
                );
                self.set(*to, active, out);
            }
            Kind::Map4 { .. } | Kind::Carry { .. } | Kind::Pack { .. } | Kind::Unpack { .. } | Kind::Select { .. } => {
                self.rearrange(kind, active, shared);
            }
            Kind::Compare { .. } | Kind::Logic { .. } => self.decide(kind, active, shared, &mut progress.rooms),
            Kind::Fence { scope } => {
                if shared.detector.is_on && active != 0 {
                    shared.clocks.fence(self.index, active, *scope);
                }
            }
            Kind::Arrive { id, .. } if active != 0 => {
                let lane = active.trailing_zeros() as usize;
                let id = self.value(*id, lane, shared) & 15;
                if shared.detector.is_on {
                    shared.clocks.arrive(id, self.index);
                }
                shared.arrived[id as usize] += u64::from(active.count_ones());
            }
            Kind::ActiveMask { to } => self.set(*to, active, &[u64::from(active); LANES]),
            Kind::Trap if active != 0 => {
                return Err(Stop::boxed(TrapKind::Trap, pc, active.trailing_zeros() as usize));
            }
            Kind::Nothing | Kind::Trap | Kind::Arrive { .. } => {}
            Kind::Copying(copying) => return self.copying(copying, active, pc, shared),
            Kind::Mbarrier(op) => return self.mbarrier(op, active, pc, shared),
            _ => return self.memory_step(kind, active, pc, shared, progress),
        }
        Ok(())
    }

    /// Predicates.
    fn decide(&mut self, kind: &Kind, active: u32, shared: &Shared<'_, '_>, rooms: &mut Rooms) {
        match kind {
            Kind::Compare { f, to, complement, a, b, combine } => {
                let Rooms { a: first, b: second, .. } = rooms;
                let result = f(self.lanes_of(*a, first, shared), self.lanes_of(*b, second, shared));
                let combined = |result: u32| match combine {
                    None => result,
                    Some((Combine::And, with)) => result & self.predicate(*with),
                    Some((Combine::Or, with)) => result | self.predicate(*with),
                    Some((Combine::Xor, with)) => result ^ self.predicate(*with),
                };
                let (first, second) = (combined(result), combined(!result));
                self.set_predicate(*to, active, first);
                if let Some(slot) = complement {
                    self.set_predicate(*slot, active, second);
                }
            }
            Kind::Logic { f, to, a, b } => {
                let value = f(self.predicate(*a), self.predicate(*b));
                self.set_predicate(*to, active, value);
            }
            _ => {}
        }
    }

    /// What has more than three operands, or registers in parts.
    fn rearrange(&mut self, kind: &Kind, active: u32, shared: &Shared<'_, '_>) {
        match kind {
            Kind::Map4 { f, to, operands } => {
                let [a, b, c, d] = operands.map(|operand| self.values(operand, shared));
                let out = std::array::from_fn(|lane| f(a[lane], b[lane], c[lane], d[lane]));
                self.set(*to, active, &out);
            }
            Kind::Carry { form, to, operands, flag } => {
                let [a, b, c] = operands.map(|operand| self.values(operand, shared));
                let (mut out, mut carries) = ([0; LANES], 0);
                let before = self.predicates[*flag];
                for lane in lanes(active) {
                    let carry = before >> lane & 1 == 1;
                    let (value, carry) = exec::carry::sum(*form, [a[lane], b[lane], c[lane]], carry);
                    out[lane] = value;
                    carries |= u32::from(carry) << lane;
                }
                self.set(*to, active, &out);
                if form.writes {
                    self.set_predicate(*flag, active, carries);
                }
            }
            Kind::Select { to, a, b, condition } => {
                let (a, b, condition) = (self.values(*a, shared), self.values(*b, shared), self.predicate(*condition));
                let out = std::array::from_fn(|lane| if condition >> lane & 1 == 1 { a[lane] } else { b[lane] });
                self.set(*to, active, &out);
            }
            Kind::Pack { to, parts, bits } => {
                let mut out = [0; LANES];
                for (at, part) in parts.iter().enumerate() {
                    let values = self.values(*part, shared);
                    for (out, value) in out.iter_mut().zip(values) {
                        *out |= (value & ((1 << bits) - 1)) << (at as u32 * bits);
                    }
                }
                self.set(*to, active, &out);
            }
            Kind::Unpack { to, a, bits } => {
                let a = self.values(*a, shared);
                for (at, target) in to.iter().enumerate() {
                    if let Some(target) = target {
                        let part = a.map(|a| (a >> (at as u32 * bits)) & ((1 << bits) - 1));
                        self.set(*target, active, &part);
                    }
                }
            }
            _ => {}
        }
    }
}
