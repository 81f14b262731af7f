//! Barriers, warp collectives, and the calls that NVRTC leaves: `vprintf` and `__assertfail`.

use ptx::ast::{Instruction, Operand};

use super::instruction::Form;
use super::{DecodeError, Decoder, malformed};
use crate::op::{Kind, Shuffle, Source, Vote, VoteTarget};

impl Decoder<'_> {
    pub(super) fn of_warp(
        &mut self,
        instruction: &Instruction,
        form: &Form,
    ) -> Result<Kind, DecodeError> {
        match (form.opcode, &form.modes[..]) {
            // One memory, one order: fences and prefetches change no value.
            ("membar" | "fence" | "nanosleep" | "prefetch" | "prefetchu", _) => Ok(Kind::Nothing),
            ("bar", ["warp", "sync"]) => Ok(Kind::WarpSync {
                mask: self.source(instruction, 0)?,
            }),
            ("bar", ["sync"] | ["cta", "sync"])
            | (
                "barrier",
                ["sync"] | ["sync", "aligned"] | ["cta", "sync"] | ["cta", "sync", "aligned"],
            ) => {
                let count = if instruction.operands.len() > 1 {
                    Some(self.source(instruction, 1)?)
                } else {
                    None
                };
                Ok(Kind::Barrier {
                    id: self.source(instruction, 0)?,
                    count,
                })
            }
            ("shfl", ["sync", mode]) => self.shuffle(instruction, mode),
            ("vote", ["sync", mode]) => self.vote(instruction, mode),
            ("activemask", _) => Ok(Kind::ActiveMask {
                to: self.target(instruction, 0)?,
            }),
            ("call", _) => self.call(instruction),
            _ => Err(self.unsupported(instruction)),
        }
    }

    fn shuffle(&mut self, instruction: &Instruction, mode: &str) -> Result<Kind, DecodeError> {
        let mode = match mode {
            "up" => Shuffle::Up,
            "down" => Shuffle::Down,
            "bfly" => Shuffle::Butterfly,
            "idx" => Shuffle::Index,
            _ => return Err(self.unsupported(instruction)),
        };
        let (to, in_range) = match instruction.operands.first() {
            Some(Operand::Pair(to, in_range)) => (
                self.names.target(to, instruction)?,
                Some(self.names.predicate_slot(in_range, instruction)?),
            ),
            _ => (self.target(instruction, 0)?, None),
        };
        Ok(Kind::Shuffle {
            mode,
            to,
            in_range,
            a: self.source(instruction, 1)?,
            b: self.source(instruction, 2)?,
            c: self.source(instruction, 3)?,
            mask: self.source(instruction, 4)?,
        })
    }

    fn vote(&mut self, instruction: &Instruction, mode: &str) -> Result<Kind, DecodeError> {
        let mode = match mode {
            "all" => Vote::All,
            "any" => Vote::Any,
            "uni" => Vote::Uniform,
            "ballot" => Vote::Ballot,
            _ => return Err(self.unsupported(instruction)),
        };
        let to = if mode == Vote::Ballot {
            VoteTarget::Register(self.target(instruction, 0)?)
        } else {
            VoteTarget::Predicate(self.predicate_target(instruction, 0)?)
        };
        Ok(Kind::Vote {
            mode,
            to,
            a: self.predicate(instruction, 1)?,
            mask: self.source(instruction, 2)?,
        })
    }

    /// `call (ret), name, (a, b)` or `call name, (a, b)`.
    fn call(&mut self, instruction: &Instruction) -> Result<Kind, DecodeError> {
        let mut operands = instruction.operands.as_slice();
        let mut to = None;
        if let [Operand::List(returns), rest @ ..] = operands {
            operands = rest;
            if let [Operand::Name(name)] = &returns[..] {
                to = self.names.call_params.get(name).copied();
            }
        }
        let [Operand::Name(name), Operand::List(arguments), ..] = operands else {
            return Err(self.unsupported(instruction));
        };
        let argument = |at: usize| match arguments.get(at) {
            Some(Operand::Name(name)) => self
                .names
                .call_params
                .get(name)
                .map(|target| Source::Register(target.slot)),
            _ => None,
        };
        let missing = || malformed(instruction, "an argument of a call is missing");
        match name.as_str() {
            "vprintf" => Ok(Kind::Print {
                to,
                format: argument(0).ok_or_else(missing)?,
                arguments: argument(1).ok_or_else(missing)?,
            }),
            "__assertfail" => Ok(Kind::AssertFail {
                message: argument(0).ok_or_else(missing)?,
            }),
            _ => Err(DecodeError::Unsupported {
                what: format!("a call of {name}"),
                line: (self.line != 0).then_some(self.line),
            }),
        }
    }
}
