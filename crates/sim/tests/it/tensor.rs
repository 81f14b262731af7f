//! Products of matrices by whole warps.

use sim::TrapKind;

use crate::{Case, case};

/// A small number with few bits, other for each place.
fn number(at: usize, seed: usize) -> f64 {
    ((at * 31 + seed * 17) % 61) as f64 / 8.0 - 3.5
}

/// A positive or negative binary16 of few bits.
fn half(value: f64) -> [u8; 2] {
    if value == 0.0 {
        return [0; 2];
    }
    let exponent = value.abs().log2().floor();
    let fraction = (value.abs() / exponent.exp2() - 1.0) * 1024.0;
    let bits = u16::from(value < 0.0) << 15 | ((exponent as i32 + 15) as u16) << 10 | fraction as u16;
    bits.to_le_bytes()
}

fn of_half(bytes: &[u8]) -> f64 {
    let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = if exponent == 0 {
        fraction / 1024.0 / 16384.0
    } else {
        (1.0 + fraction / 1024.0) * 2.0_f64.powi(exponent - 15)
    };
    if bits >> 15 == 1 { -size } else { size }
}

fn numbers(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|at| number(at, seed)).collect()
}

fn halves(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|value| half(*value)).collect()
}

fn singles(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|value| *value as f32).collect()
}

/// `a * b`, where element (row, column) of each lies at what its function says.
fn product(
    (rows, columns, inner): (usize, usize, usize),
    a: impl Fn(usize, usize) -> f64,
    b: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    (0..rows * columns).map(|at| (0..inner).map(|k| a(at / columns, k) * b(k, at % columns)).sum()).collect()
}

fn close(got: &[f64], expect: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expect.len());
    for (at, (got, expect)) in got.iter().zip(expect).enumerate() {
        assert!((got - expect).abs() <= tolerance * expect.abs().max(1.0), "at {at}: {got} for {expect}");
    }
}

/// The result of a kernel, which finds nothing.
fn run(mut case: Case, buffer: usize) -> Vec<u8> {
    let report = case.run().unwrap_or_else(|trap| panic!("{trap:?}"));
    assert!(report.found.is_empty(), "{:?}", report.found);
    case.buffers[buffer].bytes.clone()
}

fn of_singles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks(4).map(|word| word.first_chunk().map_or(0.0, |word| f64::from(f32::from_le_bytes(*word)))).collect()
}

fn of_ints(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks(4).map(|word| word.first_chunk().map_or(0.0, |word| f64::from(i32::from_le_bytes(*word)))).collect()
}

#[test]
fn wmma_multiplies_halves() {
    let (a, b) = (numbers(1024, 1), numbers(1024, 2));
    let case = case("tensor", "single_sums", 1, 128)
        .buffer("a", &halves(&a))
        .buffer("b", &halves(&b))
        .buffer("c", &[0.0_f32; 1024]);
    let expect = product((32, 32, 32), |row, k| 2.0 * a[row * 32 + k], |k, column| b[k * 32 + column]);
    close(&of_singles(&run(case, 2)), &expect, 1e-6);
}

#[test]
fn wmma_of_other_shapes_sums_in_half() {
    for (kernel, m, n) in [("half_tall", 32, 8), ("half_wide", 8, 32)] {
        let (a, b, c) = (numbers(m * 16, 3), numbers(16 * n, 4), numbers(m * n, 5));
        let case = case("tensor", kernel, 1, 32)
            .buffer("a", &halves(&a))
            .buffer("b", &halves(&b))
            .buffer("c", &halves(&c))
            .buffer("d", &vec![0_u8; 2 * m * n]);
        let product = product((m, n, 16), |row, k| a[row + k * m] / 2.0, |k, column| b[k + column * 16]);
        let expect: Vec<f64> = (0..m * n).map(|at| product[at] + c[at]).collect();
        let bytes = run(case, 3);
        let got: Vec<f64> = (0..m * n).map(|at| of_half(&bytes[2 * (at / n + at % n * m)..])).collect();
        close(&got, &expect, 1e-3);
    }
}

