//! `./dev test`: the check, then every kind of test, then one line with the whole count.
//!
//! A failure stops nothing but what cannot run without it, so that the count is whole:
//! `N passed, N failed` alone on the last line, and exit code 1 if anything failed.

use crate::build::{self, Profile};
use crate::check;
use crate::postgres::Postgres;
use crate::product::{self, Options, Product};
use crate::shell::{self, Step};
use crate::tally::{self, Tally};
use crate::{cuda, paths};
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Runs everything, or only Rust tests whose name contains `filter`.
pub fn run(filter: Option<&str>) -> ExitCode {
    let mut tally = Tally::default();
    match filter {
        Some(filter) => {
            eprintln!("==> Only Rust tests named like `{filter}`; the rest is left out");
            tally += check::step("Build", || build::programs(Profile::Dev));
            tally += with_database(|url| rust_tests(url, Some(filter)));
        }
        None => everything(&mut tally),
    }
    println!();
    println!("{tally}");
    if tally.failed > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn everything(tally: &mut Tally) {
    *tally += check::all();
    let built = check::step("Build", || build::all(Profile::Dev));
    *tally += built;
    if built.failed > 0 {
        eprintln!("==> Nothing can be tested that does not compile");
        return;
    }
    *tally += with_database(|url| {
        let mut tally = rust_tests(url, None);
        tally += counted("Documentation tests", documentation_tests);
        tally
    });
    *tally += counted("Exercises on the simulator", || exercises("lessons"));
    *tally += counted("Labelled kernels on the simulator", || exercises("tests/kernels"));
    // Its own cluster: nothing that the tests above left behind may matter.
    *tally += with_database(|url| counted("Browser tests", || browser_tests(url)));
}

/// Gives a throwaway cluster to `run`; a cluster that does not start is one failure.
fn with_database(run: impl FnOnce(&str) -> Tally) -> Tally {
    match Postgres::start_throwaway() {
        Ok(postgres) => run(&postgres.url()),
        Err(error) => {
            eprintln!("{error:#}");
            Tally::FAILED
        }
    }
}

/// A step that counts its tests itself; an error is one more failure.
fn counted(title: &str, run: impl FnOnce() -> Result<Tally>) -> Tally {
    let step = Step::loud(title);
    match run() {
        Ok(tally) => {
            step.done_with(&tally.to_string());
            tally
        }
        Err(error) => {
            eprintln!("{error:#}");
            step.done_with("FAIL");
            Tally::FAILED
        }
    }
}

fn rust_tests(database_url: &str, filter: Option<&str>) -> Tally {
    counted("Rust tests", || {
        let mut command = shell::cargo();
        let has_nextest = paths::find_program("cargo-nextest").is_some();
        let parse = if has_nextest {
            command.args(["nextest", "run", "--workspace", "--no-tests=pass"]);
            tally::parse_nextest
        } else {
            command.args(["test", "--workspace", "--no-fail-fast", "--all-targets"]);
            tally::parse_libtest
        };
        command
            .args(filter)
            .env("DATABASE_URL", database_url)
            .env("WARPYARD_CUDA", cuda::find()?)
            .env("WARPYARD_LESSONS", paths::root().join("lessons"));
        count(&mut command, parse)
    })
}

fn documentation_tests() -> Result<Tally> {
    let mut command = shell::cargo();
    command.args(["test", "--workspace", "--doc", "--no-fail-fast"]);
    count(&mut command, tally::parse_libtest)
}

/// Passes on every line of the program and adds up the results among them.
///
/// A failing program without a failed test is one failure: it did not compile, or it crashed.
fn count(command: &mut Command, parse: fn(&str) -> Option<Tally>) -> Result<Tally> {
    // One pipe for both streams keeps the order of lines.
    let (reader, writer) = std::io::pipe()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("cannot start `{}`", shell::describe(command)))?;
    // Our ends of the pipe must close, or its end is never seen.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut tally = Tally::default();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        eprintln!("{line}");
        if let Some(found) = parse(&line) {
            tally += found;
        }
    }
    let status = child.wait()?;
    if !status.success() && tally.failed == 0 {
        eprintln!("`{}` failed without a failed test", shell::describe(command));
        tally += Tally::FAILED;
    }
    Ok(tally)
}

fn exercises(course: &str) -> Result<Tally> {
    let mut command = Command::new(build::program(Profile::Dev, "grader"));
    command.args(["--device", "sim", "check", course]).env("WARPYARD_CUDA", cuda::find()?);
    count(&mut command, tally::parse_grader)
}

/// The whole product on a free port, and Playwright before it.
fn browser_tests(database_url: &str) -> Result<Tally> {
    let config = paths::root().join("playwright.config.ts");
    if !config.exists() {
        bail!("playwright.config.ts is missing");
    }
    let report = paths::target().join("playwright.json");
    let _ = fs::remove_file(&report);
    let log = paths::target().join("browser-tests.log");
    let mut product = start_for_tests(database_url, log.clone()).with_context(|| format!("see {}", log.display()))?;
    let base = format!("http://{}", product.address);
    let mut command = Command::new(paths::root().join("node_modules/.bin/playwright"));
    command
        .args(["test", "--reporter=list,json"])
        .env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report)
        .env("WARPYARD_URL", base)
        .env("WARPYARD_TEST_URL", database_url)
        .env("CI", "1");
    let succeeded = shell::succeeds(&mut command)?;
    product.stop(|| false);
    let text = fs::read_to_string(&report).context("Playwright left no report")?;
    let mut tally = tally::parse_playwright(&text).context("Playwright's report has no counts")?;
    if !succeeded && tally.failed == 0 {
        tally += Tally::FAILED;
    }
    if tally.failed > 0 {
        eprintln!("The words of server and grader are in {}", log.display());
    }
    Ok(tally)
}

fn start_for_tests(database_url: &str, log: PathBuf) -> Result<Product> {
    let _ = fs::remove_file(&log);
    let options = Options {
        address: product::find_free_address()?,
        profile: Profile::Dev,
        database_url: database_url.to_owned(),
        log: Some(log),
        environment: Vec::new(),
    };
    let mut product = Product::start(options, || false)?;
    product.wait_for_grader(|| false)?.context("no grader reported within 60 s")?;
    Ok(product)
}
