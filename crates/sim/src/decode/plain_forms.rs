//! One operation each: rarer forms of integers, bits and tests, and instructions that change no value here.

use ptx::ast::Instruction;

use super::instruction::Form;
use super::{DecodeError, Decoder};
use crate::exec::{bits, extrema};
use crate::op::{Kind, Source};

impl Decoder<'_> {
    /// What the general arithmetic does not know, if this is such a form.
    pub(super) fn plain(&mut self, instruction: &Instruction, form: &Form) -> Result<Option<Kind>, DecodeError> {
        let op = form.name();
        let found = match form.opcode {
            // Hints to caches and to the launch of other grids, and what a debugger or profiler sees.
            "applypriority" | "discard" | "griddepcontrol" | "pmevent" | "brkpt" => Some(Ok(Kind::Nothing)),
            "createpolicy" => Some(self.target(instruction, 0).map(|to| Kind::Copy { to, a: Source::Constant(0) })),
            "testp" | "isspacep" => bits::property(&op, form.kind()).map(|f| {
                Ok(Kind::Compare {
                    f,
                    to: self.predicate_target(instruction, 0)?,
                    complement: None,
                    a: self.source(instruction, 1)?,
                    b: Source::Constant(0),
                    combine: None,
                })
            }),
            "dp4a" | "dp2a" => match form.types[..] {
                [a, b] => bits::dot(&op, a, b).map(|f| self.map3(instruction, f)),
                _ => None,
            },
            "vabsdiff2" | "vabsdiff4" if form.types != ["u32"; 3] => None,
            "min" | "max" if instruction.operands.len() == 3 && extrema::binary(&op, form.kind()).is_some() => {
                extrema::binary(&op, form.kind()).map(|f| self.map2(instruction, f))
            }
            _ => self.rare(instruction, form, &op),
        };
        found.transpose()
    }

    fn rare(&mut self, instruction: &Instruction, form: &Form, op: &str) -> Option<Result<Kind, DecodeError>> {
        // `.sat` of integers is no flag of floats.
        let op = if form.flags.sat { format!("{op}.sat") } else { op.to_owned() };
        match instruction.operands.len() {
            2 => bits::unary(&op, form.kind()).map(|f| self.map1(instruction, f)),
            3 => bits::binary(&op, form.kind()).map(|f| self.map2(instruction, f)),
            4 => bits::ternary(&op, form.kind()).map(|f| self.map3(instruction, f)),
            _ => None,
        }
    }
}
