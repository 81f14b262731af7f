//! Text -> tokens. A word keeps its dots: `ld.global.f32`, `%tid.x`, `.reg`.

use crate::Error;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// Letters, digits, `_ $ % .` and `::`.
    Word(String),
    /// Between quotes.
    Text(String),
    /// One of `, ; : { } [ ] ( ) < > + - | ! @ =`.
    Sign(char),
}

/// All tokens with their lines.
pub(crate) fn lex(text: &str) -> Result<Vec<(Token, u32)>, Error> {
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1_u32);
    let mut tokens = Vec::new();
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'\n' => {
                line += 1;
                at += 1;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += 2;
                while at < bytes.len() && !(bytes[at] == b'*' && bytes.get(at + 1) == Some(&b'/')) {
                    line += u32::from(bytes[at] == b'\n');
                    at += 1;
                }
                at = (at + 2).min(bytes.len());
            }
            b'"' => {
                let start = at + 1;
                let length = bytes[start..].iter().position(|b| *b == b'"' || *b == b'\n');
                let end = length.map(|length| start + length).filter(|end| bytes[*end] == b'"');
                let end = end.ok_or_else(|| Error { line, reason: "a text that does not end".to_owned() })?;
                tokens.push((Token::Text(String::from_utf8_lossy(&bytes[start..end]).into_owned()), line));
                at = end + 1;
            }
            _ if is_word(byte) => {
                let start = at;
                while at < bytes.len() && (is_word(bytes[at]) || is_double_colon(bytes, at)) {
                    at += if bytes[at] == b':' { 2 } else { 1 };
                }
                tokens.push((Token::Word(String::from_utf8_lossy(&bytes[start..at]).into_owned()), line));
            }
            b',' | b';' | b':' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'<' | b'>' | b'+' | b'-' | b'|' | b'!'
            | b'@' | b'=' => {
                tokens.push((Token::Sign(char::from(byte)), line));
                at += 1;
            }
            _ => {
                return Err(Error { line, reason: format!("the byte 0x{byte:02x}, which no PTX holds") });
            }
        }
    }
    Ok(tokens)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn is_double_colon(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b':' && bytes.get(at + 1) == Some(&b':') && bytes.get(at + 2).is_some_and(|byte| is_word(*byte))
}
