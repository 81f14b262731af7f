//! Values that nobody wrote, followed from the load to their first use.
//!
//! A load of unwritten memory is no mistake by itself: what is loaded may be thrown away. It becomes one where the
//! value decides a branch, forms an address, goes into an atomic, or is given away in a buffer. Until the first such
//! load a warp pays one test per instruction.

mod parts;

use super::window::Window;
use super::{Kind, LANES, Shared, Warp, lanes};
use crate::op::{Address, Predicate, Slot, Source, VoteTarget};
use crate::race::{Spot, Unwritten};

/// Which lanes of which registers hold nothing that was written.
#[derive(Default)]
pub(super) struct Taint {
    /// Whether there ever was one.
    pub any: bool,
    registers: Window<Mark>,
    predicates: Window<Mark>,
    reads: Vec<Unwritten>,
    /// Of each read, the bytes of the register that nobody wrote; [`parts::ALL`] unless others of it were written.
    parts: Vec<u8>,
    /// Whether there ever was a register of which some bytes were written.
    has_parts: bool,
    /// The operation that runs.
    pub pc: usize,
}

/// Where nothing but a copy has read a register yet.
const NOWHERE: usize = usize::MAX;

/// Lanes, and the number of the read that they come from.
pub(super) type Mark = (u32, u32);

impl Taint {
    pub fn of(&self, source: Source) -> Mark {
        match source {
            Source::Register(slot) => self.registers.get(slot).copied().unwrap_or_default(),
            _ => (0, 0),
        }
    }

    fn of_predicate(&self, predicate: Predicate) -> Mark {
        match predicate {
            Predicate::Slot(slot, _) => self.predicates.get(slot).copied().unwrap_or_default(),
            Predicate::Constant(_) => (0, 0),
        }
    }

    pub fn set(&mut self, slot: Slot, active: u32, mark: Mark) {
        set(&mut self.registers, slot, active, mark);
    }

    pub fn set_predicate(&mut self, slot: Slot, active: u32, mark: Mark) {
        set(&mut self.predicates, slot, active, mark);
    }

    /// A block starts: nothing is known yet.
    pub fn restart(&mut self) {
        if self.any {
            *self = Self::default();
        }
    }

    /// Registers that nobody has written in these lanes.
    pub fn start_unset(&mut self, slots: &[Slot], lanes: u32) {
        if !slots.is_empty() {
            self.any = true;
            self.origin(Unwritten { pc: NOWHERE, who: 0, at: None, is_register: true }, parts::ALL);
            for slot in slots {
                self.set(*slot, lanes, (lanes, 0));
            }
        }
    }

    /// What is computed of a register that nobody wrote was read here.
    fn located(&mut self, (mask, origin): Mark, active: u32, first: u32) -> Mark {
        let is_raw = self.reads.get(origin as usize).is_some_and(|read| read.is_register && read.pc == NOWHERE);
        if mask & active == 0 || !is_raw {
            return (mask, origin);
        }
        let pc = self.pc;
        let who = first + (mask & active).trailing_zeros();
        (mask, self.origin(Unwritten { pc, who, at: None, is_register: true }, parts::ALL))
    }

    /// Looks from another frame.
    pub fn look_from(&mut self, registers: usize, predicates: usize) {
        self.registers.look_from(registers);
        self.predicates.look_from(predicates);
    }

    /// Lanes enter a function: nothing is known of its registers. Each range is a first register and a count.
    pub fn forget(&mut self, group: u32, registers: (usize, usize), predicates: (usize, usize)) {
        if self.any {
            for (marks, (from, count)) in [(&mut self.registers, registers), (&mut self.predicates, predicates)] {
                marks.each_of(from, count, |mark| mark.0 &= !group);
            }
        }
    }

    fn read(&self, mark: Mark) -> Option<Unwritten> {
        self.reads.get(mark.1 as usize).copied()
    }
}

fn set(marks: &mut Window<Mark>, slot: Slot, active: u32, (mask, origin): Mark) {
    marks.reach(marks.place(slot) + 1, (0, 0));
    let old = &mut marks[slot];
    let mask = mask & active;
    let origin = if mask == 0 { old.1 } else { origin };
    *old = ((old.0 & !active) | mask, origin);
}

pub(super) fn join(marks: impl IntoIterator<Item = Mark>) -> Mark {
    marks.into_iter().fold((0, 0), |joined, mark| (joined.0 | mark.0, if joined.0 == 0 { mark.1 } else { joined.1 }))
}

impl Warp {
    /// The lanes of `unwritten` got a value that nobody wrote: from memory, or by a shuffle from a lane that is not there.
    #[cold]
    pub(super) fn taint(
        &mut self,
        targets: impl Iterator<Item = Slot>,
        (active, unwritten): (u32, u32),
        pc: usize,
        at: Option<(Spot, u64, u32)>,
        shared: &Shared<'_, '_>,
    ) {
        let lane = unwritten.trailing_zeros() as usize;
        let who = shared.clocks.who(self.index * LANES + lane);
        let origin = self.taint.origin(Unwritten { pc, who, at, is_register: false }, parts::ALL);
        self.taint.any = true;
        for slot in targets {
            self.taint.set(slot, active, (unwritten, origin));
        }
    }

    /// A value was used that nobody wrote.
    pub(super) fn use_of(&self, source: Source, active: u32, shared: &mut Shared<'_, '_>) {
        let mark = self.taint.of(source);
        self.report(mark, active, shared);
    }

