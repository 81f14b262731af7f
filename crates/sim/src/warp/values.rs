//! What operands are worth, lane by lane, and where results go.

use super::{LANES, Lanes, Predicate, Shared, Source, Special, Target, Warp, lanes};

impl Warp {
    pub(super) fn predicate(&self, predicate: Predicate) -> u32 {
        match predicate {
            Predicate::Slot(slot, negated) => {
                let mask = self.predicates[slot];
                if negated { !mask } else { mask }
            }
            Predicate::Constant(value) => {
                if value {
                    u32::MAX
                } else {
                    0
                }
            }
        }
    }

    pub(super) fn set_predicate(&mut self, slot: u32, active: u32, value: u32) {
        let old = &mut self.predicates[slot];
        *old = (*old & !active) | (value & active);
    }

    pub(crate) fn value(&self, source: Source, lane: usize, shared: &Shared<'_, '_>) -> u64 {
        match source {
            Source::Register(slot) => self.registers[slot][lane],
            Source::Constant(value) => value,
            Source::Spread(index) => shared.program.constants[index as usize][0],
            Source::Frame(address) => address.wrapping_add(self.local),
            Source::Special(special) => self.special(special, lane, shared),
        }
    }

    /// All lanes of a source; what is no register is written to `room` first.
    #[inline]
    pub(super) fn lanes_of<'s, 'a: 's>(
        &'s self,
        source: Source,
        room: &'s mut Lanes,
        shared: &Shared<'a, '_>,
    ) -> &'s Lanes {
        match source {
            Source::Register(slot) => &self.registers[slot],
            Source::Spread(index) => &shared.program.constants[index as usize],
            Source::Special(Special::Tid(axis)) => &self.threads[axis],
            _ => self.made(source, room, shared),
        }
    }

    /// Lanes of what is kept nowhere.
    fn made<'s>(&'s self, source: Source, room: &'s mut Lanes, shared: &Shared<'_, '_>) -> &'s Lanes {
        match source {
            Source::Spread(_) | Source::Register(_) => {}
            Source::Constant(value) => room.fill(value),
            Source::Frame(address) => room.fill(address.wrapping_add(self.local)),
            Source::Special(Special::Tid(axis)) => return &self.threads[axis],
            Source::Special(
                special @ (Special::Ntid(_) | Special::Ctaid(_) | Special::Nctaid(_) | Special::Fixed(_)),
            ) => room.fill(self.special(special, 0, shared)),
            Source::Special(special) => {
                *room = std::array::from_fn(|lane| self.special(special, lane, shared));
            }
        }
        room
    }

    /// A copy of all lanes of a source.
    pub(super) fn values(&self, source: Source, shared: &Shared<'_, '_>) -> Lanes {
        let mut room = [0; LANES];
        *self.lanes_of(source, &mut room, shared)
    }

    pub(super) fn special(&self, special: Special, lane: usize, shared: &Shared<'_, '_>) -> u64 {
        let value = match special {
            Special::Tid(axis) => return self.threads[axis][lane],
            Special::Ntid(axis) => shared.launch.block[axis],
            Special::Ctaid(axis) => shared.block[axis],
            Special::Nctaid(axis) => shared.launch.grid[axis],
            Special::Lane => lane as u32,
            Special::WarpId => self.index as u32,
            Special::Clock => return self.executed,
            Special::DynamicShared => shared.launch.shared_bytes,
            Special::TotalShared => {
                let sizes = shared.program.shared.iter().map(|variable| variable.bytes.map_or(0, |bytes| bytes as u32));
                sizes.fold(shared.launch.shared_bytes, u32::saturating_add)
            }
            Special::Fixed(value) => value,
            Special::LaneMask(order, with_own) => (0..LANES)
                .filter(|other| other.cmp(&lane) == order || (with_own && *other == lane))
                .fold(0, |mask, other| mask | 1 << other),
        };
        u64::from(value)
    }

    #[inline]
    pub(super) fn set(&mut self, to: Target, active: u32, values: &Lanes) {
        let register = &mut self.registers[to.slot];
        if active == u32::MAX {
            for (lane, value) in values.iter().enumerate() {
                register[lane] = value & to.mask;
            }
        } else {
            for lane in lanes(active) {
                register[lane] = values[lane] & to.mask;
            }
        }
    }
}
