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
    let report = probe_as(Level::C, &hostile(), &[Kind::Compiler, Kind::Simulator, Kind::Gpu]);
    let report = report.expect("the probe reports");
    assert!(report.holds, "{report}");
}

/// What a grader says at its start on a kernel without this.
fn pick_without(what: &str) -> String {
    let output = std::process::Command::new(hostile()).args(["pick-without", what]).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn a_kernel_without_landlock_is_refused() {
    let said = pick_without("landlock");
    assert!(said.starts_with("no sandbox level holds here"), "{said}");
    assert!(levels().is_empty() || said.contains("no Landlock"), "{said}");
}

#[test]
fn a_kernel_without_seccomp_is_refused() {
    let said = pick_without("seccomp");
    assert!(said.starts_with("no sandbox level holds here"), "{said}");
}

#[test]
fn without_user_namespaces_root_falls_back_to_uids() {
    let said = pick_without("namespaces");
    if levels().contains(&Level::B) {
        assert_eq!(said, "B");
    } else {
        assert!(said.starts_with("no sandbox level holds here"), "{said}");
    }
}
