//! binary16 and bfloat16, alone and in pairs (PTX ISA 9.0, section 9.7.4): computed in binary64, rounded once.

use super::float::single;
use super::rounding::odd_sum;
use crate::op::{Binary, Ternary, Test, Unary};

/// A 16-bit format.
pub(crate) trait Format {
    /// Bits of the fraction.
    const FRACTION: i32;
    /// Least exponent of a normal number.
    const EXPONENT_MIN: i32;
    /// Largest finite number.
    const MAX: f64;
    const NAN: u64;
    fn wide(bits: u64) -> f64;
    fn encode(exact: f64) -> u64;

    /// The nearest number of this format, ties to even.
    fn narrow(value: f64) -> u64 {
        if value.is_nan() {
            return Self::NAN;
        }
        if value == 0.0 || value.is_infinite() {
            return Self::encode(value);
        }
        let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(Self::EXPONENT_MIN);
        let scale = 2.0_f64.powi(Self::FRACTION - exponent);
        let rounded = (value * scale).round_ties_even() / scale;
        Self::encode(if rounded.abs() > Self::MAX { f64::INFINITY.copysign(value) } else { rounded })
    }
}

/// `f16`
pub(crate) struct Binary16;
/// `bf16`
pub(crate) struct Bfloat16;

impl Format for Binary16 {
    const FRACTION: i32 = 10;
    const EXPONENT_MIN: i32 = -14;
    const MAX: f64 = 65_504.0;
    const NAN: u64 = 0x7fff;

    fn wide(bits: u64) -> f64 {
        let (exponent, fraction) = ((bits >> 10 & 31) as i32, (bits & 0x3ff) as f64);
        let size = match exponent {
            0 => fraction * 2.0_f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * 2.0_f64.powi(exponent - 25),
        };
        if bits & 0x8000 == 0 { size } else { -size }
    }

    fn encode(exact: f64) -> u64 {
        let sign = exact.to_bits() >> 48 & 0x8000;
        let size = exact.abs();
        let magnitude = if size.is_infinite() {
            0x7c00
        } else if size < 2.0_f64.powi(-14) {
            (size * 2.0_f64.powi(24)) as u64
        } else {
            // The fields of a binary64, with another bias.
            (size.to_bits() >> 42) - ((1023 - 15) << 10)
        };
        sign | magnitude
    }
}

impl Format for Bfloat16 {
    const FRACTION: i32 = 7;
    const EXPONENT_MIN: i32 = -126;
    const MAX: f64 = 3.389_531_389_251_535_5e38;
    const NAN: u64 = 0x7fff;

    fn wide(bits: u64) -> f64 {
        f64::from(f32::from_bits((bits as u32) << 16))
    }

    fn encode(exact: f64) -> u64 {
        u64::from((exact as f32).to_bits() >> 16)
    }
}

/// One format or pairs of it.
macro_rules! formats {
    ($kind:expr, $many:ident, |$($x:ident),+| $body:expr) => {
        match $kind {
            "f16" => Some(each!(|$($x),+| { $(let $x = Binary16::wide($x);)+ Binary16::narrow($body) }) as $many),
            "bf16" => Some(each!(|$($x),+| { $(let $x = Bfloat16::wide($x);)+ Bfloat16::narrow($body) }) as $many),
            "f16x2" => Some(each!(|$($x),+| {
                let low = { $(let $x = Binary16::wide($x & 0xffff);)+ Binary16::narrow($body) };
                let high = { $(let $x = Binary16::wide($x >> 16);)+ Binary16::narrow($body) };
                high << 16 | low
            }) as $many),
            "bf16x2" => Some(each!(|$($x),+| {
                let low = { $(let $x = Bfloat16::wide($x & 0xffff);)+ Bfloat16::narrow($body) };
                let high = { $(let $x = Bfloat16::wide($x >> 16);)+ Bfloat16::narrow($body) };
                high << 16 | low
            }) as $many),
            _ => None,
        }
    };
}

pub(crate) fn unary(op: &str, kind: &str) -> Option<Unary> {
    match op {
        "neg" => formats!(kind, Unary, |a| -a),
        "abs" => formats!(kind, Unary, |a| a.abs()),
        "ex2" => formats!(kind, Unary, |a| a.exp2()),
        "tanh" => formats!(kind, Unary, |a| a.tanh()),
        _ => None,
    }
}