#[test]
fn wmma_multiplies_integers_tf32_and_doubles() {
    let bytes = |seed: usize| -> Vec<u8> { (0..256).map(|at| ((at * 37 + seed * 11) % 251) as u8).collect() };
    let (a, b) = (bytes(1), bytes(2));
    let signed = |value: u8| f64::from(value as i8);
    let integers = case("tensor", "integers", 1, 32).buffer("a", &a).buffer("b", &b).buffer("d", &[0_i32; 256]);
    let expect = product((16, 16, 16), |row, k| signed(a[row * 16 + k]), |k, column| signed(b[column * 16 + k]));
    let expect: Vec<f64> = expect.iter().map(|sum| sum + 5.0).collect();
    close(&of_ints(&run(integers, 2)), &expect, 0.0);

    let (a, b) = (numbers(128, 6), numbers(128, 7));
    let tf32 =
        case("tensor", "tf32", 1, 32).buffer("a", &singles(&a)).buffer("b", &singles(&b)).buffer("d", &[0.0_f32; 256]);
    let expect = product((16, 16, 8), |row, k| a[row * 8 + k], |k, column| b[k * 16 + column]);
    close(&of_singles(&run(tf32, 2)), &expect, 1e-6);

    let (a, b) = (numbers(32, 8), numbers(32, 9));
    let mut doubles = case("tensor", "doubles", 1, 32).buffer("a", &a).buffer("b", &b).buffer("d", &[0.0_f64; 64]);
    let expect = product((8, 8, 4), |row, k| a[row * 4 + k], |k, column| b[column * 4 + k]);
    let expect: Vec<f64> = expect.iter().map(|sum| sum + 1.0).collect();
    close(&doubles.result::<f64>(2), &expect, 0.0);
}

#[test]
fn mma_follows_the_layout_of_the_isa() {
    let (a, b) = (numbers(256, 1), numbers(128, 2));
    let halves_case =
        case("mma", "halves", 1, 32).buffer("a", &halves(&a)).buffer("b", &halves(&b)).buffer("d", &[0.0_f32; 128]);
    let expect = product((16, 8, 16), |row, k| a[row * 16 + k], |k, column| b[k * 8 + column]);
    let expect: Vec<f64> = expect.iter().map(|sum| sum + 0.25).collect();
    close(&of_singles(&run(halves_case, 2)), &expect, 1e-6);

    let (a, b) = (numbers(128, 3), numbers(64, 4));
    let sums =
        case("mma", "half_sums", 1, 32).buffer("a", &halves(&a)).buffer("b", &halves(&b)).buffer("d", &[0_u8; 256]);
    let expect = product((16, 8, 8), |row, k| a[row * 8 + k], |k, column| b[k * 8 + column]);
    let got: Vec<f64> = run(sums, 2).chunks(2).map(of_half).collect();
    close(&got, &expect, 1e-3);

    let tf32 =
        case("mma", "tf32", 1, 32).buffer("a", &singles(&a)).buffer("b", &singles(&b)).buffer("d", &[0.0_f32; 128]);
    close(&of_singles(&run(tf32, 2)), &expect, 1e-6);

    let bytes =
        |count: usize, seed: usize| -> Vec<u8> { (0..count).map(|at| ((at * 37 + seed) % 251) as u8).collect() };
    let (a, b) = (bytes(512, 1), bytes(256, 2));
    let case = case("mma", "bytes", 1, 32).buffer("a", &a).buffer("b", &b).buffer("d", &[0_i32; 128]);
    let signed = |value: u8| f64::from(value as i8);
    let expect = product((16, 8, 32), |row, k| signed(a[row * 32 + k]), |k, column| f64::from(b[column * 32 + k]));
    let expect: Vec<f64> = expect.iter().map(|sum| sum - 7.0).collect();
    close(&of_ints(&run(case, 2)), &expect, 0.0);
}

#[test]
fn rows_are_moved_exactly() {
    let input: Vec<u8> = (0..64_u16).flat_map(|at| (at * 1021).to_le_bytes()).collect();
    let bytes = run(case("mma", "moved", 1, 32).buffer("in", &input).buffer("out", &[0_u8; 768]), 1);
    let got: Vec<u16> = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let plain: Vec<u16> = (0..64).map(|at| at * 1021).collect();
    let turned: Vec<u16> = (0..64).map(|at| (at % 8 * 8 + at / 8) * 1021).collect();
    for (part, expect) in [&plain, &turned, &turned, &plain, &turned, &turned].into_iter().enumerate() {
        assert_eq!(got[64 * part..][..64], expect[..], "part {part}");
    }
}

#[test]
fn a_warp_that_is_torn_is_a_fault() {
    let trap = case("mma", "torn", 1, 32).buffer("out", &[0_i32; 32]).run().unwrap_err();
    assert_eq!(trap.kind, TrapKind::BarrierDivergence { arrived: 16, expected: 32 });
    assert_eq!(trap.line, Some(79));
    let trap = case("mma", "skewed", 1, 32).buffer("out", &[0_i32; 32]).run().unwrap_err();
    assert!(matches!(trap.kind, TrapKind::Misaligned { access_bytes: 16, .. }), "{trap:?}");
    assert_eq!((trap.thread, trap.line), ([1, 0, 0], Some(86)));
    // Too short a matrix: 15 of 16 rows.
    let (a, b) = (vec![0_u8; 2 * 1024 - 2], vec![0_u8; 2048]);
    let mut short = case("tensor", "single_sums", 1, 128).buffer("a", &a).buffer("b", &b).buffer("c", &[0.0_f32; 1024]);
    let trap = short.run().unwrap_err();
    assert!(matches!(trap.kind, TrapKind::OutOfBounds { write: false, .. }), "{trap:?}");
}
