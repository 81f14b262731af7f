//! The short way: all lanes are active, results go to a register that is none of the operands, branches are taken by
//! all or by none. Most operations of most kernels are such, and then nothing is copied but what is computed.

use super::{Kind, LANES, Lanes, Shared, Source, Special, Target, Warp};
use crate::op::Op;

impl Warp {
    /// Runs a whole warp while operations are simple ones, to `meeting` or until `end` at the most; gives where it is
    /// then. With all lanes in one split no branch can lead to a meeting.
    #[inline(never)]
    pub(super) fn run_simple(&mut self, mut pc: usize, meeting: usize, end: u64, shared: &Shared<'_, '_>) -> usize {
        let ops = &shared.program.ops[..];
        let mut executed = self.executed;
        while executed < end
            && let Some(Op { kind, guard, .. }) = ops.get(pc)
        {
            let active = guard.map_or(u32::MAX, |guard| self.predicate(guard));
            match kind {
                Kind::Branch { to } if active == u32::MAX => pc = *to,
                _ if active == 0 && is_nothing_without_lanes(kind) => pc += 1,
                _ if active != u32::MAX => break,
                Kind::Compare { f, to, complement: None, a, b, combine: None } => {
                    let (Some(a), Some(b)) = (self.kept(*a, shared), self.kept(*b, shared)) else { break };
                    self.predicates[*to] = f(a, b);
                    pc += 1;
                }
                kind if self.map_at_once(kind, shared) => pc += 1,
                _ => break,
            }
            executed += 1;
            if pc == meeting {
                break;
            }
        }
        self.executed = executed;
        pc
    }

    /// Lanes of a source, where they are kept somewhere.
    #[inline]
    fn kept<'s, 'a: 's>(&'s self, source: Source, shared: &Shared<'a, '_>) -> Option<&'s [u64; LANES]> {
        match source {
            Source::Register(slot) => Some(&self.registers[slot]),
            Source::Spread(index) => Some(&shared.program.constants[index as usize]),
            Source::Special(Special::Tid(axis)) => Some(&self.threads[axis]),
            _ => None,
        }
    }

    /// Computes a whole warp's result in its place; false where that is not possible.
    #[inline]
    pub(super) fn map_at_once(&mut self, kind: &Kind, shared: &Shared<'_, '_>) -> bool {
        let constants = &shared.program.constants;
        let registers = &mut self.registers;
        let done = match *kind {
            Kind::Map1 { f, to, a: Source::Register(a) } => {
                registers.beside(to.slot, a).map(|(out, a)| cut(to, out, |out| f(a, out)))
            }
            Kind::Map2 { f, to, a: Source::Register(a), b: Source::Register(b) } => {
                registers.beside_two(to.slot, a, b).map(|(out, a, b)| cut(to, out, |out| f(a, b, out)))
            }
            Kind::Map2 { f, to, a: Source::Register(a), b: Source::Spread(b) } => {
                let b = &constants[b as usize];
                registers.beside(to.slot, a).map(|(out, a)| cut(to, out, |out| f(a, b, out)))
            }
            Kind::Map3 { f, to, a: Source::Register(a), b: Source::Register(b), c: Source::Register(c) } => {
                let found = registers.beside_three(to.slot, [a, b, c]);
                found.map(|(out, [a, b, c])| cut(to, out, |out| f(a, b, c, out)))
            }
            Kind::Copy { to, a: Source::Register(a) } => {
                registers.beside(to.slot, a).map(|(out, a)| cut(to, out, |out| *out = *a))
            }
            Kind::Copy { to, a: Source::Spread(a) } => {
                cut(to, &mut registers[to.slot], |out| *out = constants[a as usize]);
                Some(())
            }
            _ => return false,
        };
        done.is_some()
    }
}

/// Whether an operation that no lane executes is over at once.
#[inline]
fn is_nothing_without_lanes(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Branch { .. }
            | Kind::Map1 { .. }
            | Kind::Map2 { .. }
            | Kind::Map3 { .. }
            | Kind::Copy { .. }
            | Kind::Load { .. }
            | Kind::Store { .. }
    )
}

/// A result, cut to the register's width.
#[inline]
fn cut(to: Target, out: &mut Lanes, compute: impl FnOnce(&mut Lanes)) {
    compute(out);
    if to.mask != u64::MAX {
        for value in out {
            *value &= to.mask;
        }
    }
}
