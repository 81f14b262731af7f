//! Registers that a kernel may read before it writes them: only these are cleared when a block starts, and in a build
//! for debugging, where nothing was optimised away, they are variables that were never set.

use super::Routine;
use crate::op::{Callee, Kind, Op, Slot, Source, Target, VoteTarget};

/// Words of sets that are kept; above that all registers are cleared.
const WORDS_MAX: usize = 1 << 20;
/// Passes over the text; a kernel that needs more has all registers cleared.
const PASSES_MAX: usize = 64;

/// Registers of the kernel's own frame that may be read before they are written; `None` where that is not known.
pub(super) fn unset_registers(ops: &[Op], routines: &[Routine]) -> Option<Vec<Slot>> {
    let kernel = routines.first()?;
    // Functions have registers of their own.
    let ops = &ops[..routines.get(1).map_or(ops.len(), |function| function.start)];
    let words = kernel.registers.div_ceil(64);
    let leaders = leaders(ops);
    if leaders.len().checked_mul(words)? > WORDS_MAX {
        return None;
    }
    let mut before = vec![0_u64; leaders.len() * words];
    for _ in 0..PASSES_MAX {
        let mut changed = false;
        for block in (0..leaders.len()).rev() {
            let (start, end) = (leaders[block], leaders.get(block + 1).copied().unwrap_or(ops.len()));
            let mut live = vec![0_u64; words];
            let mut join = |pc: usize| {
                if let Ok(next) = leaders.binary_search(&pc) {
                    live.iter_mut().zip(&before[next * words..]).for_each(|(live, next)| *live |= next);
                }
            };
            let last = &ops[end - 1];
            if let Kind::Branch { to } = last.kind {
                join(to);
            }
            if !(matches!(last.kind, Kind::Branch { .. } | Kind::Exit) && last.guard.is_none()) {
                join(end);
            }
            for op in ops[start..end].iter().rev() {
                step_back(op, &mut live)?;
            }
            let old = &mut before[block * words..][..words];
            changed |= *old != live[..];
            old.copy_from_slice(&live);
        }
        if !changed {
            let is_live = |slot: &usize| before.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1);
            return Some((0..kernel.registers).filter(is_live).map(|slot| slot as Slot).collect());
        }
    }
    None
}

/// First operations of stretches that are entered only there.
fn leaders(ops: &[Op]) -> Vec<usize> {
    let mut is_leader = vec![false; ops.len()];
    let mut mark = |at: usize| is_leader.get_mut(at).map(|leader| *leader = true);
    mark(0);
    for (at, op) in ops.iter().enumerate() {
        if let Kind::Branch { to } = op.kind {
            mark(to);
        }
        if matches!(op.kind, Kind::Branch { .. } | Kind::Exit) {
            mark(at + 1);
        }
    }
    is_leader.iter().enumerate().filter_map(|(at, leader)| leader.then_some(at)).collect()
}

/// What is live before an operation, from what is live after it; `None` where that is not known.
fn step_back(op: &Op, live: &mut [u64]) -> Option<()> {
    let mut touched = Touched::default();
    touched.look_at(&op.kind)?;
    if op.guard.is_none() {
        for slot in touched.writes {
            live[slot as usize / 64] &= !(1 << (slot % 64));
        }
    }
    for source in touched.reads {
        if let Source::Register(slot) = source {
            live[slot as usize / 64] |= 1 << (slot % 64);
        }
    }
    Some(())
}

/// Registers that an operation writes, and operands that it reads; `None` where that is not known.
pub(crate) fn touched(kind: &Kind) -> Option<(Vec<Slot>, Vec<Source>)> {
    let mut touched = Touched::default();
    touched.look_at(kind)?;
    Some((touched.writes, touched.reads))
}

#[derive(Default)]
struct Touched {
    writes: Vec<Slot>,
    reads: Vec<Source>,
}

impl Touched {
    fn add(&mut self, to: Target, reads: &[Source]) {
        self.writes.push(to.slot);
        self.reads.extend(reads);
    }

