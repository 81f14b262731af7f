//! PTX text -> operations: once per program, with every unknown form found before a thread runs.

mod instruction;
mod memory_forms;
mod names;
mod warp_forms;

use ptx::ast::{Function, Instruction, Location, Module, Statement};

use self::names::Names;
use crate::op::{Kind, Op, Predicate};

/// The learner's file in `.file` rows.
const SOURCE_NAME: &str = "kernel.cu";
/// Operations of one kernel.
const OPS_MAX: usize = 1 << 20;
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
    pub(crate) registers: usize,
    pub(crate) predicates: usize,
    pub(crate) params: Vec<(u32, u32)>,
    pub(crate) shared: Vec<SharedVariable>,
    pub(crate) globals: Vec<GlobalVariable>,
    pub(crate) local_bytes: usize,
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
        let module = ptx::parse(ptx_text).map_err(|error| DecodeError::Malformed {
            reason: error.reason,
            ptx_line: error.line,
        })?;
        let Some(function) = module
            .functions
            .iter()
            .find(|function| function.is_entry && function.name == entry)
        else {
            let found = module
                .functions
                .iter()
                .filter(|function| function.is_entry)
                .map(|function| function.name.clone());
            return Err(DecodeError::NoEntry {
                wanted: entry.to_owned(),
                found: found.take(16).collect(),
            });
        };
        Decoder::new(&module, function)?.run(function)
    }

    /// (offset, size) in bytes of each parameter, in order.
    pub fn params(&self) -> &[(u32, u32)] {
        &self.params
    }
}

struct Decoder<'a> {
    module: &'a Module,
    names: Names,
    params: Vec<(u32, u32)>,
    line: u32,
}

impl<'a> Decoder<'a> {
    fn new(module: &'a Module, function: &Function) -> Result<Self, DecodeError> {
        let names = Names::new(module, function)?;
        let mut at = 0_u32;
        let mut params = vec![];
        for param in &function.params {
            let bytes = param
                .bytes
                .and_then(|bytes| u32::try_from(bytes).ok())
                .filter(|bytes| *bytes <= 32_764)
                .unwrap_or(0);
            let align = (param.align as u32).max(param.element_bytes).max(1);
            at = at.next_multiple_of(align);
            params.push((at, bytes));
            at = at.saturating_add(bytes);
        }
        Ok(Self {
            module,
            names,
            params,
            line: 0,
        })
    }

    fn run(mut self, function: &Function) -> Result<Program, DecodeError> {
        let shared: u64 = self
            .names
            .shared
            .iter()
            .filter_map(|variable| variable.bytes)
            .sum();
        if shared > SHARED_BYTES_MAX {
            return Err(DecodeError::TooMuchShared { bytes: shared });
        }
        let mut at = 0;
        for statement in &function.body {
            match statement {
                Statement::Label(name) => {
                    self.names.labels.insert(name.clone(), at).map_or((), drop)
                }
                Statement::Instruction(_) => at += 1,
            }
        }
        let mut ops = Vec::with_capacity(at + 1);
        for statement in &function.body {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            if let Some(line) = instruction
                .location
                .and_then(|location| self.learner_line(location))
            {
                self.line = line;
            }
            let guard = match &instruction.guard {
                Some((name, negated)) => Some(Predicate::Slot(
                    self.names.predicate_slot(name, instruction)?,
                    *negated,
                )),
                None => None,
            };
            let kind = self.kind(instruction)?;
            ops.push(Op {
                kind,
                guard,
                line: self.line,
            });
            if ops.len() > OPS_MAX {
                return Err(self.unsupported(instruction));
            }
        }
        // A kernel may end without `ret`.
        ops.push(Op {
            kind: Kind::Exit,
            guard: None,
            line: self.line,
        });
        Ok(Program {
            ops,
            registers: self.names.register_count(),
            predicates: self.names.predicate_count(),
            params: self.params,
            shared: self.names.shared,
            globals: self.names.globals,
            local_bytes: self.names.local_bytes,
        })
    }

    /// The line in the learner's file: of the row itself, or of the place where a header's function was inlined.
    fn learner_line(&self, location: Location) -> Option<u32> {
        let is_learners = |file: u32| {
            self.module.files.iter().any(|(number, path)| {
                *number == file && path.rsplit('/').next() == Some(SOURCE_NAME)
            })
        };
        if is_learners(location.file) && location.line != 0 {
            return Some(location.line);
        }
        location
            .inlined_at
            .filter(|(file, line)| is_learners(*file) && *line != 0)
            .map(|(_, line)| line)
    }

    fn unsupported(&self, instruction: &Instruction) -> DecodeError {
        DecodeError::Unsupported {
            what: instruction.words.join("."),
            line: (self.line != 0).then_some(self.line),
        }
    }
}

fn malformed(instruction: &Instruction, reason: impl Into<String>) -> DecodeError {
    DecodeError::Malformed {
        reason: reason.into(),
        ptx_line: instruction.ptx_line,
    }
}