    fn report(&self, mark: Mark, active: u32, shared: &mut Shared<'_, '_>) {
        if mark.0 & active != 0
            && let Some(mut read) = self.taint.read(mark)
        {
            if read.pc == NOWHERE {
                read.pc = self.taint.pc;
                read.who = shared.clocks.who(self.index * LANES) + (mark.0 & active).trailing_zeros();
            }
            shared.detector.note_unwritten(read, shared.left);
        }
    }

    /// Follows marks through one instruction. Loads set marks of their own afterwards.
    #[cold]
    pub(super) fn spread(&mut self, kind: &Kind, guard: Option<Predicate>, active: u32, shared: &mut Shared<'_, '_>) {
        if let Some(guard) = guard {
            let mark = self.taint.of_predicate(guard);
            self.report(mark, self.live(), shared);
        }
        if self.spread_parts(kind, active, shared) {
            return;
        }
        let (taint, first) = (&mut self.taint, shared.clocks.who(self.index * LANES));
        match kind {
            Kind::Copy { to, a } | Kind::Map1 { to, a, .. } => taint.set(to.slot, active, taint.of(*a)),
            Kind::Map2 { to, a, b, .. } => {
                let mark = taint.located(join([taint.of(*a), taint.of(*b)]), active, first);
                taint.set(to.slot, active, mark);
            }
            Kind::Map3 { to, a, b, c, .. } => {
                let mark = taint.located(join([taint.of(*a), taint.of(*b), taint.of(*c)]), active, first);
                taint.set(to.slot, active, mark);
            }
            Kind::Map4 { to, operands, .. } => {
                taint.set(to.slot, active, join(operands.map(|operand| taint.of(operand))));
            }
            Kind::Carry { to, operands, flag, .. } => {
                let mark = join(operands.map(|operand| taint.of(operand)));
                taint.set(to.slot, active, mark);
                taint.set_predicate(*flag, active, mark);
            }
            Kind::Compare { to, complement, a, b, combine, .. } => {
                let with = combine.map_or((0, 0), |(_, with)| taint.of_predicate(with));
                let mark = taint.located(join([taint.of(*a), taint.of(*b), with]), active, first);
                taint.set_predicate(*to, active, mark);
                if let Some(slot) = complement {
                    taint.set_predicate(*slot, active, mark);
                }
            }
            Kind::Logic { to, a, b, .. } => {
                taint.set_predicate(*to, active, join([taint.of_predicate(*a), taint.of_predicate(*b)]));
            }
            _ => self.spread_further(kind, active, shared),
        }
    }

    fn spread_further(&mut self, kind: &Kind, active: u32, shared: &mut Shared<'_, '_>) {
        match kind {
            Kind::Select { to, a, b, condition } => {
                let chosen = self.predicate(*condition);
                let taint = &mut self.taint;
                let (a, b) = (taint.of(*a), taint.of(*b));
                let mark = join([(a.0 & chosen, a.1), (b.0 & !chosen, b.1), taint.of_predicate(*condition)]);
                taint.set(to.slot, active, mark);
            }
            Kind::Load { to, from, .. } => {
                self.use_address(*from, active, shared);
                to.iter().flatten().for_each(|target| self.taint.set(target.slot, active, (0, 0)));
            }
            Kind::LoadParam { to, .. } => {
                to.iter().flatten().for_each(|target| self.taint.set(target.slot, active, (0, 0)));
            }
            Kind::Store { to, .. } => self.use_address(*to, active, shared),
            Kind::Atomic { at, b, c, to, .. } => {
                self.use_address(*at, active, shared);
                self.use_of(*b, active, shared);
                self.use_of(*c, active, shared);
                if let Some(to) = to {
                    self.taint.set(to.slot, active, (0, 0));
                }
            }
            Kind::Shuffle { to, a, mode, b, c, in_range, .. } => {
                let mark = self.taint.of(*a);
                let (b, c) = (self.values(*b, shared), self.values(*c, shared));
                let from = |lane: usize| {
                    let (source, ok) = super::collective::source_lane(*mode, lane, b[lane], c[lane]);
                    if ok { source } else { lane }
                };
                let mask = lanes(active).filter(|lane| mark.0 >> from(*lane) & 1 == 1).fold(0, |m, lane| m | 1 << lane);
                self.taint.set(to.slot, active, (mask, mark.1));
                if let Some(slot) = in_range {
                    self.taint.set_predicate(*slot, active, (0, 0));
                }
            }
            Kind::Vote { to, a, .. } => {
                let mark = self.taint.of_predicate(*a);
                let all = if mark.0 & active == 0 { (0, 0) } else { (active, mark.1) };
                match to {
                    VoteTarget::Register(to) => self.taint.set(to.slot, active, all),
                    VoteTarget::Predicate(slot) => self.taint.set_predicate(*slot, active, all),
                }
            }
            Kind::Match { to, a, .. } | Kind::Reduce { to, a, .. } => {
                let mark = self.taint.of(*a);
                let all = if mark.0 & active == 0 { (0, 0) } else { (active, mark.1) };
                self.taint.set(to.slot, active, all);
            }
            Kind::ActiveMask { to } => self.taint.set(to.slot, active, (0, 0)),
            _ => {}
        }
    }

    fn use_address(&self, address: Address, active: u32, shared: &mut Shared<'_, '_>) {
        self.use_of(address.base, active, shared);
    }
}
