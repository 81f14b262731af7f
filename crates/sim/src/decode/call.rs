//! Calls: a function is copied in; `vprintf` and `__assertfail` are ours. Values are handed over in the thread's own
//! memory, byte for byte, as `.param` variables say.

use ptx::ast::{Instruction, Operand, Variable};

use super::{DecodeError, Decoder, malformed};
use crate::op::{Address, Kind, MemorySpace, Order, Predicate, Source, Target, Width};

/// Functions inside functions.
const CALLS_MAX: usize = 64;

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
            _ => self.copy_in(instruction, name, returns, arguments)?,
        }
        if let Some(at) = around {
            self.ops[at].kind = Kind::Branch { to: self.ops.len() };
        }
        Ok(())
    }

    fn copy_in(
        &mut self,
        instruction: &'a Instruction,
        name: &str,
        returns: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), DecodeError> {
        let module = self.module;
        let found = module
            .functions
            .iter()
            .find(|function| function.name == name && !function.is_entry && !function.body.is_empty());
        let Some(function) = found else {
            let what = if name.starts_with('%') { "a function pointer" } else { name };
            return Err(self.unsupported_as(format!("a call of {what}")));
        };
        if self.calls.contains(&name) || self.calls.len() >= CALLS_MAX {
            return Err(self.unsupported_as("recursion".to_owned()));
        }
        let mut addresses = vec![];
        for (given, wanted) in [(arguments, &function.params), (returns, &function.returns)] {
            if given.len() != wanted.len() {
                return Err(malformed(instruction, "a call with another number of arguments"));
            }
            for (operand, variable) in given.iter().zip(wanted) {
                addresses.push((variable, self.handed_over(instruction, operand)?));
            }
        }
        let line = self.line;
        let outer = self.names.enter(function)?;
        for (variable, address) in addresses {
            let params = &mut self.names.scope.call_params;
            params.insert(variable.name.clone(), address);
        }
        self.function(function)?;
        self.names.scope = outer;
        self.line = line;
        Ok(())
    }

    /// Address of a `.param` variable of a call; a register or constant is stored to one first.
    fn handed_over(&mut self, instruction: &Instruction, operand: &Operand) -> Result<u64, DecodeError> {
        if let Operand::Name(name) = operand
            && let Some(address) = self.names.scope.call_params.get(name)
        {
            return Ok(*address);
        }
        let from = self.source_of(instruction, operand)?;
        let room = Variable {
            space: ptx::ast::Space::Param,
            name: String::new(),
            align: 8,
            element_bytes: 8,
            bytes: Some(8),
            initial: vec![],
            holds_addresses: false,
        };
        let address = self.names.local(&room)?;
        self.push(
            Kind::Store {
                space: MemorySpace::Local,
                width: WIDE,
                from: vec![from],
                to: at(address),
                order: Order::WEAK,
            },
            None,
        )?;
        Ok(address)
    }

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
        let Some(returned) = returns.first() else {
            return Ok(());
        };
        let address = self.handed_over(instruction, returned)?;
        let width = Width { bytes: 4, signed: false };
        let from = vec![Source::Register(to.slot)];
        self.push(Kind::Store { space: MemorySpace::Local, width, from, to: at(address), order: Order::WEAK }, None)
    }

    /// An 8-byte argument of a call, read back into a register.
    fn argument(
        &mut self,
        instruction: &Instruction,
        arguments: &[Operand],
        index: usize,
    ) -> Result<Source, DecodeError> {
        let operand = arguments.get(index).ok_or_else(|| malformed(instruction, "an argument of a call is missing"))?;
        let address = self.handed_over(instruction, operand)?;
        let slot = self.names.unnamed_register();
        let to = vec![Some(Target { slot, mask: u64::MAX })];
        self.push(
            Kind::Load { space: MemorySpace::Local, width: WIDE, to, from: at(address), order: Order::WEAK },
            None,
        )?;
        Ok(Source::Register(slot))
    }
}

const WIDE: Width = Width { bytes: 8, signed: false };

fn at(address: u64) -> Address {
    Address { base: Source::Constant(address), offset: 0 }
}
