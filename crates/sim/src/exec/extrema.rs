//! `min` and `max` with `.NaN` and `.xorsign.abs` (PTX ISA 9.0, sections 9.7.3.11, 9.7.3.12, 9.7.4.9 and 9.7.4.10).

use super::float::{max_double, min_double, single};
use super::half::{Bfloat16, Binary16, Format};
use crate::op::Binary;

/// The extremum with its modifiers; binary64 holds every narrower number.
fn extremum<const MAX: bool, const NAN: bool, const XOR: bool>(a: f64, b: f64) -> f64 {
    let (x, y) = if XOR { (a.abs(), b.abs()) } else { (a, b) };
    if NAN && (x.is_nan() || y.is_nan()) {
        return f64::NAN;
    }
    let size = if MAX { max_double(x, y) } else { min_double(x, y) };
    if XOR { size.copysign(if a.is_sign_negative() == b.is_sign_negative() { 1.0 } else { -1.0 }) } else { size }
}

fn of_kind<const MAX: bool, const NAN: bool, const XOR: bool>(kind: &str) -> Option<Binary> {
    macro_rules! halves {
        ($format:ty, $a:ident, $b:ident) => {
            <$format>::narrow(extremum::<MAX, NAN, XOR>(<$format>::wide($a & 0xffff), <$format>::wide($b & 0xffff)))
        };
    }
    match kind {
        "f32" => Some(each!(|a, b| {
            let wide = |bits: u64| f64::from(f32::from_bits(bits as u32));
            u64::from(single(extremum::<MAX, NAN, XOR>(wide(a), wide(b)) as f32))
        })),
        "f16" => Some(each!(|a, b| halves!(Binary16, a, b))),
        "bf16" => Some(each!(|a, b| halves!(Bfloat16, a, b))),
        "f16x2" => Some(each!(|a, b| {
            let (high_a, high_b) = (a >> 16, b >> 16);
            halves!(Binary16, high_a, high_b) << 16 | halves!(Binary16, a, b)
        })),
        "bf16x2" => Some(each!(|a, b| {
            let (high_a, high_b) = (a >> 16, b >> 16);
            halves!(Bfloat16, high_a, high_b) << 16 | halves!(Bfloat16, a, b)
        })),
        _ => None,
    }
}

/// `max.NaN`, `min.xorsign.abs` and their like.
pub(crate) fn binary(op: &str, kind: &str) -> Option<Binary> {
    match op {
        "max.NaN" => of_kind::<true, true, false>(kind),
        "min.NaN" => of_kind::<false, true, false>(kind),
        "max.xorsign.abs" => of_kind::<true, false, true>(kind),
        "min.xorsign.abs" => of_kind::<false, false, true>(kind),
        "max.NaN.xorsign.abs" => of_kind::<true, true, true>(kind),
        "min.NaN.xorsign.abs" => of_kind::<false, true, true>(kind),
        _ => None,
    }
}
