//! What instructions compute, for all lanes at once, as functions of bits: found by opcode and type when a program is
//! decoded. Lanes that are not active are computed too and dropped by the caller, so nothing here may trap.

#![expect(
    clippy::cast_lossless,
    clippy::invalid_upcast_comparisons,
    reason = "macros cast from every type to every type, and registers to narrower ones"
)]

/// A function of all lanes from an expression of one.
macro_rules! each {
    (|$a:ident| $body:expr) => {
        |a: &crate::op::Lanes, out: &mut crate::op::Lanes| {
            for (out, $a) in out.iter_mut().zip(a) {
                let $a = *$a;
                *out = $body;
            }
        }
    };
    (|$a:ident, $b:ident| $body:expr) => {
        |a: &crate::op::Lanes, b: &crate::op::Lanes, out: &mut crate::op::Lanes| {
            for ((out, $a), $b) in out.iter_mut().zip(a).zip(b) {
                let ($a, $b) = (*$a, *$b);
                *out = $body;
            }
        }
    };
    (|$a:ident, $b:ident, $c:ident| $body:expr) => {
        |a: &crate::op::Lanes, b: &crate::op::Lanes, c: &crate::op::Lanes, out: &mut crate::op::Lanes| {
            for (((out, $a), $b), $c) in out.iter_mut().zip(a).zip(b).zip(c) {
                let ($a, $b, $c) = (*$a, *$b, *$c);
                *out = $body;
            }
        }
    };
}

/// What a macro makes of the Rust type of an integer type of PTX.
macro_rules! of_integer {
    ($kind:expr, $make:ident) => {
        match $kind {
            "s8" => $make!(i8),
            "u8" => $make!(u8),
            "s16" => $make!(i16),
            "u16" => $make!(u16),
            "s32" => $make!(i32),
            "u32" => $make!(u32),
            "s64" => $make!(i64),
            "u64" => $make!(u64),
            _ => None,
        }
    };
}

/// A mask of the lanes for which a comparison holds.
macro_rules! mask {
    (|$a:ident, $b:ident| $body:expr) => {
        |a: &crate::op::Lanes, b: &crate::op::Lanes| {
            let mut mask = 0_u32;
            for (lane, ($a, $b)) in a.iter().zip(b).enumerate() {
                let ($a, $b) = (*$a, *$b);
                mask |= u32::from($body) << lane;
            }
            mask
        }
    };
}

pub(crate) mod barrier;
pub(crate) mod bits;
pub(crate) mod carry;
pub(crate) mod convert;
pub(crate) mod exact;
pub(crate) mod extrema;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod int;
pub(crate) mod matrix;
pub(crate) mod modifiers;
pub(crate) mod narrow;
pub(crate) mod rounding;
pub(crate) mod update;

#[cfg(test)]
pub(crate) mod one_lane {
    //! One lane of each, for tests.

    use crate::op::{Binary, LANES, Ternary, Test, Unary};

    pub(crate) fn unary(f: Unary, a: u64) -> u64 {
        let mut out = [0; LANES];
        f(&[a; LANES], &mut out);
        out[0]
    }

    pub(crate) fn binary(f: Binary, a: u64, b: u64) -> u64 {
        let mut out = [0; LANES];
        f(&[a; LANES], &[b; LANES], &mut out);
        out[0]
    }

    pub(crate) fn ternary(f: Ternary, a: u64, b: u64, c: u64) -> u64 {
        let mut out = [0; LANES];
        f(&[a; LANES], &[b; LANES], &[c; LANES], &mut out);
        out[0]
    }

    pub(crate) fn test(f: Test, a: u64, b: u64) -> bool {
        f(&[a; LANES], &[b; LANES]) == u32::MAX
    }
}
