//! Conversions in two steps: any number to a binary64 rounded to odd, and that to a narrow format in any direction, which
//! together round once (PTX ISA 9.0, section 9.7.9.21); and the 8-bit formats and tf32, which have no arithmetic.

use super::convert::narrowed_nan;
use super::float::single;
use super::half::{Bfloat16, Binary16, Format};
use super::rounding::{Direction, narrowed};
use crate::op::{Binary, Unary};

/// An integer as a binary64; where it is inexact, the last bit is 1.
fn odd_of(value: i128) -> f64 {
    let near = value as f64;
    let exact = near as i128;
    if exact == value || !near.to_bits().is_multiple_of(2) {
        return near;
    }
    let is_short = exact.abs() < value.abs();
    f64::from_bits(if is_short { near.to_bits() + 1 } else { near.to_bits() - 1 })
}

/// From `kind` to a binary64 rounded to odd.
pub(crate) fn widened(kind: &str) -> Option<Unary> {
    match kind {
        "f16" => Some(each!(|a| Binary16::wide(a & 0xffff).to_bits())),
        "bf16" => Some(each!(|a| Bfloat16::wide(a & 0xffff).to_bits())),
        "f32" => Some(each!(|a| f64::from(f32::from_bits(a as u32)).to_bits())),
        "f64" => Some(each!(|a| a)),
        "s8" => Some(each!(|a| f64::from(a as i8).to_bits())),
        "u8" => Some(each!(|a| f64::from(a as u8).to_bits())),
        "s16" => Some(each!(|a| f64::from(a as i16).to_bits())),
        "u16" => Some(each!(|a| f64::from(a as u16).to_bits())),
        "s32" => Some(each!(|a| f64::from(a as i32).to_bits())),
        "u32" => Some(each!(|a| f64::from(a as u32).to_bits())),
        "s64" => Some(each!(|a| odd_of(i128::from(a as i64)).to_bits())),
        "u64" => Some(each!(|a| odd_of(i128::from(a)).to_bits())),
        _ => None,
    }
}

/// A half in a direction: the nearest one, stepped once where it lies on the wrong side.
fn half<F: Format>(value: f64, direction: Direction) -> u64 {
    let near = F::narrow(value);
    let got = F::wide(near);
    // The next number towards zero is the next lower pattern, whatever the sign.
    let shrink = |bits: u64| bits - 1;
    let is_zero = got == 0.0;
    let grow = |bits: u64| if is_zero { u64::from(value < 0.0) << 15 | 1 } else { bits + 1 };
    let (too_high, too_low) = (got > value, got < value);
    match direction {
        Direction::Down if too_high => {
            if got > 0.0 {
                shrink(near)
            } else {
                grow(near)
            }
        }
        Direction::Up if too_low => {
            if got < 0.0 {
                shrink(near)
            } else {
                grow(near)
            }
        }
        Direction::Zero if too_high && value > 0.0 => shrink(near),
        Direction::Zero if too_low && value < 0.0 => shrink(near),
        _ => near,
    }
}

/// From a binary64 rounded to odd to `kind`.
pub(crate) fn narrowed_to(kind: &str, direction: Direction) -> Option<Unary> {
    macro_rules! directions {
        (|$a:ident, $d:ident| $body:expr) => {
            match direction {
                Direction::Nearest => Some(each!(|$a| {
                    let ($a, $d) = (f64::from_bits($a), Direction::Nearest);
                    $body
                }) as Unary),
                Direction::Zero => Some(each!(|$a| {
                    let ($a, $d) = (f64::from_bits($a), Direction::Zero);
                    $body
                })),
                Direction::Down => Some(each!(|$a| {
                    let ($a, $d) = (f64::from_bits($a), Direction::Down);
                    $body
                })),
                Direction::Up => Some(each!(|$a| {
                    let ($a, $d) = (f64::from_bits($a), Direction::Up);
                    $body
                })),
            }
        };
    }
    match kind {
        "f16" => directions!(|a, way| half::<Binary16>(a, way)),
        "bf16" => directions!(|a, way| half::<Bfloat16>(a, way)),
        "f32" => directions!(|a, way| u64::from(single(narrowed(a, way)))),
        // From binary64 itself: a NaN keeps sign and upper bits.
        "f32 of f64" => directions!(|a, way| u64::from(
            narrowed_nan(a.to_bits(), 32, 23).map_or(narrowed(a, way).to_bits(), |nan| nan as u32)
        )),
        "f16 of f64" => {
            directions!(|a, way| narrowed_nan(a.to_bits(), 16, 10).unwrap_or_else(|| half::<Binary16>(a, way)))
        }
        "bf16 of f64" => {
            directions!(|a, way| narrowed_nan(a.to_bits(), 16, 7).unwrap_or_else(|| half::<Bfloat16>(a, way)))
        }
        "f64" => directions!(|a, _way| a.to_bits()),
        _ => None,
    }
}

