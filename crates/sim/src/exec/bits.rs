//! Rarer forms of integers and bits (PTX ISA 9.0, sections 9.7.1.5, 9.7.1.6, 9.7.1.15 and following, and 9.7.8).

use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, REGION_BYTES, SHARED_WINDOW};
use crate::op::{Binary, Ternary, Test, Unary};

/// A function of both 16-bit halves of a register, on its own for each.
macro_rules! halves {
    ($type:ty, |$($x:ident),+| $body:expr) => {
        each!(|$($x),+| {
            let low = { $(let $x = $x as $type;)+ ($body) as u16 };
            let high = { $(let $x = ($x >> 16) as $type;)+ ($body) as u16 };
            u64::from(high) << 16 | u64::from(low)
        })
    };
}

/// `op.type` of one operand.
pub(crate) fn unary(op: &str, kind: &str) -> Option<Unary> {
    match (op, kind) {
        ("bfind.shiftamt", "s32") => Some(each!(|a| match a as i32 {
            a if a == 0 || a == -1 => u64::from(u32::MAX),
            a => u64::from((if a < 0 { !a } else { a }).leading_zeros()),
        })),
        ("bfind.shiftamt", "s64") => Some(each!(|a| match a as i64 {
            a if a == 0 || a == -1 => u64::from(u32::MAX),
            a => u64::from((if a < 0 { !a } else { a }).leading_zeros()),
        })),
        ("neg", "s16x2") => Some(halves!(i16, |a| a.wrapping_neg())),
        _ => None,
    }
}

