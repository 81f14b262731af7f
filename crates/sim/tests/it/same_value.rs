//! Stores of one value to one place: told apart from other races.

use sim::{FoundKind, Missing, Side};

use crate::case;

/// What is missing, and the lines of both sides, in runs on one and on two host threads.
fn races(kernel: &str, grid: u32) -> Vec<(Missing, [Option<u32>; 2])> {
    let run = |host_threads| {
        let mut case = case("same_value", kernel, grid, 64).buffer("a", &[0, 5, 4, 7].repeat(16));
        case = case.buffer("out", &[0; 65]);
        case.limits.host_threads = host_threads;
        let found = case.run().expect("it ends").found.into_iter();
        let race = |kind| match kind {
            FoundKind::Race { missing, later: Side { line, .. }, earlier, .. } => Some((missing, [earlier.line, line])),
            _ => None,
        };
        found.filter_map(|found| race(found.kind)).collect::<Vec<_>>()
    };
    let found = run(1);
    assert_eq!(found, run(2));
    found
}

#[test]
fn one_value_is_told_once() {
    assert_eq!(races("one_value", 1), [(Missing::SameValue, [Some(4); 2])]);
    assert_eq!(races("one_value", 16), [(Missing::SameValue, [Some(4); 2])], "also between blocks");
}

#[test]
fn other_values_and_reads_are_races() {
    assert_eq!(races("own_values", 1)[0].0, Missing::OneWriter);
    let found = races("read_too", 1);
    assert!(found.iter().all(|(missing, _)| *missing != Missing::SameValue) && !found.is_empty(), "{found:?}");
}
