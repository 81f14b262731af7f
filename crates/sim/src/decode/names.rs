//! Names -> slots and addresses.

use std::collections::{HashMap, HashSet};

use ptx::ast::{Function, Instruction, Module, Operand, Register, Space, Statement, Variable};

use super::{DecodeError, GlobalVariable, SharedVariable, malformed};
use crate::memory::{GLOBAL_BASE, LOCAL_START, LOCAL_WINDOW, REGION_BYTES, SHARED_SLOT_BYTES, SHARED_START};
use crate::op::{Slot, Target};

/// A thread's own memory.
const LOCAL_BYTES_MAX: u64 = 512 << 10;
/// Bytes of all module variables.
const GLOBAL_BYTES_MAX: u64 = 256 << 20;
/// Variables of one kind; each has a region or slot of its own.
const VARIABLES_MAX: usize = 100;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Predicate,
    Bits(u32),
}

/// Names of the module, and of the function that is being decoded.
pub(super) struct Names {
    pub scope: Scope,
    next_register: Slot,
    next_predicate: Slot,
    /// Address of each variable in its own space.
    addresses: HashMap<String, u64>,
    pub shared: Vec<SharedVariable>,
    pub globals: Vec<GlobalVariable>,
    pub local_bytes: usize,
    carry: Option<Slot>,
    /// Registers and predicates that hold a value from one operation of an instruction to the next.
    steps: [Vec<Slot>; 2],
}

/// Names of one function in one place where it is called; every call has registers of its own.
#[derive(Default)]
pub(super) struct Scope {
    registers: Vec<Register>,
    slots: HashMap<String, (Slot, Class)>,
    pub labels: HashMap<String, usize>,
    pub addresses: HashMap<String, u64>,
    /// Position of each kernel parameter.
    pub params: HashMap<String, usize>,
    /// Local addresses of `.param` variables: what is handed to functions and back.
    pub call_params: HashMap<String, u64>,
}

impl Names {
    pub fn new(module: &Module, entry: &Function) -> Result<Self, DecodeError> {
        let mut names = Self {
            scope: Scope::default(),
            next_register: 0,
            next_predicate: 0,
            addresses: HashMap::new(),
            shared: vec![],
            globals: vec![],
            local_bytes: 0,
            carry: None,
            steps: [vec![], vec![]],
        };
        // Headers define hundreds of constants; what no instruction names needs no room.
        let reached = reached(module, entry);
        for variable in module.variables.iter().filter(|variable| reached.contains(variable.name.as_str())) {
            if let Some(address) = names.variable(variable)? {
                names.addresses.insert(variable.name.clone(), address);
            }
        }
        Ok(names)
    }

    /// Enters a function; gives back the scope that is left.
    pub fn enter(&mut self, function: &Function) -> Result<Scope, DecodeError> {
        let mut scope = Scope { registers: function.registers.clone(), ..Scope::default() };
        for variable in function.variables.iter().filter(|variable| variable.space != Space::Param) {
            // A shared variable of a function is one, wherever the function is called.
            let known = self.addresses.get(&variable.name).copied();
            let address = match known {
                Some(address) => Some(address),
                None => self.variable(variable)?,
            };
            let Some(address) = address else { continue };
            if variable.space == Space::Local {
                scope.addresses.insert(variable.name.clone(), address);
            } else {
                self.addresses.insert(variable.name.clone(), address);
            }
        }
        // Scopes of several calls declare the same name; the largest serves them all.
        let mut largest: Vec<&Variable> = vec![];
        for variable in function.variables.iter().filter(|variable| variable.space == Space::Param) {
            match largest.iter_mut().find(|known| known.name == variable.name) {
                Some(known) if known.bytes < variable.bytes => *known = variable,
                Some(_) => {}
                None => largest.push(variable),
            }
        }
        for variable in largest {
            let address = self.local(variable)?;
            scope.call_params.insert(variable.name.clone(), address);
        }
        Ok(std::mem::replace(&mut self.scope, scope))
    }

    /// Address of a variable in its own space.
    pub fn address(&self, name: &str) -> Option<u64> {
        let named = self.scope.addresses.get(name).or_else(|| self.addresses.get(name)).copied();
        // The address of a `.param` variable is taken as a generic one.
        named.or_else(|| Some(LOCAL_WINDOW + self.scope.call_params.get(name)?))
    }

    /// A slot that no name has.
    pub fn unnamed_register(&mut self) -> Slot {
        self.next_register += 1;
        self.next_register - 1
    }

    /// The `at`-th register for what goes from one operation of an instruction to the next.
    pub fn step_register(&mut self, at: usize) -> Slot {
        while self.steps[0].len() <= at {
            let slot = self.unnamed_register();
            self.steps[0].push(slot);
        }
        self.steps[0][at]
    }

    /// The `at`-th predicate of the same use.
    pub fn step_predicate(&mut self, at: usize) -> Slot {
        while self.steps[1].len() <= at {
            self.steps[1].push(self.next_predicate);
            self.next_predicate += 1;
        }
        self.steps[1][at]
    }

