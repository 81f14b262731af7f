//! No text, however broken, panics: neither while it is decoded nor while it runs.

use sim::{Argument, Buffer, Launch, Limits, Program};

use crate::text;

/// A fixed sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Decodes every kernel and runs those that decode, with arguments that are null, small or buffers.
fn run(text: &str, numbers: &mut Numbers) -> bool {
    let Err(sim::DecodeError::NoEntry { found, .. }) = Program::decode(text, "no such kernel") else {
        return false;
    };
    let mut ran = false;
    for name in found {
        let Ok(program) = Program::decode(text, &name) else { continue };
        ran = true;
        let buffer =
            |name: &str| Buffer { name: name.to_owned(), element_bytes: 4, bytes: vec![0; 1024], ..Buffer::default() };
        let mut buffers = [buffer("a"), buffer("b")];
        let argument = |(_, size): &(u32, u32)| match (size, numbers.below(4)) {
            (8, 0) => Argument::Value(vec![0; 8]),
            (8, at) => Argument::Buffer(at % 2),
            _ => Argument::Value((0..*size).map(|at| if at == 0 { 100 } else { 0 }).collect()),
        };
        let arguments: Vec<_> = program.params().iter().map(argument).collect();
        let launch = Launch { grid: [2, 1, 1], block: [40, 1, 1], shared_bytes: 64 };
        let limits =
            Limits { warp_instructions: 5000, printf_bytes: 1000, detect: true, host_threads: 1, ..Limits::default() };
        let _ = sim::run(&program, &launch, &arguments, &mut buffers, &limits, &mut || false);
    }
    ran
}

/// Edits of one file, up to three at a time.
fn edited(file: &str, seed: u64, edits: usize) {
    let original = text(file).into_bytes();
    let mut numbers = Numbers(seed);
    let mut ran = 0;
    for _ in 0..edits {
        let mut bytes = original.clone();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(bytes.len());
            match numbers.below(4) {
                0 => bytes[at] = b"0123456789%.,;[]{}()-+<>|!@"[numbers.below(27)],
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, b'9'),
                // A stretch from elsewhere.
                _ => {
                    let from = numbers.below(bytes.len());
                    let part = bytes[from..].iter().copied().take(numbers.below(40)).collect::<Vec<_>>();
                    bytes.splice(at..at, part);
                }
            }
        }
        ran += usize::from(run(&String::from_utf8_lossy(&bytes), &mut numbers));
    }
    assert!(ran > edits / 20, "only {ran} texts of {file} ran");
}

#[test]
fn edits_of_sums_do_not_panic() {
    edited("vector_add", 1, 2000);
}

#[test]
fn edits_of_barriers_do_not_panic() {
    edited("shared", 2, 500);
}

#[test]
fn edits_of_warp_operations_do_not_panic() {
    edited("warp", 3, 500);
}

#[test]
fn edits_of_printing_and_atomics_do_not_panic() {
    edited("print", 4, 500);
    edited("histogram", 5, 500);
}

#[test]
fn edits_of_arithmetic_do_not_panic() {
    edited("half", 6, 500);
    edited("matrix", 7, 500);
    edited("mathematics", 8, 100);
}

#[test]
fn edits_of_calls_do_not_panic() {
    edited("calls", 9, 100);
    edited("heap", 10, 300);
}

#[test]
fn edits_of_copies_and_matrices_do_not_panic() {
    edited("copies", 9, 400);
    edited("tensor", 10, 100);
    edited("mma", 11, 400);
}

/// Registers of a warp with random content go through every rare form.
#[test]
fn edits_of_rare_forms_do_not_panic() {
    let frame = text("forms_h200");
    let mut numbers = Numbers(12);
    let rows: Vec<&str> = include_str!("../../testdata/forms_h200.txt").lines().collect();
    for _ in 0..1500 {
        let (body, _) = rows[numbers.below(rows.len())].split_once(" = ").unwrap();
        let mut changed = body.to_owned();
        for register in 2..12 {
            let other = format!("%r{};", 2 + numbers.below(10));
            changed = changed.replace(&format!("%r{register};"), &other);
        }
        let seed = format!("add.u32 %r21,%r20,{};", numbers.below(1 << 30));
        let text = frame.replace("add.u32 %r21,%r20,9;", &seed).replace("...", &changed);
        assert!(run(&text, &mut numbers), "{changed}");
    }
}
