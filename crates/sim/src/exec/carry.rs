//! Sums of extended numbers: `add.cc`, `subc`, `madc.hi.cc` and their like (PTX ISA 9.0, section 9.7.2).

use crate::op::{CarryForm, CarryKind};

/// Opcode and modifiers, if they are such a sum.
pub(crate) fn find(opcode: &str, modes: &[&str], kind: &str) -> Option<CarryForm> {
    let (reads, product) = match opcode {
        "add" | "sub" | "mad" => (false, opcode == "mad"),
        "addc" | "subc" | "madc" => (true, opcode == "madc"),
        _ => return None,
    };
    let (part, writes) = match modes {
        [] => ("", false),
        ["cc"] => ("", true),
        [part] => (*part, false),
        [part, "cc"] => (*part, true),
        _ => return None,
    };
    let summed = match (opcode.starts_with("sub"), product, part) {
        (true, false, "") => CarryKind::Subtract,
        (false, false, "") => CarryKind::Add,
        (false, true, "lo") => CarryKind::LowProduct,
        (false, true, "hi") => CarryKind::HighProduct,
        _ => return None,
    };
    let bits = match kind {
        "s32" | "u32" => 32,
        "s64" | "u64" => 64,
        _ => return None,
    };
    let signed = kind.starts_with('s');
    (reads || writes).then_some(CarryForm { kind: summed, bits, signed, reads, writes })
}

/// The sum of one lane and the carry, or borrow, out of it.
pub(crate) fn sum(form: CarryForm, [a, b, c]: [u64; 3], carry: bool) -> (u64, bool) {
    let mask = u64::MAX >> (64 - form.bits);
    let (a, b, c) = (a & mask, b & mask, c & mask);
    let carry = u128::from(carry && form.reads);
    let product = || {
        if form.signed {
            let extend = |value: u64| i128::from((value << (64 - form.bits)) as i64 >> (64 - form.bits));
            (extend(a) * extend(b)) as u128
        } else {
            u128::from(a) * u128::from(b)
        }
    };
    let low = |value: u128| value as u64 & mask;
    let wide = match form.kind {
        CarryKind::Subtract => {
            let (a, b) = (u128::from(a), u128::from(b) + carry);
            return (low(a.wrapping_sub(b)), a < b);
        }
        CarryKind::Add => u128::from(a) + u128::from(b) + carry,
        CarryKind::LowProduct => u128::from(low(product())) + u128::from(c) + carry,
        CarryKind::HighProduct => u128::from(low(product() >> form.bits)) + u128::from(c) + carry,
    };
    (low(wide), wide >> form.bits != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_and_borrows_go_on() {
        let form = |opcode, modes: &[&str], kind| find(opcode, modes, kind).unwrap();
        let add = form("add", &["cc"], "u32");
        assert_eq!(sum(add, [0xffff_ffff, 1, 0], true), (0, true));
        let with = form("addc", &[], "u32");
        assert_eq!(sum(with, [1, 1, 0], true), (3, false));
        let subtract = form("sub", &["cc"], "u64");
        assert_eq!(sum(subtract, [0, 1, 0], false), (u64::MAX, true));
        let high = form("madc", &["hi", "cc"], "u32");
        assert_eq!(sum(high, [0xffff_ffff, 0xffff_ffff, 1], true), (0, true));
        assert!(find("add", &[], "u32").is_none());
    }
}
