//! Names -> slots and addresses.

use std::collections::{HashMap, HashSet};

use ptx::ast::{Function, Instruction, Module, Operand, Reference, Register, Space, Statement, Variable};

use super::{DecodeError, GlobalVariable, SharedVariable, malformed};
use crate::memory::{GLOBAL_BASE, LOCAL_START, LOCAL_WINDOW, REGION_BYTES, SHARED_SLOT_BYTES, SHARED_START};
use crate::op::{Gap, Piece, Slot, Source, Target};

/// A thread's own memory in one frame.
const LOCAL_BYTES_MAX: u64 = 512 << 10;
/// Bytes behind each piece of a frame where there are several frames, so that an array is not left unnoticed.
const GAP_BYTES: u64 = 16;
/// Bytes of all module variables.
const GLOBAL_BYTES_MAX: u64 = 256 << 20;
/// Every piece of a frame starts at a multiple of this.
const FRAME_ALIGN_LEAST: u64 = 16;
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
    /// Address of each variable in its own space.
    addresses: HashMap<String, u64>,
    pub shared: Vec<SharedVariable>,
    pub globals: Vec<GlobalVariable>,
    /// Addresses in initialisers that are not known yet, with the number of the variable.
    pub references: Vec<(usize, Reference)>,
    /// What every frame starts at a multiple of.
    pub frame_align: u64,
    /// Whether there may be frames above another.
    has_calls: bool,
}

/// Names of one function, and how large its frame is.
#[derive(Default)]
pub(super) struct Scope {
    next_register: Slot,
    next_predicate: Slot,
    carry: Option<Slot>,
    /// Registers and predicates that hold a value from one operation of an instruction to the next.
    steps: [Vec<Slot>; 2],
    /// Bytes of its own memory.
    local_bytes: u64,
    pub gaps: Vec<Gap>,
    registers: Vec<Register>,
    slots: HashMap<String, (Slot, Class)>,
    pub labels: HashMap<String, usize>,
    pub addresses: HashMap<String, Source>,
    /// Position of each kernel parameter.
    pub params: HashMap<String, usize>,
    /// `.param` variables in the frame: what is handed to functions and back.
    pub call_params: HashMap<String, Piece>,
}

