//! Integer expressions over the sizes of a case: `ceil_div(n, 256)`, `12 * n`.
//!
//! Grammar: `sum := product (('+'|'-') product)*`, `product := atom (('*'|'/'|'%') atom)*`,
//! `atom := number | name | name '(' sum (',' sum)* ')' | '(' sum ')' | '-' atom`.
//! Functions: `min`, `max`, `ceil_div` (two arguments each). Arithmetic is checked `i64`:
//! overflow and division by zero are errors, never a wrap.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The values of the names: sizes of a case.
pub type Sizes = BTreeMap<String, i64>;

/// Deepest nesting and most nodes that a text may have.
const NODES_MAX: usize = 256;
const DEPTH_MAX: usize = 32;

/// A parsed expression, kept with its text for display.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expression {
    text: String,
    root: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(i64),
    Name(String),
    Call(Function, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Min,
    Max,
    CeilDiv,
}

/// Why a text is no expression, or has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// The text does not follow the grammar.
    #[error("'{text}' is no expression: {reason} at character {at}")]
    Syntax {
        /// The whole text.
        text: String,
        /// What was found or missing.
        reason: String,
        /// Character position, from 1.
        at: usize,
    },
    /// A name that the case does not define.
    #[error("'{text}' uses '{name}', which is no size of this exercise")]
    UnknownName {
        /// The whole text.
        text: String,
        /// The name.
        name: String,
    },
    /// Overflow or division by zero.
    #[error("'{text}' has no value here: overflow or division by zero")]
    Arithmetic {
        /// The whole text.
        text: String,
    },
}

impl Expression {
    /// Parses `text`.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, nodes: 0, depth: 0 };
        let root = parser.sum()?;
        parser.space();
        if parser.at < parser.bytes.len() {
            return Err(parser.error("unexpected text"));
        }
        Ok(Self { text: text.trim().to_owned(), root })
    }

    /// The value where no size occurs; an expression without a value has none here either.
    pub fn constant(&self) -> Option<i64> {
        self.names().is_empty().then(|| self.value(&Sizes::new()).ok())?
    }

    /// The value for these sizes.
    pub fn value(&self, sizes: &Sizes) -> Result<i64, ExpressionError> {
        self.evaluate(&self.root, sizes)
    }

    /// The names that occur.
    pub fn names(&self) -> Vec<&str> {
        fn walk<'a>(node: &'a Node, names: &mut Vec<&'a str>) {
            match node {
                Node::Number(_) => {}
                Node::Name(name) => names.push(name),
                Node::Call(_, left, right) => {
                    walk(left, names);
                    walk(right, names);
                }
            }
        }
        let mut names = Vec::new();
        walk(&self.root, &mut names);
        names
    }

    fn evaluate(&self, node: &Node, sizes: &Sizes) -> Result<i64, ExpressionError> {
        match node {
            Node::Number(value) => Ok(*value),
            Node::Name(name) => sizes
                .get(name)
                .copied()
                .ok_or_else(|| ExpressionError::UnknownName { text: self.text.clone(), name: name.clone() }),
            Node::Call(function, left, right) => {
                let (a, b) = (self.evaluate(left, sizes)?, self.evaluate(right, sizes)?);
                let value = match function {
                    Function::Add => a.checked_add(b),
                    Function::Subtract => a.checked_sub(b),
                    Function::Multiply => a.checked_mul(b),
                    Function::Divide => a.checked_div(b),
                    Function::Remainder => a.checked_rem(b),
                    Function::Min => Some(a.min(b)),
                    Function::Max => Some(a.max(b)),
                    Function::CeilDiv => a
                        .checked_div_euclid(b)
                        .and_then(|quotient| quotient.checked_add(i64::from(a.rem_euclid(b) != 0))),
                };
                value.ok_or_else(|| ExpressionError::Arithmetic { text: self.text.clone() })
            }
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: usize,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, reason: &str) -> ExpressionError {
        ExpressionError::Syntax { text: self.text.to_owned(), reason: reason.to_owned(), at: self.at + 1 }
    }

    fn space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: &[u8]) -> Option<u8> {
        self.space();
        let found = *self.bytes.get(self.at)?;
        wanted.contains(&found).then(|| {
            self.at += 1;
            found
        })
    }

    fn call(&mut self, function: Function, left: Node, right: Node) -> Result<Node, ExpressionError> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(self.error("too long"));
        }
        Ok(Node::Call(function, Box::new(left), Box::new(right)))
    }

    fn sum(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error("nested too deeply"));
        }
        let mut left = self.product()?;
        while let Some(sign) = self.take(b"+-") {
            let right = self.product()?;
            let function = if sign == b'+' { Function::Add } else { Function::Subtract };
            left = self.call(function, left, right)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, ExpressionError> {
        let mut left = self.atom()?;
        while let Some(sign) = self.take(b"*/%") {
            let right = self.atom()?;
            let function = match sign {
                b'*' => Function::Multiply,
                b'/' => Function::Divide,
                _ => Function::Remainder,
            };
            left = self.call(function, left, right)?;
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Node, ExpressionError> {
        self.space();
        let start = self.at;
        match self.bytes.get(self.at) {
            Some(b'(') => {
                self.at += 1;
                let inner = self.sum()?;
                self.take(b")").ok_or_else(|| self.error("')' is missing"))?;
                Ok(inner)
            }
            Some(b'-') => {
                self.at += 1;
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err(self.error("nested too deeply"));
                }
                let inner = self.atom()?;
                self.depth -= 1;
                self.call(Function::Subtract, Node::Number(0), inner)
            }
            Some(byte) if byte.is_ascii_digit() => {
                while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_digit() || *b == b'_') {
                    self.at += 1;
                }
                let digits: String = self.text[start..self.at].chars().filter(|c| *c != '_').collect();
                digits.parse().map(Node::Number).map_err(|_| self.error("the number is too large"))
            }
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
                while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    self.at += 1;
                }
                let name = &self.text[start..self.at];
                if self.take(b"(").is_none() {
                    return Ok(Node::Name(name.to_owned()));
                }
                let function = match name {
                    "min" => Function::Min,
                    "max" => Function::Max,
                    "ceil_div" => Function::CeilDiv,
                    _ => return Err(self.error("only min, max and ceil_div can be called")),
                };
                let left = self.sum()?;
                self.take(b",").ok_or_else(|| self.error("',' is missing"))?;
                let right = self.sum()?;
                self.take(b")").ok_or_else(|| self.error("')' is missing"))?;
                self.call(function, left, right)
            }
            Some(_) => Err(self.error("unexpected character")),
            None => Err(self.error("the text ends early")),
        }
    }
}

