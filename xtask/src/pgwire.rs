//! Just enough of Postgres's protocol to ask a private cluster over its unix socket.
//!
//! `psql` is not part of every source of Postgres binaries, and xtask has no use for sqlx otherwise.
//! It knows trust authentication and simple queries, and no results: only whether they worked.
//! Source: PostgreSQL 15 documentation, chapter 55, "Message Formats".

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

const PROTOCOL_3_0: i32 = 196_608;
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Why the cluster did not do what it was asked.
#[derive(Debug)]
pub enum Refusal {
    /// Nobody answers, or not in Postgres's protocol.
    Connection(io::Error),
    /// An answer of the cluster, by its SQLSTATE.
    Sql { code: String, message: String },
}

impl Refusal {
    pub fn is_missing_database(&self) -> bool {
        matches!(self, Self::Sql { code, .. } if code == "3D000")
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(error) => write!(formatter, "no connection: {error}"),
            Self::Sql { code, message } => write!(formatter, "{message} (SQLSTATE {code})"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}

/// Runs `sql`, which may hold many statements, as one simple query.
pub fn execute(socket: &Path, user: &str, database: &str, sql: &str) -> Result<(), Refusal> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(Duration::from_mins(1)))?;
    stream.write_all(&startup(user, database))?;
    read_until_ready(&mut stream)?;
    stream.write_all(&message(b'Q', sql.as_bytes()))?;
    read_until_ready(&mut stream)?;
    stream.write_all(&[b'X', 0, 0, 0, 4])?;
    Ok(())
}

fn startup(user: &str, database: &str) -> Vec<u8> {
    let mut body = PROTOCOL_3_0.to_be_bytes().to_vec();
    for word in ["user", user, "database", database, ""] {
        body.extend(word.as_bytes());
        body.push(0);
    }
    let mut bytes = (body.len() as i32 + 4).to_be_bytes().to_vec();
    bytes.extend(body);
    bytes
}

fn message(kind: u8, text: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend((text.len() as i32 + 5).to_be_bytes());
    bytes.extend(text);
    bytes.push(0);
    bytes
}

/// Reads messages up to ReadyForQuery. An ErrorResponse on the way is the result.
fn read_until_ready(stream: &mut impl Read) -> Result<(), Refusal> {
    let mut failure = None;
    loop {
        let mut head = [0; 5];
        match stream.read_exact(&mut head) {
            Ok(()) => {}
            // A refused start-up ends with the error and no ReadyForQuery.
            Err(error) => return Err(failure.unwrap_or(Refusal::Connection(error))),
        }
        let bytes = i32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let body_bytes = usize::try_from(bytes)
            .ok()
            .and_then(|bytes| bytes.checked_sub(4))
            .filter(|bytes| *bytes <= MESSAGE_BYTES_MAX)
            .ok_or_else(|| io::Error::other("a message of impossible length"))?;
        let mut body = vec![0; body_bytes];
        stream.read_exact(&mut body)?;
        match head[0] {
            b'E' => failure = Some(parse_error(&body)),
            b'Z' => return failure.map_or(Ok(()), Err),
            _ => {}
        }
    }
}

fn parse_error(body: &[u8]) -> Refusal {
    let mut code = String::new();
    let mut message = String::new();
    for field in body.split(|byte| *byte == 0) {
        let Some((kind, text)) = field.split_first() else {
            continue;
        };
        let text = String::from_utf8_lossy(text).into_owned();
        match kind {
            b'C' => code = text,
            b'M' => message = text,
            _ => {}
        }
    }
    Refusal::Sql { code, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_startup_message_counts_itself() {
        let bytes = startup("a", "b");
        assert_eq!(bytes.len(), 4 + 4 + 5 + 2 + 9 + 2 + 1);
        assert_eq!(bytes[..4], (bytes.len() as i32).to_be_bytes());
    }

    #[test]
    fn an_error_before_ready_is_the_result() {
        let mut bytes = message(b'E', b"SERROR\0C3D000\0Mno such database\0");
        let refused = read_until_ready(&mut bytes.as_slice()).expect_err("the stream ends");
        assert!(refused.is_missing_database(), "{refused}");
        bytes.extend(message(b'Z', b""));
        let refused = read_until_ready(&mut bytes.as_slice()).expect_err("it holds an error");
        assert_eq!(refused.to_string(), "no such database (SQLSTATE 3D000)");
    }

    #[test]
    fn ready_without_an_error_is_success() {
        let mut bytes = message(b'R', b"\0\0\0");
        bytes.extend(message(b'Z', b""));
        assert!(read_until_ready(&mut bytes.as_slice()).is_ok());
    }

    #[test]
    fn a_negative_length_is_refused() {
        let bytes = [b'R', 0xff, 0xff, 0xff, 0xff];
        let refused = read_until_ready(&mut bytes.as_slice()).expect_err("it is impossible");
        assert!(matches!(refused, Refusal::Connection(_)));
    }
}
