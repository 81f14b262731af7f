//! The simulator against a native loop: one object a line with name, value, unit, what it is compared with, ratio,
//! budget and whether it is kept; an argument picks kernels by a part of their name. The loop is f32, one thread, the same order of additions, inputs in memory.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sim::{Argument, Buffer, Launch, Limits, Program, Role};

/// Times of one thing, without what prepares it; the shortest of several is what the machine can do.
fn best<T>(rounds: usize, mut prepare: impl FnMut() -> T, mut run: impl FnMut(&mut T)) -> Duration {
    (0..rounds)
        .map(|_| {
            let mut prepared = prepare();
            let begun = Instant::now();
            run(&mut prepared);
            begun.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Whether a kernel is wanted: an argument picks by a part of its name.
fn is_wanted(name: &str) -> bool {
    std::env::args().nth(1).is_none_or(|wanted| name.contains(&wanted))
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|at| (at % 251) as f32 * 0.25 - 20.0).collect()
}

fn buffer(name: &str, values: &[f32], role: Role) -> Buffer {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Buffer { name: name.to_owned(), element_bytes: 4, bytes, role, ..Buffer::default() }
}

struct Kernel {
    name: &'static str,
    entry: &'static str,
    launch: Launch,
    buffers: Vec<Buffer>,
    n: i32,
    budget: f64,
}

impl Kernel {
    /// The shortest time, and the warp instructions of one run.
    fn time(&self, program: &Program, detect: bool, host_threads: usize) -> (Duration, u64) {
        let mut arguments: Vec<Argument> = (0..self.buffers.len()).map(Argument::Buffer).collect();
        arguments.push(Argument::Value(self.n.to_le_bytes().to_vec()));
        let limits = Limits { warp_instructions: u64::MAX, printf_bytes: 0, detect, host_threads, ..Limits::default() };
        let mut instructions = 0;
        let time = best(
            5,
            || self.buffers.clone(),
            |buffers| {
                let report = sim::run(program, &self.launch, &arguments, buffers, &limits, &mut || false);
                let report = report.expect("the kernel ends");
                assert!(report.found.is_empty(), "{:?}", report.found);
                instructions = report.warp_instructions;
            },
        );
        (time, instructions)
    }
}

fn row(name: &str, value: f64, unit: &str, compared: &str, ratio: f64, budget: Option<f64>, ok: bool) {
    let budget = budget.map_or("null".to_owned(), |budget| budget.to_string());
    println!(
        "{{\"name\":\"{name}\",\"value\":{value:.3},\"unit\":\"{unit}\",\"compared_with\":\"{compared}\",\
         \"ratio\":{ratio:.3},\"budget\":{budget},\"ok\":{ok}}}"
    );
}

fn measure(kernel: &Kernel, text: &str, native: Duration) {
    let program = Program::decode(text, kernel.entry).expect("it decodes");
    let (checked, instructions) = kernel.time(&program, true, 1);
    let (plain, _) = kernel.time(&program, false, 1);
    let (beside, _) = kernel.time(&program, true, 2);
    let times = checked.as_secs_f64() / native.as_secs_f64();
    let name = kernel.name;
    let compared = format!("native loop: {:.3} ms", native.as_secs_f64() * 1000.0);
    row(
        &format!("sim {name}, all checks, times native"),
        times,
        "x",
        &compared,
        times,
        Some(kernel.budget),
        times <= kernel.budget,
    );
    let rate = instructions as f64 / checked.as_secs_f64() / 1e6;
    let ratio = checked.as_secs_f64() / plain.as_secs_f64();
    let compared = format!("checks off: {:.1} M/s", instructions as f64 / plain.as_secs_f64() / 1e6);
    row(&format!("sim {name}, all checks"), rate, "M warp instructions/s", &compared, 1.0 / ratio, None, true);
    row(&format!("sim {name}, checks on to off"), ratio, "x", &compared, ratio, None, true);
    let speedup = checked.as_secs_f64() / beside.as_secs_f64();
    let compared = format!("one host thread: {:.3} ms", checked.as_secs_f64() * 1000.0);
    row(&format!("sim {name}, two host threads"), speedup, "x", &compared, speedup, Some(1.7), speedup >= 1.7);
}

fn main() {
    let text = include_str!("../testdata/bench.ptx");
    if is_wanted(VECTOR_ADD) {
        vector_add(text);
    }
    if is_wanted(TILED_MATMUL) {
        tiled_matmul(text);
    }
    if is_wanted(BLOCK_SUMS) {
        block_sums(text);
    }
}

const VECTOR_ADD: &str = "vector add of 2^20";
const TILED_MATMUL: &str = "tiled matmul 256x256x256";
const BLOCK_SUMS: &str = "block sums of 2^20";
const COUNT: usize = 1 << 20;

fn flat(grid: u32) -> Launch {
    Launch { grid: [grid, 1, 1], block: [256, 1, 1], shared_bytes: 0 }
}

fn vector_add(text: &str) {
    let (a, b, mut c) = (numbers(COUNT), numbers(COUNT), vec![0.0_f32; COUNT]);
    let native = best(
        5,
        || (),
        |()| {
            for ((c, a), b) in c.iter_mut().zip(black_box(&a)).zip(black_box(&b)) {
                *c = a + b;
            }
            black_box(&c);
        },
    );
    let buffers = vec![buffer("a", &a, Role::Input), buffer("b", &b, Role::Input), buffer("c", &c, Role::Output)];
    let (name, launch, n) = (VECTOR_ADD, flat(4096), COUNT as i32);
    measure(&Kernel { name, entry: "vector_add", launch, buffers, n, budget: 120.0 }, text, native);
}

fn tiled_matmul(text: &str) {
    let n = 256;
    let (a, b, mut c) = (numbers(n * n), numbers(n * n), vec![0.0_f32; n * n]);
    let native = best(
        3,
        || (),
        |()| {
            let (a, b) = (black_box(&a), black_box(&b));
            for row in 0..n {
                for col in 0..n {
                    let mut sum = 0.0;
                    for k in 0..n {
                        sum += a[row * n + k] * b[k * n + col];
                    }
                    c[row * n + col] = sum;
                }
            }
            black_box(&c);
        },
    );
    let buffers = vec![buffer("a", &a, Role::Input), buffer("b", &b, Role::Input), buffer("c", &c, Role::Output)];
    let launch = Launch { grid: [16, 16, 1], block: [16, 16, 1], shared_bytes: 0 };
    let (name, n) = (TILED_MATMUL, n as i32);
    measure(&Kernel { name, entry: "tiled_matmul", launch, buffers, n, budget: 25.0 }, text, native);
}

fn block_sums(text: &str) {
    let (x, mut sums) = (numbers(COUNT), vec![0.0_f32; COUNT / 256]);
    let native = best(
        5,
        || (),
        |()| {
            for (sum, block) in sums.iter_mut().zip(black_box(&x).chunks(256)) {
                let mut total = 0.0;
                for value in block {
                    total += value;
                }
                *sum = total;
            }
            black_box(&sums);
        },
    );
    let buffers = vec![buffer("x", &x, Role::Input), buffer("sums", &sums, Role::Output)];
    let (name, launch, n) = (BLOCK_SUMS, flat(4096), COUNT as i32);
    measure(&Kernel { name, entry: "block_sums", launch, buffers, n, budget: 80.0 }, text, native);
}
