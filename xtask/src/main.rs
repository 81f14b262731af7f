//! What `./dev` calls: building, starting, checking, testing and measuring the product.
//!
//! `./dev` only installs what a machine lacks; every decision after that is taken here.
//! This program is never part of the product: nothing here runs in production.

mod bench;
mod build;
mod check;
mod cuda;
mod http;
mod licences;
mod paths;
mod pgwire;
mod postgres;
mod product;
mod service;
mod shell;
mod site;
mod sqlx;
mod submit;
mod tally;
mod test;
mod tidy;
mod up;
mod wasm;

use anyhow::Result;
use build::Profile;
use clap::{Parser, Subcommand};
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "xtask", about = "Build, start, check, test and measure Warpyard")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile everything and start it; Ctrl-C ends it
    Up {
        /// Port to listen on
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// Address to listen on; 0.0.0.0 lets other machines in
        #[arg(long = "addr", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
        address: IpAddr,
        /// How to compile
        #[arg(long, value_enum, default_value_t = Profile::Release)]
        profile: Profile,
    },
    /// Compile everything: the site's files, server, grader
    Build {
        /// How to compile
        #[arg(long, value_enum, default_value_t = Profile::Dev)]
        profile: Profile,
    },
    /// Check, then run all tests; ends in `N passed, N failed`
    Test {
        /// Run only Rust tests whose name contains this
        filter: Option<String>,
    },
    /// Format, lints, house rules, documentation, licences, query metadata
    Check,
    /// The house rules alone
    Tidy,
    /// Measure; fails when a budget is missed
    Bench {
        /// Only this benchmark
        name: Option<String>,
        /// One object a line instead of a table
        #[arg(long)]
        json: bool,
        /// Add the figures to docs/benches.csv
        #[arg(long)]
        keep: bool,
    },
    /// Keep `.sqlx` (checked-in query metadata) in step with migrations and queries
    Sqlx {
        #[command(subcommand)]
        action: SqlxAction,
    },
}

#[derive(Subcommand)]
enum SqlxAction {
    /// Write `.sqlx` anew
    Prepare,
    /// Say whether `.sqlx` is what `prepare` would write
    Check,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    std::env::set_current_dir(paths::root())?;
    match command {
        Command::Up { port, address, profile } => up::up(address, port, profile),
        Command::Build { profile } => build::all(profile),
        Command::Test { filter } => return Ok(test::run(filter.as_deref())),
        Command::Check => check::run(),
        Command::Tidy => tidy::run(),
        Command::Bench { name, json, keep } => bench::run(name.as_deref(), json, keep),
        Command::Sqlx { action } => match action {
            SqlxAction::Prepare => sqlx::prepare(),
            SqlxAction::Check => sqlx::check(),
        },
    }?;
    Ok(ExitCode::SUCCESS)
}
