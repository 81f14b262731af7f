//! Every row of the probe, at every level and as every kind.

use sandbox::probe::{pick_level, probe_as};
use sandbox::{Kind, Level};

use super::{hostile, levels};

#[test]
fn every_escape_is_blocked() {
    for level in levels() {
        for kind in [Kind::Compiler, Kind::Simulator, Kind::Gpu] {
            let report = probe_as(level, &hostile(), &[kind]).expect("the probe reports");
            assert!(report.rows.len() > 60, "{report}");
            let open: Vec<_> = report.rows.iter().filter(|row| !row.ok).collect();
            assert!(open.is_empty(), "{report}\n{open:#?}");
            assert!(report.holds);
        }
    }
}

#[test]
fn the_best_level_is_picked() {
    let Some(best) = levels().into_iter().next() else {
        return;
    };
    let report = pick_level(&hostile(), false).expect("a level holds");
    assert_eq!(report.level, best);
    assert!(report.to_string().contains("holds"));
}

#[test]
fn a_program_that_is_no_runner_is_not_claimed() {
    let error = pick_level("/bin/true".as_ref(), false).expect_err("nothing was proved");
    let sentence = error.to_string();
    assert!(sentence.contains("Install bubblewrap"), "{sentence}");
    assert!(sentence.contains("level C: not allowed"), "{sentence}");
}

#[test]
fn landlock_and_seccomp_alone_block_the_same() {
    // Level C: what the other levels add is then known not to hide a hole of these two.
    let report = probe_as(
        Level::C,
        &hostile(),
        &[Kind::Compiler, Kind::Simulator, Kind::Gpu],
    );
    let report = report.expect("the probe reports");
    assert!(report.holds, "{report}");
}
