//! Calls with frames of their own: recursion, function pointers, values handed over, and how deep it may go. Every
//! kernel runs as it is compiled for speed and as it is for a debugger, which inlines nothing.

use sim::{Space, TrapKind};

use crate::{Case, case};

const BUILDS: [&str; 2] = ["calls", "calls_debug"];

fn of_lanes(build: &str, kernel: &str, lanes: u32) -> Vec<i32> {
    case(build, kernel, 1, lanes).buffer("out", &vec![0_i32; lanes as usize]).result(0)
}

fn both(kernel: &str, lanes: u32, expect: impl Fn(i32) -> i32) {
    for build in BUILDS {
        let expect: Vec<i32> = (0..lanes as i32).map(&expect).collect();
        assert_eq!(of_lanes(build, kernel, lanes), expect, "{build} {kernel}");
    }
}

#[test]
fn recursion_of_different_depth() {
    both("factorials", 70, |i| (1..=i % 12).product());
}

#[test]
fn functions_that_call_each_other() {
    both("parities", 32, |i| if i % 2 == 0 { 2 } else { 1 });
}

#[test]
fn calls_inside_arguments_of_calls() {
    let ackermann = [[1, 2, 3], [2, 3, 5], [3, 4, 7], [4, 5, 9]];
    both("ackermanns", 12, |i| ackermann[i as usize / 3][i as usize % 3]);
}

#[test]
fn pointers_that_differ_by_lane() {
    both("pointers", 32, |i| {
        let first = [2 * i, i * i, -i][i as usize % 3];
        first + [-1000, 2000][i as usize / 16] + 30
    });
    for build in BUILDS {
        let chosen = |which: i32| case(build, "chosen", 1, 8).buffer("out", &[0_i32; 8]).value(which).result::<i32>(0);
        assert_eq!((chosen(0)[5], chosen(1)[5]), (10, 25));
    }
}

#[test]
fn a_pointer_that_is_no_function() {
    for build in BUILDS {
        for pointer in [0_u64, 1 << 35, (1 << 35) + 8, (1 << 35) + (1 << 20), u64::MAX] {
            let trap = case(build, "wild", 1, 8).buffer("out", &[0_i32; 8]).value(pointer).run().expect_err("a trap");
            assert!(matches!(trap.kind, TrapKind::Illegal { .. }), "{trap:?}");
            assert_eq!((trap.line, trap.thread), (Some(27), [5, 0, 0]));
        }
    }
}

#[test]
fn endless_recursion_names_the_call() {
    for build in BUILDS {
        let trap = case(build, "too_deep", 1, 64).buffer("out", &[0_i32; 1]).run().expect_err("a trap");
        let TrapKind::Stack { reason } = &trap.kind else { panic!("{trap:?}") };
        assert_eq!(reason, "The recursion of `endless` needs more than 65536 bytes of stack in one thread.");
        assert_eq!(trap.line, Some(30));
    }
}

#[test]
fn structs_are_handed_over_byte_for_byte() {
    for build in BUILDS {
        let out = case(build, "structs", 1, 32).buffer("out", &[0.0_f64; 32]).result::<f64>(0);
        let expect = |i: f64| 1.5 * (i + 1.0) * 2.0 + 99.0 + (5.0 + 4.0 * (i + 1.0) + 8.0) * 1000.0 + 1.25;
        let expect: Vec<f64> = (0..32).map(|i| expect(f64::from(i))).collect();
        assert_eq!(out, expect, "{build}");
    }
}

#[test]
fn a_loop_of_calls_that_return_early() {
    let values: Vec<i32> = (0..40).collect();
    for build in BUILDS {
        let out = case(build, "searched", 1, 32)
            .buffer("a", &values)
            .buffer("out", &[0_i32; 32])
            .value(34_i32)
            .result::<i32>(1);
        let first_above = |bound: i32| if bound + 1 < 34 { bound + 1 } else { -1 };
        let expect: Vec<i32> = (0..32).map(|i| (0..4).map(|round| first_above(i + round)).sum()).collect();
        assert_eq!(out, expect, "{build}");
    }
}

fn joined(build: &str, lanes: u32) -> Case {
    let values: Vec<i32> = (0..40).collect();
    case(build, "joined", 1, lanes).buffer("a", &values).buffer("out", &[0_i32; 32])
}

#[test]
fn lanes_meet_again_after_calls() {
    for build in BUILDS {
        let sum = |i: i32| {
            let slow = |x: i32| 4 * x + 6;
            slow(i + 2) + if i % 2 == 1 { slow(i) } else { slow(i + 1) * 2 }
        };
        let out = joined(build, 32).result::<i32>(1);
        let expect: Vec<i32> = (0..32).map(|i| sum(i) + sum(i ^ 1)).collect();
        assert_eq!(out, expect, "{build}");
    }
    // Whether one lane or all go each way, every instruction of every path runs once: the lanes are together again.
    let mut one = case("calls", "factorials", 1, 12).buffer("out", &[0_i32; 12]);
    let deepest = one.run().expect("it ends").warp_instructions;
    let mut many = case("calls", "factorials", 1, 32).buffer("out", &[0_i32; 32]);
    assert_eq!(many.run().expect("it ends").warp_instructions, deepest);
    let slow_once = joined("calls", 2).run().expect("it ends").warp_instructions;
    assert_eq!(joined("calls", 32).run().expect("it ends").warp_instructions, slow_once);
}

#[test]
fn barriers_in_functions() {
    for build in BUILDS {
        let out = case(build, "barriers", 1, 64).buffer("out", &[0.0_f32; 64]).result::<f32>(0);
        assert_eq!(out, [2080.0; 64]);
    }
}