/// An integer to binary64 in a direction.
pub(crate) fn double_of_integer(kind: &str, direction: Direction) -> Option<Unary> {
    fn directed(value: i128, direction: Direction) -> f64 {
        let near = value as f64;
        let exact = near as i128;
        match direction {
            Direction::Down if exact > value => near.next_down(),
            Direction::Up if exact < value => near.next_up(),
            Direction::Zero if exact > value && value > 0 => near.next_down(),
            Direction::Zero if exact < value && value < 0 => near.next_up(),
            _ => near,
        }
    }
    macro_rules! directions {
        (|$a:ident| $value:expr) => {
            match direction {
                Direction::Nearest => Some(each!(|$a| directed($value, Direction::Nearest).to_bits()) as Unary),
                Direction::Zero => Some(each!(|$a| directed($value, Direction::Zero).to_bits())),
                Direction::Down => Some(each!(|$a| directed($value, Direction::Down).to_bits())),
                Direction::Up => Some(each!(|$a| directed($value, Direction::Up).to_bits())),
            }
        };
    }
    match kind {
        "s8" => directions!(|a| i128::from(a as i8)),
        "u8" => directions!(|a| i128::from(a as u8)),
        "s16" => directions!(|a| i128::from(a as i16)),
        "u16" => directions!(|a| i128::from(a as u16)),
        "s32" => directions!(|a| i128::from(a as i32)),
        "u32" => directions!(|a| i128::from(a as u32)),
        "s64" => directions!(|a| i128::from(a as i64)),
        "u64" => directions!(|a| i128::from(a)),
        _ => None,
    }
}

/// An integer limited to the range of a narrower type: `cvt.sat`.
pub(crate) fn limited(to: &str, from: &str) -> Option<Unary> {
    macro_rules! from_type {
        ($from:ty) => {
            match to {
                "s8" => Some(each!(|a| i128::from(a as $from).clamp(i8::MIN.into(), i8::MAX.into()) as u64) as Unary),
                "u8" => Some(each!(|a| i128::from(a as $from).clamp(0, u8::MAX.into()) as u64)),
                "s16" => Some(each!(|a| i128::from(a as $from).clamp(i16::MIN.into(), i16::MAX.into()) as u64)),
                "u16" => Some(each!(|a| i128::from(a as $from).clamp(0, u16::MAX.into()) as u64)),
                "s32" => Some(each!(|a| i128::from(a as $from).clamp(i32::MIN.into(), i32::MAX.into()) as u64)),
                "u32" => Some(each!(|a| i128::from(a as $from).clamp(0, u32::MAX.into()) as u64)),
                "s64" => Some(each!(|a| i128::from(a as $from).clamp(i64::MIN.into(), i64::MAX.into()) as u64)),
                "u64" => Some(each!(|a| i128::from(a as $from).clamp(0, u64::MAX.into()) as u64)),
                _ => None,
            }
        };
    }
    of_integer!(from, from_type)
}

/// An 8-bit format: bits of the fraction, bias of the exponent, largest number. `0x7f` is NaN in both.
struct Byte {
    fraction: i32,
    bias: i32,
    max: f64,
}

const E4M3: Byte = Byte { fraction: 3, bias: 7, max: 448.0 };
const E5M2: Byte = Byte { fraction: 2, bias: 15, max: 57_344.0 };

impl Byte {
    /// The nearest number, ties to even; what is too large becomes the largest.
    fn encode(&self, value: f64) -> u64 {
        if value.is_nan() {
            return 0x7f;
        }
        let (sign, size) = (u64::from(value.is_sign_negative()) << 7, value.abs().min(self.max));
        let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        // Whole steps; a carry into the exponent is a carry in the pattern.
        let steps = (size * 2.0_f64.powi(self.fraction - exponent)).round_ties_even() as u64;
        sign | (steps + (((exponent + self.bias - 1) as u64) << self.fraction))
    }

    fn decode(&self, bits: u64) -> f64 {
        let (exponent, fraction) = ((bits & 0x7f) >> self.fraction, bits & ((1 << self.fraction) - 1));
        let is_e5m2 = self.fraction == 2;
        let size = match bits & 0x7f {
            0x7f => f64::NAN,
            0x7c if is_e5m2 => f64::INFINITY,
            0x7d | 0x7e if is_e5m2 => f64::NAN,
            _ if exponent == 0 => fraction as f64 * 2.0_f64.powi(1 - self.bias - self.fraction),
            _ => {
                let whole = (1_u64 << self.fraction | fraction) as f64;
                whole * 2.0_f64.powi(exponent as i32 - self.bias - self.fraction)
            }
        };
        if bits & 0x80 == 0 { size } else { -size }
    }
}

