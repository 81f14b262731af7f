//! Values that kernels compute.

use crate::{Case, case};

fn add(kernel: &str, grid: u32) -> Case {
    let numbers: Vec<f32> = (0..1000).map(|index| index as f32).collect();
    case("vector_add", kernel, grid, 256)
        .buffer("a", &numbers)
        .buffer("b", &[0.5_f32; 1000])
        .buffer("c", &[0.0_f32; 1000])
        .value(1000_i32)
}

#[test]
fn sums_of_vectors() {
    let expect: Vec<f32> = (0..1000).map(|index| index as f32 + 0.5).collect();
    assert_eq!(add("add", 4).result::<f32>(2), expect);
    assert_eq!(add("stride", 1).result::<f32>(2), expect);
    assert_eq!(add("doubled", 4).result::<f32>(2), expect);
}

#[test]
fn blocks_share_memory_and_wait() {
    let sum = case("shared", "reduce", 4, 256)
        .buffer("in", &[1.0_f32; 1000])
        .buffer("out", &[0.0_f32])
        .value(1000_i32)
        .result::<f32>(1);
    assert_eq!(sum, [1000.0]);
    let mut dynamic = case("shared", "dynamic", 1, 96).buffer("out", &[0.0_f32; 96]).value(0_i32);
    dynamic.launch.shared_bytes = 96 * 4;
    let reversed: Vec<f32> = (0..96).rev().map(|index| index as f32).collect();
    assert_eq!(dynamic.result::<f32>(0), reversed);
    let early = case("shared", "early", 1, 256).buffer("out", &[-1.0_f32; 100]).value(100_i32).result::<f32>(0);
    let reversed: Vec<f32> = (0..100).rev().map(|index| index as f32).collect();
    assert_eq!(early, reversed);
}

#[test]
fn atomics_lose_no_update() {
    let bytes: Vec<u8> = (0..10_000_u32).map(|index| (index * index % 251) as u8).collect();
    let mut expect = [0_u32; 256];
    for byte in &bytes {
        expect[usize::from(*byte)] += 1;
    }
    let bins = case("histogram", "count", 40, 256)
        .buffer("in", &bytes)
        .buffer("bins", &[0_u32; 256])
        .value(10_000_i32)
        .result::<u32>(1);
    assert_eq!(bins, expect);
    let mut many = case("histogram", "many", 1, 64)
        .buffer("cells", &[0, 0, 0, 0, -1, 0, 0, 0, 0, 0_i32])
        .buffer("wide", &[0_i64])
        .buffer("f", &[0.0_f32])
        .buffer("d", &[0.0_f64])
        .value(0_i32);
    let cells = many.result::<i32>(0);
    // 64 increments modulo 10 and 64 decrements modulo 10.
    assert_eq!(cells, [-5, 63, 0, -1, 0, 63, 4, 6, -128, 192]);
    assert_eq!(many.buffers[1].bytes, (64_i64 << 33).to_le_bytes());
    assert_eq!(many.buffers[2].bytes, 32.0_f32.to_le_bytes());
    assert_eq!(many.buffers[3].bytes, 16.0_f64.to_le_bytes());
}

#[test]
fn matrices_are_indexed_in_two_dimensions() {
    let (rows, cols) = (20, 40);
    let cells: Vec<f32> = (0..rows * cols).map(|index| index as f32).collect();
    let mut transpose =
        case("matrix", "transpose", 1, 1).buffer("in", &cells).buffer("out", &[0.0_f32; 800]).value(rows).value(cols);
    (transpose.launch.grid, transpose.launch.block) = ([3, 2, 1], [16, 16, 1]);
    let out = transpose.result::<f32>(1);
    for (at, value) in out.iter().enumerate() {
        let (row, col) = (at as i32 % rows, at as i32 / rows);
        assert_eq!(*value, (row * cols + col) as f32);
    }
    let mut product = case("matrix", "product", 1, 1)
        .buffer("a", &[2.0_f32; 33 * 33])
        .buffer("b", &[3.0_f32; 33 * 33])
        .buffer("c", &[0.0_f32; 33 * 33])
        .value(33_i32);
    (product.launch.grid, product.launch.block) = ([5, 5, 1], [8, 8, 1]);
    assert_eq!(product.result::<f32>(2), [198.0; 33 * 33]);
    let vectors = case("matrix", "vectors", 1, 2)
        .buffer("a", &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
        .buffer("out", &[0.0_f32; 8])
        .result::<f32>(1);
    assert_eq!(vectors, [4.0, 3.0, 2.0, 1.0, 8.0, 7.0, 6.0, 5.0]);
}

#[test]
fn printed_text_is_formatted() {
    let report = case("print", "hello", 2, 2).value(7_i32).run().expect("it ends");
    let line = |block, thread: u32| {
        let real = 1.5 * f64::from(thread);
        format!("block {block} thread {thread} of 7: {real:5.2} text c 1099511627776 ff %|7   |\n")
    };
    let expect = [line(0, 0), line(0, 1), line(1, 0), line(1, 1)].concat();
    assert_eq!(String::from_utf8(report.printed).unwrap(), expect);
    assert_eq!(report.printed_bytes, expect.len() as u64);
}
