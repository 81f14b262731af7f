//! (fill, seed, parameter, index) -> bytes: the same everywhere and for ever, so a stored seed replays a verdict.
//!
//! Values come from a counter hash (splitmix64 over seed, parameter and index), so element i does not depend
//! on how many elements there are, and no two elements are equal by construction. Permutations and offsets are
//! the exception: their elements are made together.

pub mod halves;

use domain::exercise::{Element, Fill};
use domain::expression::{ExpressionError, Sizes};

/// One round of splitmix64's finaliser: a bijection on 64 bits with good avalanche.
pub fn mix(mut value: u64) -> u64 {
    value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The 64 random bits of one element.
fn bits(seed: u64, param_index: u64, index: u64) -> u64 {
    mix(mix(seed ^ mix(param_index)) ^ index)
}

/// `count` elements, dense, little-endian.
///
/// # Errors
/// An expression of the fill has no value for these sizes.
pub fn fill(
    fill: &Fill,
    element: Element,
    count: u64,
    sizes: &Sizes,
    seed: u64,
    param_index: usize,
) -> Result<Vec<u8>, ExpressionError> {
    let bits = |index: u64| bits(seed, param_index as u64, index);
    let mut bytes = Vec::with_capacity((count * u64::from(element.bytes())) as usize);
    match fill {
        Fill::Ramp { start, step } => {
            for index in 0..count {
                push_integer(&mut bytes, element, start.wrapping_add(step.wrapping_mul(index as i64)));
            }
        }
        Fill::Constant { value } => {
            for _ in 0..count {
                push_number(&mut bytes, element, *value);
            }
        }
        Fill::Uniform { lo, hi } => {
            for index in 0..count {
                push_number(&mut bytes, element, lo + (hi - lo) * unit(bits(index)));
            }
        }
        Fill::Normal { mean, sd } => {
            for index in 0..count {
                push_number(&mut bytes, element, mean + sd * nearly_normal(bits(index)));
            }
        }
        Fill::Ints { lo, hi } => {
            let (lo, hi) = (lo.value(sizes)?, hi.value(sizes)?);
            let span = (hi.wrapping_sub(lo) as u64).wrapping_add(1);
            for index in 0..count {
                push_integer(&mut bytes, element, lo.wrapping_add(below(bits(index), span) as i64));
            }
        }
        Fill::Permutation => {
            for value in permutation(count, bits) {
                push_integer(&mut bytes, element, value as i64);
            }
        }
        Fill::Offsets { total } => {
            for value in offsets(count, total.value(sizes)?, bits) {
                push_integer(&mut bytes, element, value);
            }
        }
    }
    Ok(bytes)
}

/// 53 random bits as a fraction in `[0, 1)`.
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

/// A random number below `span`; a span of 2^64 has wrapped to 0, and then every number is below it.
fn below(random: u64, span: u64) -> u64 {
    if span == 0 { random } else { random % span }
}

/// Twelve uniform numbers less six have mean 0 and variance 1.
///
/// Additions round the same everywhere, which logarithm and cosine of the usual way do not.
fn nearly_normal(random: u64) -> f64 {
    (0..12).map(|part| unit(mix(random ^ part))).sum::<f64>() - 6.0
}

/// 0 to `count` - 1, shuffled from the end (Fisher and Yates).
fn permutation(count: u64, bits: impl Fn(u64) -> u64) -> Vec<u64> {
    let mut values: Vec<u64> = (0..count).collect();
    for last in (1..values.len()).rev() {
        values.swap(last, below(bits(last as u64), last as u64 + 1) as usize);
    }
    values
}

/// Row pointers: 0, sorted random cuts, `total`. Rows of any length come out, empty ones too.
fn offsets(count: u64, total: i64, bits: impl Fn(u64) -> u64) -> Vec<i64> {
    let span = (total as u64).wrapping_add(1);
    let mut values: Vec<i64> = (0..count).map(|index| below(bits(index), span) as i64).collect();
    values.sort_unstable();
    if let Some(first) = values.first_mut() {
        *first = 0;
    }
    if let Some(last) = values.last_mut() {
        *last = total;
    }
    values
}

/// Appends a whole number, wrapped to an integer type.
pub fn push_integer(bytes: &mut Vec<u8>, element: Element, value: i64) {
    if element.is_float() {
        // 64 bits go to binary32 in one rounding, as they always did.
        match element {
            Element::F32 => bytes.extend((value as f32).to_le_bytes()),
            _ => push_number(bytes, element, value as f64),
        }
    } else {
        bytes.extend(&value.to_le_bytes()[..element.bytes() as usize]);
    }
}

/// Appends a number, rounded to a float type or cut to a whole number of an integer type.
pub fn push_number(bytes: &mut Vec<u8>, element: Element, value: f64) {
    match element {
        Element::F16 => bytes.extend(halves::F16.bits(value).to_le_bytes()),
        Element::Bf16 => bytes.extend(halves::BF16.bits(value).to_le_bytes()),
        Element::F32 => bytes.extend((value as f32).to_le_bytes()),
        Element::F64 => bytes.extend(value.to_le_bytes()),
        _ => push_integer(bytes, element, value as i64),
    }
}

/// The marker that outputs hold before a launch: a NaN that no arithmetic makes, 0xA5 for integers.
pub fn poison(element: Element) -> &'static [u8] {
    match element {
        // Quiet NaNs with a payload of our own.
        Element::F16 => &[0xa5, 0x7f],
        Element::Bf16 => &[0xe5, 0x7f],
        Element::F32 => &[0xa5, 0xa5, 0xc5, 0x7f],
        Element::F64 => &[0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xfd, 0x7f],
        Element::I8 | Element::U8 => &[0xa5],
        Element::I16 | Element::U16 => &[0xa5; 2],
        Element::I32 | Element::U32 => &[0xa5; 4],
        Element::I64 | Element::U64 => &[0xa5; 8],
    }
}

#[cfg(test)]
mod tests;
