//! Sums, products, quotients and roots of binary64 in a named direction: computed in whole numbers of 128 bits, of which
//! the last bit is 1 where something was lost, and rounded once. Right down to the smallest subnormal.

use super::rounding::Direction;

/// Bits of a fraction with its leading 1.
const PRECISION: i32 = 53;
/// Exponent of the smallest normal number's leading bit.
const EXPONENT_MIN: i32 = -1022;
/// Where the leading bit of a sum's parts is put: one bit of room for a carry, and many below for what is shifted.
const TOP: i32 = 126;

/// A number that is neither 0 nor without bounds: `mantissa` times 2 to the `exponent`.
#[derive(Clone, Copy)]
struct Exact {
    is_negative: bool,
    mantissa: u128,
    exponent: i32,
}

impl Exact {
    fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        Self { is_negative: value.is_sign_negative(), mantissa: mantissa.into(), exponent }
    }

    fn times(self, other: Self) -> Self {
        Self {
            is_negative: self.is_negative != other.is_negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The same with its leading bit at [`TOP`].
    fn normalised(self) -> Self {
        let shift = self.mantissa.leading_zeros() as i32 - (127 - TOP);
        Self { mantissa: self.mantissa << shift, exponent: self.exponent - shift, ..self }
    }

    /// `None` of an exact zero.
    fn plus(self, other: Self) -> Option<Self> {
        let (a, b) = (self.normalised(), other.normalised());
        let (large, small) = if (a.exponent, a.mantissa) >= (b.exponent, b.mantissa) { (a, b) } else { (b, a) };
        let small_part = jammed(small.mantissa, (large.exponent - small.exponent) as u32);
        let mantissa = if large.is_negative == small.is_negative {
            large.mantissa + small_part
        } else {
            large.mantissa - small_part
        };
        (mantissa != 0).then_some(Self { mantissa, ..large })
    }

    /// The binary64 next to it in a direction.
    fn rounded(self, direction: Direction) -> f64 {
        let bits = 128 - self.mantissa.leading_zeros() as i32;
        let leading = self.exponent + bits - 1;
        let precision = if leading >= EXPONENT_MIN { PRECISION } else { PRECISION - (EXPONENT_MIN - leading) };
        // Bits that are dropped; numbers with fewer than there is room for become wider, which is exact.
        let drop = bits - precision;
        let exponent = self.exponent + drop;
        let (mut kept, half, rest) = if drop <= 0 {
            (self.mantissa << -drop, false, false)
        } else {
            let above = |shift: i32| self.mantissa.checked_shr(shift as u32).unwrap_or(0);
            let below = if drop >= 128 { self.mantissa } else { self.mantissa & ((1 << drop) - 1) };
            let half = above(drop - 1) & 1 == 1;
            let half_bit = if drop <= 128 { 1_u128 << (drop - 1) } else { 0 };
            (above(drop), half, if half { below != half_bit } else { below != 0 })
        };
        let is_inexact = half || rest;
        kept += u128::from(match direction {
            Direction::Nearest => half && (rest || kept & 1 == 1),
            Direction::Zero => false,
            Direction::Down => is_inexact && self.is_negative,
            Direction::Up => is_inexact && !self.is_negative,
        });
        // `kept` is at most 2^53, so both factors are exact, and so is their product where it is no subnormal too wide.
        let size = if kept >> 52 == 0 {
            f64::from_bits(kept as u64)
        } else {
            let carried = i32::from(kept >> 53 != 0);
            let biased = exponent + carried + 1075;
            if biased >= 2047 {
                return beyond(self.is_negative, direction);
            }
            f64::from_bits((biased as u64) << 52 | (kept >> carried) as u64 & ((1 << 52) - 1))
        };
        if self.is_negative { -size } else { size }
    }
}

/// Shifted right, with the last bit 1 where something was lost.
fn jammed(mantissa: u128, shift: u32) -> u128 {
    let kept = mantissa.checked_shr(shift).unwrap_or(0);
    let is_exact = kept.checked_shl(shift).is_some_and(|back| back == mantissa);
    kept | u128::from(!is_exact && mantissa != 0)
}

/// A result past the largest number.
fn beyond(is_negative: bool, direction: Direction) -> f64 {
    let is_bounded = match direction {
        Direction::Nearest => false,
        Direction::Zero => true,
        Direction::Down => !is_negative,
        Direction::Up => is_negative,
    };
    let size = if is_bounded { f64::MAX } else { f64::INFINITY };
    if is_negative { -size } else { size }
}

/// Whether the processor's own operation gives the result, which is exact then.
fn is_plain(values: &[f64]) -> bool {
    values.iter().any(|value| *value == 0.0 || !value.is_finite())
}

/// What a sum is that is exactly zero: only towards below it is -0, unless both parts are +0.
pub(super) fn zero_of_sum(a: f64, b: f64, direction: Direction) -> f64 {
    let is_negative = if a == 0.0 && b == 0.0 && a.is_sign_negative() == b.is_sign_negative() {
        a.is_sign_negative()
    } else {
        direction == Direction::Down
    };
    if is_negative { -0.0 } else { 0.0 }
}

/// `a * b + c`.
pub(crate) fn fused(a: f64, b: f64, c: f64, direction: Direction) -> f64 {
    if is_plain(&[a, b]) {
        return sum(a * b, c, direction);
    }
    let exact = Exact::of(a).times(Exact::of(b));
    if !c.is_finite() {
        return c + 0.0;
    }
    if c == 0.0 {
        return exact.rounded(direction);
    }
    let sign = if exact.is_negative { -1.0 } else { 1.0 };
    exact.plus(Exact::of(c)).map_or_else(|| zero_of_sum(sign, c, direction), |sum| sum.rounded(direction))
}

pub(crate) fn sum(a: f64, b: f64, direction: Direction) -> f64 {
    if a == 0.0 && b == 0.0 {
        return zero_of_sum(a, b, direction);
    }
    if is_plain(&[a, b]) {
        return a + b;
    }
    let sum = Exact::of(a).plus(Exact::of(b));
    sum.map_or_else(|| zero_of_sum(a, b, direction), |sum| sum.rounded(direction))
}

pub(crate) fn product(a: f64, b: f64, direction: Direction) -> f64 {
    if is_plain(&[a, b]) { a * b } else { Exact::of(a).times(Exact::of(b)).rounded(direction) }
}

pub(crate) fn quotient(a: f64, b: f64, direction: Direction) -> f64 {
    if is_plain(&[a, b]) {
        return a / b;
    }
    let (a, b) = (Exact::of(a).normalised(), Exact::of(b));
    // 127 bits by at most 53: at least 74 are left.
    let mantissa = a.mantissa / b.mantissa;
    let is_exact = a.mantissa % b.mantissa == 0;
    Exact {
        is_negative: a.is_negative != b.is_negative,
        mantissa: mantissa | u128::from(!is_exact),
        exponent: a.exponent - b.exponent,
    }
    .rounded(direction)
}

pub(crate) fn root(a: f64, direction: Direction) -> f64 {
    if is_plain(&[a]) || a < 0.0 {
        return a.sqrt();
    }
    let a = Exact::of(a).normalised();
    let is_odd = a.exponent & 1 != 0;
    let square = if is_odd { a.mantissa >> 1 } else { a.mantissa };
    let exponent = if is_odd { a.exponent + 1 } else { a.exponent };
    let mantissa = square.isqrt();
    let is_exact = mantissa * mantissa == square;
    Exact { is_negative: false, mantissa: mantissa | u128::from(!is_exact), exponent: exponent / 2 }.rounded(direction)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "one rounding is exact")]
