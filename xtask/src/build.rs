//! The three programs of the product and the files they serve.

use crate::shell::{self, Step};
use crate::{paths, site};
use anyhow::Result;
use clap::ValueEnum;
use std::path::PathBuf;

/// How the programs are compiled.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum Profile {
    /// What tests run; simulator and grader are optimised all the same
    Dev,
    /// What people use
    Release,
}

/// Makes `target/site`, `server`, `grader` and `runner`.
pub fn all(profile: Profile) -> Result<()> {
    site::build()?;
    programs(profile)
}

pub fn programs(profile: Profile) -> Result<()> {
    let step = Step::loud("Compiling server and grader");
    let mut command = shell::cargo();
    command.args(["build", "--bins"]);
    match profile {
        // The selection of the tests, so that both share every dependency's features.
        Profile::Dev => command.arg("--workspace"),
        Profile::Release => command.args(["-p", "server", "-p", "grader", "--release"]),
    };
    shell::run(&mut command)?;
    step.done();
    Ok(())
}

pub fn program(profile: Profile, name: &str) -> PathBuf {
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    };
    paths::target().join(folder).join(name)
}
