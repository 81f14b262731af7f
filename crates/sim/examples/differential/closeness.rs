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
    /// Two binary16, or two bfloat16, within a relative or an absolute bound.
    Halves { brain: bool, relative: f64, absolute: f64 },
    /// Binary64 relative to the larger.
    Binary64 { relative: f64 },
    /// Binary32 that functions of CUDA's library give: 8 units of the last place of the larger part, 2^-20.
    Library,
}

/// The sum of both sides' bounds.
pub fn of_form(form: &str) -> Closeness {
    let words: Vec<&str> = form.split([' ', ';']).next().unwrap_or_default().split('.').collect();
    let has = |word: &str| words.contains(&word);
    let within = |ulps, relative: i32, absolute: f64| Closeness::Within {
        ulps,
        relative: if relative == 0 { 0.0 } else { f64::powi(2.0, relative) },
        absolute,
    };
    if !has("approx") && !has("full") {
        return if has("f64") { Closeness::EqualBinary64 } else { Closeness::Equal };
    }
    if has("f64") {
        // The upper 32 bits are those of an approximation, the lower ones 0.
        return Closeness::Binary64 { relative: f64::powi(2.0, -19) };
    }
    if has("bf16") || has("bf16x2") {
        return Closeness::Halves { brain: true, relative: f64::powi(2.0, -6), absolute: f64::powi(2.0, -7) };
    }
    if has("f16") || has("f16x2") {
        return Closeness::Halves { brain: false, relative: f64::powi(2.0, -8), absolute: f64::powi(2.0, -9) };
    }
    match words[0] {
        "rcp" => within(2, 0, 0.0),
        "sqrt" => within(2, -22, 0.0),
        "rsqrt" => within(4, -22, 0.0),
        "div" | "ex2" => within(4, 0, 0.0),
        "lg2" => within(0, -21, f64::powi(2.0, -21)),
        "sin" | "cos" => within(0, 0, f64::powi(2.0, -14)),
        "tanh" => within(0, -10, 0.0),
        _ => Closeness::Equal,
    }
}

impl Closeness {
    /// Bytes of one result.
    pub fn stride(self) -> usize {
        if self == Self::Library { 4 } else { 8 }
    }

    /// Whether two results are close enough.
    pub fn holds(self, a: u64, b: u64) -> bool {
        let single = |bits: u64| f64::from(f32::from_bits(bits as u32));
        match self {
            Self::Equal => a == b,
            Self::EqualBinary64 => a == b || (f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan()),
            Self::Within { ulps, relative, absolute } => {
                let near = (a as u32).abs_diff(b as u32) <= ulps;
                near || is_near(single(a), single(b), relative, absolute)
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