mod tests {
    use super::*;

    const WAYS: [Direction; 3] = [Direction::Down, Direction::Zero, Direction::Up];

    #[test]
    fn to_nearest_it_is_the_processor_s() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut drawn = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            f64::from_bits(state)
        };
        let same = |got: f64, expect: f64| got.to_bits() == expect.to_bits() || got.is_nan() && expect.is_nan();
        for _ in 0..200_000 {
            let (a, b, c) = (drawn(), drawn(), drawn());
            for c in [c, -(a * b), a * b * 1.000_000_000_000_001] {
                assert!(same(fused(a, b, c, Direction::Nearest), a.mul_add(b, c)), "{a:e} {b:e} {c:e}");
            }
            assert!(same(sum(a, a * -1.5, Direction::Nearest), a + a * -1.5), "{a:e}");
            assert!(same(product(a, b, Direction::Nearest), a * b), "{a:e} {b:e}");
            assert!(same(quotient(a, b, Direction::Nearest), a / b), "{a:e} {b:e}");
            assert!(same(root(a, Direction::Nearest), a.sqrt()), "{a:e}");
            let tiny = a.abs().min(1.0) * 1e-308;
            assert!(same(product(tiny, 0.3, Direction::Nearest), tiny * 0.3), "{tiny:e}");
        }
    }

    #[test]
    fn directions_bound_the_exact_result() {
        let least = f64::from_bits(1);
        assert_eq!(WAYS.map(|way| product(least, 0.3, way)), [0.0, 0.0, least]);
        assert_eq!(WAYS.map(|way| product(-least, 0.3, way)), [-least, -0.0, -0.0]);
        assert_eq!(WAYS.map(|way| sum(f64::MAX, f64::MAX, way)), [f64::MAX, f64::MAX, f64::INFINITY]);
        assert_eq!(WAYS.map(|way| sum(1.0, least, way)), [1.0, 1.0, 1.0_f64.next_up()]);
        assert_eq!(WAYS.map(|way| fused(1.0, 1.0, -least, way)), [1.0_f64.next_down(), 1.0_f64.next_down(), 1.0]);
        assert_eq!(WAYS.map(|way| sum(1.0, -1.0, way).to_bits()), [1 << 63, 0, 0]);
        assert_eq!(root(2.0, Direction::Down).next_up(), root(2.0, Direction::Up));
        assert_eq!(root(4.0, Direction::Up), 2.0);
        assert_eq!(quotient(1.0, 3.0, Direction::Down).next_up(), quotient(1.0, 3.0, Direction::Up));
    }
}
