//! Loads, stores and atomics.

use ptx::ast::{Instruction, Operand};

use super::instruction::Form;
use super::names::in_frame;
use super::{DecodeError, Decoder, malformed};
use crate::exec::{int, update};
use crate::op::{Address, Kind, MemorySpace, Order, Source, Target, Width};
use crate::race::{Scope, Strength};

/// Modifiers of accesses that change no value: caching, ordering, scope.
const NO_EFFECT: [&str; 26] = [
    "volatile", "relaxed", "acquire", "release", "acq_rel", "weak", "cta", "gpu", "sys", "ca", "cg", "cs", "lu", "cv",
    "wb", "wt", "nc", "global", "shared", "local", "const", "param", "v2", "v4", "v8", "noftz",
];

impl Decoder<'_> {
    pub(super) fn memory(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let is_atomic = matches!(form.opcode, "atom" | "red");
        let known = |mode: &&str| {
            NO_EFFECT.contains(mode) || mode.starts_with("L1::") || mode.starts_with("L2::") || *mode == "shared::cta"
        };
        let operation = form.modes.iter().copied().find(|mode| !known(mode));
        if operation.is_some() != is_atomic || form.modes.iter().filter(|mode| !known(mode)).count() > 1 {
            return Err(self.unsupported(instruction));
        }
        match form.opcode {
            "ld" | "ldu" if form.has("param") => self.load_param(instruction, form),
            "st" if form.has("param") => self.store_param(instruction, form),
            "ld" | "ldu" => Ok(Kind::Load {
                space: space(form),
                width: width(form.kind()),
                to: self.targets(instruction, 0)?,
                from: self.address(instruction, 1)?,
                order: order(form),
            }),
            "st" => Ok(Kind::Store {
                space: space(form),
                width: width(form.kind()),
                to: self.address(instruction, 0)?,
                from: self.sources(instruction, 1)?,
                order: order(form),
            }),
            _ => self.atomic(instruction, form, operation.unwrap_or("")),
        }
    }

    fn atomic(&mut self, instruction: &Instruction, form: &Form, operation: &str) -> Result<Kind, DecodeError> {
        if form.has("v2") || form.has("v4") || form.has("v8") {
            return Err(self.unsupported(instruction));
        }
        let f = int::atomic(operation, form.kind())
            .or_else(|| update::atomic(operation, form.kind()))
            .ok_or_else(|| self.unsupported(instruction))?;
        let has_result = form.opcode == "atom";
        let first = usize::from(has_result);
        let to = if has_result { self.optional_target(instruction, &instruction.operands[..], 0)? } else { None };
        let c = if instruction.operands.len() > first + 2 {
            self.source(instruction, first + 2)?
        } else {
            Source::Constant(0)
        };
        Ok(Kind::Atomic {
            space: space(form),
            bytes: width(form.kind()).bytes,
            f,
            to,
            at: self.address(instruction, first)?,
            b: self.source(instruction, first + 1)?,
            c,
            order: order(form),
            compares: operation == "cas",
        })
    }

    fn load_param(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let Some(Operand::Address(Some(name), offset)) = instruction.operands.get(1) else {
            return Err(self.unsupported(instruction));
        };
        if let Some(piece) = self.names.scope.call_params.get(name).copied() {
            return Ok(Kind::Load {
                space: MemorySpace::Local,
                width: width(form.kind()),
                to: self.targets(instruction, 0)?,
                from: Address { base: in_frame(piece.at), offset: *offset },
                order: Order::WEAK,
            });
        }
        let Some(index) = self.names.scope.params.get(name).copied() else {
            // Through a pointer to a parameter, which is a generic address.
            return Ok(Kind::Load {
                space: MemorySpace::Generic,
                width: width(form.kind()),
                to: self.targets(instruction, 0)?,
                from: self.address(instruction, 1)?,
                order: Order::WEAK,
            });
        };
        let width = width(form.kind());
        let to = self.targets(instruction, 0)?;
        let (start, size) = self.params[index];
        let end = offset.checked_add(to.len() as i64 * i64::from(width.bytes));
        if *offset < 0 || end.is_none_or(|end| end > i64::from(size)) {
            return Err(malformed(instruction, "a parameter is read past its end"));
        }
        Ok(Kind::LoadParam { width, to, offset: start as usize + *offset as usize })
    }

    fn store_param(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let Some(Operand::Address(Some(name), offset)) = instruction.operands.first() else {
            return Err(self.unsupported(instruction));
        };
        let Some(piece) = self.names.scope.call_params.get(name).copied() else {
            return Err(self.unsupported(instruction));
        };
        Ok(Kind::Store {
            space: MemorySpace::Local,
            width: width(form.kind()),
            from: self.sources(instruction, 1)?,
            to: Address { base: in_frame(piece.at), offset: *offset },
            order: Order::WEAK,
        })
    }

    fn optional_target(
        &mut self,
        instruction: &Instruction,
        operands: &[Operand],
        at: usize,
    ) -> Result<Option<Target>, DecodeError> {
        match operands.get(at) {
            Some(Operand::Name(name)) if name == "_" => Ok(None),
            Some(Operand::Name(name)) => self.names.target(name, instruction).map(Some),
            _ => Err(malformed(instruction, "a destination is missing")),
        }
    }

    pub(super) fn targets(&mut self, instruction: &Instruction, at: usize) -> Result<Vec<Option<Target>>, DecodeError> {
        match instruction.operands.get(at) {
            Some(Operand::Vector(parts)) if parts.len() <= 8 => {
                (0..parts.len()).map(|part| self.optional_target(instruction, parts, part)).collect()
            }
            _ => Ok(vec![self.optional_target(instruction, &instruction.operands, at)?]),
        }
    }

    pub(super) fn sources(&mut self, instruction: &Instruction, at: usize) -> Result<Vec<Source>, DecodeError> {
        match instruction.operands.get(at) {
            Some(Operand::Vector(parts)) if parts.len() <= 8 => {
                parts.iter().map(|part| self.source_of(instruction, part)).collect()
            }
            _ => Ok(vec![self.source(instruction, at)?]),
        }
    }

    pub(super) fn address(&mut self, instruction: &Instruction, at: usize) -> Result<Address, DecodeError> {
        match instruction.operands.get(at) {
            Some(Operand::Address(None, offset)) => Ok(Address { base: Source::Constant(0), offset: *offset }),
            Some(Operand::Address(Some(name), offset)) => {
                let base = self.source_of(instruction, &Operand::Name(name.clone()))?;
                Ok(Address { base, offset: *offset })
            }
            _ => Err(malformed(instruction, "an address is missing")),
        }
    }
}