impl Names {
    pub fn new(module: &Module, entry: &Function) -> Result<Self, DecodeError> {
        let mut names = Self {
            scope: Scope::default(),
            addresses: HashMap::new(),
            shared: vec![],
            globals: vec![],
            references: vec![],
            frame_align: FRAME_ALIGN_LEAST,
            has_calls: module.functions.iter().any(|function| !function.is_entry && !function.body.is_empty()),
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

    /// Enters a function. The kernel's frame also holds the module's own local variables, and lies at offset 0.
    pub fn enter(&mut self, function: &Function) -> Result<(), DecodeError> {
        let Scope { local_bytes, gaps, .. } = std::mem::take(&mut self.scope);
        self.scope.registers.clone_from(&function.registers);
        if function.is_entry {
            (self.scope.local_bytes, self.scope.gaps) = (local_bytes, gaps);
        }
        for variable in function.variables.iter().filter(|variable| variable.space != Space::Param) {
            if variable.space == Space::Local {
                let piece = self.local(variable)?;
                self.scope.addresses.insert(variable.name.clone(), in_frame(piece.at));
            } else if !self.addresses.contains_key(&variable.name)
                && let Some(address) = self.variable(variable)?
            {
                self.addresses.insert(variable.name.clone(), address);
            }
        }
        // Scopes of several calls declare the same name; the largest serves them all.
        let mut largest: HashMap<&str, &Variable> = HashMap::new();
        let mut order = vec![];
        for variable in function.variables.iter().filter(|variable| variable.space == Space::Param) {
            match largest.get_mut(variable.name.as_str()) {
                Some(known) if known.bytes < variable.bytes => *known = variable,
                Some(_) => {}
                None => {
                    largest.insert(&variable.name, variable);
                    order.push(variable.name.as_str());
                }
            }
        }
        for variable in order.iter().filter_map(|name| largest.get(name)) {
            let piece = self.local(variable)?;
            self.scope.call_params.insert(variable.name.clone(), piece);
        }
        Ok(())
    }

    /// Where a function finds parameters, or leaves what it returns.
    pub fn handed(&mut self, variables: &[Variable]) -> Result<Vec<Piece>, DecodeError> {
        let mut pieces = vec![];
        for variable in variables {
            let piece = self.local(variable)?;
            self.scope.call_params.insert(variable.name.clone(), piece);
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// Address of a variable in its own space.
    pub fn address(&self, name: &str) -> Option<Source> {
        if let Some(own) = self.scope.addresses.get(name) {
            return Some(*own);
        }
        if let Some(address) = self.addresses.get(name) {
            return Some(Source::Constant(*address));
        }
        // The address of a `.param` variable is taken as a generic one.
        let piece = self.scope.call_params.get(name)?;
        Some(Source::Frame(LOCAL_WINDOW + LOCAL_START + piece.at))
    }

    /// Address of a variable of the module, for an initialiser.
    pub fn global_address(&self, name: &str) -> Option<u64> {
        self.addresses.get(name).copied().filter(|address| *address >= GLOBAL_BASE)
    }

    /// A slot that no name has.
    pub fn unnamed_register(&mut self) -> Slot {
        self.scope.next_register += 1;
        self.scope.next_register - 1
    }

    /// The `at`-th register for what goes from one operation of an instruction to the next.
    pub fn step_register(&mut self, at: usize) -> Slot {
        while self.scope.steps[0].len() <= at {
            let slot = self.unnamed_register();
            self.scope.steps[0].push(slot);
        }
        self.scope.steps[0][at]
    }

    /// The `at`-th predicate of the same use.
    pub fn step_predicate(&mut self, at: usize) -> Slot {
        let Scope { steps: [_, predicates], next_predicate, .. } = &mut self.scope;
        while predicates.len() <= at {
            predicates.push(*next_predicate);
            *next_predicate += 1;
        }
        predicates[at]
    }

    /// The carry flag.
    pub fn carry_flag(&mut self) -> Slot {
        let next = &mut self.scope.next_predicate;
        *self.scope.carry.get_or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    /// Room in the function's frame.
    pub fn local(&mut self, variable: &Variable) -> Result<Piece, DecodeError> {
        self.frame_align = self.frame_align.max(variable.align.checked_next_power_of_two().unwrap_or(1));
        let room = variable.bytes.filter(|bytes| *bytes <= LOCAL_BYTES_MAX);
        let piece = room.and_then(|bytes| self.room(bytes as u32, variable.align));
        piece.ok_or_else(|| too_much("the local memory", variable))
    }

    /// Room without a name in the function's frame; `None` where a frame is full.
    pub fn room(&mut self, bytes: u32, align: u64) -> Option<Piece> {
        let at = self.scope.local_bytes.checked_next_multiple_of(align.max(FRAME_ALIGN_LEAST))?;
        let end = at.checked_add(u64::from(bytes)).filter(|end| *end <= LOCAL_BYTES_MAX)?;
        self.scope.local_bytes = end;
        if self.has_calls {
            self.scope.local_bytes += GAP_BYTES;
            self.scope.gaps.push(Gap { piece: at, from: end, to: end + GAP_BYTES });
        }
        Some(Piece { at, bytes })
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
            // Of the module: at the start of the kernel's frame, which is the first.
            Space::Local => self.local(variable).map(|piece| Some(LOCAL_START + piece.at)),
            Space::Global | Space::Const => {
                let used: u64 = self.globals.iter().map(|global| global.bytes).sum();
                let bytes = variable.bytes.unwrap_or(0);
                if self.globals.len() >= VARIABLES_MAX || used.saturating_add(bytes) > GLOBAL_BYTES_MAX {
                    return Err(too_much("the global memory", variable));
                }
                let address = GLOBAL_BASE + self.globals.len() as u64 * REGION_BYTES;
                let index = self.globals.len();
                self.references.extend(variable.references.iter().map(|reference| (index, reference.clone())));
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

    /// Registers, predicates, and bytes of own memory of the function that was decoded.
    pub fn sizes(&self) -> (usize, usize, u64) {
        (self.scope.next_register as usize, self.scope.next_predicate as usize, self.scope.local_bytes)
    }

    /// Names of the registers and of the predicates of the function that was decoded, by slot.
    pub fn register_names(&self) -> [Vec<String>; 2] {
        let (registers, predicates, _) = self.sizes();
        let mut names = [vec![String::new(); registers], vec![String::new(); predicates]];
        for (name, (slot, class)) in &self.scope.slots {
            if let Some(place) = names[usize::from(*class == Class::Predicate)].get_mut(*slot as usize) {
                place.clone_from(name);
            }
        }
        names
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
        let scope = &mut self.scope;
        let next = if class == Class::Predicate { &mut scope.next_predicate } else { &mut scope.next_register };
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

/// A local address in the running function's frame.
pub(super) fn in_frame(at: u64) -> Source {
    Source::Frame(LOCAL_START + at)
}

/// Every name in a function, in the functions that it calls, and in the initialisers of variables there.
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
    let variables: HashMap<&str, &Variable> =
        module.variables.iter().map(|variable| (variable.name.as_str(), variable)).collect();
    let (mut reached, mut open, mut found) = (HashSet::new(), vec![entry], vec![]);
    while let Some(function) = open.pop() {
        let inner = function.variables.iter().flat_map(|variable| &variable.references);
        found.extend(inner.map(|reference| reference.name.as_str()));
        for statement in &function.body {
            let Statement::Instruction(instruction) = statement else { continue };
            instruction.operands.iter().for_each(|operand| collect(operand, &mut found));
        }
        while let Some(name) = found.pop() {
            if reached.insert(name) {
                open.extend(functions.get(name));
                let references = variables.get(name).into_iter().flat_map(|variable| &variable.references);
                found.extend(references.map(|reference| reference.name.as_str()));
            }
        }
    }
    reached
}

fn too_much(what: &str, variable: &Variable) -> DecodeError {
    DecodeError::Unsupported { what: format!("{what} of {}", variable.name), line: None }
}

/// `tile` of `_ZZ6kernelPfE4tile`: the last length-prefixed part of a mangled name.
pub(super) fn plain_name(name: &str) -> String {
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