    fn add_all(&mut self, to: &[Option<Target>], reads: &[Source]) {
        self.writes.extend(to.iter().flatten().map(|target| target.slot));
        self.reads.extend(reads);
    }

    /// `None` where the operation is not known here.
    fn look_at(&mut self, kind: &Kind) -> Option<()> {
        match kind {
            Kind::Copy { to, a } | Kind::Map1 { to, a, .. } => self.add(*to, &[*a]),
            Kind::Map2 { to, a, b, .. } | Kind::Select { to, a, b, .. } => self.add(*to, &[*a, *b]),
            Kind::Map3 { to, a, b, c, .. } => self.add(*to, &[*a, *b, *c]),
            Kind::Map4 { to, operands, .. } => self.add(*to, operands),
            Kind::Carry { to, operands, .. } => self.add(*to, operands),
            Kind::Pack { to, parts, .. } => self.add(*to, parts),
            Kind::Unpack { to, a, .. } => self.add_all(to, &[*a]),
            Kind::Compare { a, b, .. } => self.reads.extend([*a, *b]),
            Kind::ActiveMask { to } => self.add(*to, &[]),
            Kind::Logic { .. } | Kind::Branch { .. } | Kind::Exit | Kind::Trap | Kind::Fence { .. } | Kind::Nothing => {
            }
            _ => return self.look_further(kind),
        }
        Some(())
    }

    fn look_further(&mut self, kind: &Kind) -> Option<()> {
        match kind {
            Kind::Load { to, from, .. } => self.add_all(to, &[from.base]),
            Kind::LoadParam { to, .. } => self.add_all(to, &[]),
            Kind::Store { from, to, .. } => {
                self.reads.extend(from);
                self.reads.push(to.base);
            }
            Kind::Atomic { to, at, b, c, .. } => self.add_all(&[*to], &[at.base, *b, *c]),
            // Lanes of other splits are read too, but only where they take part.
            Kind::Shuffle { to, a, b, c, mask, .. } => self.add(*to, &[*a, *b, *c, *mask]),
            Kind::Vote { to: VoteTarget::Register(to), mask, .. } => self.add(*to, &[*mask]),
            Kind::Match { to, a, mask, .. } | Kind::Reduce { to, a, mask, .. } => self.add(*to, &[*a, *mask]),
            Kind::Barrier { id, count, reduction: None } => {
                self.reads.push(*id);
                self.reads.extend(count);
            }
            Kind::WarpSync { mask: source } | Kind::Vote { mask: source, .. } | Kind::Arrive { id: source } => {
                self.reads.push(*source);
            }
            Kind::Call(call) => {
                if let Callee::Pointer(pointer) = call.callee {
                    self.reads.push(pointer);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Program;

    /// How many registers are cleared; `None` is all.
    fn unset(registers: &str, body: &str) -> Option<usize> {
        let text = format!(
            ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{\n{registers}\n{body}\nret;\n}}"
        );
        Program::decode(&text, "k").expect("it decodes").unset.as_ref().map(Vec::len)
    }

    #[test]
    fn only_what_may_be_read_before_it_is_written_is_cleared() {
        let registers = ".reg .b32 %r<4>;\n.reg .pred %p<2>;";
        assert_eq!(unset(registers, "mov.u32 %r1, 1;\nadd.s32 %r2, %r1, %r1;"), Some(0));
        assert_eq!(unset(registers, "add.s32 %r2, %r1, %r3;"), Some(2));
        assert_eq!(
            unset(registers, "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, 1;\nmov.u32 %r3, %r2;"),
            Some(1)
        );
        let branches =
            "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra A;\nmov.u32 %r2, 1;\nA:\nmov.u32 %r3, %r2;";
        assert_eq!(unset(registers, branches), Some(1), "one way round leaves it unset");
        let loops =
            "mov.u32 %r1, 0;\nA:\nadd.s32 %r2, %r2, 1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n@%p1 bra A;";
        assert_eq!(unset(registers, loops), Some(1), "only the first round reads what is unset");
    }
}
