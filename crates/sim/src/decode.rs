//! PTX text -> operations: once per program, with every unknown form found before a thread runs.
//!
//! The kernel comes first, then each function that it can reach, once. Slots and local addresses count from the start
//! of a frame, so one text serves all its activations.

mod call;
mod constants;
mod convert_forms;
mod copy_forms;
mod functions;
mod instruction;
mod liveness;
mod matrix_forms;
mod memory_forms;
mod names;
mod operands;
mod plain_forms;
mod special;
mod steps;
mod warp_forms;

use std::collections::HashMap;

use ptx::ast::{Function, Instruction, Location, Module, Operand, Statement, Variable};

use self::functions::Functions;
pub(crate) use self::liveness::touched;
use self::names::Names;
use crate::count::Mark;
use crate::memory::PARAM_WINDOW;
use crate::op::{Gap, Kind, Lanes, MemorySpace, Op, Piece, Predicate, Slot, Source};

/// The learner's file in `.file` rows.
const SOURCE_NAME: &str = "kernel.cu";
/// Operations of one kernel.
const OPS_MAX: usize = 1 << 18;
/// Bytes of all parameters (PTX ISA 9.0, section 5.1.6.1).
const PARAM_BYTES_MAX: u32 = 32_764;
/// Static shared memory of a block.
const SHARED_BYTES_MAX: u64 = 48 << 10;

/// Why a text is no program.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// The kernel is not there.
    #[error("no kernel named {wanted}")]
    NoEntry {
        /// The wanted name.
        wanted: String,
        /// Kernels that are there.
        found: Vec<String>,
    },
    /// Something that is not simulated.
    #[error("{what} is not simulated")]
    Unsupported {
        /// Opcode with its modifiers, or a feature.
        what: String,
        /// Line in the learner's source.
        line: Option<u32>,
    },
    /// No PTX.
    #[error("PTX line {ptx_line}: {reason}")]
    Malformed {
        /// What is wrong.
        reason: String,
        /// Line of the PTX text.
        ptx_line: u32,
    },
    /// More static shared memory than a block has.
    #[error("{bytes} bytes of shared memory")]
    TooMuchShared {
        /// Bytes asked for.
        bytes: u64,
    },
}

/// A kernel, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) ops: Vec<Op>,
    /// What each operation counts as.
    pub(crate) marks: Vec<Mark>,
    /// The kernel, then the functions that it can reach.
    pub(crate) routines: Vec<Routine>,
    pub(crate) params: Vec<(u32, u32)>,
    pub(crate) shared: Vec<SharedVariable>,
    pub(crate) globals: Vec<GlobalVariable>,
    /// A thread's own memory in the kernel's frame.
    pub(crate) local_bytes: usize,
    /// Own memory of one frame of each function: calls that do not recur need no more.
    pub(crate) frames_bytes: u64,
    /// Whether threads can learn of each other through memory: a fence or a release operation.
    pub(crate) has_fences: bool,
    /// Whether a loop may wait for another block: it holds a strong access to global memory.
    pub(crate) waits_for_blocks: bool,
    /// Whether blocks cannot learn of each other but by plain loads and stores.
    pub(crate) blocks_are_apart: bool,
    /// Constants of 32 equal lanes.
    pub(crate) constants: Vec<Lanes>,
    /// Registers of the kernel's frame that may be read before they are written; `None` is not known.
    pub(crate) unset: Option<Vec<Slot>>,
    /// The same where the text was compiled for debugging, where they are variables that were never set; else none.
    pub(crate) never_set: Vec<Slot>,
}

/// A function, and what a frame of it needs.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    pub name: String,
    /// Its first operation.
    pub start: usize,
    /// The line where it is first named; 0 is none.
    pub named_at: u32,
    pub registers: usize,
    pub predicates: usize,
    /// A multiple of what every frame is aligned to.
    pub local_bytes: u64,
    pub gaps: Vec<Gap>,
    pub params: Vec<Piece>,
    pub returns: Vec<Piece>,
    /// Names of registers and of predicates by slot; empty of what has none.
    pub register_names: [Vec<String>; 2],
    /// Its name in the PTX text, and where its labels are.
    pub label: String,
    pub labels: HashMap<String, usize>,
}

/// A shared variable in its own slot of the shared window.
#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    pub name: String,
    /// `None` of `extern __shared__`: the launch decides.
    pub bytes: Option<u64>,
}

/// A variable of global or constant memory.
#[derive(Clone, Debug)]
pub(crate) struct GlobalVariable {
    pub name: String,
    pub element_bytes: u32,
    pub bytes: u64,
    pub initial: Vec<u8>,
}

