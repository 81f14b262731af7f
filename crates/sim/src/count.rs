//! What a launch did, counted for each operation and folded to source lines at its end.
//!
//! Rules: simulator design, section 6; `domain::counters` says what one request costs. Counts are of PTX instructions:
//! one that is decoded to several operations counts once. Not counted are the requests of `wmma` and `ldmatrix`, whose
//! lanes share their work in ways of the hardware, and of constants, which have a cache of their own. Shared variables
//! each start at bank 0 here, which tells for one request that touches two of them only.

use domain::counters::{Counters, LineCounters};
use ptx::ast::Instruction;

use crate::op::{Kind, Op};
use crate::overflow::Wraps;

/// What an operation counts as.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// The first of its instruction.
    pub is_first: bool,
    /// Arithmetic in f64.
    pub is_f64: bool,
    /// An access to constant memory.
    pub is_constant: bool,
    /// Arithmetic that wraps at 32 bits.
    pub wraps: Option<Wraps>,
}

impl Mark {
    /// The mark of an instruction's first operation.
    pub fn of(instruction: &Instruction) -> Self {
        let opcode = instruction.words[0].as_str();
        let has = |word: &str| instruction.words.iter().skip(1).any(|other| other == word);
        Self {
            is_first: true,
            is_f64: F64_OPCODES.contains(&opcode) && has("f64"),
            is_constant: opcode == "ld" && has("const"),
            wraps: Wraps::of(instruction),
        }
    }
}

/// Arithmetic and comparison (PTX ISA 9.0, sections 9.7.3, 9.7.6 and 9.7.14); conversions and moves are none.
const F64_OPCODES: &[&str] = &[
    "abs", "add", "copysign", "div", "fma", "mad", "max", "min", "mma", "mul", "neg", "rcp", "rsqrt", "set", "setp",
    "sqrt", "sub",
];

/// Counts by operation.
#[derive(Debug)]
pub(crate) struct Counts {
    /// Warp and thread instructions of each operation.
    executed: Vec<[u64; 2]>,
    /// Where in `requests` an operation counts what it asks for; `NONE` where it asks for nothing.
    places: Vec<u32>,
    requests: Vec<LineCounters>,
}

const NONE: u32 = u32::MAX;

impl Counts {
    pub fn new(ops: &[Op]) -> Self {
        let mut asking = 0;
        let place = |op: &Op| {
            if !asks(&op.kind) {
                return NONE;
            }
            asking += 1;
            asking - 1
        };
        let places: Vec<u32> = ops.iter().map(place).collect();
        Self { executed: vec![[0; 2]; ops.len()], places, requests: vec![LineCounters::default(); asking as usize] }
    }

    /// One execution by a warp with these lanes.
    #[inline]
    pub fn instruction(&mut self, pc: usize, active: u32) {
        let [warps, threads] = &mut self.executed[pc];
        *warps += 1;
        *threads += u64::from(active.count_ones());
    }

    /// Where an operation counts its requests.
    #[inline]
    pub fn requests(&mut self, pc: usize) -> Option<&mut LineCounters> {
        self.requests.get_mut(self.places[pc] as usize)
    }

    /// Adds another part of the launch.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.executed.iter_mut().flatten().zip(other.executed.iter().flatten()) {
            *mine += theirs;
        }
        for (mine, theirs) in self.requests.iter_mut().zip(&other.requests) {
            mine.merge(theirs);
        }
    }

    /// By source line.
    pub fn by_line(&self, ops: &[Op], marks: &[Mark]) -> Counters {
        let mut counters = Counters::default();
        for (pc, (op, mark)) in ops.iter().zip(marks).enumerate() {
            let [warps, threads] = self.executed[pc];
            if warps == 0 {
                continue;
            }
            let mut counted = self.requests.get(self.places[pc] as usize).copied().unwrap_or_default();
            if mark.is_first {
                (counted.warp_instructions, counted.thread_instructions) = (warps, threads);
                counted.f64_instructions = if mark.is_f64 { warps } else { 0 };
            }
            counters.line_mut(op.line).merge(&counted);
        }
        counters
    }
}

fn asks(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Load { .. }
            | Kind::Store { .. }
            | Kind::Atomic { .. }
            | Kind::Branch { .. }
            | Kind::Barrier { .. }
            | Kind::Copying(_)
    )
}
