//! What stands around an operation: the condition that lets threads come to it, the barriers between two.

use crate::decode::Program;
use crate::op::{Kind, Op};

/// Line of the innermost conditional branch that decides whether `pc` is reached: an `if` that jumps over it, or a
/// loop that comes back to it. Found in the order of the text, as NVRTC lays out structured code.
pub(crate) fn condition(program: &Program, pc: usize) -> Option<u32> {
    let ops = &program.ops;
    let mut best: Option<(usize, usize)> = None;
    let mut note = |start: usize, at: usize| {
        if best.is_none_or(|(known, _)| start >= known) {
            best = Some((start, at));
        }
    };
    for (at, op) in ops.iter().enumerate() {
        let Op { kind: Kind::Branch { to }, guard: Some(_), .. } = op else { continue };
        let to = *to;
        if to <= pc && pc <= at {
            note(to, at);
        } else if at < pc && pc < to {
            note(at, at);
        } else if at < to && to <= pc && pc < end_of_else(ops, to) {
            note(to, at);
        }
    }
    best.map(|(_, at)| ops[at].line).filter(|line| *line != 0)
}

/// Where the other arm of a branch to `to` ends: the jump before it goes there.
fn end_of_else(ops: &[Op], to: usize) -> usize {
    match to.checked_sub(1).map(|before| &ops[before]) {
        Some(Op { kind: Kind::Branch { to: end }, guard: None, .. }) => *end,
        _ => to,
    }
}

/// Lines of barriers of the block between two operations.
pub(crate) fn barriers(program: &Program, a: usize, b: usize) -> Vec<u32> {
    let between = program.ops.get(a.min(b)..a.max(b)).unwrap_or_default();
    let lines = between.iter().filter(|op| matches!(op.kind, Kind::Barrier { .. })).map(|op| op.line);
    let mut lines: Vec<u32> = lines.filter(|line| *line != 0).collect();
    lines.dedup();
    lines
}
