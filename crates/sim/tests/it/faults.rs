//! Faults: kind, line, block and thread of each.

use sim::{Space, Trap, TrapKind};

use crate::{Case, case};

fn check(mut case: Case, line: u32, block: [u32; 3], thread: [u32; 3], kind: TrapKind) {
    let trap = case.run().expect_err("a trap");
    let (found, related) = (trap.found.clone(), trap.related.clone());
    assert_eq!(
        trap,
        Trap { kind, line: Some(line), block, thread, related, found, waiting: trap.waiting.clone(), trace: None }
    );
}

fn outside(write: bool, buffer: &str, index: i64, size: u64, threads: u64) -> TrapKind {
    TrapKind::OutOfBounds { write, space: Space::Global, buffer: Some(buffer.to_owned()), index, size, threads }
}

fn add(kernel: &str) -> Case {
    case("vector_add", kernel, 4, 256)
        .buffer("a", &[1.0_f32; 1000])
        .buffer("b", &[2.0_f32; 1000])
        .buffer("c", &[0.0_f32; 1000])
        .value(1000_i32)
}

#[test]
fn an_index_outside_names_buffer_thread_and_line() {
    check(add("no_guard"), 9, [3, 0, 0], [232, 0, 0], outside(false, "a", 1000, 1000, 24));
    check(add("off_by_one"), 14, [3, 0, 0], [232, 0, 0], outside(false, "b", 1000, 1000, 1));
    check(add("before"), 20, [0, 0, 0], [0, 0, 0], outside(false, "a", -1, 1000, 1));
    let swapped = |launch: [u32; 3]| {
        let mut case = case("matrix", "swapped", 1, 1)
            .buffer("in", &[0.0_f32; 20 * 40])
            .buffer("out", &[0.0_f32; 20 * 40])
            .value(20_i32)
            .value(40_i32);
        (case.launch.grid, case.launch.block) = (launch, [16, 16, 1]);
        case
    };
    check(swapped([3, 2, 1]), 15, [1, 0, 0], [4, 0, 0], outside(false, "in", 800, 800, 24));
}

#[test]
fn shared_memory_has_bounds() {
    let kind = |index, threads| TrapKind::OutOfBounds {
        write: true,
        space: Space::Shared,
        buffer: Some("part".to_owned()),
        index,
        size: 64,
        threads,
    };
    let past_end = || case("shared", "past_end", 1, 96).buffer("out", &[0.0_f32; 96]);
    check(past_end().value(96_i32), 46, [0; 3], [64, 0, 0], kind(64, 32));
}

#[test]
fn pointers_that_are_null_or_misaligned_are_named() {
    let null = TrapKind::OutOfBounds { write: false, space: Space::Null, buffer: None, index: 0, size: 0, threads: 32 };
    let b = case("vector_add", "no_guard", 1, 64)
        .raw(vec![0; 8])
        .buffer("b", &[0.0_f32; 64])
        .buffer("c", &[0.0_f32; 64])
        .value(64_i32);
    check(b, 9, [0; 3], [0; 3], null);
    let misaligned = case("matrix", "misaligned", 1, 8).buffer("a", &[0.0_f32; 64]).buffer("out", &[0.0_f32; 8]);
    let kind = TrapKind::Misaligned { access_bytes: 16, address: 4 };
    check(misaligned, 31, [0; 3], [1, 0, 0], kind);
}

#[test]
fn barriers_in_divergent_code_are_named() {
    let kernel = |name| case("shared", name, 1, 64).buffer("out", &[0.0_f32; 64]);
    let kind = |arrived| TrapKind::BarrierDivergence { arrived, expected: 64 };
    check(kernel("some").value(40_i32), 39, [0; 3], [40, 0, 0], kind(40));
}

#[test]
fn endless_loops_end() {
    let mut case = add("endless");
    let trap = case.run().expect_err("a trap");
    assert_eq!(trap.kind, TrapKind::InstructionLimit { warps: 5 });
    assert!(matches!(trap.line, Some(29 | 30)), "{trap:?}");
    let mut asked = 0;
    let program = sim::Program::decode(&crate::text("vector_add"), "endless").unwrap();
    let trap = sim::run(&program, &case.launch, &case.arguments, &mut case.buffers, &case.limits, &mut || {
        asked += 1;
        asked > 10
    });
    let kind = trap.expect_err("a trap").kind;
    assert!(matches!(kind, TrapKind::TimeUp { warps: 1..=8 }), "{kind:?}");
}

#[test]
fn assertions_traps_and_floods_stop() {
    let checked = case("print", "checked", 2, 4).buffer("a", &[0, 1, 2, 4, 5, 6, 3, 3]).value(8_i32);
    let message = "a[i] != 3".to_owned();
    check(checked, 6, [1, 0, 0], [2, 0, 0], TrapKind::Assert { message });
    check(case("print", "trapped", 1, 64).value(40_i32), 14, [0; 3], [40, 0, 0], TrapKind::Trap);
    let mut flood = case("print", "flood", 1, 1);
    flood.limits.printf_bytes = 1000;
    let trap = flood.run().expect_err("a trap");
    assert_eq!(trap.kind, TrapKind::Flood { bytes: 1002 });
}

#[test]
fn impossible_launches_are_refused() {
    let refused = |change: fn(&mut Case)| {
        let mut case = add("add");
        change(&mut case);
        let trap = case.run().expect_err("a trap");
        assert!(matches!(trap.kind, TrapKind::Launch { .. }), "{trap:?}");
    };
    refused(|case| case.launch.block = [1025, 1, 1]);
    refused(|case| case.launch.block = [33, 32, 1]);
    refused(|case| case.launch.grid = [0, 1, 1]);
    refused(|case| case.launch.grid = [1, 65_536, 1]);
    refused(|case| case.launch.shared_bytes = 48 * 1024 + 1);
    refused(|case| case.arguments.truncate(3));
}

#[test]
fn a_line_in_an_inlined_function_is_its_own() {
    let nested = case("inlined", "nested", 1, 32).buffer("a", &[1.0_f32; 32]).buffer("o", &[0.0_f32; 32]);
    check(nested, 2, [0; 3], [31, 0, 0], outside(false, "a", 32, 32, 1));
}

#[test]
fn a_race_between_warps_is_told_before_one_inside_a_warp() {
    let numbers = vec![1.0_f32; 32 * 32];
    let mut run = case("no_second_barrier", "matmul", 2, 16)
        .buffer("A", &numbers)
        .buffer("B", &numbers)
        .buffer("C", &numbers)
        .value(32_i32)
        .value(32_i32)
        .value(32_i32);
    (run.launch.grid, run.launch.block) = ([2, 2, 1], [16, 16, 1]);
    let found = run.run().expect("it ends").found;
    let missing: Vec<_> = found
        .iter()
        .filter_map(|found| match found.kind {
            sim::FoundKind::Race { missing, .. } => Some(missing),
            _ => None,
        })
        .collect();
    assert_eq!(missing.first(), Some(&sim::Missing::Barrier));
    assert!(missing.contains(&sim::Missing::WarpSync), "{missing:?}");
}
