//! How close results must be: equal, or within what the PTX ISA 9.0, section 9.7.3, allows to each side.

use std::cmp::Ordering;

/// How close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closeness {
    /// Bit by bit.
    Equal,
    /// Bit by bit, but which bits a binary64 NaN has is open.
    EqualBinary64,
    /// Binary32 within units of the last place, or relative to the larger, or in absolute terms: the widest that applies.
    Within { ulps: u32, relative: f64, absolute: f64 },
    /// Sines and cosines, whose bound is wider beyond one turn.
    Turning,
    /// Two binary16, or two bfloat16, within a relative or an absolute bound.
    Halves { brain: bool, relative: f64, absolute: f64 },
    /// Binary64 relative to the larger.
    Binary64 { relative: f64 },
    /// Binary32 that functions of CUDA's library give: 8 units of the last place of the larger part, 2^-20.
    Library,
}

/// Half a unit of the last place of binary32, relative to the number: the simulator rounds the exact result once.
const HALF_UNIT: f64 = 1.0 / (1 << 24) as f64;

/// The ISA's bound, for the GPU, and one rounding, for the simulator.
pub fn of_form(form: &str) -> Closeness {
    let words: Vec<&str> = form.split([' ', ';']).next().unwrap_or_default().split('.').collect();
    let has = |word: &str| words.contains(&word);
    let two = |power: f64| power.exp2();
    let units = |ulps| Closeness::Within { ulps, relative: 0.0, absolute: 0.0 };
    let within = |power: f64, absolute| Closeness::Within { ulps: 0, relative: two(power) + HALF_UNIT, absolute };
    if !has("approx") && !has("full") {
        return if has("f64") { Closeness::EqualBinary64 } else { Closeness::Equal };
    }
    if has("f64") {
        // The upper 32 bits are those of an approximation, the lower ones 0.
        return Closeness::Binary64 { relative: two(-20.0) };
    }
    let is_brain = has("bf16") || has("bf16x2");
    if is_brain || has("f16") || has("f16x2") {
        let half_unit = two(if is_brain { -8.0 } else { -11.0 });
        let (relative, absolute) = match (words[0], is_brain) {
            ("tanh", true) => (0.0, two(-8.0) + half_unit / 2.0),
            ("tanh", false) => (0.0, two(-10.987) + half_unit / 2.0),
            (_, true) => (two(-7.0) + half_unit, 0.0),
            (_, false) => (two(-9.9) + half_unit, two(-24.0)),
        };
        return Closeness::Halves { brain: is_brain, relative, absolute };
    }
    match words[0] {
        "rcp" => units(1),
        "div" | "ex2" => units(2),
        "sqrt" => within(-23.0, 0.0),
        "rsqrt" => within(-22.9, 0.0),
        "lg2" => within(-22.0, two(-22.0)),
        "sin" | "cos" => Closeness::Turning,
        "tanh" => within(-11.0, 0.0),
        _ => Closeness::Equal,
    }
}

impl Closeness {
    /// Bytes of one result.
    pub fn stride(self) -> usize {
        if self == Self::Library { 4 } else { 8 }
    }

    /// Whether two results of a value are close enough.
    pub fn holds(self, given: u64, a: u64, b: u64) -> bool {
        let single = |bits: u64| f64::from(f32::from_bits(bits as u32));
        match self {
            Self::Equal => a == b,
            Self::EqualBinary64 => a == b || (f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan()),
            Self::Within { ulps, relative, absolute } => {
                let near = (a as u32).abs_diff(b as u32) <= ulps;
                near || is_near(single(a), single(b), relative, absolute)
            }
            Self::Turning => {
                let is_in_turn = single(given).abs() <= std::f64::consts::TAU;
                is_near(single(a), single(b), HALF_UNIT, if is_in_turn { f64::exp2(-20.5) } else { f64::exp2(-14.7) })
            }
            Self::Library => is_near(single(a), single(b), f64::powi(2.0, -20), f64::powi(2.0, -18)),
            Self::Binary64 { relative } => is_near(f64::from_bits(a), f64::from_bits(b), relative, 0.0),
            Self::Halves { brain, relative, absolute } => [0, 16].into_iter().all(|shift| {
                let [a, b] = [a, b].map(|bits| half((bits >> shift) as u16, brain));
                is_near(a, b, relative, absolute)
            }),
        }
    }
}

fn is_near(a: f64, b: f64, relative: f64, absolute: f64) -> bool {
    // Infinities of one sign, and both zeros, are equal.
    let difference = if a.partial_cmp(&b) == Some(Ordering::Equal) { 0.0 } else { (a - b).abs() };
    difference == 0.0
        || (a.is_nan() && b.is_nan())
        || difference <= absolute
        || difference <= relative * a.abs().max(b.abs()) && a.is_finite() && b.is_finite()
}

fn half(bits: u16, brain: bool) -> f64 {
    if brain {
        return f64::from(f32::from_bits(u32::from(bits) << 16));
    }
    let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * f64::powi(2.0, -24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::powi(2.0, exponent - 25),
    };
    if sign == 1 { -size } else { size }
}