/// `op.type` of two operands; `bmsk a, b` is `b` ones from bit `a`, `szext a, b` the low `b` bits of `a`.
pub(crate) fn binary(op: &str, kind: &str) -> Option<Binary> {
    match (op, kind) {
        ("add.sat", "s32") => Some(each!(|a, b| (a as i32).saturating_add(b as i32) as u64)),
        ("sub.sat", "s32") => Some(each!(|a, b| (a as i32).saturating_sub(b as i32) as u64)),
        ("add", "s16x2" | "u16x2") => Some(halves!(u16, |a, b| a.wrapping_add(b))),
        ("sub", "s16x2" | "u16x2") => Some(halves!(u16, |a, b| a.wrapping_sub(b))),
        ("min", "s16x2") => Some(halves!(i16, |a, b| a.min(b))),
        ("max", "s16x2") => Some(halves!(i16, |a, b| a.max(b))),
        ("min", "u16x2") => Some(halves!(u16, |a, b| a.min(b))),
        ("max", "u16x2") => Some(halves!(u16, |a, b| a.max(b))),
        ("mul24.lo", "u32") => Some(each!(|a, b| (a & 0xff_ffff) * (b & 0xff_ffff))),
        ("mul24.hi", "u32") => Some(each!(|a, b| ((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16)),
        ("mul24.lo", "s32") => Some(each!(|a, b| (low24(a) * low24(b)) as u64)),
        ("mul24.hi", "s32") => Some(each!(|a, b| ((low24(a) * low24(b)) >> 16) as u64)),
        ("bmsk.clamp", "b32") => Some(each!(|a, b| mask_of((a as u32).min(32), (b as u32).min(32)))),
        ("bmsk.wrap", "b32") => Some(each!(|a, b| mask_of(a as u32 & 31, b as u32 & 31))),
        ("szext.clamp", "u32") => Some(each!(|a, b| a & mask_of(0, (b as u32).min(32)))),
        ("szext.wrap", "u32") => Some(each!(|a, b| a & mask_of(0, b as u32 & 31))),
        ("szext.clamp", "s32") => Some(each!(|a, b| sign_of(a, (b as u32).min(32)))),
        ("szext.wrap", "s32") => Some(each!(|a, b| sign_of(a, b as u32 & 31))),
        _ => None,
    }
}

/// `op.type` of three operands.
pub(crate) fn ternary(op: &str, kind: &str) -> Option<Ternary> {
    let found: Option<Ternary> = match (op, kind) {
        ("bfe", "s64") => Some(each!(|a, b, c| {
            let (position, length) = (b as u32 & 0xff, c as u32 & 0xff);
            if length == 0 {
                0
            } else {
                // What lies past the sign bit is the sign.
                let above = ((a as i64) >> position.min(63)) as u64;
                if length >= 64 { above } else { ((above << (64 - length)) as i64 >> (64 - length)) as u64 }
            }
        })),
        ("sad", "u16") => Some(each!(|a, b, c| u64::from((a as u16).abs_diff(b as u16).wrapping_add(c as u16)))),
        ("sad", "s16") => Some(each!(|a, b, c| u64::from((a as i16).abs_diff(b as i16).wrapping_add(c as u16)))),
        ("sad", "u64") => Some(each!(|a, b, c| a.abs_diff(b).wrapping_add(c))),
        ("sad", "s64") => Some(each!(|a, b, c| (a as i64).abs_diff(b as i64).wrapping_add(c))),
        ("slct", "f32") => Some(each!(|a, b, c| if f32::from_bits(c as u32) >= 0.0 { a } else { b })),
        ("mad24.lo", "u32") => Some(each!(|a, b, c| ((a & 0xff_ffff) * (b & 0xff_ffff)).wrapping_add(c))),
        ("mad24.hi", "u32") => Some(each!(|a, b, c| (((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16).wrapping_add(c))),
        ("mad24.lo", "s32") => Some(each!(|a, b, c| ((low24(a) * low24(b)) as u64).wrapping_add(c))),
        ("mad24.hi.sat", "s32") => Some(each!(|a, b, c| {
            let exact = ((low24(a) * low24(b)) >> 16) as i32;
            exact.saturating_add(c as i32) as u64
        })),
        ("mad24.hi", "s32") => Some(each!(|a, b, c| (((low24(a) * low24(b)) >> 16) as u64).wrapping_add(c))),
        ("mad.hi", "s16") => {
            Some(each!(|a, b, c| ((i32::from(a as i16) * i32::from(b as i16)) >> 16).wrapping_add(c as i32) as u64))
        }
        ("mad.hi", "u16") => {
            Some(each!(|a, b, c| u64::from((u32::from(a as u16) * u32::from(b as u16)) >> 16).wrapping_add(c)))
        }
        ("mad.hi.sat", "s32") => Some(each!(|a, b, c| {
            (((i64::from(a as i32) * i64::from(b as i32)) >> 32) as i32).saturating_add(c as i32) as u64
        })),
        ("fns", "b32") => Some(each!(|a, b, c| nth_set(a as u32, b as u32, c as i32))),
        _ => None,
    };
    found.or_else(|| permuted(op)).or_else(|| absolute_differences(op))
}

/// The other modes of `prmt`: the low two bits of c choose a row of bytes of {b:a} (section 9.7.9.7, table of modes).
fn permuted(op: &str) -> Option<Ternary> {
    /// The bytes of a row, lowest first.
    fn pick(rows: [[u32; 4]; 4], a: u64, b: u64, c: u64) -> u64 {
        let bytes = (a & 0xffff_ffff) | b << 32;
        let row = rows[(c & 3) as usize];
        row.iter().enumerate().fold(0, |word, (at, byte)| word | (bytes >> (8 * byte) & 0xff) << (8 * at))
    }
    match op {
        "prmt.f4e" => Some(each!(|a, b, c| pick([[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]], a, b, c))),
        "prmt.b4e" => Some(each!(|a, b, c| pick([[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]], a, b, c))),
        "prmt.rc8" => Some(each!(|a, b, c| pick([[0; 4], [1; 4], [2; 4], [3; 4]], a, b, c))),
        "prmt.ecl" => Some(each!(|a, b, c| pick([[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]], a, b, c))),
        "prmt.ecr" => Some(each!(|a, b, c| pick([[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]], a, b, c))),
        "prmt.rc16" => Some(each!(|a, b, c| pick([[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]], a, b, c))),
        _ => None,
    }
}

/// `vabsdiff2` and `vabsdiff4` of unsigned parts: each for itself, or with `.add` their sum and c (section 9.7.10).
fn absolute_differences(op: &str) -> Option<Ternary> {
    fn parts(a: u64, b: u64, bits: u32) -> impl Iterator<Item = (u32, u64)> {
        let mask = (1 << bits) - 1;
        (0..32 / bits).map(move |at| (at * bits, (a >> (at * bits) & mask).abs_diff(b >> (at * bits) & mask)))
    }
    match op {
        "vabsdiff2" => Some(each!(|a, b, _c| parts(a, b, 16).fold(0, |word, (at, part)| word | part << at))),
        "vabsdiff4" => Some(each!(|a, b, _c| parts(a, b, 8).fold(0, |word, (at, part)| word | part << at))),
        "vabsdiff2.add" => Some(each!(|a, b, c| parts(a, b, 16).fold(c, |sum, (_, part)| sum.wrapping_add(part)))),
        "vabsdiff4.add" => Some(each!(|a, b, c| parts(a, b, 8).fold(c, |sum, (_, part)| sum.wrapping_add(part)))),
        _ => None,
    }
}

/// `dp4a` and `dp2a`: four bytes of a with those of b, or two halves of a with two bytes of b, each with its own sign
/// (sections 9.7.1.23 and 9.7.1.24).
pub(crate) fn dot(op: &str, a_kind: &str, b_kind: &str) -> Option<Ternary> {
    fn byte(x: u64, at: u32, signed: bool) -> i32 {
        let byte = (x >> (8 * at)) as u8;
        if signed { i32::from(byte as i8) } else { i32::from(byte) }
    }
    fn half(x: u64, at: u32, signed: bool) -> i32 {
        let half = (x >> (16 * at)) as u16;
        if signed { i32::from(half as i16) } else { i32::from(half) }
    }
    macro_rules! signs {
        (|$a:ident, $b:ident, $c:ident, $sa:ident, $sb:ident| $body:expr) => {
            match (a_kind, b_kind) {
                ("u32", "u32") => Some(each!(|$a, $b, $c| {
                    let ($sa, $sb) = (false, false);
                    $body
                }) as Ternary),
                ("u32", "s32") => Some(each!(|$a, $b, $c| {
                    let ($sa, $sb) = (false, true);
                    $body
                })),
                ("s32", "u32") => Some(each!(|$a, $b, $c| {
                    let ($sa, $sb) = (true, false);
                    $body
                })),
                ("s32", "s32") => Some(each!(|$a, $b, $c| {
                    let ($sa, $sb) = (true, true);
                    $body
                })),
                _ => None,
            }
        };
    }
    match op {
        "dp4a" => signs!(|a, b, c, sa, sb| {
            (0..4).fold(c as i32, |sum, at| sum.wrapping_add(byte(a, at, sa) * byte(b, at, sb))) as u64
        }),
        "dp2a.lo" => signs!(|a, b, c, sa, sb| {
            (0..2).fold(c as i32, |sum, at| sum.wrapping_add(half(a, at, sa).wrapping_mul(byte(b, at, sb)))) as u64
        }),
        "dp2a.hi" => signs!(|a, b, c, sa, sb| {
            (0..2).fold(c as i32, |sum, at| sum.wrapping_add(half(a, at, sa).wrapping_mul(byte(b, at + 2, sb)))) as u64
        }),
        _ => None,
    }
}

/// `testp` (section 9.7.3.1) and `isspacep` (section 9.7.9.19), as comparisons that ignore their second operand.
pub(crate) fn property(op: &str, kind: &str) -> Option<Test> {
    macro_rules! tested {
        (|$a:ident| $single:expr) => {
            match kind {
                "f32" => Some(mask!(|a, _b| {
                    let $a = f32::from_bits(a as u32);
                    $single
                }) as Test),
                "f64" => Some(mask!(|a, _b| {
                    let $a = f64::from_bits(a);
                    $single
                })),
                _ => None,
            }
        };
    }
    match op {
        "testp.finite" => tested!(|a| a.is_finite()),
        "testp.infinite" => tested!(|a| a.is_infinite()),
        "testp.number" => tested!(|a| !a.is_nan()),
        "testp.notanumber" => tested!(|a| a.is_nan()),
        "testp.normal" => tested!(|a| a.is_normal() || a == 0.0),
        "testp.subnormal" => tested!(|a| a.is_subnormal()),
        "isspacep.shared" | "isspacep.shared::cta" => Some(mask!(|a, _b| a >> 32 == SHARED_WINDOW >> 32)),
        "isspacep.local" => Some(mask!(|a, _b| a >> 32 == LOCAL_WINDOW >> 32)),
        "isspacep.param" | "isspacep.param::entry" => Some(mask!(|a, _b| a >> 32 == PARAM_WINDOW >> 32)),
        "isspacep.global" => Some(mask!(|a, _b| a >= REGION_BYTES)),
        _ => None,
    }
}

/// Position of the lowest set bit; 32 of nothing.
pub(crate) const LOWEST: Unary = each!(|a| u64::from((a as u32).trailing_zeros()));
/// Number of the region of global memory that an address lies in.
pub(crate) const REGION: Unary = each!(|a| a / REGION_BYTES);

/// The low 24 bits, signed.
fn low24(a: u64) -> i64 {
    i64::from((a as i32) << 8 >> 8)
}

/// `width` ones from bit `from`, in 32 bits.
fn mask_of(from: u32, width: u32) -> u64 {
    (((1_u64 << width) - 1) << from) & 0xffff_ffff
}

/// The low `width` bits with their sign.
fn sign_of(a: u64, width: u32) -> u64 {
    if width == 0 { 0 } else { ((a as i32) << (32 - width) >> (32 - width)) as u64 }
}

/// `fns` (section 9.7.1.16): the n-th set bit of a mask from a base, upwards or downwards.
fn nth_set(mask: u32, base: u32, offset: i32) -> u64 {
    let nothing = u64::from(u32::MAX);
    // No number of bits is that large; a GPU gives 0.
    if offset == i32::MIN {
        return 0;
    }
    if base > 31 {
        return nothing;
    }
    let nth = (offset.unsigned_abs().max(1) - 1) as usize;
    let is_set = |at: &u32| mask >> at & 1 == 1;
    let found = match offset {
        0 => Some(base).filter(is_set),
        1.. => (base..32).filter(is_set).nth(nth),
        _ => (0..=base).rev().filter(is_set).nth(nth),
    };
    found.map_or(nothing, u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::one_lane;

    #[test]
    fn rare_forms_have_their_edges() {
        let three = |op: &str, kind: &str, a: u64, b: u64, c: u64| {
            one_lane::ternary(ternary(op, kind).unwrap(), a, b, c) & if kind == "s64" { u64::MAX } else { 0xffff_ffff }
        };
        let two =
            |op: &str, kind: &str, a: u64, b: u64| one_lane::binary(binary(op, kind).unwrap(), a, b) & 0xffff_ffff;
        assert_eq!(three("fns", "b32", 0b1_0110, 0, 2), 2);
        assert_eq!(three("fns", "b32", 0b1_0110, 4, u64::from(-2_i32 as u32)), 2);
        assert_eq!(three("fns", "b32", 0b1_0110, 0, 4), 0xffff_ffff);
        assert_eq!(three("fns", "b32", 0b1_0110, 3, 0), 0xffff_ffff);
        assert_eq!(three("prmt.rc16", "b32", 0x4433_2211, 0, 1), 0x4433_4433);
        assert_eq!(three("prmt.b4e", "b32", 0x4433_2211, 0x8877_6655, 0), 0x6677_8811);
        assert_eq!(three("prmt.f4e", "b32", 0x4433_2211, 0x8877_6655, 3), 0x7766_5544);
        assert_eq!(three("bfe", "s64", 0x80, 4, 4), u64::MAX << 3);
        assert_eq!(three("bfe", "s64", 1 << 63, 60, 20), u64::MAX << 3);
        assert_eq!(three("vabsdiff4.add", "u32", 0x0102_0304, 0x0401_0304, 10), 14);
        assert_eq!(two("bmsk.clamp", "b32", 4, 8), 0xff0);
        assert_eq!(two("bmsk.clamp", "b32", 40, 8), 0);
        assert_eq!(two("szext.clamp", "s32", 0x80, 8), 0xffff_ff80);
        assert_eq!(two("mul24.hi", "s32", 0xff_ffff, 0x1_0000), 0xffff_ffff);
        assert_eq!(two("max", "s16x2", 0x8000_0001, 0x0001_8000), 0x0001_0001);
        let mixed = dot("dp4a", "u32", "s32").unwrap();
        assert_eq!(one_lane::ternary(mixed, 0xff, 0xff, 0) as i32, -255);
        let high = dot("dp2a.hi", "s32", "s32").unwrap();
        assert_eq!(one_lane::ternary(high, 0x0002_ffff, 0x0305_0000, 1), 2);
    }
}
