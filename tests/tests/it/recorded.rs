//! What a real GPU answered, replayed on the simulator: `tests/recorded/*.json` is `grader check --device gpu --json`.
//!
//! Files that were not there when it was recorded are passed over; one that changed must be recorded again.

use std::collections::BTreeMap;

use anyhow::Context;
use e2e::world::{path, program};

/// Verdict of each (exercise, subject).
fn rows(report: &serde_json::Value) -> BTreeMap<(String, String), String> {
    let text = |row: &serde_json::Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let rows = report["rows"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| ((text(row, "exercise"), text(row, "subject")), text(row, "got"))).collect()
}

#[test]
fn the_simulator_says_what_the_gpu_said() -> anyhow::Result<()> {
    let output = std::process::Command::new(program("grader")?)
        .args(["--device", "sim", "check", "--json"])
        .arg(path("lessons"))
        .env("WARPYARD_LOG", "error")
        .output()?;
    let simulated =
        rows(&serde_json::from_slice(&output.stdout).context(String::from_utf8_lossy(&output.stderr).into_owned())?);
    let mut compared = 0;
    for file in std::fs::read_dir(path("tests/recorded"))? {
        let file = file?.path();
        let recorded = rows(&serde_json::from_slice(&std::fs::read(&file)?)?);
        for (key, got) in recorded {
            let Some(here) = simulated.get(&key) else { continue };
            assert_eq!(here, &got, "{} of {} in {}", key.1, key.0, file.display());
            compared += 1;
        }
    }
    assert!(compared > 0, "nothing was compared");
    Ok(())
}
