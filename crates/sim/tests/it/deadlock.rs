//! Kernels that never end: who waits where, and for what.

use sim::{Trap, TrapKind, Waiting, WaitsFor};

use crate::case;

fn trap(kernel: &str, threads: u32) -> Trap {
    let mut case = case("deadlock", kernel, 1, threads).buffer("flag", &[0; 4]).buffer("out", &[0; 64]);
    case.limits.warp_instructions = 100_000;
    case.run().expect_err("a trap")
}

/// Lines, threads and what they wait for; of memory its element and value.
fn told(waiting: &[Waiting]) -> Vec<(u32, u64, String)> {
    let what = |what: &WaitsFor| match what {
        WaitsFor::Memory { at, holds } => format!("{}[{}] = {holds}", at.buffer.as_deref().unwrap_or("?"), at.index),
        other => format!("{other:?}"),
    };
    waiting.iter().map(|one| (one.line.unwrap_or(0), one.threads, what(&one.what))).collect()
}

#[test]
fn a_lock_taken_twice_is_a_deadlock() {
    let trap = trap("taken_twice", 64);
    assert!(matches!(trap.kind, TrapKind::InstructionLimit { .. }), "{:?}", trap.kind);
    assert_eq!(
        told(&trap.waiting),
        [(4, 1, "flag[0] = 1".into()), (5, 1, "flag[0] = 1".into())],
        "one has it, and none can take it"
    );
}

#[test]
fn a_flag_that_is_set_behind_the_barrier_is_a_deadlock() {
    let trap = trap("flag_behind_barrier", 64);
    assert!(matches!(trap.kind, TrapKind::InstructionLimit { .. }), "{:?}", trap.kind);
    assert_eq!(told(&trap.waiting), [(15, 63, "Barrier".into()), (13, 1, "flag[2] = 0".into())]);
}

#[test]
fn a_thread_that_runs_comes_first() {
    let trap = trap("runs_on", 64);
    let told = told(&trap.waiting);
    assert_eq!((told[0].1, told[0].2.as_str()), (1, "Nothing"), "{told:?}");
    assert_eq!(told[1], (29, 63, "flag[0] = 0".into()));
}

#[test]
fn lanes_that_do_not_come_are_waited_for() {
    let trap = trap("absent_lane", 32);
    assert_eq!(told(&trap.waiting), [(36, 16, "Lanes".into()), (39, 16, "flag[0] = 0".into())]);
}

#[test]
fn blocks_that_wait_for_each_other_do_not_wait_long() {
    let mut case = case("grid_barrier", "rounds", 24, 64).buffer("cells", &[0_i32; 24]).value(12_i32);
    // A long turn for everybody at every barrier would be 19 million.
    case.limits.warp_instructions = 2_000_000;
    assert_eq!(case.result::<i32>(0), [66; 24]);
    assert_eq!(case.run().map(|report| report.found).unwrap_or_default(), []);
}
