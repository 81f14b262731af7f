//! Copies that threads wait for, and barriers in shared memory.

use sim::{FoundKind, TrapKind};

use crate::case;

#[test]
fn stages_hold_what_was_copied() {
    let numbers: Vec<f32> = (0..256 * 7).map(|index| (index * 37 % 101) as f32).collect();
    let mut staged = case("copies", "staged", 1, 64).buffer("in", &numbers).buffer("out", &[0.0_f32; 64]).value(7_i32);
    let expect: Vec<f32> = (0..64)
        .map(|t| (0..7).flat_map(|k| (0..4).map(move |i| 256 * k + (t + 64 * i) % 256)).map(|at| numbers[at]).sum())
        .collect();
    assert_eq!(staged.result::<f32>(1), expect);
    let report = staged.run().unwrap();
    assert!(report.found.is_empty(), "{:?}", report.found);
}

#[test]
fn a_copy_that_nobody_waits_for_is_not_there() {
    let numbers: Vec<f32> = (0..64).map(|index| index as f32).collect();
    let mut unwaited = case("copies", "unwaited", 1, 64).buffer("in", &numbers).buffer("out", &[0.0_f32; 64]);
    let report = unwaited.run().unwrap();
    assert_eq!(unwaited.result::<f32>(1), [-1.0; 64]);
    assert!(
        report.found.iter().any(|found| matches!(found.kind, FoundKind::Uninitialised { .. })),
        "{:?}",
        report.found
    );
}

#[test]
fn what_is_not_copied_is_zero() {
    let numbers: Vec<f32> = (1..=70).map(|index| index as f32).collect();
    let mut expect = numbers.clone();
    expect.resize(128, 0.0);
    let mut tail = case("copies", "tail", 1, 32).buffer("in", &numbers).buffer("out", &[0.0_f32; 128]).value(70_i32);
    assert_eq!(tail.result::<f32>(1), expect);
    // One more element than there is.
    let mut outside = case("copies", "tail", 1, 32).buffer("in", &numbers).buffer("out", &[0.0_f32; 128]).value(71_i32);
    let trap = outside.run().unwrap_err();
    assert_eq!((trap.line, trap.thread[0]), (Some(34), 17), "{trap:?}");
    assert!(
        matches!(trap.kind, TrapKind::OutOfBounds { write: false, index: 70, size: 70, threads: 1, .. }),
        "{trap:?}"
    );
}

#[test]
fn barriers_in_memory_hand_on() {
    let mut handed = case("copies", "handed", 1, 64).buffer("out", &[0_i32; 64]).value(5_i32);
    let expect: Vec<i32> = (0..64).map(|t| if t < 32 { 0 } else { 1000 + 5 * (63 - t) }).collect();
    assert_eq!(handed.result::<i32>(0), expect);
    let report = handed.run().unwrap();
    assert!(report.found.is_empty(), "{:?}", report.found);
    let numbers: Vec<i32> = (0..64).map(|index| index * 11).collect();
    let mut counted = case("copies", "counted", 1, 64).buffer("in", &numbers).buffer("out", &[0_i32; 64]);
    let reversed: Vec<i32> = numbers.iter().rev().copied().collect();
    assert_eq!(counted.result::<i32>(1), reversed);
    let report = counted.run().unwrap();
    assert!(report.found.is_empty(), "{:?}", report.found);
}
