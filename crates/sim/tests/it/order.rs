//! Races that have to do with what kind of memory or of access it is.

use sim::{FoundKind, Missing};

use crate::case;

/// Lines and what is missing of the races of a block of 64.
fn check(kernel: &str, with_cells: bool, expect: &[(u32, u32, Missing)]) {
    let mut case = case("order", kernel, 1, 64);
    if with_cells {
        case = case.buffer("cells", &[0_i32; 64]);
    }
    let mut case = case.buffer("out", &[0_i32; 64]);
    let report = case.run().unwrap_or_else(|trap| panic!("{kernel}: {trap:?}"));
    let race = |found: &sim::Found| match &found.kind {
        FoundKind::Race { later, earlier, missing, .. } => {
            Some((later.line.unwrap_or(0), earlier.line.unwrap_or(0), *missing))
        }
        _ => None,
    };
    let told: Vec<_> = report.found.iter().filter_map(race).collect();
    assert_eq!(told, expect, "{kernel}");
}

#[test]
fn a_barrier_does_not_help_a_read_of_constant_data() {
    check("constant_read", true, &[(5, 3, Missing::Coherence)]);
    check("own_constant_read", true, &[]);
}

#[test]
fn what_malloc_gives_is_raced_for_like_any_memory() {
    check("heap_without_barrier", false, &[(17, 18, Missing::Barrier)]);
    check("heap_with_barrier", false, &[]);
}
