//! Barriers, warp collectives.

use ptx::ast::{Instruction, Operand};

use super::instruction::Form;
use super::{DecodeError, Decoder};
use crate::op::{Kind, Shuffle, Vote, VoteTarget};

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
}
