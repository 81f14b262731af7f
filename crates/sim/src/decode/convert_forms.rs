//! `cvt` in steps: through binary64 where no single function is kept, narrow formats, and modifiers (PTX ISA 9.0,
//! section 9.7.9.21).

use ptx::ast::Instruction;

use super::instruction::Form;
use super::{DecodeError, Decoder};
use crate::exec::rounding::Direction;
use crate::exec::{convert, half, modifiers, narrow};
use crate::op::{Kind, Predicate, Source, Target, Unary};

/// What a conversion is made of; the last one gives the result.
type Steps = Vec<Unary>;

impl Decoder<'_> {
    /// Pushes a conversion that takes several operations; false if one does, or if it is not known.
    pub(super) fn converted_in_steps(
        &mut self,
        instruction: &Instruction,
        form: &Form,
        guard: Option<Predicate>,
    ) -> Result<bool, DecodeError> {
        let [to_kind, from] = form.types[..] else { return Ok(false) };
        let is_known = |mode: &&str| matches!(*mode, "relu" | "satfinite" | "rna");
        if !form.modes.iter().all(is_known) || is_single(form, to_kind, from) {
            return Ok(false);
        }
        let to = self.target(instruction, 0)?;
        match (to_kind, from) {
            ("f16x2" | "bf16x2", "f32") => {
                self.pair_of_singles(instruction, form, to_kind, guard)?;
            }
            ("e4m3x2" | "e5m2x2", "f32") => {
                let Some(f) = narrow::bytes_of_singles(to_kind).filter(|_| form.has("satfinite")) else {
                    return Ok(false);
                };
                let mut parts = [self.source(instruction, 1)?, self.source(instruction, 2)?];
                if let Some(clamp) = modifiers::clamp_negative("f32").filter(|_| form.has("relu")) {
                    for (at, part) in parts.iter_mut().enumerate() {
                        *part = self.through(clamp, *part, at, guard)?;
                    }
                }
                self.push(Kind::Map2 { f, to, a: parts[0], b: parts[1] }, guard)?;
            }
            _ => {
                let Some(steps) = steps(form, to_kind, from) else { return Ok(false) };
                let a = self.source(instruction, 1)?;
                self.push_steps(&steps, to, a, guard)?;
            }
        }
        Ok(true)
    }

    fn push_steps(
        &mut self,
        steps: &[Unary],
        to: Target,
        mut a: Source,
        guard: Option<Predicate>,
    ) -> Result<(), DecodeError> {
        let Some((last, first)) = steps.split_last() else { return Ok(()) };
        for (at, f) in first.iter().enumerate() {
            a = self.through(*f, a, at & 1, guard)?;
        }
        self.push(Kind::Map1 { f: *last, to, a }, guard)
    }

    /// `cvt.rz.relu.f16x2.f32 d, a, b`: a becomes the upper half.
    fn pair_of_singles(
        &mut self,
        instruction: &Instruction,
        form: &Form,
        to_kind: &str,
        guard: Option<Predicate>,
    ) -> Result<(), DecodeError> {
        let to = self.target(instruction, 0)?;
        let one = to_kind.trim_end_matches("x2");
        let steps = rounded(form.rounding, one, "f32").ok_or_else(|| self.unsupported(instruction))?;
        let mut parts = vec![];
        for at in [2, 1] {
            let a = self.source(instruction, at)?;
            let part = self.step(1 + at);
            self.push_steps(&steps, part, a, guard)?;
            parts.push(Source::Register(part.slot));
        }
        self.push(Kind::Pack { to, parts, bits: 16 }, guard)?;
        if let Some(f) = modifiers::finite(to_kind).filter(|_| form.has("satfinite")) {
            self.push(Kind::Map1 { f, to, a: Source::Register(to.slot) }, guard)?;
        }
        if let Some(f) = modifiers::clamp_negative(to_kind).filter(|_| form.has("relu")) {
            self.push(Kind::Map1 { f, to, a: Source::Register(to.slot) }, guard)?;
        }
        Ok(())
    }
}

