//! Names -> slots and addresses.

use std::collections::HashMap;

use ptx::ast::{Function, Instruction, Module, Register, Space, Variable};

use super::{DecodeError, GlobalVariable, SharedVariable, malformed};
use crate::memory::{GLOBAL_BASE, LOCAL_START, REGION_BYTES, SHARED_SLOT_BYTES, SHARED_START};
use crate::op::{Slot, Target};

/// A thread's own memory.
const LOCAL_BYTES_MAX: u64 = 512 << 10;
/// Bytes of all module variables.
const GLOBAL_BYTES_MAX: u64 = 1 << 30;
/// Variables of one kind; each has a region or slot of its own.
const VARIABLES_MAX: usize = 100;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Predicate,
    Bits(u32),
}

/// All names of one kernel.
pub(super) struct Names {
    registers: Vec<Register>,
    slots: HashMap<String, (Slot, Class)>,
    next_register: Slot,
    next_predicate: Slot,
    pub labels: HashMap<String, usize>,
    /// Address of each variable in its own space.
    pub addresses: HashMap<String, u64>,
    /// Position of each kernel parameter.
    pub params: HashMap<String, usize>,
    /// `.param` variables of calls, as registers.
    pub call_params: HashMap<String, Target>,
    pub shared: Vec<SharedVariable>,
    pub globals: Vec<GlobalVariable>,
    pub local_bytes: usize,
}

impl Names {
    pub fn new(module: &Module, function: &Function) -> Result<Self, DecodeError> {
        let params = function
            .params
            .iter()
            .enumerate()
            .map(|(index, param)| (param.name.clone(), index))
            .collect();
        let mut names = Self {
            registers: function.registers.clone(),
            slots: HashMap::new(),
            next_register: 0,
            next_predicate: 0,
            labels: HashMap::new(),
            addresses: HashMap::new(),
            params,
            call_params: HashMap::new(),
            shared: vec![],
            globals: vec![],
            local_bytes: 0,
        };
        for variable in module.variables.iter().chain(&function.variables) {
            names.variable(variable)?;
        }
        Ok(names)
    }

    fn variable(&mut self, variable: &Variable) -> Result<(), DecodeError> {
        let too_much = |what: &str| DecodeError::Unsupported {
            what: format!("{what} of {}", variable.name),
            line: None,
        };
        match variable.space {
            Space::Shared => {
                if self.shared.len() >= VARIABLES_MAX {
                    return Err(too_much("the shared variables"));
                }
                let address = SHARED_START + self.shared.len() as u64 * SHARED_SLOT_BYTES;
                self.addresses.insert(variable.name.clone(), address);
                self.shared.push(SharedVariable {
                    name: plain_name(&variable.name),
                    bytes: variable.bytes,
                });
            }
            Space::Local => {
                let start = (self.local_bytes as u64).next_multiple_of(variable.align.max(16));
                let end = variable
                    .bytes
                    .and_then(|bytes| start.checked_add(bytes))
                    .filter(|end| *end <= LOCAL_BYTES_MAX);
                self.addresses
                    .insert(variable.name.clone(), LOCAL_START + start);
                self.local_bytes = end.ok_or_else(|| too_much("the local memory"))? as usize;
            }
            Space::Global | Space::Const => {
                let used: u64 = self.globals.iter().map(|global| global.bytes).sum();
                let bytes = variable.bytes.unwrap_or(0);
                if self.globals.len() >= VARIABLES_MAX
                    || used.saturating_add(bytes) > GLOBAL_BYTES_MAX
                {
                    return Err(too_much("the global memory"));
                }
                let address = GLOBAL_BASE + self.globals.len() as u64 * REGION_BYTES;
                self.addresses.insert(variable.name.clone(), address);
                self.globals.push(GlobalVariable {
                    name: plain_name(&variable.name),
                    element_bytes: variable.element_bytes,
                    bytes,
                    initial: variable.initial.clone(),
                });
            }
            Space::Param => {
                let target = Target {
                    slot: self.next_register,
                    mask: u64::MAX,
                };
                self.next_register += 1;
                if variable.bytes.is_some_and(|bytes| bytes <= 8) {
                    self.call_params.insert(variable.name.clone(), target);
                }
            }
        }
        Ok(())
    }

    pub fn register_count(&self) -> usize {
        self.next_register as usize
    }

    pub fn predicate_count(&self) -> usize {
        self.next_predicate as usize
    }

    /// Slot and class of a declared register; slots are given at the first use.
    fn find(&mut self, name: &str) -> Option<(Slot, Class)> {
        if let Some(known) = self.slots.get(name) {
            return Some(*known);
        }
        let declared = self
            .registers
            .iter()
            .find(|register| match register.count {
                None => register.name == name,
                Some(count) => name
                    .strip_prefix(&register.name)
                    .and_then(|number| number.parse::<u32>().ok())
                    .is_some_and(|number| number < count),
            })?;
        let class = match declared.kind.as_str() {
            "pred" => Class::Predicate,
            kind => Class::Bits(
                kind.get(1..)?
                    .parse()
                    .ok()
                    .filter(|bits| [8, 16, 32, 64].contains(bits))?,
            ),
        };
        let next = if class == Class::Predicate {
            &mut self.next_predicate
        } else {
            &mut self.next_register
        };
        let slot = *next;
        *next += 1;
        self.slots.insert(name.to_owned(), (slot, class));
        Some((slot, class))
    }

    pub fn find_register(&mut self, name: &str) -> Option<Slot> {
        match self.find(name) {
            Some((slot, Class::Bits(_))) => Some(slot),
            _ => None,
        }
    }

    pub fn predicate_slot(
        &mut self,
        name: &str,
        instruction: &Instruction,
    ) -> Result<Slot, DecodeError> {
        match self.find(name) {
            Some((slot, Class::Predicate)) => Ok(slot),
            _ => Err(malformed(instruction, format!("'{name}' is no predicate"))),
        }
    }

    pub fn target(&mut self, name: &str, instruction: &Instruction) -> Result<Target, DecodeError> {
        match self.find(name) {
            Some((slot, Class::Bits(bits))) => Ok(Target {
                slot,
                mask: u64::MAX >> (64 - bits),
            }),
            _ => Err(malformed(instruction, format!("'{name}' is no register"))),
        }
    }
}

/// `tile` of `_ZZ6kernelPfE4tile`: the last length-prefixed part of a mangled name.
fn plain_name(name: &str) -> String {
    let Some(mangled) = name.strip_prefix("_ZZ").or_else(|| name.strip_prefix("_Z")) else {
        return name.to_owned();
    };
    let from = mangled.rfind('E').map_or(0, |at| at + 1);
    let digits: String = mangled[from..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let part = digits
        .parse::<usize>()
        .ok()
        .and_then(|length| mangled.get(from + digits.len()..from + digits.len() + length));
    part.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn shared_variables_have_their_source_names() {
        for (name, expect) in [
            ("_ZZ1kPfE4tile", "tile"),
            ("tile", "tile"),
            ("_ZZ1kE", "_ZZ1kE"),
            ("_ZZ1kE999x", "_ZZ1kE999x"),
        ] {
            assert_eq!(super::plain_name(name), expect);
        }
    }
}
