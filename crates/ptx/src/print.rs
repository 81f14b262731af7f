//! A module as text that reads back to the same module, line numbers of the text aside.
//!
//! Scopes inside functions are gone by then, so what they declared stands at the start of the function.

use std::fmt::{self, Display, Formatter};

use crate::ast::{Function, Instruction, Location, Module, Operand, Reference, Space, Statement, Variable};

impl Display for Module {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        writeln!(to, ".version 9.0\n.target sm_80\n.address_size 64")?;
        for (number, path) in &self.files {
            writeln!(to, ".file {number} \"{path}\"")?;
        }
        for variable in &self.variables {
            writeln!(to, "{variable};")?;
        }
        self.functions.iter().try_for_each(|function| write!(to, "{function}"))
    }
}

impl Display for Function {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "{}", if self.is_entry { ".entry " } else { ".func " })?;
        if !self.returns.is_empty() {
            write!(to, "({}) ", Joined(&self.returns))?;
        }
        write!(to, "{}({})", self.name, Joined(&self.params))?;
        if self.body.is_empty() && self.registers.is_empty() && self.variables.is_empty() {
            return writeln!(to, ";");
        }
        writeln!(to, " {{")?;
        for register in &self.registers {
            write!(to, ".reg .{} {}", register.kind, register.name)?;
            match register.count {
                Some(count) => writeln!(to, "<{count}>;")?,
                None => writeln!(to, ";")?,
            }
        }
        for variable in &self.variables {
            writeln!(to, "{variable};")?;
        }
        let mut here = None;
        for statement in &self.body {
            match statement {
                Statement::Label(name) => writeln!(to, "{name}:")?,
                Statement::Instruction(instruction) => {
                    if here != instruction.location.as_ref() {
                        here = instruction.location.as_ref();
                        here.map_or(Ok(()), |location| write!(to, "{location}"))?;
                    }
                    writeln!(to, "{instruction}")?;
                }
            }
        }
        writeln!(to, "}}")
    }
}

impl Display for Location {
    /// Its row; before it those of the calls that it was inlined through, outermost first.
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        for pair in self.inlined_at.windows(2).rev() {
            let [(file, line), (outer_file, outer_line)] = pair else { continue };
            writeln!(to, ".loc {file} {line} 0, function_name f, inlined_at {outer_file} {outer_line} 0")?;
        }
        write!(to, ".loc {} {} 0", self.file, self.line)?;
        if let Some((file, line)) = self.inlined_at.first() {
            write!(to, ", function_name f, inlined_at {file} {line} 0")?;
        }
        writeln!(to)
    }
}

impl Display for Variable {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let space = match self.space {
            Space::Global => "global",
            Space::Const => "const",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
        };
        write!(to, ".{space} .align {} .b{} {}", self.align, 8 * self.element_bytes, self.name)?;
        match self.bytes {
            Some(bytes) => write!(to, "[{}]", bytes / u64::from(self.element_bytes.max(1)))?,
            None => write!(to, "[]")?,
        }
        if self.initial.is_empty() {
            return Ok(());
        }
        let width = (self.element_bytes as usize).clamp(1, 8);
        let values = self.initial.chunks(width).enumerate().map(|(at, bytes)| {
            match self.references.iter().find(|reference| reference.at == at * width) {
                Some(reference) => reference.to_string(),
                None => bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte)).to_string(),
            }
        });
        write!(to, " = {{{}}}", values.collect::<Vec<_>>().join(", "))
    }
}

impl Display for Reference {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self.shift {
            0 => write!(to, "{}", self.name)?,
            shift => write!(to, "{:#x}({})", 0xff_u64 << shift, self.name)?,
        }
        match self.offset {
            0 => Ok(()),
            offset if offset > 0 => write!(to, "+{offset}"),
            offset => write!(to, "{offset}"),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        if let Some((name, negated)) = &self.guard {
            write!(to, "@{}{name} ", if *negated { "!" } else { "" })?;
        }
        write!(to, "{} {};", self.words.join("."), Joined(&self.operands))
    }
}

impl Display for Operand {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(to, "{name}"),
            Self::Not(name) => write!(to, "!{name}"),
            Self::Integer(value) => write!(to, "{value}"),
            Self::Float32(bits) => write!(to, "0f{bits:08X}"),
            Self::Float64(bits) => write!(to, "0d{bits:016X}"),
            Self::Address(Some(base), offset) => write!(to, "[{base}+{offset}]"),
            Self::Address(None, offset) => write!(to, "[{offset}]"),
            Self::Vector(parts) => write!(to, "{{{}}}", Joined(parts)),
            Self::Pair(one, other) => write!(to, "{one}|{other}"),
            Self::List(parts) => write!(to, "({})", Joined(parts)),
        }
    }
}

/// Items with commas between them.
struct Joined<'a, T>(&'a [T]);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        for (at, item) in self.0.iter().enumerate() {
            write!(to, "{}{item}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
