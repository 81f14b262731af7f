//! Whether an index that left its memory had wrapped at 32 bits before it became an address.
//!
//! The search goes back along the text from the access, through what its address was made of. Registers may have been
//! written again since; so a step counts only where its operands still give its result.

use ptx::ast::Instruction;

use crate::decode::{Program, touched};
use crate::op::{Kind, Slot, Source};

/// Operations that are looked at.
const STEPS_MAX: usize = 256;
/// Registers that are followed at once.
const FOLLOWED_MAX: usize = 32;

/// Arithmetic that wraps at 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wraps {
    Sum { signed: bool },
    Product { signed: bool },
    ProductSum { signed: bool },
    Shift,
}

impl Wraps {
    /// Of an instruction, where it is one.
    pub fn of(instruction: &Instruction) -> Option<Self> {
        let [opcode, modifiers @ ..] = &instruction.words[..] else { return None };
        let has = |word: &str| modifiers.iter().any(|other| other == word);
        let signed = has("s32");
        match opcode.as_str() {
            "shl" if has("b32") => Some(Self::Shift),
            _ if !signed && !has("u32") => None,
            "add" if modifiers.len() == 1 => Some(Self::Sum { signed }),
            "mul" if has("lo") => Some(Self::Product { signed }),
            "mad" if has("lo") && !has("cc") => Some(Self::ProductSum { signed }),
            _ => None,
        }
    }

    /// What it gives without and with wrapping; `None` of other operands than it has.
    fn results(self, operands: &[u64]) -> Option<(i128, i128)> {
        let wide = |value: u64, signed: bool| if signed { i128::from(value as i32) } else { i128::from(value as u32) };
        let (exact, signed) = match (self, operands) {
            (Self::Sum { signed }, [a, b]) => (wide(*a, signed) + wide(*b, signed), signed),
            (Self::Product { signed }, [a, b]) => (wide(*a, signed) * wide(*b, signed), signed),
            (Self::ProductSum { signed }, [a, b, c]) => {
                (wide(*a, signed) * wide(*b, signed) + wide(*c, signed), signed)
            }
            (Self::Shift, [a, b]) => (wide(*a, true) << (*b).min(63), true),
            _ => return None,
        };
        Some((exact, wide(exact as u64, signed)))
    }
}

/// The line of the step that wrapped, in a lane whose values are given.
pub(crate) fn wrapped(program: &Program, pc: usize, value: impl Fn(Source) -> u64) -> Option<u32> {
    let base = match &program.ops.get(pc)?.kind {
        Kind::Load { from, .. } => from.base,
        Kind::Store { to, .. } => to.base,
        Kind::Atomic { at, .. } => at.base,
        _ => return None,
    };
    let mut followed: Vec<Slot> = slots(&[base]).collect();
    for at in (0..pc).rev().take(STEPS_MAX) {
        let Some((writes, reads)) = touched(&program.ops[at].kind) else { continue };
        let Some(slot) = writes.iter().find(|slot| followed.contains(slot)) else { continue };
        if let Some(wraps) = program.marks[at].wraps {
            let operands: Vec<u64> = reads.iter().map(|source| value(*source)).collect();
            let (exact, cut) = wraps.results(&operands)?;
            if cut as u32 == value(Source::Register(*slot)) as u32 && exact != cut {
                return program.line_at(at);
            }
        }
        followed.retain(|slot| !writes.contains(slot));
        followed.extend(slots(&reads));
        if followed.is_empty() || followed.len() > FOLLOWED_MAX {
            return None;
        }
    }
    None
}

fn slots(sources: &[Source]) -> impl Iterator<Item = Slot> {
    sources.iter().filter_map(|source| match source {
        Source::Register(slot) => Some(*slot),
        _ => None,
    })
}
