//! Conversions (PTX ISA 9.0, section 9.7.9.21).
//!
//! Float to integer saturates. NaN to integer is 0 unless a 64-bit type takes part, then only the top bit is set.
//! A destination register that is wider than the type is filled by the type's sign.

use crate::op::Unary;

/// `cvt[.rounding][.flags].to.from`.
pub(crate) fn find(rounding: &str, sat: bool, ftz: bool, to: &str, from: &str) -> Option<Unary> {
    if ftz && !(to == "f32" || from == "f32") {
        return None;
    }
    let is_float = |kind: &str| kind.starts_with('f');
    match (is_float(to), is_float(from)) {
        (false, false) if !sat => integer(to, from),
        (true, false) if rounding == "rn" && !sat => from_integer(to, from),
        (false, true) => to_integer(rounding, to, from),
        (true, true) => between(rounding, sat, to, from),
        _ => None,
    }
}

fn integer(to: &str, from: &str) -> Option<Unary> {
    macro_rules! from_type {
        ($from:ty) => {
            match to {
                "s8" => Some(each!(|a| a as $from as i8 as u64) as Unary),
                "u8" => Some(each!(|a| u64::from(a as $from as u8))),
                "s16" => Some(each!(|a| a as $from as i16 as u64)),
                "u16" => Some(each!(|a| u64::from(a as $from as u16))),
                "s32" => Some(each!(|a| a as $from as i32 as u64)),
                "u32" => Some(each!(|a| u64::from(a as $from as u32))),
                "s64" | "u64" => Some(each!(|a| a as $from as u64)),
                _ => None,
            }
        };
    }
    of_integer!(from, from_type)
}

fn from_integer(to: &str, from: &str) -> Option<Unary> {
    macro_rules! from_type {
        ($from:ty) => {
            match to {
                "f32" => Some(each!(|a| u64::from((a as $from as f32).to_bits())) as Unary),
                "f64" => Some(each!(|a| (a as $from as f64).to_bits())),
                _ => None,
            }
        };
    }
    of_integer!(from, from_type)
}

fn to_integer(rounding: &str, to: &str, from: &str) -> Option<Unary> {
    macro_rules! to_type {
        ($type:ty, $read:expr, $nan:expr) => {
            match rounding {
                "rzi" => Some(each!(|a| {
                    let v = $read(a);
                    if v.is_nan() { $nan } else { v.trunc() as $type as u64 }
                }) as Unary),
                "rni" => Some(each!(|a| {
                    let v = $read(a);
                    if v.is_nan() { $nan } else { v.round_ties_even() as $type as u64 }
                })),
                "rmi" => Some(each!(|a| {
                    let v = $read(a);
                    if v.is_nan() { $nan } else { v.floor() as $type as u64 }
                })),
                "rpi" => Some(each!(|a| {
                    let v = $read(a);
                    if v.is_nan() { $nan } else { v.ceil() as $type as u64 }
                })),
                _ => None,
            }
        };
    }
    match (to, from) {
        ("s8", "f32") => to_type!(i8, |a| f32::from_bits(a as u32), 0),
        ("u8", "f32") => to_type!(u8, |a| f32::from_bits(a as u32), 0),
        ("s16", "f32") => to_type!(i16, |a| f32::from_bits(a as u32), 0),
        ("u16", "f32") => to_type!(u16, |a| f32::from_bits(a as u32), 0),
        ("s32", "f32") => to_type!(i32, |a| f32::from_bits(a as u32), 0),
        ("u32", "f32") => to_type!(u32, |a| f32::from_bits(a as u32), 0),
        ("s64", "f32") => to_type!(i64, |a| f32::from_bits(a as u32), 1 << 63),
        ("u64", "f32") => to_type!(u64, |a| f32::from_bits(a as u32), 1 << 63),
        ("s8", "f64") => to_type!(i8, f64::from_bits, i8::MIN as u64),
        ("u8", "f64") => to_type!(u8, f64::from_bits, 0x80),
        ("s16", "f64") => to_type!(i16, f64::from_bits, i16::MIN as u64),
        ("u16", "f64") => to_type!(u16, f64::from_bits, 0x8000),
        ("s32", "f64") => to_type!(i32, f64::from_bits, 0x8000_0000),
        ("u32", "f64") => to_type!(u32, f64::from_bits, 0x8000_0000),
        ("s64", "f64") => to_type!(i64, f64::from_bits, 1 << 63),
        ("u64", "f64") => to_type!(u64, f64::from_bits, 1 << 63),
        _ => None,
    }
}

