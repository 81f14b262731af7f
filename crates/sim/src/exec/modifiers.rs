//! `.relu`, `.sat` and `.ftz` as steps of their own before and after an operation (PTX ISA 9.0, sections 9.7.3 and
//! 9.7.4): for the types where the operation itself does not know them.

use super::float::single;
use super::narrow::NAN_TF32;
use crate::op::Unary;

/// One function of a 16-bit number, alone or for both halves of a register.
macro_rules! one_or_two {
    ($kind:expr, $one:literal, $two:literal, $f:expr) => {
        match $kind {
            $one => Some(each!(|a| {
                let f: fn(u64) -> u64 = $f;
                f(a & 0xffff)
            }) as Unary),
            $two => Some(each!(|a| {
                let f: fn(u64) -> u64 = $f;
                f(a >> 16 & 0xffff) << 16 | f(a & 0xffff)
            }) as Unary),
            _ => None,
        }
    };
}

fn is_nan(bits: u64, infinity: u64) -> bool {
    bits & 0x7fff > infinity
}

fn relu(bits: u64, infinity: u64) -> u64 {
    match () {
        () if is_nan(bits, infinity) => 0x7fff,
        () if bits & 0x8000 != 0 => 0,
        () => bits,
    }
}

fn saturate(bits: u64, infinity: u64, one: u64) -> u64 {
    if is_nan(bits, infinity) || bits & 0x8000 != 0 { 0 } else { bits.min(one) }
}

fn flush(bits: u64, infinity: u64) -> u64 {
    if bits & infinity == 0 { bits & 0x8000 } else { bits }
}

/// Negative results become +0.
pub(crate) fn clamp_negative(kind: &str) -> Option<Unary> {
    match kind {
        "s32" => Some(each!(|a| (a as i32).max(0) as u64)),
        "tf32" => Some(each!(|a| match a {
            0x7f80_0001..0x8000_0000 | 0xff80_0001.. => NAN_TF32.into(),
            0x8000_0000.. => 0,
            _ => a,
        })),
        "f32" => Some(each!(|a| {
            let value = f32::from_bits(a as u32);
            u64::from(if value.is_sign_negative() && !value.is_nan() { 0 } else { single(value) })
        })),
        _ => one_or_two!(kind, "f16", "f16x2", |a| relu(a, 0x7c00))
            .or_else(|| one_or_two!(kind, "bf16", "bf16x2", |a| relu(a, 0x7f80)))
            .or(one_or_two!(kind, "s16", "s16x2", |a| if a & 0x8000 == 0 { a } else { 0 })),
    }
}

/// Results lie in [0, 1], NaN becomes +0.
pub(crate) fn saturated(kind: &str) -> Option<Unary> {
    match kind {
        "f32" => Some(each!(|a| {
            let value = f32::from_bits(a as u32);
            u64::from(if value.is_nan() || value <= 0.0 { 0 } else { value.min(1.0).to_bits() })
        })),
        "f64" => Some(each!(|a| {
            let value = f64::from_bits(a);
            if value.is_nan() || value <= 0.0 { 0 } else { value.min(1.0).to_bits() }
        })),
        _ => one_or_two!(kind, "f16", "f16x2", |a| saturate(a, 0x7c00, 0x3c00))
            .or_else(|| one_or_two!(kind, "bf16", "bf16x2", |a| saturate(a, 0x7f80, 0x3f80))),
    }
}

/// Infinite results become the largest number.
pub(crate) fn finite(kind: &str) -> Option<Unary> {
    one_or_two!(kind, "f16", "f16x2", |a| if a & 0x7fff == 0x7c00 { a - 1 } else { a })
        .or_else(|| one_or_two!(kind, "bf16", "bf16x2", |a| if a & 0x7fff == 0x7f80 { a - 1 } else { a }))
}

/// Subnormals become zero and keep their sign.
pub(crate) fn flushed(kind: &str) -> Option<Unary> {
    match kind {
        "f32" => Some(each!(|a| if a & 0x7f80_0000 == 0 { a & 0x8000_0000 } else { a })),
        _ => one_or_two!(kind, "f16", "f16x2", |a| flush(a, 0x7c00))
            .or_else(|| one_or_two!(kind, "bf16", "bf16x2", |a| flush(a, 0x7f80))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::one_lane;

    #[test]
    fn modifiers_bound_halves() {
        let check =
            |f: Option<Unary>, a: u64, expect: u64| assert_eq!(one_lane::unary(f.unwrap(), a), expect, "{a:#x}");
        check(clamp_negative("f16x2"), 0xbc00_3c00, 0x3c00);
        check(clamp_negative("f16"), 0xfe00, 0x7fff);
        check(clamp_negative("s16x2"), 0x8000_0007, 7);
        check(saturated("f16"), 0x4000, 0x3c00);
        check(saturated("f16"), 0x7e00, 0);
        check(saturated("f16"), 0x8000, 0);
        check(flushed("bf16x2"), 0x8001_0001, 0x8000_0000);
        check(flushed("f32"), 0x8000_0001, 0x8000_0000);
    }
}
