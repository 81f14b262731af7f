//! The functions that a kernel can reach: each is decoded once, whoever calls it.

use std::collections::HashMap;

use ptx::ast::{Function, Module};

use super::names::plain_name;
use super::{DecodeError, Decoder, Routine};
use crate::memory::code_address;

/// Functions by number, in the order in which they were first named.
pub(super) struct Functions<'a> {
    /// What the module defines.
    defined: HashMap<&'a str, &'a Function>,
    /// The kernel, and what it reaches so far.
    reached: Vec<&'a Function>,
    numbers: HashMap<&'a str, usize>,
    /// Where each was first named: a line in the learner's source, or 0.
    lines: Vec<u32>,
}

impl<'a> Functions<'a> {
    /// The kernel alone.
    pub fn new(module: &'a Module, entry: &'a Function) -> Self {
        let defined = module.functions.iter().filter(|function| !function.is_entry && !function.body.is_empty());
        Self {
            defined: defined.map(|function| (function.name.as_str(), function)).collect(),
            reached: vec![entry],
            numbers: HashMap::new(),
            lines: vec![0],
        }
    }

    /// Number of a function that the module defines, named at a line.
    pub fn number(&mut self, name: &str, line: u32) -> Option<usize> {
        if let Some(known) = self.numbers.get(name) {
            return Some(*known);
        }
        let function = *self.defined.get(name)?;
        let number = self.reached.len();
        self.numbers.insert(&function.name, number);
        self.reached.push(function);
        self.lines.push(line);
        Some(number)
    }

    /// A function by number.
    pub fn get(&self, number: usize) -> Option<&'a Function> {
        self.reached.get(number).copied()
    }
}

impl Decoder<'_> {
    /// Decodes the kernel, then what it reaches, to the end.
    pub(super) fn all_functions(&mut self) -> Result<Vec<Routine>, DecodeError> {
        let mut routines = vec![];
        loop {
            self.resolve_references();
            let Some(function) = self.functions.get(self.current) else { break };
            let (start, named_at) = (self.ops.len(), self.functions.lines[self.current]);
            self.line = 0;
            self.names.enter(function)?;
            let (mut params, mut returns) = (vec![], vec![]);
            if self.current == 0 {
                self.name_params(function);
            } else {
                params = self.names.handed(&function.params)?;
                returns = self.names.handed(&function.returns)?;
            }
            self.function(function)?;
            let (registers, predicates, local_bytes) = self.names.sizes();
            let name = plain_name(&function.name);
            let register_names = self.names.register_names();
            routines.push(Routine {
                name,
                start,
                named_at,
                registers,
                predicates,
                local_bytes,
                gaps: std::mem::take(&mut self.names.scope.gaps),
                params,
                returns,
                register_names,
                label: function.name.clone(),
                labels: std::mem::take(&mut self.names.scope.labels),
            });
            self.current += 1;
        }
        let align = self.names.frame_align;
        for routine in &mut routines {
            routine.local_bytes = routine.local_bytes.next_multiple_of(align);
        }
        Ok(routines)
    }

    /// Address of a function, which is reached from now on.
    pub(super) fn function_address(&mut self, name: &str) -> Option<u64> {
        self.functions.number(name, self.line).map(code_address)
    }

    /// Fills addresses into initialisers; what is no name of this program stays null.
    fn resolve_references(&mut self) {
        for (variable, reference) in std::mem::take(&mut self.names.references) {
            let known = self.names.global_address(&reference.name);
            let Some(address) = known.or_else(|| self.function_address(&reference.name)) else { continue };
            let value = address.wrapping_add_signed(reference.offset) >> reference.shift;
            let initial = &mut self.names.globals[variable].initial;
            if let Some(room) = initial.get_mut(reference.at..reference.at + reference.bytes) {
                room.copy_from_slice(&value.to_le_bytes()[..room.len()]);
            }
        }
    }
}
