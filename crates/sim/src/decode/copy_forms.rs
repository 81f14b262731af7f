//! `cp.async` and `mbarrier` (PTX ISA 9.0, sections 9.7.9.25.3 and 9.7.13.15); bulk copies and clusters are refused.

use ptx::ast::{Instruction, Operand};

use super::instruction::Form;
use super::{DecodeError, Decoder, malformed};
use crate::exec::barrier;
use crate::op::copy::{BarrierAction, BarrierAddress, BarrierOp, Copying, Filled};
use crate::op::{Kind, MemorySpace, Source};

/// Groups that may be waited for; more never differ from none.
const GROUPS_MAX: u64 = 1 << 20;

impl Decoder<'_> {
    /// `cp.async…`
    pub(super) fn copying(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let modes: Vec<&str> = form.modes.iter().copied().filter(|mode| !mode.starts_with("L2::")).collect();
        let copying = match modes[..] {
            ["async", "ca" | "cg", "shared" | "shared::cta", "global"] => self.started(instruction, &modes)?,
            ["async", "commit_group"] => Copying::Commit,
            ["async", "wait_all"] => Copying::WaitAll,
            ["async", "wait_group"] => match instruction.operands.first() {
                Some(Operand::Integer(groups)) => Copying::WaitGroup((*groups).min(GROUPS_MAX) as usize),
                _ => return Err(malformed(instruction, "a number of groups is missing")),
            },
            ["async", "mbarrier", "arrive", ref rest @ ..]
                if rest.iter().all(|mode| matches!(*mode, "noinc" | "shared" | "shared::cta")) =>
            {
                Copying::Arrive { at: self.barrier_address(instruction, 0, &modes)?, expected: form.has("noinc") }
            }
            _ => return Err(self.unsupported(instruction)),
        };
        Ok(Kind::Copying(Box::new(copying)))
    }

    fn started(&mut self, instruction: &Instruction, modes: &[&str]) -> Result<Copying, DecodeError> {
        let bytes = match instruction.operands.get(2) {
            Some(Operand::Integer(bytes @ (4 | 8))) if modes[1] == "ca" => *bytes as u32,
            Some(Operand::Integer(16)) => 16,
            _ => return Err(malformed(instruction, "4, 8 or 16 bytes are copied, past L1 only 16")),
        };
        let filled = match instruction.operands.get(3) {
            None => Filled::All,
            Some(Operand::Name(name)) if self.names.predicate_slot(name, instruction).is_ok() => {
                Filled::Unless(self.predicate(instruction, 3)?)
            }
            Some(Operand::Not(_)) => Filled::Unless(self.predicate(instruction, 3)?),
            // A policy of 64 bits says how to cache.
            Some(_)
                if instruction.words.iter().any(|word| word == "L2::cache_hint") && instruction.operands.len() == 4 =>
            {
                Filled::All
            }
            Some(_) => Filled::Bytes(self.source(instruction, 3)?),
        };
        Ok(Copying::Start { to: self.address(instruction, 0)?, from: self.address(instruction, 1)?, bytes, filled })
    }

    fn barrier_address(
        &mut self,
        instruction: &Instruction,
        at: usize,
        modes: &[&str],
    ) -> Result<BarrierAddress, DecodeError> {
        let is_shared = modes.iter().any(|mode| matches!(*mode, "shared" | "shared::cta"));
        let space = if is_shared { MemorySpace::Shared } else { MemorySpace::Generic };
        Ok(BarrierAddress { space, address: self.address(instruction, at)? })
    }

    /// `mbarrier…`
    pub(super) fn mbarrier(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        const KNOWN: [&str; 12] = [
            "shared",
            "shared::cta",
            "cta",
            "cluster",
            "release",
            "acquire",
            "relaxed",
            "noComplete",
            "expect_tx",
            "parity",
            "arrive",
            "no_complete",
        ];
        let Some((verb, rest)) = form.modes.split_first() else {
            return Err(self.unsupported(instruction));
        };
        if !rest.iter().all(|mode| KNOWN.contains(mode)) {
            return Err(self.unsupported(instruction));
        }
        if *verb == "pending_count" {
            return self.map1(instruction, barrier::PENDING);
        }
        let has_result = matches!(*verb, "arrive" | "arrive_drop" | "test_wait" | "try_wait");
        let first = usize::from(has_result);
        let at = self.barrier_address(instruction, first, rest)?;
        let one = Source::Constant(1);
        let nothing = Source::Constant(0);
        let action = match *verb {
            "init" => BarrierAction::Initialise(self.source(instruction, 1)?),
            "inval" => BarrierAction::Invalidate,
            "expect_tx" => BarrierAction::Expect(self.source(instruction, 1)?),
            "complete_tx" => BarrierAction::Complete(self.source(instruction, 1)?),
            "arrive" | "arrive_drop" => {
                let expects = form.has("expect_tx");
                let given = match instruction.operands.get(2) {
                    Some(_) => Some(self.source(instruction, 2)?),
                    None if expects => return Err(malformed(instruction, "a number of bytes is missing")),
                    None => None,
                };
                BarrierAction::Arrive {
                    count: given.filter(|_| !expects).unwrap_or(one),
                    bytes: given.filter(|_| expects).unwrap_or(nothing),
                    drops: *verb == "arrive_drop",
                    state: self.targets(instruction, 0)?.first().copied().flatten(),
                }
            }
            "test_wait" | "try_wait" => BarrierAction::Test {
                to: self.predicate_target(instruction, 0)?,
                state: self.source(instruction, 2)?,
                is_parity: form.has("parity"),
            },
            _ => return Err(self.unsupported(instruction)),
        };
        let releases = matches!(*verb, "arrive" | "arrive_drop") && !form.has("relaxed");
        Ok(Kind::Mbarrier(BarrierOp { at, action, releases }))
    }
}
