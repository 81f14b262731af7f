//! The three programs of the product and the files they serve.

use crate::shell::{self, Step};
use crate::{paths, site};
use anyhow::Result;
use clap::ValueEnum;
use std::path::PathBuf;
use std::process::Command;

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
        Profile::Release => for_this_processor(&mut command).args(["-p", "server", "-p", "grader", "--release"]),
    };
    shell::run(&mut command)?;
    step.done();
    Ok(())
}

/// Lets the compiler use what this processor can do: the simulator works on 32 lanes at a time, and with AVX2 it is
/// about twice as fast. What is built so runs on processors of the same level (x86-64-v3, 2013 and later).
pub fn for_this_processor(command: &mut Command) -> &mut Command {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("fma")
        && std::env::var_os("RUSTFLAGS").is_none()
    {
        command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-C target-cpu=x86-64-v3");
    }
    command
}

pub fn program(profile: Profile, name: &str) -> PathBuf {
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    };
    paths::target().join(folder).join(name)
}
