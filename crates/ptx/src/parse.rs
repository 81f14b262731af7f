//! Tokens -> module, by recursive descent. Scopes `{ … }` inside a body are flattened, and names that hide others renamed.

use std::collections::BTreeMap;

use crate::ast::{Function, Location, Module, Space, Variable};
use crate::lex::{Token, lex};
use crate::{Error, TEXT_BYTES_MAX};
use scopes::Scopes;

/// Deepest nesting of scopes and operands.
const DEPTH_MAX: u32 = 64;
/// Functions inlined into each other that a location names.
const CALLS_MAX: usize = 16;

/// Reads a module.
pub fn parse(text: &str) -> Result<Module, Error> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(Error { line: 0, reason: format!("{} bytes of text; the limit is {TEXT_BYTES_MAX}", text.len()) });
    }
    let mut parser = Parser {
        tokens: lex(text)?,
        at: 0,
        location: None,
        inlined: BTreeMap::new(),
        initial_bytes: 0,
        depth: 0,
        scopes: Scopes::default(),
    };
    parser.module()
}

mod body;
mod initial;
mod scopes;

struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
    location: Option<Location>,
    /// Where the code of a file and line was last inlined.
    inlined: BTreeMap<(u32, u32), (u32, u32)>,
    initial_bytes: usize,
    depth: u32,
    scopes: Scopes,
}