impl From<i64> for Expression {
    fn from(value: i64) -> Self {
        Self { text: value.to_string(), root: Node::Number(value) }
    }
}

impl TryFrom<String> for Expression {
    type Error = ExpressionError;
    fn try_from(text: String) -> Result<Self, ExpressionError> {
        Self::parse(&text)
    }
}

impl From<Expression> for String {
    fn from(expression: Expression) -> String {
        expression.text
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<i64>) {
        let sizes = Sizes::from([("n".to_owned(), 1000), ("zero".to_owned(), 0)]);
        let value = Expression::parse(text).ok().and_then(|e| e.value(&sizes).ok());
        assert_eq!(value, expect, "{text}");
    }

    #[test]
    fn values_follow_the_grammar() {
        check("n", Some(1000));
        check("ceil_div(n, 256)", Some(4));
        check("ceil_div(0, 256)", Some(0));
        check("2 + 3 * 4", Some(14));
        check("(2 + 3) * 4 % 7", Some(6));
        check("min(n, 3) - max(-1, 2)", Some(1));
        check("100_000_000", Some(100_000_000));
        check("10 - 3 - 2", Some(5));
    }

    #[test]
    fn constants_need_no_sizes() {
        let constant = |text: &str| Expression::parse(text).unwrap().constant();
        assert_eq!(constant("2 * 3 - 7"), Some(-1));
        assert_eq!(constant("n - n"), None);
        assert_eq!(constant("1 / 0"), None);
        assert_eq!(Expression::from(i64::MIN).constant(), Some(i64::MIN));
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        for text in [
            "",
            "n +",
            "m",
            "n / zero",
            "n % zero",
            "ceil_div(n, zero)",
            "pow(n, 2)",
            "min(n)",
            "1 2",
            "9223372036854775807 + 1",
            "99999999999999999999",
            "ä",
        ] {
            check(text, None);
        }
        check(&"(".repeat(100_000), None);
        check(&"-".repeat(100_000), None);
        check(&"1+".repeat(1000), None);
    }
}