impl Program {
    /// Decodes the kernel `entry` of a PTX text.
    ///
    /// # Errors
    /// [`DecodeError`]; an instruction that is not simulated is found here, before any thread runs.
    pub fn decode(ptx_text: &str, entry: &str) -> Result<Self, DecodeError> {
        let module = ptx::parse(ptx_text)
            .map_err(|error| DecodeError::Malformed { reason: error.reason, ptx_line: error.line })?;
        let Some(function) = module.functions.iter().find(|function| function.is_entry && function.name == entry)
        else {
            let found =
                module.functions.iter().filter(|function| function.is_entry).map(|function| function.name.clone());
            return Err(DecodeError::NoEntry { wanted: entry.to_owned(), found: found.take(16).collect() });
        };
        let program = Decoder::new(&module, function)?.run(function)?;
        let never_set = program.unset.clone().filter(|_| is_debug(ptx_text)).unwrap_or_default();
        Ok(Self { never_set, ..program })
    }

    /// (offset, size) in bytes of each parameter, in order.
    pub fn params(&self) -> &[(u32, u32)] {
        &self.params
    }

    /// The line of an operation; where a function has no line of the learner's, the line that names it.
    pub(crate) fn line_at(&self, pc: usize) -> Option<u32> {
        let own = self.ops.get(pc)?.line;
        let routine = self.routines.partition_point(|routine| routine.start <= pc).checked_sub(1);
        let named_at = routine.map_or(0, |routine| self.routines[routine].named_at);
        Some(if own == 0 { named_at } else { own }).filter(|line| *line != 0)
    }
}

struct Decoder<'a> {
    module: &'a Module,
    names: Names,
    functions: Functions<'a>,
    params: Vec<(u32, u32)>,
    ops: Vec<Op>,
    marks: Vec<Mark>,
    line: u32,
    /// Branches of the function being decoded whose labels may come later: operation, label, instruction.
    branches: Vec<(usize, &'a str, &'a Instruction)>,
    /// Number of the function being decoded; 0 is the kernel.
    current: usize,
}

impl<'a> Decoder<'a> {
    fn new(module: &'a Module, entry: &'a Function) -> Result<Self, DecodeError> {
        Ok(Self {
            module,
            names: Names::new(module, entry)?,
            functions: Functions::new(module, entry),
            params: vec![],
            ops: vec![],
            marks: vec![],
            line: 0,
            branches: vec![],
            current: 0,
        })
    }

    fn run(mut self, entry: &'a Function) -> Result<Program, DecodeError> {
        self.params = layout(&entry.params)
            .ok_or_else(|| self.unsupported_as(format!("more than {PARAM_BYTES_MAX} bytes of parameters")))?;
        let routines = self.all_functions()?;
        let shared: u64 = self.names.shared.iter().filter_map(|variable| variable.bytes).sum();
        if shared > SHARED_BYTES_MAX {
            return Err(DecodeError::TooMuchShared { bytes: shared });
        }
        let has_fences = self.ops.iter().any(|op| match &op.kind {
            Kind::Fence { .. } | Kind::Mbarrier(_) => true,
            Kind::Copying(copying) => matches!(**copying, crate::op::copy::Copying::Arrive { .. }),
            Kind::Store { order, .. } | Kind::Atomic { order, .. } => order.releases.is_some(),
            _ => false,
        });
        Ok(Program {
            has_fences,
            waits_for_blocks: waits_for_blocks(&self.ops),
            blocks_are_apart: crate::side_by_side::are_apart(&self.ops),
            never_set: vec![],
            unset: liveness::unset_registers(&self.ops, &routines),
            constants: constants::spread(&mut self.ops),
            marks: {
                self.marks.resize(self.ops.len(), Mark::default());
                self.marks
            },
            ops: self.ops,
            local_bytes: routines.first().map_or(0, |kernel| kernel.local_bytes as usize),
            frames_bytes: routines.iter().fold(0, |sum: u64, routine| sum.saturating_add(routine.local_bytes)),
            routines,
            params: self.params,
            shared: self.names.shared,
            globals: self.names.globals,
        })
    }

    /// The names of the kernel's parameters.
    fn name_params(&mut self, entry: &Function) {
        let scope = &mut self.names.scope;
        for (index, (param, (offset, _))) in entry.params.iter().zip(&self.params).enumerate() {
            scope.params.insert(param.name.clone(), index);
            let address = Source::Constant(PARAM_WINDOW + u64::from(*offset));
            scope.addresses.insert(param.name.clone(), address);
        }
    }

    /// The operations of a function; its names are in scope already.
    fn function(&mut self, function: &'a Function) -> Result<(), DecodeError> {
        for statement in &function.body {
            match statement {
                Statement::Label(name) => {
                    self.names.scope.labels.insert(name.clone(), self.ops.len());
                }
                Statement::Instruction(instruction) => {
                    self.marks.resize(self.ops.len(), Mark::default());
                    self.marks.push(Mark::of(instruction));
                    self.instruction(instruction)?;
                    self.marks.truncate(self.ops.len());
                }
            }
        }
        let end = self.end();
        self.push(end, None)?;
        for (at, label, instruction) in std::mem::take(&mut self.branches) {
            let Some(to) = self.names.scope.labels.get(label).copied() else {
                return Err(malformed(instruction, format!("'{label}' is no label")));
            };
            self.ops[at].kind = Kind::Branch { to };
        }
        Ok(())
    }