fn space(form: &Form) -> MemorySpace {
    let named = |space: &str| form.has(space);
    if named("global") || named("const") {
        MemorySpace::Global
    } else if named("shared") || named("shared::cta") {
        MemorySpace::Shared
    } else if named("local") {
        MemorySpace::Local
    } else {
        MemorySpace::Generic
    }
}

/// Strength and scope by the modifiers (PTX ISA 9.0, sections 8.4 and 8.6); atomics are relaxed and of GPU scope by default.
fn order(form: &Form) -> Order {
    let scope = if form.has("cta") { Scope::Block } else { Scope::Gpu };
    let atomic = matches!(form.opcode, "atom" | "red");
    let volatile = form.has("volatile");
    let strong = atomic || volatile || ["relaxed", "acquire", "release", "acq_rel"].iter().any(|mode| form.has(mode));
    let releases = (form.has("release") || form.has("acq_rel")).then_some(scope);
    let read_only = form.has("nc");
    Order { strength: Strength { scope: strong.then_some(scope), volatile, atomic, read_only }, releases }
}

pub(super) fn width(kind: &str) -> Width {
    if kind == "bf16" {
        return Width { bytes: 2, signed: false };
    }
    let bits = kind.get(1..).and_then(|bits| bits.parse::<u32>().ok()).unwrap_or(32);
    Width { bytes: bits / 8, signed: kind.starts_with('s') }
}