pub(crate) fn binary(op: &str, kind: &str) -> Option<Binary> {
    match op {
        "add" => formats!(kind, Binary, |a, b| odd_sum(a, b)),
        "sub" => formats!(kind, Binary, |a, b| odd_sum(a, -b)),
        "mul" => formats!(kind, Binary, |a, b| a * b),
        "min" => formats!(kind, Binary, |a, b| super::float::min_double(a, b)),
        "max" => formats!(kind, Binary, |a, b| super::float::max_double(a, b)),
        _ => None,
    }
}

pub(crate) fn fused(kind: &str) -> Option<Ternary> {
    formats!(kind, Ternary, |a, b, c| odd_sum(a * b, c))
}

/// Comparisons of single numbers, by widening: the answers on NaN are those of binary64.
pub(crate) fn test(op: &str, kind: &str) -> Option<Test> {
    macro_rules! compared {
        ($format:ty, $($word:literal),*) => {
            match op {
                $($word => Some((|a: &crate::op::Lanes, b: &crate::op::Lanes| {
                    let wide = |lanes: &crate::op::Lanes| lanes.map(|bits| <$format>::wide(bits).to_bits());
                    super::float::test($word, "f64").map_or(0, |test| test(&wide(a), &wide(b)))
                }) as Test),)*
                _ => None,
            }
        };
    }
    match kind {
        "f16" => compared!(
            Binary16, "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"
        ),
        "bf16" => compared!(
            Bfloat16, "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"
        ),
        _ => None,
    }
}

/// `cvt` from or to a 16-bit format, to nearest.
pub(crate) fn convert(rounding: &str, to: &str, from: &str) -> Option<Unary> {
    match (to, from, rounding) {
        ("f32", "f16", "") => Some(each!(|a| u64::from(single(Binary16::wide(a) as f32)))),
        ("f32", "bf16", "") => Some(each!(|a| a << 16)),
        ("f64", "f16", "") => Some(each!(|a| Binary16::wide(a).to_bits())),
        ("f16", "f32", "rn") => Some(each!(|a| Binary16::narrow(f64::from(f32::from_bits(a as u32))))),
        ("bf16", "f32", "rn") => Some(each!(|a| Bfloat16::narrow(f64::from(f32::from_bits(a as u32))))),
        ("f16", "s32", "rn") => Some(each!(|a| Binary16::narrow(f64::from(a as i32)))),
        ("f16", "u32", "rn") => Some(each!(|a| Binary16::narrow(f64::from(a as u32)))),
        ("s32", "f16", "rzi") => Some(each!(|a| Binary16::wide(a) as i32 as u64)),
        _ => None,
    }
}

/// `cvt.rn.f16x2.f32 d, a, b`: a becomes the upper half.
pub(crate) fn convert_pair(rounding: &str, to: &str, from: &str) -> Option<Binary> {
    match (to, from, rounding) {
        ("f16x2", "f32", "rn") => Some(each!(|a, b| {
            let half = |bits: u64| Binary16::narrow(f64::from(f32::from_bits(bits as u32)));
            half(a) << 16 | half(b)
        })),
        ("bf16x2", "f32", "rn") => Some(each!(|a, b| {
            let half = |bits: u64| Bfloat16::narrow(f64::from(f32::from_bits(bits as u32)));
            half(a) << 16 | half(b)
        })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_survives() {
        for bits in 0..=0xffff_u64 {
            let wide = Binary16::wide(bits);
            assert!(wide.is_nan() || Binary16::narrow(wide) == bits, "{bits:#x}");
            let wide = Bfloat16::wide(bits);
            assert!(wide.is_nan() || Bfloat16::narrow(wide) == bits, "{bits:#x}");
        }
        assert_eq!(Binary16::narrow(65_519.0), 0x7bff);
        assert_eq!(Binary16::narrow(65_520.0), 0x7c00);
        assert_eq!(Binary16::narrow(2048.0 + 1.0), 0x6800);
        assert_eq!(Bfloat16::narrow(257.0), 0x4380);
    }
}
