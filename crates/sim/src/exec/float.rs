//! binary32 and binary64 (PTX ISA 9.0, section 9.7.3).
//!
//! Results that are NaN are the canonical quiet NaN in binary32. `min` and `max` return the operand that is a number,
//! and order +0 above -0. Approximate functions are computed through binary64 and rounded once, which is within the
//! bounds that the ISA states; a GPU may differ in the last bits.

use crate::op::{Binary, Ternary, Test, Unary};

/// Bits of a binary32 result.
pub(crate) fn single(value: f32) -> u32 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    }
}

fn s(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn flush(value: f32) -> f32 {
    if value.is_subnormal() {
        0.0_f32.copysign(value)
    } else {
        value
    }
}

fn saturate(value: f32) -> f32 {
    if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    }
}

macro_rules! max_of {
    ($name:ident, $type:ty, $order:ident) => {
        fn $name(a: $type, b: $type) -> $type {
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else if a.total_cmp(&b).$order() {
                a
            } else {
                b
            }
        }
    };
}
max_of!(max_single, f32, is_ge);
max_of!(min_single, f32, is_le);
max_of!(max_double, f64, is_ge);
max_of!(min_double, f64, is_le);

/// Modifiers that change a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// Subnormals are zero.
    pub ftz: bool,
    /// Results lie in [0, 1].
    pub sat: bool,
}

/// `op` of two operands; rounding to nearest.
pub(crate) fn binary(op: &str, kind: &str, flags: Flags) -> Option<Binary> {
    macro_rules! singles {
        ($f:expr) => {
            match (flags.ftz, flags.sat) {
                (false, false) => Some(
                    (|a, b| {
                        let f: fn(f32, f32) -> f32 = $f;
                        u64::from(single(f(s(a), s(b))))
                    }) as Binary,
                ),
                (true, false) => Some(|a, b| {
                    let f: fn(f32, f32) -> f32 = $f;
                    u64::from(single(flush(f(flush(s(a)), flush(s(b))))))
                }),
                (false, true) => Some(|a, b| {
                    let f: fn(f32, f32) -> f32 = $f;
                    u64::from(single(saturate(f(s(a), s(b)))))
                }),
                (true, true) => Some(|a, b| {
                    let f: fn(f32, f32) -> f32 = $f;
                    u64::from(single(saturate(flush(f(flush(s(a)), flush(s(b)))))))
                }),
            }
        };
    }
    match (op, kind) {
        ("add", "f32") => singles!(|a, b| a + b),
        ("sub", "f32") => singles!(|a, b| a - b),
        ("mul", "f32") => singles!(|a, b| a * b),
        ("div", "f32") => singles!(|a, b| a / b),
        ("min", "f32") => singles!(min_single),
        ("max", "f32") => singles!(max_single),
        ("copysign", "f32") => Some(|a, b| u64::from(s(b).copysign(s(a)).to_bits())),
        ("add", "f64") => Some(|a, b| (d(a) + d(b)).to_bits()),
        ("sub", "f64") => Some(|a, b| (d(a) - d(b)).to_bits()),
        ("mul", "f64") => Some(|a, b| (d(a) * d(b)).to_bits()),
        ("div", "f64") => Some(|a, b| (d(a) / d(b)).to_bits()),
        ("min", "f64") => Some(|a, b| min_double(d(a), d(b)).to_bits()),
        ("max", "f64") => Some(|a, b| max_double(d(a), d(b)).to_bits()),
        ("copysign", "f64") => Some(|a, b| d(b).copysign(d(a)).to_bits()),
        _ => None,
    }
}

/// `fma.rn` in one rounding.
pub(crate) fn fused(kind: &str, flags: Flags) -> Option<Ternary> {
    match (kind, flags.ftz, flags.sat) {
        ("f32", false, false) => Some(|a, b, c| u64::from(single(s(a).mul_add(s(b), s(c))))),
        ("f32", true, false) => {
            Some(|a, b, c| u64::from(single(flush(flush(s(a)).mul_add(flush(s(b)), flush(s(c)))))))
        }
        ("f32", false, true) => {
            Some(|a, b, c| u64::from(single(saturate(s(a).mul_add(s(b), s(c))))))
        }
        ("f32", true, true) => Some(|a, b, c| {
            u64::from(single(saturate(flush(
                flush(s(a)).mul_add(flush(s(b)), flush(s(c))),
            ))))
        }),
        ("f64", false, false) => Some(|a, b, c| d(a).mul_add(d(b), d(c)).to_bits()),
        _ => None,
    }
}

/// `fma.rm.f32`: towards minus infinity. The nearest result, stepped down where it lies above the exact one.
pub(crate) fn fused_down(a: u64, b: u64, c: u64) -> u64 {
    let near = s(a).mul_add(s(b), s(c));
    // The product of two binary32 is exact in binary64; the sum's error is what two-sum leaves.
    let (product, addend) = (f64::from(s(a)) * f64::from(s(b)), f64::from(s(c)));
    let sum = product + addend;
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    let above = f64::from(near) > sum || (f64::from(near) == sum && error < 0.0);
    u64::from(single(if above && near.is_finite() {
        near.next_down()
    } else {
        near
    }))
}

