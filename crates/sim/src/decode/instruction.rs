//! One instruction -> what it does: the arithmetic forms here, memory and warp forms in their own files.

use ptx::ast::{Instruction, Operand};

use super::{DecodeError, Decoder, malformed};
use crate::exec::float::Flags;
use crate::exec::rounding::Direction;
use crate::exec::{carry, convert, float, half, int};
use crate::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::op::{CarryKind, Combine, Kind, Predicate, Source, Test};

const ROUNDINGS: [&str; 8] = ["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"];

/// Operations of binary32 whose results are too small before they are rounded, so that they must know of `.ftz` themselves.
pub(super) const FLUSHED_INSIDE: [&str; 5] = ["mul", "fma", "mad", "div", "rcp"];

/// Opcode words, sorted by what they say.
pub(super) struct Form<'a> {
    pub opcode: &'a str,
    /// Modifiers that are no rounding, flag or type: `lo`, `wide`, `approx`, `global`.
    pub modes: Vec<&'a str>,
    pub rounding: &'a str,
    pub flags: Flags,
    pub types: Vec<&'a str>,
}

impl<'a> Form<'a> {
    pub fn of(instruction: &'a Instruction) -> Self {
        let mut form = Self { opcode: "", modes: vec![], rounding: "", flags: Flags::default(), types: vec![] };
        for (index, word) in instruction.words.iter().enumerate() {
            match word.as_str() {
                word if index == 0 => form.opcode = word,
                "ftz" => form.flags.ftz = true,
                "sat" => form.flags.sat = true,
                word if ROUNDINGS.contains(&word) => form.rounding = word,
                word if is_type(word) => form.types.push(word),
                word => form.modes.push(word),
            }
        }
        form
    }

    /// Opcode and modes that choose what is computed.
    pub fn name(&self) -> String {
        // Only a quotient is another one where it is approximate.
        let is_said = |mode: &str| match mode {
            "approx" => self.opcode == "div",
            mode => !matches!(mode, "full" | "uni" | "relaxed"),
        };
        let modes = self.modes.iter().filter(|mode| is_said(mode));
        modes.fold(self.opcode.to_owned(), |name, mode| format!("{name}.{mode}"))
    }

    pub fn kind(&self) -> &'a str {
        self.types.last().copied().unwrap_or("")
    }

    pub fn has(&self, mode: &str) -> bool {
        self.modes.contains(&mode)
    }
}

fn is_type(word: &str) -> bool {
    matches!(word, "pred" | "f16x2" | "bf16" | "bf16x2" | "s16x2" | "u16x2" | "tf32" | "e4m3x2" | "e5m2x2")
        || (word.starts_with(['b', 's', 'u', 'f'])
            && word[1..].parse::<u32>().is_ok_and(|bits| [8, 16, 32, 64].contains(&bits)))
}

