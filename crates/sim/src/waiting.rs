//! Whom threads wait for, when nothing goes on any more: at a barrier, for lanes of their warp, or in a loop that asks
//! again and again what memory holds.

use crate::Where;
use crate::decode::Program;
use crate::op::{Address, Kind, Op, Source};

/// Different things to wait for that are told.
pub(crate) const TOLD_MAX: usize = 4;

/// Threads that wait at one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Line in the learner's source.
    pub line: Option<u32>,
    /// How many of the block.
    pub threads: u64,
    /// One of them.
    pub thread: [u32; 3],
    /// What for.
    pub what: WaitsFor,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// Other threads of its block.
    Barrier,
    /// Other lanes of its warp.
    Lanes,
    /// Another value in memory.
    Memory {
        /// Where.
        at: Where,
        /// What it holds.
        holds: u64,
    },
    /// Nothing: it runs.
    Nothing,
}

/// The access that a loop around this place repeats until it gives another value, with its bytes.
pub(crate) fn asked_again(program: &Program, pc: usize) -> Option<(Address, u32)> {
    let ops = &program.ops;
    let backward = |at: usize| match ops[at].kind {
        Kind::Branch { to } if to <= pc => Some((to, at)),
        _ => None,
    };
    let (from, to) = (pc..ops.len()).filter_map(backward).max_by_key(|(from, to)| (*from, std::cmp::Reverse(*to)))?;
    let body = &ops[from..=to];
    if body.iter().any(|op| matches!(op.kind, Kind::Barrier { .. } | Kind::Call(_))) {
        return None;
    }
    body.iter().find_map(asks)
}

/// Where an operation looks whether others have done something.
fn asks(op: &Op) -> Option<(Address, u32)> {
    match &op.kind {
        Kind::Load { width, from, order, .. } if order.strength.scope.is_some() => Some((*from, width.bytes)),
        // A lock is taken by compare-and-swap or by exchange, and `atomicAdd(p, 0)` only looks.
        Kind::Atomic { at, bytes, f, b, compares, .. } => {
            let takes = *compares || f(1, 2, 3) == f(0, 2, 3);
            let looks = matches!(b, Source::Constant(0)) && f(5, 0, 0) == 5;
            (takes || looks).then_some((*at, *bytes))
        }
        _ => None,
    }
}
