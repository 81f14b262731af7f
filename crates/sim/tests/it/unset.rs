//! Variables that were never set, in builds for debugging: optimised code no longer holds the mistake.

use sim::{FoundKind, Role, TrapKind};

use crate::case;

/// Lines and kinds that are found, over 64 integers in two blocks.
fn found(kernel: &str) -> Vec<(Option<u32>, FoundKind)> {
    let values: Vec<i32> = (0..80).map(|at| at % 8).collect();
    let mut case = case("unset_debug", kernel, 2, 32).buffer("a", &values).buffer("b", &[0_i32; 64]).value(64_i32);
    case.buffers[1].role = Role::Output;
    let report = case.run().unwrap_or_else(|trap| panic!("{trap:?}"));
    report.found.into_iter().map(|found| (found.line, found.kind)).collect()
}

#[test]
fn a_variable_that_is_set_one_way_only_is_told_where_it_is_used() {
    let unset = |line| vec![(Some(line), FoundKind::Uninitialised { at: None })];
    assert_eq!(found("one_way"), unset(8));
    assert_eq!(found("no_start"), unset(14));
}

#[test]
fn an_own_array_that_is_not_filled_is_told() {
    let [(line, FoundKind::Uninitialised { at: Some(at) })] = &found("own_array")[..] else {
        panic!("{:?}", found("own_array"))
    };
    assert_eq!((*line, at.space), (Some(34), sim::Space::Local));
}

#[test]
fn what_is_set_wherever_it_is_used_is_not_told() {
    assert_eq!(found("both_ways"), []);
}

#[test]
fn a_load_whose_value_nobody_uses_is_there_and_has_bounds() {
    let mut case =
        case("unset_debug", "dead_load", 2, 32).buffer("a", &[1_i32; 64]).buffer("b", &[0_i32; 64]).value(64_i32);
    let trap = case.run().expect_err("the last thread reads past the end");
    assert_eq!(trap.line, Some(41));
    assert!(matches!(trap.kind, TrapKind::OutOfBounds { index: 64, .. }), "{trap:?}");
}