impl Parser {
    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |(_, line)| *line)
    }

    fn error<T>(&self, reason: impl Into<String>) -> Result<T, Error> {
        Err(Error { line: self.line(), reason: reason.into() })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).map(|(token, _)| token.clone());
        self.at += usize::from(token.is_some());
        token
    }

    fn peek_word(&self) -> Option<&str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn expect_sign(&mut self, sign: char) -> Result<(), Error> {
        if self.take_sign(sign) { Ok(()) } else { self.error(format!("'{sign}' is missing")) }
    }

    fn word(&mut self) -> Result<String, Error> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word),
            _ => self.error("a name is missing"),
        }
    }

    fn number(&mut self) -> Result<u64, Error> {
        let negative = self.take_sign('-');
        let word = self.word()?;
        let value = integer(&word).map_or_else(|| self.error(format!("'{word}' is no number")), Ok)?;
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    fn module(&mut self) -> Result<Module, Error> {
        let mut module = Module::default();
        while let Some(token) = self.peek() {
            let Token::Word(word) = token else {
                if !self.take_sign(';') {
                    return self.error("a directive is missing");
                }
                continue;
            };
            match word.as_str() {
                ".version" | ".target" | ".address_size" => self.skip_line(),
                ".file" => self.file(&mut module)?,
                ".loc" => self.loc()?,
                ".section" => self.skip_section()?,
                ".extern" | ".visible" | ".weak" | ".common" => self.at += 1,
                ".entry" | ".func" => {
                    let function = self.function()?;
                    module.functions.push(function);
                }
                ".global" | ".const" | ".shared" | ".local" => {
                    let variable = self.variable()?;
                    self.expect_sign(';')?;
                    module.variables.push(variable);
                }
                _ => return self.error(format!("'{word}', which is no directive known here")),
            }
        }
        Ok(module)
    }

    fn skip_line(&mut self) {
        let line = self.line();
        while self.tokens.get(self.at).is_some_and(|(_, at)| *at == line) {
            self.at += 1;
        }
    }

    fn skip_section(&mut self) -> Result<(), Error> {
        while !self.take_sign('{') {
            if self.next().is_none() {
                return self.error("a section without content");
            }
        }
        while !self.take_sign('}') {
            if self.next().is_none() {
                return self.error("a section that does not end");
            }
        }
        Ok(())
    }

    fn file(&mut self, module: &mut Module) -> Result<(), Error> {
        self.at += 1;
        let number = self.number()? as u32;
        let Some(Token::Text(path)) = self.next() else {
            return self.error("the path of a file is missing");
        };
        module.files.push((number, path));
        // Time stamp and size may follow.
        while self.take_sign(',') {
            self.number()?;
        }
        Ok(())
    }

    fn loc(&mut self) -> Result<(), Error> {
        self.at += 1;
        let (file, line, _column) = (self.number()? as u32, self.number()? as u32, self.number()?);
        let mut inlined_at = None;
        while self.take_sign(',') {
            match self.word()?.as_str() {
                "function_name" => {
                    self.word()?;
                    if self.take_sign('+') {
                        self.number()?;
                    }
                }
                "inlined_at" => {
                    inlined_at = Some((self.number()? as u32, self.number()? as u32));
                    self.number()?;
                }
                other => return self.error(format!("'{other}' in a .loc row")),
            }
        }
        // A call inside an inlined function has a row of its own before this one.
        let mut calls = vec![];
        let mut call = inlined_at;
        if let Some(call) = inlined_at {
            self.inlined.insert((file, line), call);
        }
        while let Some(at) = call.filter(|_| calls.len() < CALLS_MAX) {
            calls.push(at);
            call = self.inlined.get(&at).copied();
        }
        self.location = Some(Location { file, line, inlined_at: calls });
        Ok(())
    }

    fn function(&mut self) -> Result<Function, Error> {
        let is_entry = self.word()? == ".entry";
        self.location = None;
        let mut function = Function { is_entry, ..Function::default() };
        if !is_entry && self.take_sign('(') {
            function.returns = self.params()?;
        }
        function.name = self.word()?;
        if self.take_sign('(') {
            function.params = self.params()?;
        }
        loop {
            if self.take_sign(';') {
                return Ok(function);
            }
            if self.take_sign('{') {
                break;
            }
            // .maxntid, .reqntid, .noreturn and others: bounds that a launch is checked against elsewhere.
            if self.next().is_none() {
                return self.error("a function without body");
            }
        }
        self.body(&mut function)?;
        Ok(function)
    }

    fn params(&mut self) -> Result<Vec<Variable>, Error> {
        let mut params = vec![];
        while !self.take_sign(')') {
            params.push(self.variable()?);
            self.take_sign(',');
        }
        Ok(params)
    }

    /// `.space .align n .type name[count] = {…}`, without what ends it.
    fn variable(&mut self) -> Result<Variable, Error> {
        let space = match self.word()?.as_str() {
            ".global" => Space::Global,
            ".const" => Space::Const,
            ".shared" => Space::Shared,
            ".local" => Space::Local,
            ".param" => Space::Param,
            // Parameters of a function may be registers.
            ".reg" => Space::Param,
            other => return self.error(format!("'{other}' where a variable is declared")),
        };
        let mut align = 1;
        let element_bytes = loop {
            let word = self.word()?;
            match word.as_str() {
                ".align" => align = self.number()?,
                ".ptr" | ".global" | ".const" | ".shared" | ".local" | ".volatile" | ".attribute" => {}
                ".pred" => break 1,
                _ => match type_bytes(&word) {
                    Some(bytes) => break bytes,
                    None => return self.error(format!("'{word}' is no type")),
                },
            }
        };
        // `.param .u64 .ptr .align 1 name`
        while self.peek_word().is_some_and(|word| word.starts_with('.')) {
            if self.word()? == ".align" {
                align = self.number()?;
            }
        }
        let name = self.word()?;
        let mut count = Some(1_u64);
        while self.take_sign('[') {
            if self.take_sign(']') {
                count = None;
                continue;
            }
            let extent = self.number()?;
            self.expect_sign(']')?;
            let product = count.unwrap_or(1).checked_mul(extent);
            count = Some(product.map_or_else(|| self.error("an array too large to count"), Ok)?);
        }
        let mut bytes = match count {
            Some(count) => {
                Some(count.checked_mul(u64::from(element_bytes)).map_or_else(|| self.error("an array too large"), Ok)?)
            }
            None => None,
        };
        let (initial, references) = if self.take_sign('=') { self.initial(element_bytes)? } else { (vec![], vec![]) };
        if bytes.is_none() && !initial.is_empty() {
            bytes = Some(initial.len() as u64);
        }
        Ok(Variable { space, name, align: align.clamp(1, 1 << 20), element_bytes, bytes, initial, references })
    }
}

