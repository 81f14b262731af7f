//! PTX text becomes a module: registers, variables, functions and instructions with their source lines.
//!
//! Reads what NVRTC 13.0 writes (PTX ISA 9.0). It does not know what instructions mean: opcodes, modifiers and
//! operands are kept as they stand, and whoever runs them decides what is supported. No text, however broken,
//! panics or takes memory beyond a small multiple of its size; each ends in a typed [`Error`] with a line.
#![forbid(unsafe_code)]

pub mod ast;
pub mod debug;

mod lex;
mod parse;
mod print;

pub use parse::parse;

/// Bytes of a text that are read.
pub const TEXT_BYTES_MAX: usize = 4 << 20;

/// Why a text is no module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("PTX line {line}: {reason}")]
pub struct Error {
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// What was found or missing.
    pub reason: String,
}
