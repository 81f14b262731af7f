//! What instructions compute, per lane, as functions of bits: found by opcode and type when a program is decoded.

pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod int;