    /// The carry flag.
    pub fn carry_flag(&mut self) -> Slot {
        let next = &mut self.next_predicate;
        *self.carry.get_or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    /// Room in a thread's own memory.
    pub fn local(&mut self, variable: &Variable) -> Result<u64, DecodeError> {
        let start = (self.local_bytes as u64).next_multiple_of(variable.align.max(16));
        let end = variable.bytes.and_then(|bytes| start.checked_add(bytes)).filter(|end| *end <= LOCAL_BYTES_MAX);
        self.local_bytes = end.ok_or_else(|| too_much("the local memory", variable))? as usize;
        Ok(LOCAL_START + start)
    }

    fn variable(&mut self, variable: &Variable) -> Result<Option<u64>, DecodeError> {
        match variable.space {
            Space::Shared => {
                if self.shared.len() >= VARIABLES_MAX {
                    return Err(too_much("the shared variables", variable));
                }
                let address = SHARED_START + self.shared.len() as u64 * SHARED_SLOT_BYTES;
                self.shared.push(SharedVariable { name: plain_name(&variable.name), bytes: variable.bytes });
                Ok(Some(address))
            }
            Space::Local => self.local(variable).map(Some),
            Space::Global | Space::Const => {
                if variable.holds_addresses {
                    return Err(too_much("the addresses in the initialiser", variable));
                }
                let used: u64 = self.globals.iter().map(|global| global.bytes).sum();
                let bytes = variable.bytes.unwrap_or(0);
                if self.globals.len() >= VARIABLES_MAX || used.saturating_add(bytes) > GLOBAL_BYTES_MAX {
                    return Err(too_much("the global memory", variable));
                }
                let address = GLOBAL_BASE + self.globals.len() as u64 * REGION_BYTES;
                self.globals.push(GlobalVariable {
                    name: plain_name(&variable.name),
                    element_bytes: variable.element_bytes,
                    bytes,
                    initial: variable.initial.clone(),
                });
                Ok(Some(address))
            }
            Space::Param => Ok(None),
        }
    }

    pub fn register_count(&self) -> usize {
        self.next_register as usize
    }

    pub fn predicate_count(&self) -> usize {
        self.next_predicate as usize
    }

    /// Slot and class of a declared register; slots are given at the first use.
    fn find(&mut self, name: &str) -> Option<(Slot, Class)> {
        if let Some(known) = self.scope.slots.get(name) {
            return Some(*known);
        }
        let declared = self.scope.registers.iter().find(|register| match register.count {
            None => register.name == name,
            Some(count) => name
                .strip_prefix(&register.name)
                .and_then(|number| number.parse::<u32>().ok())
                .is_some_and(|number| number < count),
        })?;
        let class = match declared.kind.as_str() {
            "pred" => Class::Predicate,
            kind => Class::Bits(kind.get(1..)?.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?),
        };
        let next = if class == Class::Predicate { &mut self.next_predicate } else { &mut self.next_register };
        let slot = *next;
        *next += 1;
        self.scope.slots.insert(name.to_owned(), (slot, class));
        Some((slot, class))
    }

    pub fn find_register(&mut self, name: &str) -> Option<Slot> {
        match self.find(name) {
            Some((slot, Class::Bits(_))) => Some(slot),
            _ => None,
        }
    }

    pub fn predicate_slot(&mut self, name: &str, instruction: &Instruction) -> Result<Slot, DecodeError> {
        match self.find(name) {
            Some((slot, Class::Predicate)) => Ok(slot),
            _ => Err(malformed(instruction, format!("'{name}' is no predicate"))),
        }
    }

    pub fn target(&mut self, name: &str, instruction: &Instruction) -> Result<Target, DecodeError> {
        match self.find(name) {
            Some((slot, Class::Bits(bits))) => Ok(Target { slot, mask: u64::MAX >> (64 - bits) }),
            _ => Err(malformed(instruction, format!("'{name}' is no register"))),
        }
    }
}

/// Every name in a function and in the functions that it calls.
fn reached<'a>(module: &'a Module, entry: &'a Function) -> HashSet<&'a str> {
    fn collect<'a>(operand: &'a Operand, found: &mut Vec<&'a str>) {
        match operand {
            Operand::Name(name) | Operand::Address(Some(name), _) => found.push(name),
            Operand::Vector(parts) | Operand::List(parts) => parts.iter().for_each(|part| collect(part, found)),
            _ => {}
        }
    }
    let functions: HashMap<&str, &Function> =
        module.functions.iter().map(|function| (function.name.as_str(), function)).collect();
    let (mut reached, mut open) = (HashSet::new(), vec![entry]);
    while let Some(function) = open.pop() {
        for statement in &function.body {
            let Statement::Instruction(instruction) = statement else { continue };
            let mut found = vec![];
            instruction.operands.iter().for_each(|operand| collect(operand, &mut found));
            for name in found {
                if reached.insert(name) {
                    open.extend(functions.get(name));
                }
            }
        }
    }
    reached
}

fn too_much(what: &str, variable: &Variable) -> DecodeError {
    DecodeError::Unsupported { what: format!("{what} of {}", variable.name), line: None }
}

/// `tile` of `_ZZ6kernelPfE4tile`: the last length-prefixed part of a mangled name.
fn plain_name(name: &str) -> String {
    let Some(mangled) = name.strip_prefix("_ZZ").or_else(|| name.strip_prefix("_Z")) else {
        return name.to_owned();
    };
    let from = mangled.rfind('E').map_or(0, |at| at + 1);
    let digits: String = mangled[from..].chars().take_while(char::is_ascii_digit).collect();
    let part =
        digits.parse::<usize>().ok().and_then(|length| mangled.get(from + digits.len()..from + digits.len() + length));
    part.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn shared_variables_have_their_source_names() {
        for (name, expect) in
            [("_ZZ1kPfE4tile", "tile"), ("tile", "tile"), ("_ZZ1kE", "_ZZ1kE"), ("_ZZ1kE999x", "_ZZ1kE999x")]
        {
            assert_eq!(super::plain_name(name), expect);
        }
    }
}