#[test]
fn memory_of_an_earlier_call_counts_as_unwritten() {
    let report = case("calls_debug", "unwritten", 1, 4).buffer("out", &[0_i32; 4]).run().expect("it ends");
    let lines: Vec<_> = report.found.iter().map(|found| found.line).collect();
    assert_eq!(lines, [Some(87)], "{:?}", report.found);
}

#[test]
fn memory_of_a_function_that_returned_is_gone() {
    let trap = case("calls_debug", "after_return", 1, 32).buffer("out", &[0_i32; 32]).run().expect_err("a trap");
    assert!(matches!(trap.kind, TrapKind::OutOfBounds { space: Space::Local, .. }), "{trap:?}");
    assert_eq!(trap.line, Some(96));
}

#[test]
fn a_fault_inside_a_function_has_its_line() {
    for build in BUILDS {
        let past = case(build, "past", 1, 32).buffer("a", &[0_i32; 20]).buffer("out", &[0_i32; 32]);
        let trap = { past }.run().expect_err("a trap");
        assert_eq!((trap.line, trap.thread), (Some(98), [20, 0, 0]), "{build}");
    }
}

/// `.func f0` calls `f1` four times, and so on; the last one returns.
fn towers(levels: usize) -> String {
    let mut text = ".version 9.0\n.target sm_80\n.address_size 64\n".to_owned();
    for level in (0..levels).rev() {
        let call = if level + 1 < levels { format!("call f{}, ();\n", level + 1).repeat(4) } else { String::new() };
        text += &format!(".func f{level}()\n{{\n{call}ret;\n}}\n");
    }
    text + ".visible .entry k()\n{\ncall f0, ();\nret;\n}\n"
}

#[test]
fn functions_are_decoded_once() {
    // Copied into their callers these would be 4^30 functions.
    assert!(sim::Program::decode(&towers(30), "k").is_ok());
    assert!(sim::Program::decode(&towers(20_000), "k").is_ok());
    let around = ".func f()\n{\ncall g, ();\n}\n.func g()\n{\ncall f, ();\n}\n.visible .entry k()\n{\ncall f, ();\n}\n";
    assert!(sim::Program::decode(around, "k").is_ok());
}

/// What lane `i` gets of `f`, a function of one number in `.param` space, whose body is given.
fn written_by_hand(body: &str) -> Vec<u32> {
    let text = format!(
        ".version 9.0\n.target sm_80\n.address_size 64\n\
        .func (.param .b32 r) f(.param .b32 x)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n{body}}}\n\
        .visible .entry k(.param .u64 out)\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.param .b32 a;\n\
        ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nst.param.b32 [a], %r1;\ncall (%r2), f, (a);\n\
        mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r2;\nret;\n}}\n"
    );
    let program = sim::Program::decode(&text, "k").unwrap_or_else(|error| panic!("{error}"));
    let mut buffers = [sim::Buffer { element_bytes: 4, bytes: vec![0; 128], ..sim::Buffer::default() }];
    let launch = sim::Launch { grid: [1; 3], block: [32, 1, 1], shared_bytes: 0 };
    let limits = sim::Limits {
        warp_instructions: 10_000,
        printf_bytes: 1000,
        detect: true,
        host_threads: 1,
        ..sim::Limits::default()
    };
    sim::run(&program, &launch, &[sim::Argument::Buffer(0)], &mut buffers, &limits, &mut || false)
        .unwrap_or_else(|trap| panic!("{trap:?}"));
    buffers[0].bytes.chunks(4).map(crate::Element::of).map(|value: i32| value as u32).collect()
}

#[test]
fn a_guarded_return_takes_only_its_lanes() {
    let body = "ld.param.b32 %r1, [x];\nst.param.b32 [r], %r1;\nand.b32 %r2, %r1, 3;\n\
        setp.eq.u32 %p1, %r2, 1;\n@%p1 ret;\nadd.u32 %r1, %r1, 100;\nst.param.b32 [r], %r1;\n\
        setp.eq.u32 %p2, %r2, 2;\n@!%p2 ret;\nadd.u32 %r1, %r1, 1000;\nst.param.b32 [r], %r1;\n";
    let expect: Vec<u32> = (0..32).map(|i| i + [100, 0, 1100, 100][i as usize % 4]).collect();
    assert_eq!(written_by_hand(body), expect);
}

#[test]
fn a_guarded_call_takes_only_its_lanes() {
    let body = "ld.param.b32 %r1, [x];\nst.param.b32 [r], %r1;\nsetp.lt.u32 %p1, %r1, 20;\n\
        add.u32 %r2, %r1, 7;\n@%p1 call (r), f, (%r2);\nret;\n";
    let expect: Vec<u32> = (0..32).map(|i: u32| if i < 20 { i + 7 * (20 - i).div_ceil(7) } else { i }).collect();
    assert_eq!(written_by_hand(body), expect);
}

#[test]
fn own_arrays_and_parameters_end_where_other_frames_begin() {
    for (kernel, count, line, write) in [("own_array", 6, 4, true), ("own_parameter", 2, 14, false)] {
        let run = |count: i32| case("frames", kernel, 1, 2).buffer("out", &[0_i32; 2]).value(count).run();
        assert!(run(count).is_ok(), "{kernel}");
        let trap = run(count + 1).expect_err("a trap");
        let (index, size) = (i64::from(count), count as u64);
        assert_eq!((trap.line, trap.thread), (Some(line), [0, 0, 0]), "{kernel}");
        assert!(
            matches!(trap.kind, TrapKind::OutOfBounds { write: w, space: Space::Local, index: i, size: s, .. }
                if (w, i, s) == (write, index, size)),
            "{kernel}: {trap:?}"
        );
    }
}