fn wide(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

/// `cvt.rn.satfinite.e4m3x2.f32 d, a, b`: a becomes the upper byte.
pub(crate) fn bytes_of_singles(to: &str) -> Option<Binary> {
    match to {
        "e4m3x2" => Some(each!(|a, b| E4M3.encode(wide(a)) << 8 | E4M3.encode(wide(b)))),
        "e5m2x2" => Some(each!(|a, b| E5M2.encode(wide(a)) << 8 | E5M2.encode(wide(b)))),
        _ => None,
    }
}

/// Pairs of bytes from pairs of halves, and back.
pub(crate) fn bytes_and_halves(to: &str, from: &str) -> Option<Unary> {
    match (to, from) {
        ("e4m3x2", "f16x2") => Some(each!(
            |a| E4M3.encode(Binary16::wide(a >> 16 & 0xffff)) << 8 | E4M3.encode(Binary16::wide(a & 0xffff))
        )),
        ("e5m2x2", "f16x2") => Some(each!(
            |a| E5M2.encode(Binary16::wide(a >> 16 & 0xffff)) << 8 | E5M2.encode(Binary16::wide(a & 0xffff))
        )),
        ("f16x2", "e4m3x2") => {
            Some(each!(|a| Binary16::narrow(E4M3.decode(a >> 8)) << 16 | Binary16::narrow(E4M3.decode(a))))
        }
        ("f16x2", "e5m2x2") => {
            Some(each!(|a| Binary16::narrow(E5M2.decode(a >> 8)) << 16 | Binary16::narrow(E5M2.decode(a))))
        }
        _ => None,
    }
}

/// NaN in tf32, whose low bits are 0.
pub(super) const NAN_TF32: u32 = 0x7fff_e000;

/// `cvt.rna.tf32.f32` and its like: 10 bits of fraction, the other 13 are zero.
pub(crate) fn tf32(rounding: &str) -> Option<Unary> {
    macro_rules! rounded {
        (|$bits:ident| $more:expr, $nan:expr) => {
            Some(each!(|a| {
                let $bits = a as u32;
                u64::from(match $bits & 0x7fff_ffff {
                    0x7f80_0000 => $bits,
                    0x7f80_0001.. => $nan,
                    _ => ($bits + $more) & !0x1fff,
                })
            }) as Unary)
        };
    }
    match rounding {
        "rna" => rounded!(|bits| 0x1000, bits & !0x1fff),
        // NaN becomes a number here, as on an H200.
        "rna.satfinite" => Some(each!(|a| {
            let size = a as u32 & 0x7fff_ffff;
            let near = if size > 0x7f80_0000 { size } else { size + 0x1000 } & !0x1fff;
            let limited = if near >= 0x7f80_0000 { near - 0x2000 } else { near };
            u64::from(a as u32 & 0x8000_0000 | limited)
        })),
        "rn" => rounded!(|bits| 0xfff + (bits >> 13 & 1), NAN_TF32),
        "rz" => rounded!(|bits| 0, NAN_TF32),
        _ => None,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "narrow numbers are exact")]
mod tests {
    use super::*;
    use crate::exec::one_lane;

    #[test]
    fn bytes_survive() {
        for bits in 0..=0xff_u64 {
            for format in [E4M3, E5M2] {
                let value = format.decode(bits);
                assert!(!value.is_finite() || format.encode(value) == bits, "{bits:#x} {value}");
            }
        }
        assert_eq!(E4M3.encode(1e9), 0x7e);
        assert_eq!(E5M2.encode(f64::INFINITY), 0x7b);
        assert_eq!(E4M3.encode(2.0_f64.powi(-9)), 1);
        assert_eq!(E4M3.encode(17.0), E4M3.encode(16.0));
        assert_eq!(E5M2.decode(0x3c), 1.0);
    }

    #[test]
    fn directions_of_halves_bound_the_number() {
        let to = |direction, value: f64| one_lane::unary(narrowed_to("f16", direction).unwrap(), value.to_bits());
        assert_eq!(to(Direction::Zero, 70_000.0), 0x7bff);
        assert_eq!(to(Direction::Zero, -70_000.0), 0xfbff);
        assert_eq!(to(Direction::Up, 70_000.0), 0x7c00);
        assert_eq!(to(Direction::Up, 1e-30), 1);
        assert_eq!(to(Direction::Down, 1e-30), 0);
        assert_eq!(to(Direction::Down, -1e-30), 0x8001);
        assert_eq!(to(Direction::Down, 1.0 + 2.0_f64.powi(-11)), 0x3c00);
        assert_eq!(to(Direction::Up, 1.0 + 2.0_f64.powi(-30)), 0x3c01);
        let tie = one_lane::unary(tf32("rna").unwrap(), u64::from(1.0_f32.to_bits() + 0x1000));
        assert_eq!(f32::from_bits(tie as u32), 1.0 + 2.0_f32.powi(-10));
        let near = one_lane::unary(widened("s64").unwrap(), (1 << 60) + 1);
        assert_eq!(near & 1, 1);
    }
}