/// Decimal, `0x…` or octal, with an optional `U`.
fn integer(word: &str) -> Option<u64> {
    let digits = word.strip_suffix(['U', 'u']).unwrap_or(word);
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// `0f` and eight hexadecimal digits, `0d` and sixteen: bits and width in bytes.
fn float(word: &str) -> Option<(u64, usize)> {
    let (hex, width) = match word.get(..2)? {
        "0f" | "0F" => (&word[2..], 4),
        "0d" | "0D" => (&word[2..], 8),
        _ => return None,
    };
    (hex.len() == width * 2).then(|| u64::from_str_radix(hex, 16).ok().map(|bits| (bits, width))).flatten()
}

/// Bytes of a type word: `.b32`, `.f64`.
fn type_bytes(word: &str) -> Option<u32> {
    let bits: u32 = word.strip_prefix('.')?.get(1..)?.parse().ok()?;
    [8, 16, 32, 64, 128].contains(&bits).then_some(bits / 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Operand, Statement};

    const TEXT: &str = "//\n.version 9.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k(\n.param .u64 .ptr .align 1 k_param_0,\n.param .u32 k_param_1\n)\n.maxntid 128, 1, 1\n{\n\
        .reg .pred %p<2>;\n.reg .b32 %r<4>;\n.shared .align 4 .b8 tile[1024];\n\
        .loc 1 3 5\nld.param.u64 %rd1, [k_param_0];\n\
        .loc 2 9 1, function_name $L__info_string0, inlined_at 1 4 7\nsetp.ge.s32 %p1, %r1, -5;\n@%p1 bra $L__BB0_2;\n\
        mov.f32 %f1, 0f3F800000;\nst.global.v2.f32 [%rd1+-4], {%f1, %f1};\n$L__BB0_2:\nret;\n}\n\
        .file 1 \"/x/kernel.cu\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 97\n}\n";

    #[test]
    fn a_module_is_read_with_its_lines() {
        let module = parse(TEXT).unwrap();
        assert_eq!(module.files, [(1, "/x/kernel.cu".to_owned())]);
        let entry = &module.functions[0];
        assert_eq!((entry.name.as_str(), entry.params.len(), entry.params[0].bytes), ("k", 2, Some(8)));
        assert_eq!(entry.variables[0].bytes, Some(1024));
        let Statement::Instruction(setp) = &entry.body[1] else { panic!() };
        assert_eq!(setp.location.as_ref().unwrap().inlined_at, [(1, 4)]);
        assert_eq!(setp.operands[2], Operand::Integer(5_u64.wrapping_neg()));
        let Statement::Instruction(store) = &entry.body[4] else { panic!() };
        assert_eq!(store.operands[0], Operand::Address(Some("%rd1".into()), -4));
    }

    #[test]
    fn no_text_panics() {
        for cut in 0..TEXT.len() {
            let _ = parse(&TEXT[..cut]);
        }
        for at in 0..TEXT.len() {
            for byte in *b"{[(;-+\"0" {
                let mut bytes = TEXT.as_bytes().to_vec();
                bytes[at] = byte;
                let _ = parse(&String::from_utf8(bytes).unwrap());
            }
        }
        assert!(parse(&"{".repeat(100_000)).is_err());
        assert!(parse(&format!(".entry k() {{ {}", "{".repeat(100_000))).is_err());
        assert!(parse(&format!(".entry k() {{ mov {}", "{".repeat(100_000))).is_err());
        assert!(parse(&" ".repeat(TEXT_BYTES_MAX + 1)).is_err());
        assert!(parse(&" ".repeat(TEXT_BYTES_MAX)).is_ok());
        assert!(parse(".global .b8 x[18446744073709551615][2];").is_err());
    }
}
