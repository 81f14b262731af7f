//! Calls: of the module's functions, through pointers, and of `vprintf`, `__assertfail`, `malloc` and `free`, which
//! are ours. Values are
//! handed over in the thread's own memory, byte for byte, as `.param` variables say.

use ptx::ast::{Instruction, Operand};

use super::names::in_frame;
use super::{DecodeError, Decoder, malformed};
use crate::op::{Address, Call, Callee, Kind, MemorySpace, Order, Piece, Predicate, Source, Target, Width};

impl<'a> Decoder<'a> {
    /// `call (ret), name, (a, b)` or `call name, (a, b)`.
    pub(super) fn call(&mut self, instruction: &'a Instruction, guard: Option<Predicate>) -> Result<(), DecodeError> {
        let (returns, operands) = match &instruction.operands[..] {
            [Operand::List(returns), rest @ ..] => (&returns[..], rest),
            all => (&[][..], all),
        };
        let (name, arguments) = match operands {
            [Operand::Name(name), Operand::List(arguments), ..] => (name, &arguments[..]),
            [Operand::Name(name)] => (name, &[][..]),
            _ => return Err(self.unsupported(instruction)),
        };
        let around = match guard {
            Some(Predicate::Slot(slot, negated)) => {
                let at = self.ops.len();
                self.push(Kind::Nothing, Some(Predicate::Slot(slot, !negated)))?;
                Some(at)
            }
            _ => None,
        };
        match name.as_str() {
            "vprintf" => self.print(instruction, returns, arguments)?,
            "__assertfail" => {
                let message = self.argument(instruction, arguments, 0)?;
                self.push(Kind::AssertFail { message }, None)?;
            }
            "malloc" => {
                let bytes = self.argument(instruction, arguments, 0)?;
                let to = Target { slot: self.names.unnamed_register(), mask: u64::MAX };
                self.push(Kind::Allocate { to, bytes }, None)?;
                self.give(instruction, to, returns, WIDE)?;
            }
            "free" => {
                let address = self.argument(instruction, arguments, 0)?;
                self.push(Kind::Free { address }, None)?;
            }
            _ => self.call_function(instruction, name, returns, arguments)?,
        }
        if let Some(at) = around {
            self.ops[at].kind = Kind::Branch { to: self.ops.len() };
        }
        Ok(())
    }

    /// A function of the module, or one that a register points to.
    fn call_function(
        &mut self,
        instruction: &Instruction,
        name: &str,
        returns: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), DecodeError> {
        let callee = if let Some(slot) = self.names.find_register(name) {
            Callee::Pointer(Source::Register(slot))
        } else {
            let Some(number) = self.functions.number(name, self.line) else {
                return Err(self.unsupported_as(format!("a call of {name}")));
            };
            let function = self.functions.get(number);
            if function.is_some_and(|f| f.params.len() != arguments.len() || f.returns.len() != returns.len()) {
                return Err(malformed(instruction, "a call with another number of arguments"));
            }
            Callee::Function(number)
        };
        let mut pieces = vec![];
        for argument in arguments {
            pieces.push(self.handed_over(instruction, argument)?);
        }
        let (mut results, mut into_registers) = (vec![], vec![]);
        for returned in returns {
            if let Some(piece) = self.param_variable(returned) {
                results.push(piece);
            } else {
                let piece = self.room(instruction)?;
                into_registers.push((piece, returned));
                results.push(piece);
            }
        }
        let call = Call { caller: self.current, callee, arguments: pieces, returns: results };
        self.push(Kind::Call(Box::new(call)), None)?;
        for (piece, returned) in into_registers {
            let Operand::Name(name) = returned else { return Err(self.unsupported(instruction)) };
            let to = self.names.target(name, instruction)?;
            self.push(load(piece, to), None)?;
        }
        Ok(())
    }

    /// The `.param` variable of this function that an operand names.
    fn param_variable(&self, operand: &Operand) -> Option<Piece> {
        let Operand::Name(name) = operand else { return None };
        self.names.scope.call_params.get(name).copied()
    }

    /// Room in the frame for a value that goes through a register.
    fn room(&mut self, instruction: &Instruction) -> Result<Piece, DecodeError> {
        self.names.room(8, 8).ok_or_else(|| malformed(instruction, "a function with too many calls"))
    }

    /// The `.param` variable of a call; a register or constant is stored to one first.
    fn handed_over(&mut self, instruction: &Instruction, operand: &Operand) -> Result<Piece, DecodeError> {
        if let Some(piece) = self.param_variable(operand) {
            return Ok(piece);
        }
        let from = self.source_of(instruction, operand)?;
        let piece = self.room(instruction)?;
        self.push(store(piece, WIDE, from), None)?;
        Ok(piece)
    }

    /// `vprintf`: format, and a pointer to the arguments.
    fn print(
        &mut self,
        instruction: &Instruction,
        returns: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), DecodeError> {
        let format = self.argument(instruction, arguments, 0)?;
        let arguments = self.argument(instruction, arguments, 1)?;
        let to = Target { slot: self.names.unnamed_register(), mask: u64::MAX };
        self.push(Kind::Print { to: Some(to), format, arguments }, None)?;
        self.give(instruction, to, returns, Width { bytes: 4, signed: false })
    }

    /// What one of our own functions returns.
    fn give(
        &mut self,
        instruction: &Instruction,
        from: Target,
        returns: &[Operand],
        width: Width,
    ) -> Result<(), DecodeError> {
        let Some(returned) = returns.first() else {
            return Ok(());
        };
        let from = Source::Register(from.slot);
        if let Some(piece) = self.param_variable(returned) {
            return self.push(store(piece, width, from), None);
        }
        let Operand::Name(name) = returned else { return Err(self.unsupported(instruction)) };
        let to = self.names.target(name, instruction)?;
        self.push(Kind::Copy { to, a: from }, None)
    }

    /// An 8-byte argument of a call, read back into a register.
    fn argument(
        &mut self,
        instruction: &Instruction,
        arguments: &[Operand],
        index: usize,
    ) -> Result<Source, DecodeError> {
        let operand = arguments.get(index).ok_or_else(|| malformed(instruction, "an argument of a call is missing"))?;
        let Some(piece) = self.param_variable(operand) else {
            return self.source_of(instruction, operand);
        };
        let slot = self.names.unnamed_register();
        self.push(load(piece, Target { slot, mask: u64::MAX }), None)?;
        Ok(Source::Register(slot))
    }
}

/// A pointer, or anything that fits into a register.
const WIDE: Width = Width { bytes: 8, signed: false };

/// A store to the running frame.
fn store(piece: Piece, width: Width, from: Source) -> Kind {
    Kind::Store { space: MemorySpace::Local, width, from: vec![from], to: at(piece), order: Order::WEAK }
}

/// A load of 8 bytes from the running frame.
fn load(piece: Piece, to: Target) -> Kind {
    Kind::Load { space: MemorySpace::Local, width: WIDE, to: vec![Some(to)], from: at(piece), order: Order::WEAK }
}

/// The address of a piece of the running frame.
fn at(piece: Piece) -> Address {
    Address { base: in_frame(piece.at), offset: 0 }
}
