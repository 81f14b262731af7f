//! Initialisers of variables: numbers, and addresses of other variables and of functions.

use super::{Parser, float, integer};
use crate::Error;
use crate::ast::Reference;
use crate::lex::Token;

/// Bytes of all initialisers; a zero-filled array has none.
const INITIAL_BYTES_MAX: usize = 16 << 20;
/// Bytes of an address.
const ADDRESS_BYTES: usize = 8;

/// Bytes, and addresses that go into them.
type Initial = (Vec<u8>, Vec<Reference>);

impl Parser {
    /// What stands behind `=`: one value, or values in braces.
    pub(super) fn initial(&mut self, element_bytes: u32) -> Result<Initial, Error> {
        let (mut bytes, mut references) = (vec![], vec![]);
        let width = (element_bytes as usize).min(ADDRESS_BYTES);
        let mut depth = 0;
        loop {
            match self.peek() {
                Some(Token::Sign('{')) => {
                    depth += 1;
                    self.at += 1;
                }
                Some(Token::Sign('}')) => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(Token::Sign(',')) => self.at += 1,
                Some(Token::Word(word)) if float(word).is_some() => {
                    let (value, width) = float(word).unwrap_or_default();
                    bytes.extend(&value.to_le_bytes()[..width]);
                    self.at += 1;
                }
                Some(Token::Word(word)) if integer(word).is_none() || self.is_masked() => {
                    let reference = self.reference(bytes.len(), width)?;
                    bytes.resize(bytes.len() + reference.bytes, 0);
                    references.push(reference);
                }
                _ => bytes.extend(&self.number()?.to_le_bytes()[..width]),
            }
            if bytes.len() + self.initial_bytes > INITIAL_BYTES_MAX {
                return self.error("initialisers too large");
            }
            if depth <= 0 {
                self.initial_bytes += bytes.len();
                return Ok((bytes, references));
            }
        }
    }

    /// Whether a bracket follows the word that is next.
    fn is_masked(&self) -> bool {
        matches!(self.tokens.get(self.at + 1), Some((Token::Sign('('), _)))
    }

    /// `name`, `name+8`, `generic(name)+8` or `0xFF00(name)`.
    fn reference(&mut self, at: usize, bytes: usize) -> Result<Reference, Error> {
        let mut name = self.word()?;
        let mut shift = 0;
        if self.take_sign('(') {
            if let Some(mask) = integer(&name) {
                shift = mask.trailing_zeros().min(u64::BITS - 8) & !7;
            }
            name = self.word()?;
            if name == "generic" && self.take_sign('(') {
                name = self.word()?;
                self.expect_sign(')')?;
            }
            self.expect_sign(')')?;
        }
        let offset = if self.take_sign('+') || self.peek() == Some(&Token::Sign('-')) { self.number()? } else { 0 };
        Ok(Reference { at, bytes, name, offset: offset as i64, shift })
    }
}