/// `op` of one operand.
pub(crate) fn unary(op: &str, kind: &str, flags: Flags) -> Option<Unary> {
    macro_rules! approx {
        ($f:expr) => {
            if flags.ftz {
                Some(
                    (|a| {
                        let f: fn(f64) -> f64 = $f;
                        u64::from(single(flush(f(f64::from(flush(s(a)))) as f32)))
                    }) as Unary,
                )
            } else {
                Some(|a| {
                    let f: fn(f64) -> f64 = $f;
                    u64::from(single(f(f64::from(s(a))) as f32))
                })
            }
        };
    }
    match (op, kind) {
        ("neg", "f32") => Some(|a| a ^ 0x8000_0000),
        ("abs", "f32") => Some(|a| a & 0x7fff_ffff),
        ("neg", "f64") => Some(|a| a ^ (1 << 63)),
        ("abs", "f64") => Some(|a| a & !(1 << 63)),
        ("rcp", "f32") => approx!(|a| 1.0 / a),
        ("sqrt", "f32") => approx!(f64::sqrt),
        ("rsqrt", "f32") => approx!(|a| 1.0 / a.sqrt()),
        ("ex2", "f32") => approx!(f64::exp2),
        ("lg2", "f32") => approx!(f64::log2),
        ("sin", "f32") => approx!(f64::sin),
        ("cos", "f32") => approx!(f64::cos),
        ("tanh", "f32") => approx!(f64::tanh),
        ("rcp", "f64") => Some(|a| (1.0 / d(a)).to_bits()),
        ("sqrt", "f64") => Some(|a| d(a).sqrt().to_bits()),
        ("rsqrt", "f64") => Some(|a| (1.0 / d(a).sqrt()).to_bits()),
        _ => None,
    }
}

/// Comparisons: without `u` false on NaN, `ne` too; with `u` true on NaN.
pub(crate) fn test(op: &str, kind: &str) -> Option<Test> {
    macro_rules! typed {
        ($read:expr) => {
            match op {
                "eq" => Some((|a, b| $read(a) == $read(b)) as Test),
                "ne" => Some(|a, b| $read(a) < $read(b) || $read(a) > $read(b)),
                "lt" => Some(|a, b| $read(a) < $read(b)),
                "le" => Some(|a, b| $read(a) <= $read(b)),
                "gt" => Some(|a, b| $read(a) > $read(b)),
                "ge" => Some(|a, b| $read(a) >= $read(b)),
                "equ" => Some(|a, b| !($read(a) < $read(b) || $read(a) > $read(b))),
                "neu" => Some(|a, b| $read(a) != $read(b)),
                "ltu" => Some(|a, b| !($read(a) >= $read(b))),
                "leu" => Some(|a, b| !($read(a) > $read(b))),
                "gtu" => Some(|a, b| !($read(a) <= $read(b))),
                "geu" => Some(|a, b| !($read(a) < $read(b))),
                "num" => Some(|a, b| !$read(a).is_nan() && !$read(b).is_nan()),
                "nan" => Some(|a, b| $read(a).is_nan() || $read(b).is_nan()),
                _ => None,
            }
        };
    }
    match kind {
        "f32" => typed!(s),
        "f64" => typed!(d),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_follow_the_isa() {
        let bits = |value: f32| u64::from(value.to_bits());
        let max = binary("max", "f32", Flags::default()).unwrap();
        assert_eq!(max(bits(f32::NAN), bits(1.0)), bits(1.0));
        assert_eq!(max(bits(-0.0), bits(0.0)), bits(0.0));
        assert_eq!(
            binary("min", "f32", Flags::default()).unwrap()(bits(0.0), bits(-0.0)),
            bits(-0.0)
        );
        assert_eq!(
            binary("add", "f32", Flags::default()).unwrap()(
                bits(f32::INFINITY),
                bits(f32::NEG_INFINITY)
            ),
            0x7fff_ffff
        );
        assert!(!test("ne", "f32").unwrap()(bits(f32::NAN), bits(1.0)));
        assert!(test("neu", "f32").unwrap()(bits(f32::NAN), bits(1.0)));
        assert!(test("ltu", "f32").unwrap()(bits(f32::NAN), bits(1.0)));
        let ftz = Flags {
            ftz: true,
            sat: false,
        };
        assert_eq!(binary("mul", "f32", ftz).unwrap()(1, bits(1.0)), 0);
        // One rounding: (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24, which two roundings lose.
        let a = 1.0 + 2.0_f32.powi(-12);
        let c = -1.0 - 2.0_f32.powi(-11);
        assert_eq!(
            fused("f32", Flags::default()).unwrap()(bits(a), bits(a), bits(c)),
            bits(2.0_f32.powi(-24))
        );
        assert_eq!(
            fused_down(bits(1.0), bits(1.0), bits(-(2.0_f32.powi(-30)))),
            bits(1.0_f32.next_down())
        );
        assert_eq!(
            fused_down(bits(1.0), bits(1.0), bits(2.0_f32.powi(-30))),
            bits(1.0)
        );
        assert_eq!(
            unary("ex2", "f32", Flags::default()).unwrap()(bits(3.0)),
            bits(8.0)
        );
    }
}
