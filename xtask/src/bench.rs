//! `./dev bench`: what we promise about speed, measured beside what it is compared with.
//!
//! A benchmark yields rows; with `--json` each is one object a line.
//! A row with a budget that it misses makes the run fail.

use crate::build::{self, Profile};
use crate::postgres::Postgres;
use crate::product::{self, Options, Product};
use crate::shell::{self, Step};
use crate::{cuda, paths, submit};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// One measured number. The grader writes its own; `xtask/bench-rows.jsonl` holds both sides to one form.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    pub value: f64,
    pub unit: String,
    /// What was measured in the same run for comparison, in words.
    pub compared_with: Option<String>,
    /// Our value divided by the other's.
    pub ratio: Option<f64>,
    /// The value must not exceed it.
    pub budget: Option<f64>,
    pub ok: bool,
}

type Bench = fn() -> Result<Vec<Row>>;

/// Name, whether it needs the whole product, and what it runs.
const BENCHES: [(&str, bool, Bench); 3] =
    [("sim", false, simulator), ("grader", true, grader), ("submit", true, submit)];

/// What was measured before, so that a slowdown is seen.
const HISTORY: &str = "docs/benches.csv";

/// Runs the benchmark of that name, or all; with `keep` the figures are added to the history.
pub fn run(name: Option<&str>, as_json: bool, keep: bool) -> Result<()> {
    let names = BENCHES.map(|(name, ..)| name).join(", ");
    let chosen: Vec<(&str, bool, Bench)> =
        BENCHES.into_iter().filter(|(found, ..)| name.is_none_or(|name| name == *found)).collect();
    if chosen.is_empty() {
        bail!("there is no such benchmark; there are {names}");
    }
    if chosen.iter().any(|(_, needs_all, _)| *needs_all) {
        build::all(Profile::Release)?;
    }
    let mut rows = Vec::new();
    for (name, _, bench) in chosen {
        let step = Step::loud(format!("Measuring {name}"));
        rows.extend(bench().with_context(|| format!("the benchmark {name} fails"))?);
        step.done();
    }
    for row in &rows {
        if as_json {
            println!("{}", to_json(row));
        }
    }
    if !as_json {
        print_table(&rows);
    }
    if keep {
        remember(&rows)?;
    }
    if let Some(row) = rows.iter().find(|row| !row.ok) {
        bail!("{} is over its budget", row.name);
    }
    Ok(())
}

/// Adds rows to the history: day, commit, processor, then the row.
fn remember(rows: &[Row]) -> Result<()> {
    let word = |command: &[&str]| -> Result<String> {
        let output = shell::get_output(Command::new(command[0]).args(&command[1..]))?;
        Ok(output.trim().to_owned())
    };
    let day = word(&["date", "-u", "+%F"])?;
    let commit = word(&["git", "describe", "--always", "--dirty"])?;
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = about
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown", |name| name.trim_start_matches([' ', '\t', ':']));
    let mut history = fs::read_to_string(HISTORY)
        .unwrap_or_else(|_| "day,commit,processor,name,value,unit,budget,ratio,compared with\n".to_owned());
    for row in rows {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
        let cells = [
            day.clone(),
            commit.clone(),
            processor.to_owned(),
            row.name.clone(),
            format!("{:.2}", row.value),
            row.unit.clone(),
            number(row.budget),
            number(row.ratio),
            row.compared_with.clone().unwrap_or_default(),
        ];
        history += &cells.map(|cell| cell.replace(',', ";")).join(",");
        history.push('\n');
    }
    fs::write(HISTORY, history).with_context(|| format!("{HISTORY} cannot be written"))
}

/// The simulator beside native loops.
fn simulator() -> Result<Vec<Row>> {
    let mut command = shell::cargo();
    build::for_this_processor(&mut command).args(["run", "--quiet", "--release", "-p", "sim", "--example", "bench"]);
    rows_of(&shell::get_output(&mut command)?)
}

/// What the grader measures of itself, without Postgres and HTTP.
fn grader() -> Result<Vec<Row>> {
    let mut command = Command::new(build::program(Profile::Release, "grader"));
    command
        .args(["bench", "--json"])
        .env("WARPYARD_LESSONS", paths::root().join("lessons"))
        .env("WARPYARD_CUDA", cuda::find()?);
    rows_of(&shell::get_output(&mut command)?)
}

fn rows_of(lines: &str) -> Result<Vec<Row>> {
    lines
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| parse_row(line).with_context(|| format!("no row: {line}")))
        .collect()
}

/// Submit to verdict, through everything.
fn submit() -> Result<Vec<Row>> {
    let postgres = Postgres::start_throwaway()?;
    let log = paths::target().join("bench.log");
    let _ = fs::remove_file(&log);
    let options = Options {
        address: product::find_free_address()?,
        profile: Profile::Release,
        database_url: postgres.url(),
        log: Some(log.clone()),
        environment: Vec::new(),
    };
    let started = Product::start(options, || false).and_then(|mut product| {
        let device = product.wait_for_grader(|| false)?;
        Ok((product, device.context("no grader reported within 60 s")?))
    });
    let (product, device) = started.with_context(|| format!("see {}", log.display()))?;
    submit::measure(product.address, &device).with_context(|| format!("see {}", log.display()))
}

fn parse_row(line: &str) -> Option<Row> {
    let row: Value = serde_json::from_str(line).ok()?;
    let number = |name: &str| row.get(name).and_then(Value::as_f64);
    let word = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Row {
        name: word("name")?,
        value: number("value")?,
        unit: word("unit")?,
        compared_with: word("compared_with"),
        ratio: number("ratio"),
        budget: number("budget"),
        ok: row.get("ok")?.as_bool()?,
    })
}

fn to_json(row: &Row) -> Value {
    json!({
        "name": row.name,
        "value": row.value,
        "unit": row.unit,
        "compared_with": row.compared_with,
        "ratio": row.ratio,
        "budget": row.budget,
        "ok": row.ok,
    })
}

fn print_table(rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    println!(
        "{:width$}  {:>10} {:6} {:>10} {:>7}  {:4} compared with",
        "name", "value", "unit", "budget", "ratio", "ok"
    );
    for row in rows {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
        println!(
            "{:width$}  {:>10.2} {:6} {:>10} {:>7}  {:4} {}",
            row.name,
            row.value,
            row.unit,
            number(row.budget),
            number(row.ratio),
            if row.ok { "yes" } else { "NO" },
            row.compared_with.as_deref().unwrap_or_default()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_its_json() {
        let row = Row {
            name: "a".to_owned(),
            value: 1.5,
            unit: "ms".to_owned(),
            compared_with: None,
            ratio: Some(0.5),
            budget: Some(2.0),
            ok: true,
        };
        assert_eq!(parse_row(&to_json(&row).to_string()), Some(row));
        assert_eq!(parse_row(r#"{"name":"a"}"#), None);
    }

    #[test]
    fn what_the_grader_writes_is_read_whole() {
        for line in include_str!("../bench-rows.jsonl").lines() {
            let row = parse_row(line).unwrap();
            assert_eq!(to_json(&row), serde_json::from_str::<Value>(line).unwrap());
        }
    }
}
