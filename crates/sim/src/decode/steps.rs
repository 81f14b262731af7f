//! Instructions that become several operations, with values between them in registers that no name has: modifiers that
//! an operation does not know, tests that give numbers, atomics of vectors, the election of a lane.

use ptx::ast::{Instruction, Operand};

use super::instruction::{FLUSHED_INSIDE, Form, test_of};
use super::{DecodeError, Decoder, malformed};
use crate::exec::{bits, modifiers};
use crate::memory::REGION_BYTES;
use crate::op::{Combine, Kind, Predicate, Source, Target, Vote, VoteTarget};

/// Operations whose sources and result may have modifiers that are steps of their own.
const MODIFIED: [&str; 15] =
    ["add", "sub", "mul", "fma", "mad", "min", "max", "neg", "abs", "ex2", "tanh", "div", "rcp", "sqrt", "setp"];

impl Decoder<'_> {
    /// Pushes the operations of an instruction that takes several; false if it does not.
    pub(super) fn in_steps(
        &mut self,
        instruction: &Instruction,
        guard: Option<Predicate>,
    ) -> Result<bool, DecodeError> {
        let form = Form::of(instruction);
        let is_pair = matches!(form.kind(), "f16x2" | "bf16x2");
        match form.opcode {
            "set" => self.set(instruction, &form, guard)?,
            "setp" if is_pair => self.compare_pair(instruction, &form, guard)?,
            "elect" if form.has("sync") => self.elect(instruction, guard)?,
            "isspacep" if form.has("const") => self.is_constant(instruction, guard)?,
            "atom" | "red" if ["v2", "v4", "v8"].iter().any(|count| form.has(count)) => {
                self.atomic_vector(instruction, guard)?;
            }
            "cvt" => return self.converted_in_steps(instruction, &form, guard),
            "slct" if form.flags.ftz => {
                let mut kind = self.kind(&without(instruction, &["ftz"]))?;
                if let Kind::Map3 { c, .. } = &mut kind {
                    *c = self.flushed(*c, "f32", 0, guard)?;
                }
                self.push(kind, guard)?;
            }
            opcode if MODIFIED.contains(&opcode) => return self.modified(instruction, &form, guard),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The `at`-th register between operations.
    pub(super) fn step(&mut self, at: usize) -> Target {
        Target { slot: self.names.step_register(at), mask: u64::MAX }
    }

    /// One more operation on one source, into the `at`-th register between operations.
    pub(super) fn through(
        &mut self,
        f: crate::op::Unary,
        a: Source,
        at: usize,
        guard: Option<Predicate>,
    ) -> Result<Source, DecodeError> {
        let to = self.step(at);
        self.push(Kind::Map1 { f, to, a }, guard)?;
        Ok(Source::Register(to.slot))
    }

    fn flushed(&mut self, a: Source, kind: &str, at: usize, guard: Option<Predicate>) -> Result<Source, DecodeError> {
        match modifiers::flushed(kind) {
            Some(f) => self.through(f, a, at, guard),
            None => Err(self.unsupported_as(format!(".ftz of {kind}"))),
        }
    }

    /// `.relu`, and `.ftz` and `.sat` where the operation has no form for them (sections 9.7.3 and 9.7.4).
    fn modified(
        &mut self,
        instruction: &Instruction,
        form: &Form,
        guard: Option<Predicate>,
    ) -> Result<bool, DecodeError> {
        let kind = form.kind();
        let is_half = kind.ends_with("f16") || kind.ends_with("f16x2");
        let has_flags = form.flags.ftz || form.flags.sat;
        let is_apart = !matches!(form.rounding, "" | "rn") || matches!(form.opcode, "neg" | "abs" | "setp");
        let is_named_extremum = form.has("NaN") || form.has("xorsign");
        if !(form.has("relu") || has_flags && (is_half || kind == "f32" && (is_apart || is_named_extremum))) {
            return Ok(false);
        }
        let is_directed = kind == "f32" && !matches!(form.rounding, "" | "rn");
        let apart: &[&str] = if is_directed && FLUSHED_INSIDE.contains(&form.opcode) {
            &["relu", "sat"]
        } else {
            &["relu", "ftz", "sat"]
        };
        let mut operation = self.kind(&without(instruction, apart))?;
        if form.flags.ftz {
            for at in 0..3 {
                let Some(a) = source_of(&mut operation, at).copied() else { break };
                let flushed = self.flushed(a, kind, at, guard)?;
                if let Some(a) = source_of(&mut operation, at) {
                    *a = flushed;
                }
            }
        }
        let to = target_of(&operation);
        self.push(operation, guard)?;
        let steps = [
            (form.flags.ftz, modifiers::flushed(kind)),
            (form.flags.sat, modifiers::saturated(kind)),
            (form.has("relu"), modifiers::clamp_negative(kind)),
        ];
        for (_, f) in steps.into_iter().filter(|(wanted, _)| *wanted) {
            let Some(to) = to else { continue };
            let f = f.ok_or_else(|| self.unsupported(instruction))?;
            self.push(Kind::Map1 { f, to, a: Source::Register(to.slot) }, guard)?;
        }
        Ok(true)
    }

    /// `set`: a test whose result is a number (section 9.7.6.1).
    fn set(&mut self, instruction: &Instruction, form: &Form, guard: Option<Predicate>) -> Result<(), DecodeError> {
        let [to_kind, kind] = form.types[..] else {
            return Err(self.unsupported(instruction));
        };
        let pair = kind.strip_suffix("x2");
        let one = match (to_kind, pair) {
            ("f32", None) => 0x3f80_0000,
            ("f16", None) | ("f16x2", Some(_)) => 0x3c00,
            ("bf16", None) | ("bf16x2", Some(_)) => 0x3f80,
            ("u32" | "s32", None) => 0xffff_ffff,
            ("u16" | "s16", None) | ("u32" | "s32", Some(_)) => 0xffff,
            _ => return Err(self.unsupported(instruction)),
        };
        let to = self.target(instruction, 0)?;
        let results = self.tests(instruction, form, (pair.unwrap_or(kind), pair.is_some()), guard)?;
        let (a, b) = (Source::Constant(one), Source::Constant(0));
        let [low, high] = [4, 5].map(|at| self.step(at));
        for (test, part) in results.iter().zip([low, high]) {
            let to = if pair.is_some() { part } else { to };
            self.push(Kind::Select { to, a, b, condition: Predicate::Slot(*test, false) }, guard)?;
        }
        if pair.is_some() {
            let parts = vec![Source::Register(low.slot), Source::Register(high.slot)];
            self.push(Kind::Pack { to, parts, bits: 16 }, guard)?;
        }
        Ok(())
    }

    /// `setp.op.f16x2 p|q, a, b`: p of the lower halves, q of the upper ones (section 9.7.7.2).
    fn compare_pair(
        &mut self,
        instruction: &Instruction,
        form: &Form,
        guard: Option<Predicate>,
    ) -> Result<(), DecodeError> {
        let Some(Operand::Pair(p, q)) = instruction.operands.first() else {
            return Err(malformed(instruction, "two predicates are missing"));
        };
        let to = [self.names.predicate_slot(p, instruction)?, self.names.predicate_slot(q, instruction)?];
        let kind = form.kind().trim_end_matches("x2");
        let results = self.tests(instruction, form, (kind, true), guard)?;
        for (to, test) in to.into_iter().zip(results) {
            let a = Predicate::Slot(test, false);
            self.push(Kind::Logic { f: |a, _| a, to, a, b: Predicate::Constant(false) }, guard)?;
        }
        Ok(())
    }

    /// The comparison of operands 1 and 2, of each half if there are two, into predicates between operations.
    fn tests(
        &mut self,
        instruction: &Instruction,
        form: &Form,
        (kind, is_pair): (&str, bool),
        guard: Option<Predicate>,
    ) -> Result<Vec<u32>, DecodeError> {
        let op = form.modes.first().copied().unwrap_or("");
        let f = test_of(op, kind).ok_or_else(|| self.unsupported(instruction))?;
        let combine = self.combination(instruction, form)?;
        let mut sides = vec![];
        for at in [1, 2] {
            let a = self.source(instruction, at)?;
            let mut parts = vec![a];
            if is_pair {
                let to = [2 * at, 2 * at + 1].map(|at| self.step(at + 4));
                self.push(Kind::Unpack { to: to.map(Some).to_vec(), a, bits: 16 }, guard)?;
                parts = to.map(|to| Source::Register(to.slot)).to_vec();
            }
            if form.flags.ftz {
                for (part, source) in parts.iter_mut().enumerate() {
                    *source = self.flushed(*source, kind, 2 * at + part + 8, guard)?;
                }
            }
            sides.push(parts);
        }
        let mut results = vec![];
        for (at, (a, b)) in sides[0].iter().zip(&sides[1]).enumerate() {
            let to = self.names.step_predicate(at);
            self.push(Kind::Compare { f, to, complement: None, a: *a, b: *b, combine }, guard)?;
            results.push(to);
        }
        Ok(results)
    }

    /// `elect.sync d|p, mask`: the lowest of the lanes that came (section 9.7.13.14).
    fn elect(&mut self, instruction: &Instruction, guard: Option<Predicate>) -> Result<(), DecodeError> {
        let (to, leads) = match instruction.operands.first() {
            Some(Operand::Pair(to, predicate)) => {
                let to = if to == "_" { self.step(1) } else { self.names.target(to, instruction)? };
                (to, self.names.predicate_slot(predicate, instruction)?)
            }
            _ => return Err(malformed(instruction, "a predicate is missing")),
        };
        let mask = self.source(instruction, 1)?;
        let came = self.step(0);
        let a = Predicate::Constant(true);
        self.push(Kind::Vote { mode: Vote::Ballot, to: VoteTarget::Register(came), a, mask }, guard)?;
        let a = Source::Register(came.slot);
        self.push(Kind::Map1 { f: bits::LOWEST, to, a }, guard)?;
        let f = test_of("eq", "u32").ok_or_else(|| self.unsupported(instruction))?;
        let (a, b) = (Source::Register(to.slot), Source::Special(crate::op::Special::Lane));
        self.push(Kind::Compare { f, to: leads, complement: None, a, b, combine: None }, guard)
    }

    /// `isspacep.const`: whether the address lies in the region of a constant variable.
    fn is_constant(&mut self, instruction: &Instruction, guard: Option<Predicate>) -> Result<(), DecodeError> {
        let to = self.predicate_target(instruction, 0)?;
        let a = self.source(instruction, 1)?;
        let region = self.through(bits::REGION, a, 0, guard)?;
        let constants = self.module.variables.iter().filter(|variable| variable.space == ptx::ast::Space::Const);
        let addresses: Vec<u64> = constants.filter_map(|variable| self.names.global_address(&variable.name)).collect();
        let f = bits::property("testp.number", "f32").ok_or_else(|| self.unsupported(instruction))?;
        let nothing = Source::Constant(u64::from(f32::NAN.to_bits()));
        self.push(Kind::Compare { f, to, complement: None, a: nothing, b: nothing, combine: None }, guard)?;
        let f = test_of("eq", "u64").ok_or_else(|| self.unsupported(instruction))?;
        for address in addresses {
            let combine = Some((Combine::Or, Predicate::Slot(to, false)));
            let b = Source::Constant(address / REGION_BYTES);
            self.push(Kind::Compare { f, to, complement: None, a: region, b, combine }, guard)?;
        }
        Ok(())
    }

    /// `atom.global.add.v4.f32 {…}, [a], {…}`: an atomic for each element (section 9.7.13.5).
    fn atomic_vector(&mut self, instruction: &Instruction, guard: Option<Predicate>) -> Result<(), DecodeError> {
        let plain = without(instruction, &["v2", "v4", "v8"]);
        let has_result = instruction.words.first().is_some_and(|word| word == "atom");
        let at = usize::from(has_result);
        let parts = |operand: Option<&Operand>| match operand {
            Some(Operand::Vector(parts)) if parts.len() <= 8 => Ok(parts.clone()),
            _ => Err(malformed(instruction, "a vector is missing")),
        };
        let values = parts(instruction.operands.get(at + 1))?;
        let results = if has_result { parts(instruction.operands.first())? } else { vec![] };
        let Some(Operand::Address(base, offset)) = instruction.operands.get(at) else {
            return Err(malformed(instruction, "an address is missing"));
        };
        let bytes = i64::from(super::memory_forms::width(Form::of(instruction).kind()).bytes);
        for (index, value) in values.into_iter().enumerate() {
            let mut one = plain.clone();
            one.operands = results.get(index).cloned().into_iter().collect();
            one.operands.push(Operand::Address(base.clone(), offset.wrapping_add(index as i64 * bytes)));
            one.operands.push(value);
            let kind = self.kind(&one)?;
            self.push(kind, guard)?;
        }
        Ok(())
    }
}

/// The instruction without some of its modifiers.
pub(super) fn without(instruction: &Instruction, words: &[&str]) -> Instruction {
    let mut plain = instruction.clone();
    plain.words.retain(|word| !words.contains(&word.as_str()));
    plain
}

fn source_of(kind: &mut Kind, at: usize) -> Option<&mut Source> {
    match (kind, at) {
        (Kind::Map1 { a, .. } | Kind::Map2 { a, .. } | Kind::Map3 { a, .. } | Kind::Compare { a, .. }, 0) => Some(a),
        (Kind::Map2 { b, .. } | Kind::Map3 { b, .. } | Kind::Compare { b, .. }, 1) => Some(b),
        (Kind::Map3 { c, .. }, 2) => Some(c),
        _ => None,
    }
}

fn target_of(kind: &Kind) -> Option<Target> {
    match kind {
        Kind::Map1 { to, .. } | Kind::Map2 { to, .. } | Kind::Map3 { to, .. } => Some(*to),
        _ => None,
    }
}