impl Decoder<'_> {
    pub(super) fn kind(&mut self, instruction: &Instruction) -> Result<Kind, DecodeError> {
        let form = Form::of(instruction);
        match form.opcode {
            "mov" | "cvta" => self.moved(instruction, &form),
            "setp" => self.compare(instruction, &form),
            "selp" => Ok(Kind::Select {
                to: self.target(instruction, 0)?,
                a: self.source(instruction, 1)?,
                b: self.source(instruction, 2)?,
                condition: self.predicate(instruction, 3)?,
            }),
            "add" | "sub" | "mad" | "addc" | "subc" | "madc" if form.has("cc") || form.opcode.ends_with('c') => {
                self.carried(instruction, &form)
            }
            "exit" => Ok(Kind::Exit),
            "trap" => Ok(Kind::Trap),
            "ld" | "ldu" | "st" | "atom" | "red" => self.memory(instruction, &form),
            "bar" | "barrier" | "shfl" | "vote" | "match" | "redux" | "activemask" | "membar" | "fence"
            | "nanosleep" | "prefetch" | "prefetchu" => self.of_warp(instruction, &form),
            "and" | "or" | "xor" | "not" if form.kind() == "pred" => self.logic(instruction, &form),
            "cp" => self.copying(instruction, &form),
            "mbarrier" => self.mbarrier(instruction, &form),
            "mma" | "wmma" | "ldmatrix" | "stmatrix" | "movmatrix" => self.matrix(instruction),
            "cvt" => self.converted(instruction, &form),
            _ => match self.plain(instruction, &form)? {
                Some(kind) => Ok(kind),
                None => self.arithmetic(instruction, &form),
            },
        }
    }

    fn arithmetic(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let kind = form.kind();
        let op = form.name();
        let count = instruction.operands.len();
        if kind.ends_with("f16") || kind.ends_with("f16x2") {
            return self.half(instruction, form, &op);
        }
        let is_float = kind.starts_with('f');
        if form.flags.sat && !is_float {
            return Err(self.unsupported(instruction));
        }
        if is_float && !matches!(form.rounding, "" | "rn") {
            return self.directed(instruction, form, &op);
        }
        let found = match count {
            2 => (if is_float { float::unary(&op, kind, form.flags) } else { int::unary(&op, kind) })
                .map(|f| self.map1(instruction, f)),
            3 => (if is_float { float::binary(&op, kind, form.flags) } else { int::binary(&op, kind) })
                .map(|f| self.map2(instruction, f)),
            4 if is_float && matches!(form.opcode, "fma" | "mad") => {
                float::fused(kind, form.flags).map(|f| self.map3(instruction, f))
            }
            4 => {
                let kind = if op == "dp4a" { form.types.first().copied().unwrap_or("") } else { kind };
                int::ternary(&op, kind).map(|f| self.map3(instruction, f))
            }
            5 => int::quaternary(&op, kind).map(|f| {
                let mut operands = [Source::Constant(0); 4];
                for (at, operand) in operands.iter_mut().enumerate() {
                    *operand = self.source(instruction, at + 1)?;
                }
                let to = self.target(instruction, 0)?;
                Ok(Kind::Map4 { f, to, operands })
            }),
            _ => None,
        };
        found.unwrap_or_else(|| Err(self.unsupported(instruction)))
    }

    fn half(&mut self, instruction: &Instruction, form: &Form, op: &str) -> Result<Kind, DecodeError> {
        let kind = form.kind();
        let plain = form.flags == Flags::default() && matches!(form.rounding, "" | "rn");
        let found = match instruction.operands.len() {
            _ if !plain => None,
            2 => half::unary(op, kind).map(|f| self.map1(instruction, f)),
            3 => half::binary(op, kind).map(|f| self.map2(instruction, f)),
            4 if op == "fma" => half::fused(kind).map(|f| self.map3(instruction, f)),
            _ => None,
        };
        found.unwrap_or_else(|| Err(self.unsupported(instruction)))
    }

    fn carried(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let form = carry::find(form.opcode, &form.modes, form.kind()).ok_or_else(|| self.unsupported(instruction))?;
        let third = matches!(form.kind, CarryKind::LowProduct | CarryKind::HighProduct);
        let c = if third { self.source(instruction, 3)? } else { Source::Constant(0) };
        Ok(Kind::Carry {
            form,
            to: self.target(instruction, 0)?,
            operands: [self.source(instruction, 1)?, self.source(instruction, 2)?, c],
            flag: self.names.carry_flag(),
        })
    }

    fn directed(&mut self, instruction: &Instruction, form: &Form, op: &str) -> Result<Kind, DecodeError> {
        let knows_ftz = form.kind() == "f32" && FLUSHED_INSIDE.contains(&op);
        let direction = Direction::of(form.rounding).filter(|_| !form.flags.sat && (!form.flags.ftz || knows_ftz));
        let direction = direction.ok_or_else(|| self.unsupported(instruction))?;
        let kind = form.kind();
        let found = match instruction.operands.len() {
            2 => float::unary_directed(op, kind, direction, form.flags.ftz).map(|f| self.map1(instruction, f)),
            3 => float::binary_directed(op, kind, direction, form.flags.ftz).map(|f| self.map2(instruction, f)),
            4 => float::fused_directed(kind, direction, form.flags.ftz).map(|f| self.map3(instruction, f)),
            _ => None,
        };
        found.unwrap_or_else(|| Err(self.unsupported(instruction)))
    }

    pub(super) fn map1(&mut self, instruction: &Instruction, f: crate::op::Unary) -> Result<Kind, DecodeError> {
        Ok(Kind::Map1 { f, to: self.target(instruction, 0)?, a: self.source(instruction, 1)? })
    }

    pub(super) fn map2(&mut self, instruction: &Instruction, f: crate::op::Binary) -> Result<Kind, DecodeError> {
        Ok(Kind::Map2 {
            f,
            to: self.target(instruction, 0)?,
            a: self.source(instruction, 1)?,
            b: self.source(instruction, 2)?,
        })
    }

    pub(super) fn map3(&mut self, instruction: &Instruction, f: crate::op::Ternary) -> Result<Kind, DecodeError> {
        Ok(Kind::Map3 {
            f,
            to: self.target(instruction, 0)?,
            a: self.source(instruction, 1)?,
            b: self.source(instruction, 2)?,
            c: self.source(instruction, 3)?,
        })
    }

    fn converted(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let [to, from] = form.types[..] else {
            return Err(self.unsupported(instruction));
        };
        if !form.modes.is_empty() {
            return Err(self.unsupported(instruction));
        }
        if let Some(f) = half::convert_pair(form.rounding, to, from).filter(|_| form.flags == Flags::default()) {
            return self.map2(instruction, f);
        }
        if let Some(f) = half::convert(form.rounding, to, from).filter(|_| form.flags == Flags::default()) {
            return self.map1(instruction, f);
        }
        let f = convert::find(form.rounding, form.flags.sat, form.flags.ftz, to, from)
            .ok_or_else(|| self.unsupported(instruction))?;
        self.map1(instruction, f)
    }

    fn moved(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        if form.kind() == "pred" {
            let a = self.predicate(instruction, 1)?;
            let to = self.predicate_target(instruction, 0)?;
            return Ok(Kind::Logic { f: |a, _| a, to, a, b: Predicate::Constant(false) });
        }
        if let [to, Operand::Vector(parts)] = &instruction.operands[..] {
            return self.packed(instruction, form, to, parts);
        }
        if let [Operand::Vector(parts), _] = &instruction.operands[..] {
            let bits = self.part_bits(instruction, form, parts)?;
            let to = self.targets(instruction, 0)?;
            let a = self.source(instruction, 1)?;
            return Ok(Kind::Unpack { to, a, bits });
        }
        // Global and constant addresses are generic as they are; shared and local ones lie in a window.
        let window = match () {
            () if form.has("shared") => SHARED_WINDOW,
            () if form.has("local") => LOCAL_WINDOW,
            () => 0,
        };
        let (to, a) = (self.target(instruction, 0)?, self.source(instruction, 1)?);
        if form.opcode == "mov" || window == 0 {
            return Ok(Kind::Copy { to, a });
        }
        let b = Source::Constant(window);
        let op = if form.has("to") { "sub" } else { "add" };
        match int::binary(op, "u64") {
            Some(f) => Ok(Kind::Map2 { f, to, a, b }),
            None => Err(self.unsupported(instruction)),
        }
    }

    /// `mov.b64 d, {a, b}`
    fn packed(
        &mut self,
        instruction: &Instruction,
        form: &Form,
        to: &Operand,
        parts: &[Operand],
    ) -> Result<Kind, DecodeError> {
        let Operand::Name(name) = to else {
            return Err(malformed(instruction, "a destination is missing"));
        };
        let to = self.names.target(name, instruction)?;
        let bits = self.part_bits(instruction, form, parts)?;
        let parts = parts.iter().map(|part| self.source_of(instruction, part)).collect::<Result<_, _>>()?;
        Ok(Kind::Pack { to, parts, bits })
    }

    fn part_bits(&self, instruction: &Instruction, form: &Form, parts: &[Operand]) -> Result<u32, DecodeError> {
        match (form.kind(), parts.len()) {
            ("b64", 2) => Ok(32),
            ("b64", 4) | ("b32", 2) => Ok(16),
            ("b64", 8) | ("b32", 4) | ("b16", 2) => Ok(8),
            _ => Err(self.unsupported(instruction)),
        }
    }

    fn compare(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let op = form.modes.first().copied().unwrap_or("");
        let kind = form.kind();
        let f = test_of(op, kind).ok_or_else(|| self.unsupported(instruction))?;
        let combine = self.combination(instruction, form)?;
        let (to, complement) = match instruction.operands.first() {
            Some(Operand::Pair(p, q)) => {
                (self.names.predicate_slot(p, instruction)?, Some(self.names.predicate_slot(q, instruction)?))
            }
            _ => (self.predicate_target(instruction, 0)?, None),
        };
        Ok(Kind::Compare {
            f,
            to,
            complement,
            a: self.source(instruction, 1)?,
            b: self.source(instruction, 2)?,
            combine,
        })
    }

    /// How a comparison is combined with a predicate, its fourth operand.
    pub(super) fn combination(
        &mut self,
        instruction: &Instruction,
        form: &Form,
    ) -> Result<Option<(Combine, Predicate)>, DecodeError> {
        let combine = match form.modes.get(1).copied() {
            None => return Ok(None),
            Some("and") => Combine::And,
            Some("or") => Combine::Or,
            Some("xor") => Combine::Xor,
            Some(_) => return Err(self.unsupported(instruction)),
        };
        Ok(Some((combine, self.predicate(instruction, 3)?)))
    }

    fn logic(&mut self, instruction: &Instruction, form: &Form) -> Result<Kind, DecodeError> {
        let to = self.predicate_target(instruction, 0)?;
        let a = self.predicate(instruction, 1)?;
        let f: fn(u32, u32) -> u32 = match form.opcode {
            "and" => |a, b| a & b,
            "or" => |a, b| a | b,
            "xor" => |a, b| a ^ b,
            _ => |a, _| !a,
        };
        let b = if form.opcode == "not" { Predicate::Constant(false) } else { self.predicate(instruction, 2)? };
        Ok(Kind::Logic { f, to, a, b })
    }
}

/// A comparison by its word and type.
pub(super) fn test_of(op: &str, kind: &str) -> Option<Test> {
    match kind {
        "f16" | "bf16" => half::test(op, kind),
        "f32" | "f64" => float::test(op, kind),
        _ => int::test(op, kind),
    }
}
