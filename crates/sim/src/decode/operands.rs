//! Operands -> registers, predicates, constants and addresses of variables.

use ptx::ast::{Instruction, Operand};

use super::special::special;
use super::{DecodeError, Decoder, malformed};
use crate::op::{Predicate, Slot, Source, Target};

impl Decoder<'_> {
    pub(super) fn target(&mut self, instruction: &Instruction, at: usize) -> Result<Target, DecodeError> {
        match instruction.operands.get(at) {
            Some(Operand::Name(name)) => self.names.target(name, instruction),
            _ => Err(malformed(instruction, "a destination is missing")),
        }
    }

    pub(super) fn predicate_target(&mut self, instruction: &Instruction, at: usize) -> Result<Slot, DecodeError> {
        match instruction.operands.get(at) {
            Some(Operand::Name(name)) => self.names.predicate_slot(name, instruction),
            _ => Err(malformed(instruction, "a predicate is missing")),
        }
    }

    pub(super) fn predicate(&mut self, instruction: &Instruction, at: usize) -> Result<Predicate, DecodeError> {
        match instruction.operands.get(at) {
            Some(Operand::Name(name)) => Ok(Predicate::Slot(self.names.predicate_slot(name, instruction)?, false)),
            Some(Operand::Not(name)) => Ok(Predicate::Slot(self.names.predicate_slot(name, instruction)?, true)),
            Some(Operand::Integer(value)) => Ok(Predicate::Constant(*value != 0)),
            _ => Err(malformed(instruction, "a predicate is missing")),
        }
    }

    pub(super) fn source(&mut self, instruction: &Instruction, at: usize) -> Result<Source, DecodeError> {
        let operand = instruction.operands.get(at).ok_or_else(|| malformed(instruction, "an operand is missing"))?;
        self.source_of(instruction, operand)
    }

    pub(super) fn source_of(&mut self, instruction: &Instruction, operand: &Operand) -> Result<Source, DecodeError> {
        match operand {
            Operand::Integer(value) => Ok(Source::Constant(*value)),
            Operand::Float32(bits) => Ok(Source::Constant(u64::from(*bits))),
            Operand::Float64(bits) => Ok(Source::Constant(*bits)),
            Operand::Address(Some(name), offset) => match self.names.address(name) {
                Some(Source::Constant(address)) => Ok(Source::Constant(address.wrapping_add_signed(*offset))),
                Some(Source::Frame(address)) => Ok(Source::Frame(address.wrapping_add_signed(*offset))),
                Some(other) => Ok(other),
                None => Err(self.unsupported(instruction)),
            },
            Operand::Name(name) => {
                if let Some(slot) = self.names.find_register(name) {
                    return Ok(Source::Register(slot));
                }
                if let Some(special) = special(name) {
                    return Ok(Source::Special(special));
                }
                match (name.as_str(), self.names.address(name)) {
                    ("WARP_SZ", _) => Ok(Source::Constant(32)),
                    (_, Some(address)) => Ok(address),
                    (_, None) if name.starts_with('%') => Err(DecodeError::Unsupported {
                        what: name.clone(),
                        line: (self.line != 0).then_some(self.line),
                    }),
                    (_, None) => match self.function_address(name) {
                        Some(address) => Ok(Source::Constant(address)),
                        None => Err(self.unsupported(instruction)),
                    },
                }
            }
            _ => Err(self.unsupported(instruction)),
        }
    }
}
