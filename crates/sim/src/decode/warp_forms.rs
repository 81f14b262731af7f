//! Barriers, warp collectives.

use ptx::ast::{Instruction, Operand};

use super::instruction::Form;
use super::{DecodeError, Decoder};
use crate::exec::int;
use crate::op::{Kind, Reduction, Shuffle, Slot, Target, Vote, VoteTarget};
use crate::race::Scope;

impl Decoder<'_> {
    pub(super) fn of_warp(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        match (form.opcode, &form.modes[..]) {
            ("nanosleep" | "prefetch" | "prefetchu", _) => Ok(Kind::Nothing),
            ("fence", modes) if modes.iter().any(|mode| mode.starts_with("proxy")) => Ok(Kind::Nothing),
            ("membar" | "fence", modes) => {
                Ok(Kind::Fence { scope: if modes.contains(&"cta") { Scope::Block } else { Scope::Gpu } })
            }
            ("bar", ["warp", "sync"]) => Ok(Kind::WarpSync { mask: self.source(instruction, 0)? }),
            ("bar" | "barrier", modes) => self.barrier(instruction, modes),
            ("match", ["any" | "all", "sync"]) => {
                let (to, agreed) = self.paired_target(instruction)?;
                Ok(Kind::Match {
                    all: form.has("all"),
                    to,
                    agreed,
                    a: self.source(instruction, 1)?,
                    mask: self.source(instruction, 2)?,
                    bits: if form.kind() == "b64" { 64 } else { 32 },
                })
            }
            ("redux", ["sync", op]) => Ok(Kind::Reduce {
                f: int::atomic(op, form.kind())
                    .filter(|_| matches!(*op, "add" | "min" | "max" | "and" | "or" | "xor"))
                    .ok_or_else(|| self.unsupported(instruction))?,
                to: self.target(instruction, 0)?,
                a: self.source(instruction, 1)?,
                mask: self.source(instruction, 2)?,
            }),
            ("shfl", ["sync", mode]) => self.shuffle(instruction, mode),
            ("vote", ["sync", mode]) => self.vote(instruction, mode),
            ("activemask", _) => Ok(Kind::ActiveMask { to: self.target(instruction, 0)? }),
            _ => Err(self.unsupported(instruction)),
        }
    }

    fn barrier(&mut self, instruction: &Instruction, modes: &[&str]) -> Result<Kind, DecodeError> {
        let modes: Vec<&str> = modes.iter().copied().filter(|mode| !matches!(*mode, "cta" | "aligned")).collect();
        let count = instruction.operands.len();
        match modes[..] {
            ["sync"] => Ok(Kind::Barrier {
                id: self.source(instruction, 0)?,
                count: if count > 1 { Some(self.source(instruction, 1)?) } else { None },
                reduction: None,
            }),
            ["arrive"] => Ok(Kind::Arrive { id: self.source(instruction, 0)? }),
            ["red", op] => {
                let reduction = match op {
                    "popc" => Reduction::Count(self.target(instruction, 0)?),
                    "and" => Reduction::All(self.predicate_target(instruction, 0)?),
                    "or" => Reduction::Any(self.predicate_target(instruction, 0)?),
                    _ => return Err(self.unsupported(instruction)),
                };
                let wanted = if count > 3 { Some(self.source(instruction, 2)?) } else { None };
                let predicate = self.predicate(instruction, count.saturating_sub(1))?;
                Ok(Kind::Barrier {
                    id: self.source(instruction, 1)?,
                    count: wanted,
                    reduction: Some((reduction, predicate)),
                })
            }
            _ => Err(self.unsupported(instruction)),
        }
    }

    /// `d` or `d|p`
    fn paired_target(&mut self, instruction: &Instruction) -> Result<(Target, Option<Slot>), DecodeError> {
        match instruction.operands.first() {
            Some(Operand::Pair(to, predicate)) => {
                Ok((self.names.target(to, instruction)?, Some(self.names.predicate_slot(predicate, instruction)?)))
            }
            _ => Ok((self.target(instruction, 0)?, None)),
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
        let (to, in_range) = self.paired_target(instruction)?;
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
        Ok(Kind::Vote { mode, to, a: self.predicate(instruction, 1)?, mask: self.source(instruction, 2)? })
    }
}
