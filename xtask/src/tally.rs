//! How many passed and how many failed, counted from what test programs print.

use serde_json::Value;
use std::fmt;
use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
}

impl Tally {
    pub const PASSED: Self = Self { passed: 1, failed: 0 };
    pub const FAILED: Self = Self { passed: 0, failed: 1 };
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// nextest: `Summary [   0.017s] 9 tests run: 5 passed (1 slow), 2 failed, 1 timed out, 1 skipped`.
pub fn parse_nextest(line: &str) -> Option<Tally> {
    let counts = line.trim().strip_prefix("Summary [")?;
    let (_, counts) = counts.split_once(" run: ")?;
    let mut tally = Tally::default();
    // What stands in parentheses is counted already.
    for part in without_parentheses(counts).split(',') {
        let (number, kind) = part.trim().split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match kind.trim() {
            "passed" => tally.passed += number,
            "skipped" => {}
            _ => tally.failed += number,
        }
    }
    Some(tally)
}

/// libtest: `test result: FAILED. 5 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; …`.
pub fn parse_libtest(line: &str) -> Option<Tally> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut tally = Tally::default();
    for part in counts.split(';') {
        match part.trim().split_once(' ') {
            Some((number, "passed")) => tally.passed += number.parse::<u64>().ok()?,
            Some((number, "failed")) => tally.failed += number.parse::<u64>().ok()?,
            _ => {}
        }
    }
    Some(tally)
}

/// `grader check`: `8 passed, 1 failed, judged on simulator`.
pub fn parse_grader(line: &str) -> Option<Tally> {
    let (counts, _) = line.split_once(", judged on ")?;
    let (passed, failed) = counts.split_once(" passed, ")?;
    Some(Tally { passed: passed.parse().ok()?, failed: failed.strip_suffix(" failed")?.parse().ok()? })
}

/// Playwright's JSON report. A test that passed only when repeated has failed.
pub fn parse_playwright(report: &str) -> Option<Tally> {
    let report: Value = serde_json::from_str(report).ok()?;
    let stats = report.get("stats")?;
    let count = |name: &str| stats.get(name).and_then(Value::as_u64);
    let broken = report.get("errors").and_then(Value::as_array).map_or(0, Vec::len);
    Some(Tally { passed: count("expected")?, failed: count("unexpected")? + count("flaky")? + broken as u64 })
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|character| {
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64) -> Tally {
        Tally { passed, failed }
    }

    #[test]
    fn nextest_summaries_are_counted_whole() {
        let check = |line: &str, expected| assert_eq!(parse_nextest(line), expected, "{line}");
        check("     Summary [   0.003s] 6 tests run: 6 passed, 0 skipped", Some(tally(6, 0)));
        check(
            "     Summary [  10.003s] 9 tests run: 5 passed (1 slow, 2 leaky), 2 failed, 1 timed out, 1 exec failed, 3 skipped",
            Some(tally(5, 4)),
        );
        check("     Summary [   1.000s] 3/9 tests run: 2 passed, 1 failed, 0 skipped", Some(tally(2, 1)));
        check("     Summary [   0.000s] 0 tests run: 0 passed, 4 skipped", Some(tally(0, 0)));
        check("        PASS [   0.003s] xtask tally::tests::x", None);
    }

    #[test]
    fn libtest_results_are_counted() {
        let line = "test result: FAILED. 5 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(parse_libtest(line), Some(tally(5, 2)));
        assert_eq!(parse_libtest("test a ... ok"), None);
    }

    #[test]
    fn exercises_are_counted_by_what_was_proved() {
        let line = "8 passed, 1 failed, judged on simulator";
        assert_eq!(parse_grader(line), Some(tally(8, 1)));
        assert_eq!(parse_grader("8 passed, 1 failed"), None);
    }

    #[test]
    fn playwright_counts_flaky_and_broken_as_failed() {
        let report = r#"{"errors":[{}],"stats":{"expected":3,"skipped":1,"unexpected":1,"flaky":2}}"#;
        assert_eq!(parse_playwright(report), Some(tally(3, 4)));
        assert_eq!(parse_playwright("Error: no tests found"), None);
    }
}
