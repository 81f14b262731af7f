//! Memory that nobody wrote: what counts as its use, and copies of what was written in part.

use sim::{FoundKind, Role};

use crate::case;

/// Lines where something is used that nobody wrote, in the judged build and in the one for debugging.
fn check(kernel: &str, lines: [&[Option<u32>]; 2]) {
    for (file, lines) in ["unwritten", "unwritten_debug"].into_iter().zip(lines) {
        let mut case = case(file, kernel, 1, 64).buffer("out", &[0_i32; 64]);
        case.buffers[0].role = Role::Output;
        if kernel == "second_byte" {
            case = case.value(i32::from(lines.is_empty()));
        }
        let report = case.run().unwrap_or_else(|trap| panic!("{kernel}: {trap:?}"));
        let unwritten = |found: &&sim::Found| matches!(found.kind, FoundKind::Uninitialised { .. });
        let told: Vec<_> = report.found.iter().filter(unwritten).map(|found| found.line).collect();
        assert_eq!(told, lines, "{file} {kernel}");
    }
}

#[test]
fn what_is_exchanged_counts_only_where_it_is_used() {
    check("exchanged", [&[Some(4)], &[Some(4)]]);
    check("exchanged_and_dropped", [&[], &[]]);
}

#[test]
fn what_an_atomic_compares_with_counts() {
    // Where nothing is optimised the atomics are functions of CUDA's headers, which have no line of the source.
    check("greatest", [&[Some(15)], &[None]]);
    check("masked", [&[Some(21)], &[None]]);
}

#[test]
fn padding_and_members_that_nobody_uses_are_copied_in_silence() {
    check("padded", [&[], &[]]);
    check("three_of_four", [&[], &[]]);
}

#[test]
fn a_member_that_nobody_wrote_is_told_where_it_is_used() {
    check("fourth_of_four", [&[Some(59)], &[Some(60)]]);
    check("second_byte", [&[Some(67)], &[Some(67)]]);
    check("second_byte", [&[], &[]]);
}
