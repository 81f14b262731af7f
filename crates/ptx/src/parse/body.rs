//! Bodies of functions: registers, variables, labels, instructions, operands.

use super::{DEPTH_MAX, Parser, float, integer};
use crate::Error;
use crate::ast::{Function, Instruction, Operand, Register, Statement};
use crate::lex::Token;

impl Parser {
    pub(super) fn body(&mut self, function: &mut Function) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.error("scopes nested too deeply");
        }
        self.scopes.enter(function.body.len());
        loop {
            if self.take_sign('}') {
                self.depth -= 1;
                self.scopes.leave(&mut function.body);
                return Ok(());
            }
            if self.take_sign('{') {
                self.body(function)?;
                continue;
            }
            if self.take_sign(';') {
                continue;
            }
            let word = self.peek_word().map(str::to_owned);
            match word.as_deref() {
                Some(word) if word == ".reg" || word.starts_with(".reg.") => self.registers(function)?,
                Some(".shared" | ".local" | ".param" | ".const" | ".global") => {
                    let variable = self.variable()?;
                    self.expect_sign(';')?;
                    function.variables.push(variable);
                }
                Some(".loc") => self.loc()?,
                Some(".pragma" | ".branchtargets" | ".callprototype" | ".calltargets") => {
                    while !self.take_sign(';') {
                        if self.next().is_none() {
                            return self.error("a directive that does not end");
                        }
                    }
                }
                Some(_) if self.tokens.get(self.at + 1).map(|(token, _)| token) == Some(&Token::Sign(':')) => {
                    let name = self.word()?;
                    self.at += 1;
                    function.body.push(Statement::Label(name));
                }
                Some(_) => {
                    let instruction = self.instruction(None)?;
                    function.body.push(Statement::Instruction(instruction));
                }
                None if self.take_sign('@') => {
                    let negated = self.take_sign('!');
                    let name = self.named()?;
                    let instruction = self.instruction(Some((name, negated)))?;
                    function.body.push(Statement::Instruction(instruction));
                }
                None => return self.error("an instruction is missing"),
            }
        }
    }

    fn registers(&mut self, function: &mut Function) -> Result<(), Error> {
        // Headers of CUDA also write it as one word.
        let kind = match self.word()?.strip_prefix(".reg.") {
            Some(kind) => kind.to_owned(),
            None => self.word()?.trim_start_matches('.').to_owned(),
        };
        loop {
            let name = self.word()?;
            let mut count = None;
            if self.take_sign('<') {
                count = Some(self.number()?.min(1 << 20) as u32);
                self.expect_sign('>')?;
            }
            let mut register = Register { kind: kind.clone(), name, count };
            self.scopes.declare(&mut register);
            function.registers.push(register);
            if !self.take_sign(',') {
                return self.expect_sign(';');
            }
        }
    }

    /// A name as it is after scopes are flattened.
    fn named(&mut self) -> Result<String, Error> {
        let name = self.word()?;
        Ok(self.scopes.resolve(name))
    }

    fn instruction(&mut self, guard: Option<(String, bool)>) -> Result<Instruction, Error> {
        let ptx_line = self.line();
        let words = self.word()?.split('.').map(str::to_owned).collect();
        let mut operands = vec![];
        while !self.take_sign(';') {
            operands.push(self.operand()?);
            if !self.take_sign(',') && self.peek() != Some(&Token::Sign(';')) {
                return self.error("';' is missing");
            }
        }
        Ok(Instruction { ptx_line, location: self.location.clone(), guard, words, operands })
    }

    fn operand(&mut self) -> Result<Operand, Error> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.error("operands nested too deeply");
        }
        let operand = self.operand_inner();
        self.depth -= 1;
        operand
    }

    fn operand_inner(&mut self) -> Result<Operand, Error> {
        match self.peek() {
            Some(Token::Sign('[')) => {
                self.at += 1;
                self.address()
            }
            Some(Token::Sign('{')) => {
                self.at += 1;
                Ok(Operand::Vector(self.operands_until('}')?))
            }
            Some(Token::Sign('(')) => {
                self.at += 1;
                Ok(Operand::List(self.operands_until(')')?))
            }
            Some(Token::Sign('!')) => {
                self.at += 1;
                Ok(Operand::Not(self.named()?))
            }
            Some(Token::Sign('-')) => Ok(Operand::Integer(self.number()?)),
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                if let Some((value, width)) = float(&word) {
                    return Ok(if width == 4 { Operand::Float32(value as u32) } else { Operand::Float64(value) });
                }
                if let Some(value) = integer(&word) {
                    return Ok(Operand::Integer(value));
                }
                let word = self.scopes.resolve(word);
                if self.take_sign('|') {
                    return Ok(Operand::Pair(word, self.named()?));
                }
                if self.take_sign('+') {
                    return Ok(Operand::Address(Some(word), self.number()? as i64));
                }
                Ok(Operand::Name(word))
            }
            _ => self.error("an operand is missing"),
        }
    }

    fn operands_until(&mut self, end: char) -> Result<Vec<Operand>, Error> {
        let mut operands = vec![];
        while !self.take_sign(end) {
            operands.push(self.operand()?);
            self.take_sign(',');
        }
        Ok(operands)
    }

    fn address(&mut self) -> Result<Operand, Error> {
        let base = match self.peek_word() {
            Some(word) if integer(word).is_none() => Some(self.named()?),
            _ => None,
        };
        let offset = match self.peek() {
            Some(Token::Sign(']' | ',')) => 0,
            Some(Token::Sign('+')) => {
                self.at += 1;
                self.number()? as i64
            }
            _ => self.number()? as i64,
        };
        // A texture and its coordinates, a tensor map and a place in it.
        if self.take_sign(',') {
            let mut parts = vec![Operand::Address(base, offset)];
            parts.extend(self.operands_until(']')?);
            return Ok(Operand::List(parts));
        }
        self.expect_sign(']')?;
        Ok(Operand::Address(base, offset))
    }
}
