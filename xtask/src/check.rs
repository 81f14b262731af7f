//! `./dev check`: what holds before any test runs, and before every commit.
//!
//! Every step runs even when an earlier one fails, and each counts as one test.

use crate::shell::{self, Step};
use crate::tally::Tally;
use crate::{licences, sqlx, tidy};
use anyhow::{Result, bail};

pub fn run() -> Result<()> {
    let tally = all();
    println!("{tally}");
    if tally.failed > 0 {
        bail!("the check found what must be repaired first; see the lines with FAIL above");
    }
    Ok(())
}

pub fn all() -> Tally {
    let mut tally = Tally::default();
    tally += step("Format", format);
    for (title, rule) in tidy::RULES {
        tally += step(&format!("Tidy: {title}"), || tidy::check(*rule));
    }
    tally += step("Lints of the workspace", || clippy(&["--workspace", "--all-targets"]));
    tally += step("Lints of what runs in the browser", || clippy(&["-p", "app", "--features", "hydrate"]));
    tally += step("Documentation of the libraries", document);
    tally += step("Query metadata", sqlx::check);
    tally += step("Licences", licences::check);
    tally += advisories();
    tally
}

/// What is skipped counts as nothing.
fn advisories() -> Tally {
    let mut skipped = None;
    let tally = step("Advisories", || {
        skipped = licences::check_advisories()?;
        Ok(())
    });
    match skipped {
        Some(reason) => {
            eprintln!("==> Advisories: skipped, since {reason}");
            Tally::default()
        }
        None => tally,
    }
}

/// Runs one step, says how it went, and counts it as one test.
pub fn step(title: &str, run: impl FnOnce() -> Result<()>) -> Tally {
    let step = Step::loud(title);
    match run() {
        Ok(()) => {
            step.done_with("ok");
            Tally::PASSED
        }
        Err(error) => {
            eprintln!("{error:#}");
            step.done_with("FAIL");
            Tally::FAILED
        }
    }
}

fn format() -> Result<()> {
    if shell::succeeds(shell::cargo().args(["fmt", "--all", "--check"]))? {
        return Ok(());
    }
    bail!("run `cargo fmt --all`")
}

fn clippy(selection: &[&str]) -> Result<()> {
    let mut command = shell::cargo();
    command.args(["clippy", "--quiet"]).args(selection);
    shell::run(command.args(["--", "-D", "warnings"]))
}

fn document() -> Result<()> {
    let mut command = shell::cargo();
    command.args(["doc", "--quiet", "--no-deps", "--workspace", "--lib"]).env("RUSTDOCFLAGS", "-D warnings");
    shell::run(&mut command)
}