fn is_half(kind: &str) -> bool {
    matches!(kind, "f16" | "bf16")
}

/// Whether one function does it all.
fn is_single(form: &Form, to: &str, from: &str) -> bool {
    let flags = form.flags;
    let plain = !flags.ftz && !flags.sat && form.modes.is_empty();
    let pair = plain && half::convert_pair(form.rounding, to, from).is_some();
    let alone = plain && half::convert(form.rounding, to, from).is_some();
    let halves = is_half(to) || is_half(from);
    let general = !halves && !flags.ftz && form.modes.is_empty();
    pair || alone || (general && convert::find(form.rounding, flags.sat, false, to, from).is_some())
}

/// A number rounded once in a direction.
fn rounded(rounding: &str, to: &str, from: &str) -> Option<Steps> {
    let direction = Direction::of(rounding)?;
    // What a NaN of binary64 keeps, others lose.
    let to = match (to, from) {
        ("f32", "f64") => "f32 of f64",
        ("f16", "f64") => "f16 of f64",
        ("bf16", "f64") => "bf16 of f64",
        _ => to,
    };
    Some(vec![narrow::widened(from)?, narrow::narrowed_to(to, direction)?])
}

/// The functions of a conversion of one number.
fn steps(form: &Form, to: &str, from: &str) -> Option<Steps> {
    let mut steps = vec![];
    // Towards a half, an H200 does not flush, which shows only in a direction away from zero.
    if form.flags.ftz && from == "f32" && !is_half(to) {
        steps.extend(modifiers::flushed("f32"));
    }
    let is_integer = |kind: &str| kind.starts_with(['s', 'u']);
    let is_whole = matches!(form.rounding, "rni" | "rzi" | "rmi" | "rpi");
    match (to, from) {
        ("tf32", "f32") => {
            let rounding = match (form.has("rna"), form.has("satfinite")) {
                (true, true) => "rna.satfinite",
                (true, false) => "rna",
                (false, true) => return None,
                (false, false) => form.rounding,
            };
            steps.push(narrow::tf32(rounding)?);
        }
        ("e4m3x2" | "e5m2x2", "f16x2") if form.has("satfinite") => {
            if form.has("relu") {
                steps.push(modifiers::clamp_negative("f16x2")?);
            }
            steps.push(narrow::bytes_and_halves(to, from)?);
            return Some(steps);
        }
        ("f16x2", "e4m3x2" | "e5m2x2") => steps.push(narrow::bytes_and_halves(to, from)?),
        ("f16" | "bf16", "f32") if form.has("satfinite") => {
            steps.extend(rounded(form.rounding, to, from)?);
            steps.push(modifiers::finite(to)?);
        }
        _ if form.has("satfinite") || form.has("rna") => return None,
        _ if is_integer(to) && is_integer(from) => {
            return Some(vec![narrow::limited(to, from).filter(|_| form.flags.sat)?]);
        }
        _ if is_integer(to) && is_half(from) => {
            steps.extend([half::convert("", "f32", from)?, convert::find(form.rounding, false, false, to, "f32")?]);
            return Some(steps);
        }
        _ if is_integer(to) => {
            steps.push(convert::find(form.rounding, false, false, to, from)?);
            return Some(steps);
        }
        ("f64", from) if is_integer(from) => {
            steps.push(narrow::double_of_integer(from, Direction::of(form.rounding)?)?);
        }
        ("f64", "f32" | "f16" | "bf16" | "f64") if !is_whole => steps.push(narrow::widened(from)?),
        _ if is_whole => steps.extend([
            narrow::widened(from)?,
            convert::find(form.rounding, false, false, "f64", "f64")?,
            narrow::narrowed_to(to, Direction::Nearest)?,
        ]),
        _ => steps.extend(rounded(form.rounding, to, from)?),
    }
    if form.flags.ftz && to == "f32" {
        steps.extend(modifiers::flushed("f32"));
    }
    if form.flags.sat {
        steps.push(modifiers::saturated(to)?);
    }
    if form.has("relu") {
        steps.push(modifiers::clamp_negative(to)?);
    }
    Some(steps)
}
