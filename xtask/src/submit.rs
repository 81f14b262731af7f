//! Measures what a learner waits for: from sending a kernel to reading its verdict.
//!
//! It is a learner over HTTP: a guest's cookie, the form, the event stream up to `finished`.
//! Between two submissions it thinks for a moment, as learners do: the grader readies its next sandbox meanwhile.
//! Which exercise that is does not matter; the first one with a solution is taken.

use crate::bench::Row;
use crate::http::{self, Request, Response};
use crate::paths;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

const WARM_UP: usize = 3;
const REPEATS: usize = 40;
const BUDGET_P50_MS: f64 = 400.0;
const TIMEOUT: Duration = Duration::from_secs(30);
const THINKING: Duration = Duration::from_millis(400);
/// A learner may not submit without end; the next one takes over.
const TOO_MANY: u16 = 429;

struct Learner {
    address: SocketAddr,
    /// Empty until the first submission makes a guest.
    cookie: String,
    form: String,
    path: String,
}

/// p50 and p95 of submit to verdict, and of a page beside them.
pub fn measure(address: SocketAddr, device: &str) -> Result<Vec<Row>> {
    let mut learner = Learner::new(address)?;
    for _ in 0..WARM_UP {
        learner.submit()?;
    }
    let mut page_times_ms = Vec::new();
    let mut verdict_times_ms = Vec::new();
    for _ in 0..REPEATS {
        page_times_ms.push(time_ms(|| learner.read_page())?);
        verdict_times_ms.push(learner.submit()?);
    }
    let page_ms = get_percentile(&mut page_times_ms, 50);
    let compared_with = format!("p50 of the exercise's page: {page_ms:.1} ms");
    let row = |percent: usize, value: f64, budget: Option<f64>| Row {
        name: format!("submit to verdict, {device}, p{percent}"),
        value,
        unit: "ms".to_owned(),
        compared_with: Some(compared_with.clone()),
        ratio: Some(value / page_ms),
        budget,
        ok: budget.is_none_or(|budget| value <= budget),
    };
    let p50_ms = get_percentile(&mut verdict_times_ms, 50);
    let p95_ms = get_percentile(&mut verdict_times_ms, 95);
    Ok(vec![row(50, p50_ms, Some(BUDGET_P50_MS)), row(95, p95_ms, None)])
}

impl Learner {
    fn new(address: SocketAddr) -> Result<Self> {
        let (slug, source) = find_solution()?;
        Ok(Self {
            address,
            cookie: String::new(),
            form: format!("source={}", encode(&source)),
            path: format!("/x/{slug}"),
        })
    }

    fn read_page(&self) -> Result<()> {
        let headers = [("Cookie", self.cookie.as_str())];
        let request = Request { headers: &headers, ..Request::get(&self.path) };
        let response = http::send(self.address, &request, TIMEOUT)?;
        let (path, status) = (&self.path, response.status);
        ensure!(status == 200, "{path} answers {status}");
        response.text()?;
        Ok(())
    }

    /// Milliseconds from sending the form to reading `finished`.
    fn submit(&mut self) -> Result<f64> {
        std::thread::sleep(THINKING);
        let mut started = Instant::now();
        let mut response = self.send_form()?;
        if response.status == TOO_MANY {
            self.cookie.clear();
            started = Instant::now();
            response = self.send_form()?;
        }
        let cookies = read_cookies(&response);
        if !cookies.is_empty() {
            self.cookie = cookies;
        }
        let status = response.status;
        let text = response.text()?;
        ensure!(status == 201, "a submission is answered {status}: {text}");
        let answer: Value = serde_json::from_str(&text)?;
        let submission = answer["submission"].as_str().context("no submission in the answer")?;
        self.wait_for_verdict(submission)?;
        Ok(to_ms(started.elapsed()))
    }

    fn send_form(&self) -> Result<Response> {
        let path = format!("{}/submissions", self.path);
        let origin = format!("http://{}", self.address);
        let headers = [
            ("Cookie", self.cookie.as_str()),
            ("Accept", "application/json"),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Origin", origin.as_str()),
            ("Sec-Fetch-Site", "same-origin"),
        ];
        let request = Request { method: "POST", path: &path, headers: &headers, body: &self.form };
        http::send(self.address, &request, TIMEOUT)
    }

    fn wait_for_verdict(&self, submission: &str) -> Result<()> {
        let path = format!("/s/{submission}/events");
        let headers = [("Cookie", self.cookie.as_str()), ("Accept", "text/event-stream")];
        let request = Request { headers: &headers, ..Request::get(&path) };
        let mut response = http::send(self.address, &request, TIMEOUT)?;
        ensure!(response.status == 200, "{path} answers {}", response.status);
        let mut is_finished = false;
        while let Some(line) = response.next_line()? {
            match line.strip_prefix("event:").map(str::trim) {
                Some("finished") => is_finished = true,
                Some("failed") => bail!("the grader failed"),
                _ => {}
            }
            // The empty line ends the event, data and all.
            if is_finished && line.is_empty() {
                return Ok(());
            }
        }
        bail!("{path} ends without a verdict")
    }
}

/// Slug and source of the first exercise of `lessons/` with a solution.
fn find_solution() -> Result<(String, String)> {
    let lessons = paths::root().join("lessons");
    let solutions = paths::list_files(&lessons, &|path| path.ends_with("solution.cu"))?;
    let path = solutions.first().context("no exercise has a solution.cu")?;
    let folder = path.parent().context("a file has a folder")?;
    let slug = folder.file_name().context("an exercise has a name")?;
    Ok((slug.to_string_lossy().into_owned(), fs::read_to_string(path)?))
}

/// The cookies set, as a `Cookie` header.
fn read_cookies(response: &Response) -> String {
    let pairs: Vec<&str> = response
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie")
        .filter_map(|(_, value)| value.split(';').next())
        .collect();
    pairs.join("; ")
}

/// application/x-www-form-urlencoded, as the WHATWG URL standard has it.
fn encode(text: &str) -> String {
    use std::fmt::Write;
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            b'*' | b'-' | b'.' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                encoded.push(char::from(byte));
            }
            _ => write!(encoded, "%{byte:02X}").expect("a string takes all"),
        }
    }
    encoded
}

fn time_ms(run: impl FnOnce() -> Result<()>) -> Result<f64> {
    let started = Instant::now();
    run()?;
    Ok(to_ms(started.elapsed()))
}

fn to_ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Nearest rank; sorts `values`, of which there is at least one.
fn get_percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100).max(1);
    values[rank - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_values() {
        let check = |percent: usize, expected: f64| {
            let found = get_percentile(&mut [4.0, 1.0, 3.0, 2.0], percent);
            assert!((found - expected).abs() < f64::EPSILON, "{percent}: {found}");
        };
        check(0, 1.0);
        check(50, 2.0);
        check(95, 4.0);
        check(100, 4.0);
    }

    #[test]
    fn forms_are_encoded_byte_by_byte() {
        assert_eq!(encode("a b\n&é*"), "a+b%0A%26%C3%A9*");
    }
}
