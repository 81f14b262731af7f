//! Bytes that a stored seed must give for ever.

use domain::expression::Expression;

use super::*;

/// These sizes are all that a fill here may name.
fn made(fill: &Fill, element: Element, count: u64, seed: u64, param_index: usize) -> Vec<u8> {
    let sizes = Sizes::from([("n".to_owned(), 40)]);
    super::fill(fill, element, count, &sizes, seed, param_index).unwrap()
}

fn expression(text: &str) -> Expression {
    Expression::parse(text).unwrap()
}

fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_ever() {
    let uniform = Fill::Uniform { lo: -1.0, hi: 1.0 };
    let long = floats(&made(&uniform, Element::F32, 1000, 7, 0));
    let short = floats(&made(&uniform, Element::F32, 10, 7, 0));
    assert_eq!(long[..10], short[..]);
    assert_ne!(long, floats(&made(&uniform, Element::F32, 1000, 8, 0)));
    assert_ne!(long, floats(&made(&uniform, Element::F32, 1000, 7, 1)));
    assert!(long.iter().all(|value| (-1.0..1.0).contains(value)));
    // A verdict of years ago must replay: these bits never change.
    assert_eq!(bits(1, 2, 3), 0xc4b7_2f8c_e414_b6da);
    let mut sorted = long.clone();
    sorted.sort_by(f32::total_cmp);
    sorted.dedup();
    assert!(sorted.len() > 990, "elements differ by index");
}

#[test]
fn integers_stay_in_their_range() {
    let bytes = made(&Fill::Ints { lo: expression("-3"), hi: 3.into() }, Element::I32, 1000, 1, 0);
    let values = ints(&bytes);
    assert!((-3..=3).all(|wanted| values.contains(&wanted)));
    assert!(values.iter().all(|value| (-3..=3).contains(value)));
    let whole = Fill::Ints { lo: i64::MIN.into(), hi: i64::MAX.into() };
    assert_eq!(made(&whole, Element::I64, 3, 1, 0).len(), 24);
    assert_eq!(made(&Fill::Ramp { start: 0, step: 1 }, Element::U8, 300, 0, 0)[256], 0);
}

#[test]
fn the_marker_is_no_number() {
    assert!(f32::from_le_bytes(poison(Element::F32).try_into().unwrap()).is_nan());
    assert!(halves::F16.value(u16::from_le_bytes(poison(Element::F16).try_into().unwrap())).is_nan());
    assert!(halves::BF16.value(u16::from_le_bytes(poison(Element::Bf16).try_into().unwrap())).is_nan());
    assert!(f64::from_le_bytes(poison(Element::F64).try_into().unwrap()).is_nan());
}

#[test]
fn bytes_of_every_fill_never_change() {
    // Computed by a second implementation.
    let check = |fill: &Fill, element, expect: &[u8]| {
        assert_eq!(made(fill, element, 3, 7, 1), expect, "{fill:?}");
    };
    check(&Fill::Ramp { start: 5, step: -3 }, Element::I16, &[5, 0, 2, 0, 255, 255]);
    check(&Fill::Ints { lo: 0.into(), hi: expression("n - 1") }, Element::U8, &[21, 34, 18]);
    check(&Fill::Uniform { lo: -1.0, hi: 1.0 }, Element::F32, &[223, 82, 111, 63, 49, 104, 100, 63, 85, 215, 50, 190]);
    check(
        &Fill::Normal { mean: 0.0, sd: 1.0 },
        Element::F32,
        &[168, 146, 176, 63, 249, 122, 180, 60, 121, 180, 155, 63],
    );
    check(&Fill::Normal { mean: 0.0, sd: 1.0 }, Element::F16, &[133, 61, 164, 37, 222, 60]);
    check(&Fill::Constant { value: 1.5 }, Element::Bf16, &[0xc0, 0x3f, 0xc0, 0x3f, 0xc0, 0x3f]);
    check(&Fill::Permutation, Element::U8, &[1, 2, 0]);
    check(&Fill::Offsets { total: expression("2 * n") }, Element::I16, &[0, 0, 34, 0, 80, 0]);
}

#[test]
fn normal_numbers_have_their_mean_and_spread() {
    let values = floats(&made(&Fill::Normal { mean: 3.0, sd: 2.0 }, Element::F32, 10_000, 1, 0));
    let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / 1e4;
    let variance = values.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / 1e4;
    assert!((mean - 3.0).abs() < 0.1, "{mean}");
    assert!((variance - 4.0).abs() < 0.2, "{variance}");
    assert!(values.iter().any(|value| *value > 8.0), "some lie far out");
}

#[test]
fn permutations_have_each_value_once() {
    let mut values = ints(&made(&Fill::Permutation, Element::I32, 1000, 1, 0));
    assert_ne!(values[..10], (0..10).collect::<Vec<_>>()[..]);
    values.sort_unstable();
    assert_eq!(values, (0..1000).collect::<Vec<_>>());
    assert_eq!(made(&Fill::Permutation, Element::I32, 1, 1, 0), [0; 4]);
}

#[test]
fn offsets_are_row_pointers() {
    for (count, total) in [(2_u64, 0_i64), (2, 5), (101, 30), (1001, 30_011)] {
        let values = ints(&made(&Fill::Offsets { total: total.into() }, Element::I32, count, 3, 0));
        assert_eq!((values[0], i64::from(*values.last().unwrap())), (0, total));
        assert!(values.is_sorted());
        let has_empty_row = values.windows(2).any(|pair| pair[0] == pair[1]);
        assert_eq!(has_empty_row, count > 100 || total == 0, "{count}");
    }
}