    /// What `ret` does here.
    fn end(&self) -> Kind {
        if self.current == 0 { Kind::Exit } else { Kind::Return { from: self.current } }
    }

    fn instruction(&mut self, instruction: &'a Instruction) -> Result<(), DecodeError> {
        if let Some(line) = instruction.location.as_ref().and_then(|location| self.learner_line(location)) {
            self.line = line;
        }
        let guard = match &instruction.guard {
            Some((name, negated)) => Some(Predicate::Slot(self.names.predicate_slot(name, instruction)?, *negated)),
            None => None,
        };
        match (instruction.words[0].as_str(), &instruction.operands[..]) {
            ("bra", [Operand::Name(label)]) => {
                self.branches.push((self.ops.len(), label, instruction));
                self.push(Kind::Nothing, guard)
            }
            ("bra", _) => Err(malformed(instruction, "a label is missing")),
            ("ret", _) => {
                let end = self.end();
                self.push(end, guard)
            }
            ("call", _) => self.call(instruction, guard),
            _ if self.in_steps(instruction, guard)? => Ok(()),
            _ => {
                let kind = self.kind(instruction)?;
                self.push(kind, guard)
            }
        }
    }

    fn push(&mut self, kind: Kind, guard: Option<Predicate>) -> Result<(), DecodeError> {
        if self.ops.len() >= OPS_MAX {
            let what = format!("a kernel of more than {OPS_MAX} instructions");
            return Err(self.unsupported_as(what));
        }
        self.ops.push(Op { kind, guard, line: self.line });
        Ok(())
    }

    /// The line in the learner's file: of the row itself, or of the innermost call there, where a header's function was inlined.
    fn learner_line(&self, location: &Location) -> Option<u32> {
        let is_learners = |file: u32| {
            self.module
                .files
                .iter()
                .any(|(number, path)| *number == file && path.rsplit('/').next() == Some(SOURCE_NAME))
        };
        std::iter::once(&(location.file, location.line))
            .chain(&location.inlined_at)
            .find(|(file, line)| is_learners(*file) && *line != 0)
            .map(|(_, line)| *line)
    }

    fn unsupported(&self, instruction: &Instruction) -> DecodeError {
        self.unsupported_as(instruction.words.join("."))
    }

    fn unsupported_as(&self, what: String) -> DecodeError {
        DecodeError::Unsupported { what, line: (self.line != 0).then_some(self.line) }
    }
}

/// Whether the `.target` row says so (PTX ISA 9.0, section 11.1.2).
fn is_debug(text: &str) -> bool {
    let target = text.lines().find(|line| line.trim_start().starts_with(".target"));
    target.is_some_and(|row| row.split([',', ' ', '\t']).any(|word| word == "debug"))
}

fn waits_for_blocks(ops: &[Op]) -> bool {
    let is_strong = |op: &Op| match &op.kind {
        Kind::Load { space, order, .. } | Kind::Atomic { space, order, .. } => {
            order.strength.scope.is_some() && matches!(space, MemorySpace::Global | MemorySpace::Generic)
        }
        _ => false,
    };
    // A function may do anything, and is not where its call is.
    let calls_strong = ops.iter().any(is_strong);
    let waits = |op: &Op| is_strong(op) || (calls_strong && matches!(op.kind, Kind::Call(_)));
    let loops = ops.iter().enumerate().filter_map(|(at, op)| match op.kind {
        Kind::Branch { to } if to <= at => Some(&ops[to..=at]),
        _ => None,
    });
    // Loops nest, so a bound on what is looked at keeps a hostile text from costing its length squared.
    let mut looks = 1 << 22;
    loops.into_iter().any(|body| {
        looks -= body.len().min(looks);
        looks == 0 || body.iter().any(waits)
    })
}

/// Offset and size of each parameter; `None` where they are too large.
fn layout(params: &[Variable]) -> Option<Vec<(u32, u32)>> {
    let mut at = 0_u32;
    let mut places = vec![];
    for param in params {
        let bytes = param.bytes.filter(|bytes| *bytes <= u64::from(PARAM_BYTES_MAX))? as u32;
        let align = (param.align as u32).max(param.element_bytes).max(1);
        at = at.checked_next_multiple_of(align)?;
        places.push((at, bytes));
        at = at.checked_add(bytes).filter(|end| *end <= PARAM_BYTES_MAX)?;
    }
    Some(places)
}

fn malformed(instruction: &Instruction, reason: impl Into<String>) -> DecodeError {
    DecodeError::Malformed { reason: reason.into(), ptx_line: instruction.ptx_line }
}
