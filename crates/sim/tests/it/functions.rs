//! Mathematics, integers and calls, against the host's results.

use crate::case;

const SINGLES: [f32; 8] = [0.1, -0.5, 1.0, 2.5, -3.7, 10.0, -20.0, 0.000_1];
const DOUBLES: [f64; 6] = [0.1, -0.5, 1.0, 2.5, -3.7, 30.0];

fn check(name: &str, at: f64, got: f64, expect: f64, bound: f64) {
    let close = (got - expect).abs() <= bound * expect.abs().max(0.1) || got == expect;
    assert!(close || got.is_nan() && expect.is_nan(), "{name}({at}): {got:e}, not {expect:e}");
}

#[test]
fn functions_of_single_precision() {
    let out = case("mathematics", "functions", 1, 32)
        .buffer("in", &SINGLES)
        .buffer("out", &[0.0_f32; 160])
        .value(8_i32)
        .result::<f32>(1);
    for (row, x) in out.chunks(20).zip(SINGLES.map(f64::from)) {
        let expect = [
            ("expf", x.exp()),
            ("sinf", x.sin()),
            ("cosf", x.cos()),
            ("sqrtf", x.abs().sqrt()),
            ("logf", x.abs().ln()),
            ("powf", x.abs().powf(1.5)),
            ("tanhf", x.tanh()),
            ("rsqrtf", 1.0 / x.abs().sqrt()),
            ("1/x", 1.0 / x),
            ("erff", f64::NAN),
            ("__expf", x.exp()),
            ("__sinf", x.sin()),
            ("fmodf", x % f64::from(0.7_f32)),
            ("rounded", x.floor() + x.ceil() + x.round_ties_even() + x.trunc() + x.round()),
            ("min and max", x.min(0.5) + x.max(-0.5)),
            ("log1pf and expm1f", x.abs().ln_1p() + x.exp_m1()),
            ("atan2f", x.atan2(2.0)),
            ("cbrtf", x.cbrt()),
            ("hypotf", x.hypot(3.0)),
            ("calls", x * x + x.exp2() + x.abs().log2()),
        ];
        for ((name, expect), got) in expect.into_iter().zip(row) {
            if name != "erff" {
                check(name, x, f64::from(*got), expect, 2e-6);
            }
        }
    }
    check("erff", 0.1, f64::from(out[9]), 0.112_462_916_018, 1e-6);
}

#[test]
fn functions_of_double_precision() {
    let out = case("mathematics", "doubles", 1, 32)
        .buffer("in", &DOUBLES)
        .buffer("out", &[0.0_f64; 60])
        .value(6_i32)
        .result::<f64>(1);
    for (index, (row, x)) in out.chunks(10).zip(DOUBLES).enumerate() {
        let expect = [
            ("exp", x.exp()),
            ("sin", x.sin()),
            ("cos", x.cos()),
            ("sqrt", x.abs().sqrt()),
            ("log", x.abs().ln()),
            ("pow", x.abs().powf(1.5)),
            ("1/x", 1.0 / x),
            ("tanh", x.tanh()),
            ("a struct", x / 3.0 + index as f64 * 2.0),
            ("rounded", x.floor() + x.round_ties_even() + x % 0.7),
        ];
        for ((name, expect), got) in expect.into_iter().zip(row) {
            check(name, x, *got, expect, 1e-14);
        }
    }
}

#[test]
fn integers_of_all_widths() {
    let numbers = [7_i32, -3, 0, i32::MIN, -1, i32::MAX, 0x1234_5678, 100];
    let out = case("mathematics", "integers", 1, 32)
        .buffer("in", &numbers)
        .buffer("out", &[0_i64; 160])
        .value(8_i32)
        .result::<i64>(1);
    for (row, pair) in out.chunks(20).zip(numbers.windows(2)) {
        let (a, b) = (pair[0], pair[1]);
        let (ua, ub) = (a as u32, b as u32);
        let (wa, wb) = ((i64::from(a) << 20).wrapping_add(i64::from(b)), i64::from(b));
        let ffs = if a == 0 { 0 } else { a.trailing_zeros() as i32 + 1 };
        let expect = [
            if b == 0 { -1 } else { i64::from(a.wrapping_div(b)) },
            if b == 0 { -1 } else { i64::from(a.wrapping_rem(b)) },
            i64::from(ua.checked_div(ub).unwrap_or(1)),
            i64::from(ua.checked_rem(ub).unwrap_or(1)),
            wa.checked_div(wb).unwrap_or(1),
            wa.checked_rem(wb).unwrap_or(1),
            i64::from(a.count_ones() as i32 + a.leading_zeros() as i32 * 100 + ffs * 10_000),
            i64::from(ua.reverse_bits()),
            i64::from((ua & 0xffff) | (ub << 16)),
            i64::from(((i64::from(a) * i64::from(b)) >> 32) as i32),
            i64::from(((u64::from(ua) * u64::from(ub)) >> 32) as u32),
            i64::from(((u64::from(ub) << 32 | u64::from(ua)) << 7 >> 32) as u32),
            i64::from(i32::from(a as i16) * i32::from(b as i16) + i32::from(a as i8)),
            i64::from(i32::from(a as u8) + i32::from(b as u16)),
            i64::from(a.min(b)) + i64::from(ua.max(ub)),
            i64::from((a >> 3) as u32 ^ ua >> 5) ^ (wa >> 40),
            i64::from(wa.count_ones() + wa.leading_zeros()),
            ((i128::from(wa) * i128::from(wb << 30)) >> 64) as i64,
            i64::from(a.wrapping_abs().wrapping_add(a & 0xff_00ff).wrapping_add(!b | 5)),
            a as f32 as i64 + i64::from((f64::from(a) * 0.5) as i32) + i64::from((ub as f32 * 0.25) as u32),
        ];
        assert_eq!(row, expect, "{a} {b}");
    }
}

#[test]
fn fibonacci_by_recursion() {
    let out = case("mathematics", "recursion", 1, 16).buffer("out", &[0_i32; 16]).result::<i32>(0);
    assert_eq!(out, [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]);
}

#[test]
fn halves_are_rounded_once() {
    // 1.0, -2.0, 0.333, 65504, the least subnormal.
    let numbers = [0x3c00_u16, 0xc000, 0x3554, 0x7bff, 0x0001];
    let bits: Vec<u8> = numbers.iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let mut halves =
        case("half", "halves", 1, 5).buffer("a", &bits).buffer("o", &[0_u8; 128]).buffer("f", &[0.0_f32; 5]);
    let out = halves.result::<u8>(1);
    let word = |at: usize| u16::from_le_bytes([out[2 * at], out[2 * at + 1]]);
    assert_eq!([0, 1, 2, 3, 4].map(word), [0x4100, 0xb800, 0x3f55, 0x7bff, 0x3e00]);
    // a * a + (a + 1.5)
    assert_eq!([32, 33].map(word), [0x4300, 0x4300]);
    assert_eq!(word(35), 0x7c00);
    let singles: Vec<f32> = halves.buffers[2].bytes.chunks(4).map(crate::Element::of).collect();
    assert_eq!(singles, [1.0, 1.0, 1.0, 131_008.0, 1.0]);
}
