//! Calls of functions.

use super::Source;

/// Room in a frame: its offset, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub at: u64,
    pub bytes: u32,
}

/// Bytes of a frame that belong to nothing, behind a piece of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Where the piece begins.
    pub piece: u64,
    /// Where it ends.
    pub from: u64,
    pub to: u64,
}

/// A call: arguments are copied into the new frame, and what is returned is copied back.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Number of the function that calls.
    pub caller: usize,
    pub callee: Callee,
    /// In the caller's frame.
    pub arguments: Vec<Piece>,
    /// In the caller's frame.
    pub returns: Vec<Piece>,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    /// By number.
    Function(usize),
    /// By address.
    Pointer(Source),
}
