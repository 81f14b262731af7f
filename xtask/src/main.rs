//! What `./dev` calls: building, starting, checking, testing and measuring the product.
//!
//! `./dev` only installs what a machine lacks; every decision after that is taken here.
//! This program is never part of the product: nothing here runs in production.

mod paths;
mod pgwire;
mod postgres;
mod shell;
mod sqlx;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "xtask",
    about = "Build, start, check, test and measure Warpyard"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
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
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    std::env::set_current_dir(paths::root())?;
    match command {
        Command::Sqlx { action } => match action {
            SqlxAction::Prepare => sqlx::prepare(),
            SqlxAction::Check => sqlx::check(),
        },
    }
}
