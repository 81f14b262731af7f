//! Products of matrices (PTX ISA 9.0, section 9.7.14). Products of narrow numbers are exact and their sum is rounded once;
//! a GPU sums in another order and rounds more often. Integers are exact.

use super::float::single;
use super::half::{Bfloat16, Binary16, Format};
use crate::op::matrix::Number;

/// An element of a register as a number; binary64 holds all of them.
pub(crate) fn read(number: Number, register: u64, element: usize) -> f64 {
    match number {
        Number::F16 => Binary16::wide(register >> (16 * element) & 0xffff),
        Number::Bf16 => Bfloat16::wide(register >> (16 * element) & 0xffff),
        // The low 13 bits do not count.
        Number::Tf32 => f64::from(f32::from_bits(register as u32 & !0x1fff)),
        Number::F32 => f64::from(f32::from_bits(register as u32)),
        Number::F64 => f64::from_bits(register),
        Number::S8 => f64::from((register >> (8 * element)) as i8),
        Number::U8 => f64::from((register >> (8 * element)) as u8),
        Number::S32 => f64::from(register as i32),
    }
}

/// The part of a register that holds a number; integers wrap, or clamp.
pub(crate) fn written(number: Number, value: f64, element: usize, clamps: bool) -> u64 {
    match number {
        Number::F16 => Binary16::narrow(value) << (16 * element),
        Number::Bf16 => Bfloat16::narrow(value) << (16 * element),
        Number::Tf32 | Number::F32 => u64::from(single(value as f32)),
        Number::F64 => value.to_bits(),
        Number::S8 | Number::U8 | Number::S32 => {
            let value = value as i64;
            let narrow = if clamps { value.clamp(i32::MIN.into(), i32::MAX.into()) as i32 } else { value as i32 };
            u64::from(narrow as u32)
        }
    }
}

/// `sum += a * b`, of matrices row by row. Of binary64 each step is one rounding.
pub(crate) fn multiply(a: &[f64], b: &[f64], sum: &mut [f64], inner: usize, is_double: bool) {
    let columns = b.len() / inner.max(1);
    if columns == 0 {
        return;
    }
    for (row, sums) in a.chunks_exact(inner.max(1)).zip(sum.chunks_exact_mut(columns)) {
        for (a, row_of_b) in row.iter().zip(b.chunks_exact(columns)) {
            for (sum, b) in sums.iter_mut().zip(row_of_b) {
                *sum = if is_double { a.mul_add(*b, *sum) } else { a * b + *sum };
            }
        }
    }
}
