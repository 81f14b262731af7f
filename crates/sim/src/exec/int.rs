//! Integers and bits (PTX ISA 9.0, sections 9.7.1, 9.7.2 and 9.7.8).
//!
//! Shifts clamp at the width. Division by zero is unspecified there: quotient and remainder are all ones, as on
//! current GPUs; `MIN / -1` wraps. Nothing traps.

use crate::op::{Binary, Quaternary, Ternary, Test, Unary, Update};

macro_rules! binary {
    ($kind:expr, |$a:ident, $b:ident| $body:expr, [$($word:literal => $type:ty),*]) => {
        match $kind {
            $($word => {
                let f: Binary = each!(|$a, $b| { let ($a, $b) = ($a as $type, $b as $type); ($body) as u64 });
                Some(f)
            })*
            _ => None,
        }
    };
}

macro_rules! every_integer {
    ($kind:expr, |$a:ident, $b:ident| $body:expr) => {
        binary!($kind, |$a, $b| $body, ["s16" => i16, "u16" => u16, "b16" => u16, "s32" => i32, "u32" => u32, "b32" => u32, "s64" => i64, "u64" => u64, "b64" => u64])
    };
}

/// `op.type` of two operands.
pub(crate) fn binary(op: &str, kind: &str) -> Option<Binary> {
    match op {
        "add" => every_integer!(kind, |a, b| a.wrapping_add(b)),
        "sub" => every_integer!(kind, |a, b| a.wrapping_sub(b)),
        "mul.lo" => every_integer!(kind, |a, b| a.wrapping_mul(b)),
        "mul.hi" => match kind {
            "s16" => Some(each!(|a, b| ((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u64)),
            "u16" => Some(each!(|a, b| u64::from((u32::from(a as u16) * u32::from(b as u16)) >> 16))),
            "s32" => Some(each!(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u64)),
            "u32" => Some(each!(|a, b| (u64::from(a as u32) * u64::from(b as u32)) >> 32)),
            "s64" => Some(each!(|a, b| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64)),
            "u64" => Some(each!(|a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64)),
            _ => None,
        },
        "mul.wide" => match kind {
            "s16" => Some(each!(|a, b| (i32::from(a as i16) * i32::from(b as i16)) as u64)),
            "u16" => Some(each!(|a, b| u64::from(u32::from(a as u16) * u32::from(b as u16)))),
            "s32" => Some(each!(|a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64)),
            "u32" => Some(each!(|a, b| u64::from(a as u32) * u64::from(b as u32))),
            _ => None,
        },
        "div" => {
            binary!(kind, |a, b| if b == 0 { a.wrapping_sub(a).wrapping_sub(1) } else { a.wrapping_div(b) },
            ["s16" => i16, "u16" => u16, "s32" => i32, "u32" => u32, "s64" => i64, "u64" => u64])
        }
        "rem" => binary!(kind, |a, b| if b == 0 { a.wrapping_sub(a).wrapping_sub(1) } else { a.wrapping_rem(b) },
            ["s16" => i16, "u16" => u16, "s32" => i32, "u32" => u32, "s64" => i64, "u64" => u64]),
        "min" => every_integer!(kind, |a, b| a.min(b)),
        "max" => every_integer!(kind, |a, b| a.max(b)),
        "and" => Some(each!(|a, b| a & b)),
        "or" => Some(each!(|a, b| a | b)),
        "xor" => Some(each!(|a, b| a ^ b)),
        "shl" => match kind {
            "b16" => Some(each!(|a, b| if b as u32 >= 16 { 0 } else { a << (b as u32) })),
            "b32" => Some(each!(|a, b| if b as u32 >= 32 { 0 } else { a << (b as u32) })),
            "b64" => Some(each!(|a, b| if b as u32 >= 64 { 0 } else { a << (b as u32) })),
            _ => None,
        },
        "shr" => match kind {
            "b16" | "u16" => Some(each!(|a, b| if b as u32 >= 16 { 0 } else { (a & 0xffff) >> (b as u32) })),
            "b32" | "u32" => Some(each!(|a, b| if b as u32 >= 32 { 0 } else { (a & 0xffff_ffff) >> (b as u32) })),
            "b64" | "u64" => Some(each!(|a, b| if b as u32 >= 64 { 0 } else { a >> (b as u32) })),
            "s16" => Some(each!(|a, b| ((a as i16) >> (b as u32).min(15)) as u64)),
            "s32" => Some(each!(|a, b| ((a as i32) >> (b as u32).min(31)) as u64)),
            "s64" => Some(each!(|a, b| ((a as i64) >> (b as u32).min(63)) as u64)),
            _ => None,
        },
        _ => None,
    }
}

/// `op.type` of one operand.
pub(crate) fn unary(op: &str, kind: &str) -> Option<Unary> {
    match (op, kind) {
        ("not", _) => Some(each!(|a| !a)),
        ("neg", "s16") => Some(each!(|a| (a as i16).wrapping_neg() as u64)),
        ("neg", "s32") => Some(each!(|a| (a as i32).wrapping_neg() as u64)),
        ("neg", "s64") => Some(each!(|a| (a as i64).wrapping_neg() as u64)),
        ("abs", "s16") => Some(each!(|a| (a as i16).wrapping_abs() as u64)),
        ("abs", "s32") => Some(each!(|a| (a as i32).wrapping_abs() as u64)),
        ("abs", "s64") => Some(each!(|a| (a as i64).wrapping_abs() as u64)),
        ("popc", "b32") => Some(each!(|a| u64::from((a as u32).count_ones()))),
        ("popc", "b64") => Some(each!(|a| u64::from(a.count_ones()))),
        ("clz", "b32") => Some(each!(|a| u64::from((a as u32).leading_zeros()))),
        ("clz", "b64") => Some(each!(|a| u64::from(a.leading_zeros()))),
        ("brev", "b32") => Some(each!(|a| u64::from((a as u32).reverse_bits()))),
        ("brev", "b64") => Some(each!(|a| a.reverse_bits())),
        ("bfind", "u32") => Some(each!(|a| u64::from((a as u32).checked_ilog2().unwrap_or(u32::MAX)))),
        ("bfind", "u64") => Some(each!(|a| found(a))),
        ("bfind", "s32") => Some(each!(|a| found(u64::from(if (a as i32) < 0 { !(a as u32) } else { a as u32 })))),
        ("bfind", "s64") => Some(each!(|a| found(if (a as i64) < 0 { !a } else { a }))),
        ("bfind.shiftamt", "u32") => Some(each!(|a| match a as u32 {
            0 => u64::from(u32::MAX),
            a => u64::from(a.leading_zeros()),
        })),
        ("bfind.shiftamt", "u64") => Some(each!(|a| match a {
            0 => u64::from(u32::MAX),
            a => u64::from(a.leading_zeros()),
        })),
        ("cnot", _) => Some(each!(|a| u64::from(a == 0))),
        _ => None,
    }
}

/// `op.type` of three operands.
pub(crate) fn ternary(op: &str, kind: &str) -> Option<Ternary> {
    match (op, kind) {
        ("mad.lo", "s16" | "u16" | "s32" | "u32" | "s64" | "u64") => {
            Some(each!(|a, b, c| a.wrapping_mul(b).wrapping_add(c)))
        }
        ("mad.wide", "s16") => {
            Some(each!(|a, b, c| (i32::from(a as i16) * i32::from(b as i16)).wrapping_add(c as i32) as u64))
        }
        ("mad.wide", "u16") => {
            Some(each!(|a, b, c| u64::from((u32::from(a as u16) * u32::from(b as u16)).wrapping_add(c as u32))))
        }
        ("mad.wide", "s32") => {
            Some(each!(|a, b, c| (i64::from(a as i32) * i64::from(b as i32)).wrapping_add(c as i64) as u64))
        }
        ("mad.wide", "u32") => Some(each!(|a, b, c| (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c))),
        ("mad.hi", "s32") => Some(each!(|a, b, c| {
            (((i64::from(a as i32) * i64::from(b as i32)) >> 32) as i32).wrapping_add(c as i32) as u64
        })),
        ("mad.hi", "u32") => Some(each!(|a, b, c| (((a & 0xffff_ffff) * (b & 0xffff_ffff)) >> 32).wrapping_add(c))),
        ("bfe", "u32") => Some(each!(|a, b, c| {
            let (position, length) = (b & 0xff, c & 0xff);
            if position >= 32 || length == 0 { 0 } else { ((a & 0xffff_ffff) >> position) & low_bits(length) }
        })),
        ("bfe", "s32") => Some(each!(|a, b, c| {
            let (position, length) = (b & 0xff, (c & 0xff).min(32));
            let sign = (a as i32) >> (position + length.max(1) - 1).min(31) & 1;
            let value =
                if position >= 32 || length == 0 { 0 } else { ((a & 0xffff_ffff) >> position) & low_bits(length) };
            if length == 0 {
                0
            } else {
                value | if sign != 0 { !low_bits(length.min(32 - position.min(32))) } else { 0 }
            }
        })),
        ("bfe", "u64") => Some(each!(|a, b, c| {
            let (position, length) = (b & 0xff, c & 0xff);
            if position >= 64 { 0 } else { (a >> position) & low_bits(length) }
        })),
        ("sad", "u32") => Some(each!(|a, b, c| u64::from((a as u32).abs_diff(b as u32).wrapping_add(c as u32)))),
        ("sad", "s32") => Some(each!(|a, b, c| u64::from((a as i32).abs_diff(b as i32).wrapping_add(c as u32)))),
        ("slct", "s32") => Some(each!(|a, b, c| if c as i32 >= 0 { a } else { b })),
        ("mad.hi", "s64") => Some(each!(|a, b, c| {
            ((i128::from(a as i64) * i128::from(b as i64)) >> 64).wrapping_add(i128::from(c as i64)) as u64
        })),
        ("mad.hi", "u64") => Some(each!(|a, b, c| (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c))),
        ("prmt", _) => Some(each!(|a, b, c| permute(a, b, c))),
        ("dp4a", "u32") => Some(each!(|a, b, c| {
            let sum: u32 = (0..4)
                .map(|byte| ((a >> (8 * byte)) & 0xff) as u32 * ((b >> (8 * byte)) & 0xff) as u32)
                .fold(c as u32, u32::wrapping_add);
            u64::from(sum)
        })),
        ("dp4a", "s32") => Some(each!(|a, b, c| {
            let part = |x: u64, byte: u32| i32::from((x >> (8 * byte)) as i8);
            (0..4).map(|byte| part(a, byte) * part(b, byte)).fold(c as i32, i32::wrapping_add) as u64
        })),
        ("shf.l.wrap", _) => Some(each!(|a, b, c| (((b << 32) | (a & 0xffff_ffff)) << (c & 31)) >> 32)),
        ("shf.r.wrap", _) => Some(each!(|a, b, c| ((b << 32) | (a & 0xffff_ffff)) >> (c & 31))),
        ("shf.l.clamp", _) => Some(each!(|a, b, c| (((b << 32) | (a & 0xffff_ffff)) << c.min(32)) >> 32)),
        ("shf.r.clamp", _) => Some(each!(|a, b, c| ((b << 32) | (a & 0xffff_ffff)) >> c.min(32))),
        _ => None,
    }
}

/// Position of the highest set bit.
fn found(value: u64) -> u64 {
    u64::from(value.checked_ilog2().unwrap_or(u32::MAX))
}

/// `op.type` of four operands.
pub(crate) fn quaternary(op: &str, kind: &str) -> Option<Quaternary> {
    match (op, kind) {
        ("bfi", "b32") => {
            Some(|a, b, position, length| insert(a, b & 0xffff_ffff, position & 0xff, (length & 0xff).min(32), 32))
        }
        ("bfi", "b64") => Some(|a, b, position, length| insert(a, b, position & 0xff, (length & 0xff).min(64), 64)),
        // Each bit of the table answers one combination of the bits of a, b and c.
        ("lop3", "b32") => Some(|a, b, c, table| {
            (0..8).filter(|row| table >> row & 1 == 1).fold(0, |result, row| {
                let pick = |value: u64, bit: u64| if row & bit == 0 { !value } else { value };
                result | (pick(a, 4) & pick(b, 2) & pick(c, 1))
            })
        }),
        _ => None,
    }
}

/// `length` low bits of `a` at `position` of `b`.
fn insert(a: u64, b: u64, position: u64, length: u64, width: u64) -> u64 {
    if position >= width {
        return b;
    }
    let mask = low_bits(length) << position;
    (b & !mask) | (a << position & mask)
}

fn low_bits(length: u64) -> u64 {
    if length >= 64 { u64::MAX } else { (1 << length) - 1 }
}

/// The default mode of `prmt`: each nibble picks a byte of {b:a}; bit 3 spreads its sign.
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (a & 0xffff_ffff) | (b << 32);
    (0..4).fold(0, |result, at| {
        let nibble = selector >> (4 * at) & 0xf;
        let byte = bytes >> (8 * (nibble & 7)) & 0xff;
        let byte = if nibble & 8 == 0 {
            byte
        } else if byte & 0x80 == 0 {
            0
        } else {
            0xff
        };
        result | byte << (8 * at)
    })
}

/// Comparison of integers; ordered words compare unsigned (`lo ls hi hs`) whatever the type says.
pub(crate) fn test(op: &str, kind: &str) -> Option<Test> {
    macro_rules! typed {
        ($type:ty) => {
            match op {
                "eq" => Some(mask!(|a, b| a as $type == b as $type) as Test),
                "ne" => Some(mask!(|a, b| a as $type != b as $type)),
                "lt" | "lo" => Some(mask!(|a, b| (a as $type) < b as $type)),
                "le" | "ls" => Some(mask!(|a, b| a as $type <= b as $type)),
                "gt" | "hi" => Some(mask!(|a, b| a as $type > b as $type)),
                "ge" | "hs" => Some(mask!(|a, b| a as $type >= b as $type)),
                _ => None,
            }
        };
    }
    match kind {
        "s16" => typed!(i16),
        "u16" | "b16" => typed!(u16),
        "s32" => typed!(i32),
        "u32" | "b32" => typed!(u32),
        "s64" => typed!(i64),
        "u64" | "b64" => typed!(u64),
        _ => None,
    }
}

/// The new value of an atomic: old, operand b, operand c.
pub(crate) fn atomic(op: &str, kind: &str) -> Option<Update> {
    macro_rules! typed {
        ($type:ty) => {
            match op {
                "add" => Some((|old, b, _| (old as $type).wrapping_add(b as $type) as u64) as Update),
                "min" => Some(|old, b, _| (old as $type).min(b as $type) as u64),
                "max" => Some(|old, b, _| (old as $type).max(b as $type) as u64),
                "inc" => Some(|old, b, _| if old as $type >= b as $type { 0 } else { old.wrapping_add(1) }),
                "dec" => Some(|old, b, _| if old == 0 || old as $type > b as $type { b } else { old.wrapping_sub(1) }),
                "and" => Some(|old, b, _| old & b),
                "or" => Some(|old, b, _| old | b),
                "xor" => Some(|old, b, _| old ^ b),
                "exch" => Some(|_, b, _| b),
                "cas" => Some(|old, b, c| if old as $type == b as $type { c } else { old }),
                _ => None,
            }
        };
    }
    match kind {
        "s32" => typed!(i32),
        "u32" | "b32" => typed!(u32),
        "s64" => typed!(i64),
        "u64" | "b64" => typed!(u64),
        "f32" if op == "add" => {
            Some(|old, b, _| u64::from(super::float::single(f32::from_bits(old as u32) + f32::from_bits(b as u32))))
        }
        "f64" if op == "add" => Some(|old, b, _| (f64::from_bits(old) + f64::from_bits(b)).to_bits()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::one_lane;

    fn check(op: &str, kind: &str, a: u64, b: u64, expect: u64) {
        let mask = if kind.ends_with("64") || op == "mul.wide" { u64::MAX } else { 0xffff_ffff };
        let f = binary(op, kind).unwrap_or_else(|| panic!("{op}.{kind}"));
        let got = one_lane::binary(f, a, b) & mask;
        assert_eq!(got, expect & mask, "{op}.{kind} {a:#x} {b:#x}");
    }

    #[test]
    fn edges_are_defined() {
        let (minimum, minus_one) = (0x8000_0000, 0xffff_ffff);
        check("shl", "b32", 1, 32, 0);
        check("shl", "b32", 1, 31, 1 << 31);
        check("shr", "s32", minimum, 40, u64::MAX);
        check("shr", "u32", minimum, 40, 0);
        check("shr", "b64", u64::MAX, 64, 0);
        check("div", "u32", 7, 0, u64::MAX);
        check("rem", "u32", 7, 0, u64::from(u32::MAX));
        check("div", "s32", minimum, minus_one, minimum);
        check("rem", "s32", minimum, u64::MAX, 0);
        check("div", "s64", i64::MIN as u64, u64::MAX, i64::MIN as u64);
        check("mul.wide", "s32", minus_one, 2, (-2_i64) as u64);
        check("mul.hi", "s32", minimum, minimum, 0x4000_0000);
        check("add", "s32", 0x7fff_ffff, 1, minimum);
        assert_eq!(one_lane::unary(unary("abs", "s32").unwrap(), minimum) as u32, 0x8000_0000);
        assert_eq!(one_lane::unary(unary("bfind", "u32").unwrap(), 0) as u32, u32::MAX);
        assert!(one_lane::test(test("lt", "s32").unwrap(), minus_one, 0));
        assert!(!one_lane::test(test("lt", "u32").unwrap(), minus_one, 0));
        assert_eq!(permute(0x4433_2211, 0x8877_6655, 0x7531), 0x8866_4422);
        assert_eq!(atomic("inc", "u32").unwrap()(5, 5, 0), 0);
        assert_eq!(atomic("dec", "u32").unwrap()(0, 5, 0), 5);
        assert_eq!(one_lane::ternary(ternary("bfe", "s32").unwrap(), 0xf0, 4, 4) as u32, u32::MAX);
        assert_eq!(one_lane::ternary(ternary("bfe", "u32").unwrap(), 0xf0, 4, 4), 0xf);
    }
}
