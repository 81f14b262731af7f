//! binary32 and binary64 (PTX ISA 9.0, section 9.7.3).
//!
//! Results that are NaN are the canonical quiet NaN in binary32. `min` and `max` return the operand that is a number,
//! and order +0 above -0. Approximate functions are computed through binary64 and rounded once, which is within the
//! bounds that the ISA states; a GPU may differ in the last bits.

use super::exact::{self, zero_of_sum};
use super::rounding::{Direction, divided_odd, fused_odd, narrowed, narrowed_flushed, root_odd};
use crate::op::{Binary, Ternary, Test, Unary};

/// Bits of a binary32 result.
pub(crate) fn single(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

fn wide(value: f32) -> u64 {
    u64::from(single(value))
}

/// `a * b`, with subnormal operands and results zero.
fn product_flushed(a: f32, b: f32) -> f32 {
    narrowed_flushed(f64::from(flush(a)) * f64::from(flush(b)), Direction::Nearest)
}

/// `a * b + c`, the same.
fn fused_flushed(a: f32, b: f32, c: f32) -> f32 {
    narrowed_flushed(fused_odd(flush(a), flush(b), flush(c)), Direction::Nearest)
}

/// `a * b + c` in a direction; an exact zero has a sign of its own.
fn fused_in(a: f32, b: f32, c: f32, direction: Direction, ftz: bool) -> f32 {
    let odd = fused_odd(a, b, c);
    if odd == 0.0 {
        return zero_of_sum(f64::from(a) * f64::from(b), f64::from(c), direction) as f32;
    }
    if ftz { narrowed_flushed(odd, direction) } else { narrowed(odd, direction) }
}

/// `a * b + c` in one rounding; a library's `mul_add` is slow where the processor's is not compiled in.
fn fused_single(a: f32, b: f32, c: f32) -> f32 {
    fused_odd(a, b, c) as f32
}

fn s(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

fn flush_double(value: f64) -> f64 {
    if value.is_subnormal() { 0.0_f64.copysign(value) } else { value }
}

/// The bits of an approximate binary64 result.
const UPPER: u64 = 0xffff_ffff_0000_0000;

/// `div.approx`: a divisor above 2^126 counts as infinite, and infinity through it as NaN (section 9.7.3.8).
fn coarse_quotient(a: f32, b: f32) -> f32 {
    let is_huge = b.is_finite() && b.abs() > 2.0_f32.powi(126);
    a / if is_huge { f32::INFINITY.copysign(b) } else { b }
}

fn saturate(value: f32) -> f32 {
    // Also -0 becomes +0.
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

macro_rules! max_of {
    ($name:ident, $type:ty, $order:ident) => {
        pub(crate) fn $name(a: $type, b: $type) -> $type {
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
                (false, false) => Some(each!(|a, b| {
                    let f: fn(f32, f32) -> f32 = $f;
                    u64::from(single(f(s(a), s(b))))
                }) as Binary),
                (true, false) => Some(each!(|a, b| {
                    let f: fn(f32, f32) -> f32 = $f;
                    u64::from(single(flush(f(flush(s(a)), flush(s(b))))))
                })),
                (false, true) => Some(each!(|a, b| {
                    let f: fn(f32, f32) -> f32 = $f;
                    u64::from(single(saturate(f(s(a), s(b)))))
                })),
                (true, true) => Some(each!(|a, b| {
                    let f: fn(f32, f32) -> f32 = $f;
                    u64::from(single(saturate(flush(f(flush(s(a)), flush(s(b)))))))
                })),
            }
        };
    }
    match (op, kind) {
        ("add", "f32") => singles!(|a, b| a + b),
        ("sub", "f32") => singles!(|a, b| a - b),
        // What is too small before it is rounded is zero.
        ("mul", "f32") if flags.ftz => Some(if flags.sat {
            each!(|a, b| u64::from(single(saturate(product_flushed(s(a), s(b))))))
        } else {
            each!(|a, b| u64::from(single(product_flushed(s(a), s(b)))))
        }),
        ("mul", "f32") => singles!(|a, b| a * b),
        ("div", "f32") if flags.ftz && !flags.sat => Some(each!(|a, b| {
            let odd = divided_odd(flush(s(a)), flush(s(b)));
            u64::from(single(narrowed_flushed(odd, Direction::Nearest)))
        })),
        ("div", "f32") => singles!(|a, b| a / b),
        ("div.approx", "f32") => singles!(coarse_quotient),
        ("min", "f32") => singles!(min_single),
        ("max", "f32") => singles!(max_single),
        ("copysign", "f32") => Some(each!(|a, b| u64::from(s(b).copysign(s(a)).to_bits()))),
        ("add", "f64") => Some(each!(|a, b| (d(a) + d(b)).to_bits())),
        ("sub", "f64") => Some(each!(|a, b| (d(a) - d(b)).to_bits())),
        ("mul", "f64") => Some(each!(|a, b| (d(a) * d(b)).to_bits())),
        ("div", "f64") => Some(each!(|a, b| (d(a) / d(b)).to_bits())),
        ("min", "f64") => Some(each!(|a, b| min_double(d(a), d(b)).to_bits())),
        ("max", "f64") => Some(each!(|a, b| max_double(d(a), d(b)).to_bits())),
        ("copysign", "f64") => Some(each!(|a, b| d(b).copysign(d(a)).to_bits())),
        _ => None,
    }
}

/// `fma.rn` in one rounding.
pub(crate) fn fused(kind: &str, flags: Flags) -> Option<Ternary> {
    match (kind, flags.ftz, flags.sat) {
        ("f32", false, false) => Some(each!(|a, b, c| u64::from(single(fused_single(s(a), s(b), s(c)))))),
        ("f32", true, false) => Some(each!(|a, b, c| u64::from(single(fused_flushed(s(a), s(b), s(c)))))),
        ("f32", false, true) => Some(each!(|a, b, c| u64::from(single(saturate(fused_single(s(a), s(b), s(c))))))),
        ("f32", true, true) => Some(each!(|a, b, c| u64::from(single(saturate(fused_flushed(s(a), s(b), s(c))))))),
        ("f64", false, false) => Some(each!(|a, b, c| d(a).mul_add(d(b), d(c)).to_bits())),
        _ => None,
    }
}

/// `add`, `sub`, `mul`, `div` with a rounding that has a direction; with `ftz` operands are flushed already.
pub(crate) fn binary_directed(op: &str, kind: &str, direction: Direction, ftz: bool) -> Option<Binary> {
    macro_rules! directions {
        (|$a:ident, $b:ident, $d:ident| $body:expr) => {
            match direction {
                Direction::Nearest => None,
                Direction::Zero => Some(each!(|$a, $b| {
                    let $d = Direction::Zero;
                    $body
                }) as Binary),
                Direction::Down => Some(each!(|$a, $b| {
                    let $d = Direction::Down;
                    $body
                }) as Binary),
                Direction::Up => Some(each!(|$a, $b| {
                    let $d = Direction::Up;
                    $body
                }) as Binary),
            }
        };
    }
    match (op, kind) {
        ("add", "f32") => directions!(|a, b, way| wide(fused_in(s(a), 1.0, s(b), way, false))),
        ("sub", "f32") => directions!(|a, b, way| wide(fused_in(s(b), -1.0, s(a), way, false))),
        ("mul", "f32") if ftz => {
            directions!(|a, b, way| wide(narrowed_flushed(f64::from(s(a)) * f64::from(s(b)), way)))
        }
        ("mul", "f32") => {
            directions!(|a, b, way| wide(narrowed(f64::from(s(a)) * f64::from(s(b)), way)))
        }
        ("div", "f32") if ftz => directions!(|a, b, way| wide(narrowed_flushed(divided_odd(s(a), s(b)), way))),
        ("div", "f32") => directions!(|a, b, way| wide(narrowed(divided_odd(s(a), s(b)), way))),
        ("add", "f64") => directions!(|a, b, way| exact::sum(d(a), d(b), way).to_bits()),
        ("sub", "f64") => directions!(|a, b, way| exact::sum(d(a), -d(b), way).to_bits()),
        ("mul", "f64") => directions!(|a, b, way| exact::product(d(a), d(b), way).to_bits()),
        ("div", "f64") => directions!(|a, b, way| exact::quotient(d(a), d(b), way).to_bits()),
        _ => None,
    }
}

/// `rcp` and `sqrt` with a direction; with `ftz` operands are flushed already.
pub(crate) fn unary_directed(op: &str, kind: &str, direction: Direction, ftz: bool) -> Option<Unary> {
    macro_rules! directions {
        (|$a:ident, $d:ident| $body:expr) => {
            match direction {
                Direction::Nearest => None,
                Direction::Zero => Some(each!(|$a| {
                    let $d = Direction::Zero;
                    $body
                }) as Unary),
                Direction::Down => Some(each!(|$a| {
                    let $d = Direction::Down;
                    $body
                }) as Unary),
                Direction::Up => Some(each!(|$a| {
                    let $d = Direction::Up;
                    $body
                }) as Unary),
            }
        };
    }
    match (op, kind) {
        ("rcp", "f32") if ftz => directions!(|a, way| wide(narrowed_flushed(divided_odd(1.0, s(a)), way))),
        ("rcp", "f32") => directions!(|a, way| wide(narrowed(divided_odd(1.0, s(a)), way))),
        ("sqrt", "f32") => directions!(|a, way| wide(narrowed(root_odd(s(a)), way))),
        ("rcp", "f64") => directions!(|a, way| exact::quotient(1.0, d(a), way).to_bits()),
        ("sqrt", "f64") => directions!(|a, way| exact::root(d(a), way).to_bits()),
        _ => None,
    }
}

/// `fma` with a direction; with `ftz` operands are flushed already.
pub(crate) fn fused_directed(kind: &str, direction: Direction, ftz: bool) -> Option<Ternary> {
    macro_rules! directed {
        ($way:expr) => {
            match (kind, ftz) {
                ("f32", false) => Some(each!(|a, b, c| wide(fused_in(s(a), s(b), s(c), $way, false))) as Ternary),
                ("f32", true) => Some(each!(|a, b, c| wide(fused_in(s(a), s(b), s(c), $way, true)))),
                ("f64", false) => Some(each!(|a, b, c| exact::fused(d(a), d(b), d(c), $way).to_bits())),
                _ => None,
            }
        };
    }
    match direction {
        Direction::Nearest => None,
        Direction::Zero => directed!(Direction::Zero),
        Direction::Down => directed!(Direction::Down),
        Direction::Up => directed!(Direction::Up),
    }
}

/// `op` of one operand.
pub(crate) fn unary(op: &str, kind: &str, flags: Flags) -> Option<Unary> {
    macro_rules! approx {
        ($f:expr) => {
            if flags.ftz {
                Some(each!(|a| {
                    let f: fn(f64) -> f64 = $f;
                    u64::from(single(flush(f(f64::from(flush(s(a)))) as f32)))
                }) as Unary)
            } else {
                Some(each!(|a| {
                    let f: fn(f64) -> f64 = $f;
                    u64::from(single(f(f64::from(s(a))) as f32))
                }))
            }
        };
    }
    match (op, kind) {
        ("neg", "f32") => Some(each!(|a| wide(-s(a)))),
        ("abs", "f32") => Some(each!(|a| wide(s(a).abs()))),
        ("neg", "f64") => Some(each!(|a| a ^ (1 << 63))),
        ("abs", "f64") => Some(each!(|a| a & !(1 << 63))),
        ("rcp", "f32") => approx!(|a| 1.0 / a),
        ("sqrt", "f32") => approx!(f64::sqrt),
        ("rsqrt", "f32") => approx!(|a| 1.0 / a.sqrt()),
        ("ex2", "f32") => approx!(f64::exp2),
        ("lg2", "f32") => approx!(f64::log2),
        ("sin", "f32") => approx!(f64::sin),
        ("cos", "f32") => approx!(f64::cos),
        ("tanh", "f32") => approx!(f64::tanh),
        // Of the upper half of the bits, and no subnormal numbers (section 9.7.3.13).
        ("rcp", "f64") if flags.ftz => {
            Some(each!(|a| (flush_double(1.0 / flush_double(d(a & UPPER))).to_bits()) & UPPER))
        }
        ("rcp", "f64") => Some(each!(|a| (1.0 / d(a)).to_bits())),
        ("sqrt", "f64") => Some(each!(|a| d(a).sqrt().to_bits())),
        ("rsqrt", "f64") if flags.ftz => Some(each!(|a| (1.0 / flush_double(d(a & UPPER)).sqrt()).to_bits() & UPPER)),
        ("rsqrt", "f64") => Some(each!(|a| (1.0 / d(a).sqrt()).to_bits())),
        _ => None,
    }
}

/// Comparisons: without `u` false on NaN, `ne` too; with `u` true on NaN.
#[expect(
    clippy::float_cmp,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "exact comparison, with its answers on NaN, is what is implemented"
)]
pub(crate) fn test(op: &str, kind: &str) -> Option<Test> {
    macro_rules! typed {
        ($read:expr) => {
            match op {
                "eq" => Some(mask!(|a, b| $read(a) == $read(b)) as Test),
                "ne" => Some(mask!(|a, b| $read(a) < $read(b) || $read(a) > $read(b))),
                "lt" => Some(mask!(|a, b| $read(a) < $read(b))),
                "le" => Some(mask!(|a, b| $read(a) <= $read(b))),
                "gt" => Some(mask!(|a, b| $read(a) > $read(b))),
                "ge" => Some(mask!(|a, b| $read(a) >= $read(b))),
                "equ" => Some(mask!(|a, b| !($read(a) < $read(b) || $read(a) > $read(b)))),
                "neu" => Some(mask!(|a, b| $read(a) != $read(b))),
                "ltu" => Some(mask!(|a, b| !($read(a) >= $read(b)))),
                "leu" => Some(mask!(|a, b| !($read(a) > $read(b)))),
                "gtu" => Some(mask!(|a, b| !($read(a) <= $read(b)))),
                "geu" => Some(mask!(|a, b| !($read(a) < $read(b)))),
                "num" => Some(mask!(|a, b| !$read(a).is_nan() && !$read(b).is_nan())),
                "nan" => Some(mask!(|a, b| $read(a).is_nan() || $read(b).is_nan())),
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
    use crate::exec::one_lane;

    fn bits(value: f32) -> u64 {
        u64::from(value.to_bits())
    }

    fn check(op: &str, flags: Flags, a: f32, b: f32, expect: u64) {
        let got = one_lane::binary(binary(op, "f32", flags).unwrap(), bits(a), bits(b));
        assert_eq!(got, expect, "{op} {a:e} {b:e}");
    }

    #[test]
    fn edges_follow_the_isa() {
        let plain = Flags::default();
        check("max", plain, f32::NAN, 1.0, bits(1.0));
        check("max", plain, -0.0, 0.0, bits(0.0));
        check("min", plain, 0.0, -0.0, bits(-0.0));
        check("add", plain, f32::INFINITY, f32::NEG_INFINITY, 0x7fff_ffff);
        let ftz = Flags { ftz: true, sat: false };
        check("mul", ftz, f32::from_bits(1), 1.0, 0);
        let sat = Flags { ftz: false, sat: true };
        check("add", sat, 3.0, 1.0, bits(1.0));
        check("add", sat, f32::NAN, 1.0, 0);
        let holds = |op, a, b| one_lane::test(test(op, "f32").unwrap(), bits(a), bits(b));
        assert!(!holds("ne", f32::NAN, 1.0));
        assert!(holds("neu", f32::NAN, 1.0));
        assert!(holds("ltu", f32::NAN, 1.0));
        // One rounding: (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24, which two roundings lose.
        let a = 1.0 + 2.0_f32.powi(-12);
        let c = -1.0 - 2.0_f32.powi(-11);
        let f = fused("f32", plain).unwrap();
        assert_eq!(one_lane::ternary(f, bits(a), bits(a), bits(c)), bits(2.0_f32.powi(-24)));
        let f = unary("ex2", "f32", plain).unwrap();
        assert_eq!(one_lane::unary(f, bits(3.0)), bits(8.0));
    }
}
