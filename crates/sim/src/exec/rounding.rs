//! Sums, products, quotients and roots of binary32 in one rounding, to nearest or in a named direction, without hardware for it.
//!
//! A binary32 result is computed in binary64 *rounded to odd*: where it is inexact its last bit is 1, so the second
//! rounding sees that, and is right in every direction. Binary64 results are in [`super::exact`].

/// A direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Direction {
    /// `rn`, `rz`, `rm`, `rp`; nothing is nearest.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "" | "rn" => Some(Self::Nearest),
            "rz" => Some(Self::Zero),
            "rm" => Some(Self::Down),
            "rp" => Some(Self::Up),
            _ => None,
        }
    }
}

/// A nearest binary64 and what it lacks, rounded to odd.
#[inline]
fn odd(near: f64, missing: f64) -> f64 {
    let bits = near.to_bits();
    // A missing part that is NaN comes from infinities, which are exact.
    if missing != 0.0 && !missing.is_nan() && bits & 1 == 0 && near != 0.0 {
        let away = (missing > 0.0) == (near > 0.0);
        f64::from_bits(if away { bits + 1 } else { bits - 1 })
    } else {
        near
    }
}

/// What `a + b` lacks when it is rounded.
#[inline]
fn missing_of_sum(a: f64, b: f64, sum: f64) -> f64 {
    let part = sum - a;
    (a - (sum - part)) + (b - part)
}

/// `a * b + c` of binary32, rounded to odd.
#[inline]
pub(crate) fn fused_odd(a: f32, b: f32, c: f32) -> f64 {
    odd_sum(f64::from(a) * f64::from(b), f64::from(c))
}

/// `a + b`, rounded to odd.
#[inline]
pub(crate) fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    odd(sum, missing_of_sum(a, b, sum))
}

/// `a / b` of binary32, rounded to odd.
pub(crate) fn divided_odd(a: f32, b: f32) -> f64 {
    let (a, b) = (f64::from(a), f64::from(b));
    let near = a / b;
    let missing = (-near).mul_add(b, a);
    odd(near, if b < 0.0 { -missing } else { missing })
}

/// The root of a binary32, rounded to odd.
pub(crate) fn root_odd(a: f32) -> f64 {
    let near = f64::from(a).sqrt();
    odd(near, (-near).mul_add(near, f64::from(a)))
}

/// The same where subnormal results are zero: what is too small when it is rounded with exponents without bound.
#[inline]
pub(crate) fn narrowed_flushed(odd: f64, direction: Direction) -> f32 {
    if odd.abs() >= f64::from(f32::MIN_POSITIVE) || odd.is_nan() {
        return narrowed(odd, direction);
    }
    let (scale, least) = (2.0_f64.powi(64), 2.0_f32.powi(-62));
    let size = if narrowed(odd * scale, direction).abs() < least { 0.0 } else { f32::MIN_POSITIVE };
    if odd.is_sign_negative() { -size } else { size }
}

/// A binary64 that was rounded to odd, as binary32.
#[inline]
pub(crate) fn narrowed(odd: f64, direction: Direction) -> f32 {
    let near = odd as f32;
    let wide = f64::from(near);
    let too_high = wide > odd;
    let too_low = wide < odd;
    match direction {
        Direction::Nearest => near,
        Direction::Down if too_high => near.next_down(),
        Direction::Up if too_low => near.next_up(),
        Direction::Zero if too_high && odd > 0.0 => near.next_down(),
        Direction::Zero if too_low && odd < 0.0 => near.next_up(),
        _ => near,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "one rounding is exact")]
mod tests {
    use super::*;

    /// A fixed sequence of bit patterns.
    fn numbers() -> impl Iterator<Item = u32> {
        let mut state = 0x1234_5678_u32;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ (state >> 15)
        })
    }

    #[test]
    fn one_rounding_agrees_with_the_library() {
        let mut numbers = numbers().map(f32::from_bits);
        for _ in 0..200_000 {
            let mut next = || numbers.next().unwrap_or_default();
            let (a, b, c) = (next(), next(), next());
            for c in [c, -(a * b), (a * b) * 1.000_000_1] {
                let (got, expect) = (fused_odd(a, b, c) as f32, a.mul_add(b, c));
                assert!(got.to_bits() == expect.to_bits() || got.is_nan() && expect.is_nan(), "{a:e} {b:e} {c:e}");
            }
            let (got, expect) = (divided_odd(a, b) as f32, a / b);
            assert!(got.to_bits() == expect.to_bits() || got.is_nan() && expect.is_nan(), "{a:e} / {b:e}");
        }
    }

    #[test]
    fn directions_bound_the_exact_result() {
        let third = |direction| narrowed(divided_odd(1.0, 3.0), direction);
        assert_eq!(third(Direction::Nearest), 1.0_f32 / 3.0);
        assert!(third(Direction::Down) < third(Direction::Up));
        assert_eq!(third(Direction::Zero), third(Direction::Down));
        let over = fused_odd(f32::MAX, 2.0, 0.0);
        assert_eq!(narrowed(over, Direction::Zero), f32::MAX);
        assert_eq!(narrowed(over, Direction::Up), f32::INFINITY);
        assert_eq!(narrowed(fused_odd(1.0, 1.0, -(2.0_f32.powi(-30))), Direction::Down), 1.0_f32.next_down());
        assert_eq!(narrowed(fused_odd(1.0, 1.0, 2.0_f32.powi(-30)), Direction::Down), 1.0);
    }
}