/// A NaN of binary64 in a format of so many bits, so many of them the fraction: sign and upper bits stay, and it is quiet.
pub(super) fn narrowed_nan(bits: u64, width: u32, fraction: u32) -> Option<u64> {
    let largest = (1 << (width - 1)) - 1;
    let quiet = largest >> (fraction - 1) << (fraction - 1);
    let is_nan = f64::from_bits(bits).is_nan();
    is_nan.then_some(bits >> 63 << (width - 1) | quiet | bits >> (52 - fraction) & largest & !quiet)
}

fn between(rounding: &str, sat: bool, to: &str, from: &str) -> Option<Unary> {
    use super::float::single;
    match (to, from, rounding, sat) {
        ("f64", "f32", _, false) => Some(each!(|a| f64::from(f32::from_bits(a as u32)).to_bits())),
        ("f32", "f64", "rn", false) => {
            Some(each!(|a| narrowed_nan(a, 32, 23).unwrap_or_else(|| u64::from((f64::from_bits(a) as f32).to_bits()))))
        }
        ("f32", "f32", "rni", false) => Some(each!(|a| u64::from(single(f32::from_bits(a as u32).round_ties_even())))),
        ("f32", "f32", "rzi", false) => Some(each!(|a| u64::from(single(f32::from_bits(a as u32).trunc())))),
        ("f32", "f32", "rmi", false) => Some(each!(|a| u64::from(single(f32::from_bits(a as u32).floor())))),
        ("f32", "f32", "rpi", false) => Some(each!(|a| u64::from(single(f32::from_bits(a as u32).ceil())))),
        ("f32", "f32", "" | "rn", true) => Some(each!(|a| {
            let value = f32::from_bits(a as u32);
            u64::from(if value > 0.0 { value.min(1.0).to_bits() } else { 0 })
        })),
        ("f32", "f32", "" | "rn", false) => Some(each!(|a| a)),
        ("f64", "f64", "rni", false) => Some(each!(|a| f64::from_bits(a).round_ties_even().to_bits())),
        ("f64", "f64", "rzi", false) => Some(each!(|a| f64::from_bits(a).trunc().to_bits())),
        ("f64", "f64", "rmi", false) => Some(each!(|a| f64::from_bits(a).floor().to_bits())),
        ("f64", "f64", "rpi", false) => Some(each!(|a| f64::from_bits(a).ceil().to_bits())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::one_lane;

    fn check(rounding: &str, to: &str, from: &str, a: u64, expect: u64) {
        assert_eq!(
            one_lane::unary(find(rounding, false, false, to, from).unwrap(), a),
            expect,
            "cvt.{rounding}.{to}.{from} {a:#x}"
        );
    }

    #[test]
    fn conversions_saturate_and_extend() {
        let single = |value: f32| u64::from(value.to_bits());
        check("rzi", "s32", "f32", single(3e9), i32::MAX as u64);
        check("rzi", "u32", "f32", single(-1.0), 0);
        check("rzi", "s32", "f32", single(f32::NAN), 0);
        check("rzi", "s64", "f32", single(f32::NAN), 1 << 63);
        check("rni", "s32", "f32", single(2.5), 2);
        check("", "s64", "s32", 0xffff_ffff, u64::MAX);
        check("", "u64", "u32", 0xffff_ffff, 0xffff_ffff);
        check("", "s32", "s8", 0x80, (-128_i64) as u64);
        check("rn", "f32", "u64", u64::MAX, single(1.844_674_4e19));
        check("rn", "f32", "f64", 1.0_f64.to_bits(), single(1.0));
    }
}
