//! What atomics store, of the types that `int::atomic` does not know (PTX ISA 9.0, section 9.7.13.5): 16-bit floats,
//! alone and in pairs, each half on its own, and 16-bit words.

use super::half::{Bfloat16, Binary16, Format};
use crate::op::Update;

fn one<F: Format>(old: u64, b: u64, f: fn(f64, f64) -> f64) -> u64 {
    F::narrow(f(F::wide(old & 0xffff), F::wide(b & 0xffff)))
}

fn two<F: Format>(old: u64, b: u64, f: fn(f64, f64) -> f64) -> u64 {
    one::<F>(old >> 16, b >> 16, f) << 16 | one::<F>(old, b, f)
}

/// The new value: old, operand b, operand c.
pub(crate) fn atomic(op: &str, kind: &str) -> Option<Update> {
    macro_rules! of {
        ($f:expr) => {
            match kind {
                "f16" => Some((|old, b, _| one::<Binary16>(old, b, $f)) as Update),
                "bf16" => Some(|old, b, _| one::<Bfloat16>(old, b, $f)),
                "f16x2" => Some(|old, b, _| two::<Binary16>(old, b, $f)),
                "bf16x2" => Some(|old, b, _| two::<Bfloat16>(old, b, $f)),
                _ => None,
            }
        };
    }
    match (op, kind) {
        ("cas", "b16") => Some(|old, b, c| if old as u16 == b as u16 { c } else { old }),
        ("exch", "b16") => Some(|_, b, _| b),
        ("add", _) => of!(super::rounding::odd_sum),
        ("min", _) => of!(super::float::min_double),
        ("max", _) => of!(super::float::max_double),
        _ => None,
    }
}
