//! Rules about Rust files.

use super::Broken;
use super::source::{self, Source};
use anyhow::Result;

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;

/// Files that may be longer, each with its reason.
const LONG_FILES: [(&str, &str); 0] = [];
/// Functions that may be longer, each with its reason: (path, name, reason).
const LONG_FUNCTIONS: [(&str, &str, &str); 0] = [];

/// Where unsafe code may be written (ARCHITECTURE.md, invariant 4).
const UNSAFE_PLACES: [&str; 4] =
    ["crates/sandbox/", "grader/src/device/gpu", "grader/src/compile", "grader/examples/launch_all"];
const SAFE_CRATES: [&str; 6] = [
    "crates/db/src/lib.rs",
    "crates/domain/src/lib.rs",
    "crates/lesson/src/lib.rs",
    "crates/ptx/src/lib.rs",
    "crates/sim/src/lib.rs",
    "server/src/lib.rs",
];

/// Crates that compute and never ask the machine what time it is.
const TIMELESS: [&str; 4] = ["crates/domain/", "crates/lesson/", "crates/ptx/", "crates/sim/"];
const CLOCKS: [&str; 6] =
    ["Instant::now", "SystemTime::now", "OffsetDateTime::now_utc", "rand::rng", "rand::random", "Uuid::now_v7"];
const CLOCKS_NOWHERE: [&str; 2] = ["Utc::now", "thread_rng"];

/// Outside `db`: who may hold SQL, and why.
const SQL_PLACES: [(&str, &str); 3] = [
    ("crates/db/", "the home of all SQL"),
    ("xtask/src/postgres/", "asks a cluster whether it answers"),
    ("xtask/src/tidy/rust.rs", "names what it looks for"),
];
const SQL_OPENINGS: [&str; 7] =
    ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "CREATE TABLE ", "TRUNCATE ", "ALTER TABLE "];

/// Style guide, rule 16.
pub fn modules_open_with_docs() -> Broken {
    each(|source| match source.text.lines().next() {
        Some(first) if first.starts_with("//!") => Vec::new(),
        _ => vec![format!("{}:1: open with `//!`: what it does", source.path)],
    })
}

/// Style guide, rule 8.
pub fn files_are_short() -> Broken {
    each(|source| {
        let lines = source.product_lines();
        let is_listed = LONG_FILES.iter().any(|(path, _)| *path == source.path);
        if source.is_test() || is_listed || lines <= FILE_LINES_MAX {
            return Vec::new();
        }
        let path = &source.path;
        vec![format!("{path}: {lines} lines without tests, {FILE_LINES_MAX} are allowed")]
    })
}

/// Style guide, rule 7.
pub fn functions_are_short() -> Broken {
    each(|source| {
        if source.is_test() {
            return Vec::new();
        }
        let product_lines = source.product_lines();
        list_functions(&source.code)
            .into_iter()
            .filter(|function| function.line <= product_lines)
            .filter(|function| function.lines > FUNCTION_LINES_MAX)
            .filter(|function| {
                !LONG_FUNCTIONS.iter().any(|(path, name, _)| *path == source.path && *name == function.name)
            })
            .map(|function| {
                let (path, line, name) = (&source.path, function.line, function.name);
                let lines = function.lines;
                format!("{path}:{line}: `{name}` has {lines} lines, {FUNCTION_LINES_MAX} are allowed")
            })
            .collect()
    })
}

/// Style guide, rule 53.
pub fn tests_are_plain() -> Broken {
    each(|source| {
        let mut broken = Vec::new();
        for (index, line) in source.code.lines().enumerate() {
            if ["#[ignore", "#[should_panic"].iter().any(|word| line.contains(word)) {
                broken.push(format!("{}:{}: `{}`", source.path, index + 1, line.trim()));
            }
        }
        broken
    })
}

/// Style guide, rule 36; invariant 1.
pub fn time_is_a_parameter() -> Broken {
    each(|source| {
        // Examples measure.
        let is_timeless =
            TIMELESS.iter().any(|place| source.path.starts_with(place)) && !source.path.contains("/examples/");
        let clocks: &[&str] = if is_timeless { &CLOCKS } else { &[] };
        clocks.iter().chain(&CLOCKS_NOWHERE).flat_map(|word| report(source, word, "is a parameter here")).collect()
    })
}

/// Invariant 4.
pub fn unsafe_is_confined() -> Broken {
    each(|source| {
        if UNSAFE_PLACES.iter().any(|place| source.path.starts_with(place)) {
            return Vec::new();
        }
        report(source, "unsafe", "is not allowed here")
    })
}

/// Invariant 4.
pub fn safe_crates_forbid_unsafe() -> Broken {
    each(|source| {
        let must = SAFE_CRATES.contains(&source.path.as_str());
        if !must || source.code.contains("#![forbid(unsafe_code)]") {
            return Vec::new();
        }
        vec![format!("{}: `#![forbid(unsafe_code)]` is missing", source.path)]
    })
}

/// Invariant 3.
pub fn sql_stays_in_db() -> Broken {
    each(|source| {
        if SQL_PLACES.iter().any(|(place, _)| source.path.starts_with(place)) {
            return Vec::new();
        }
        let in_strings = source.strings.iter().filter(|(_, text)| {
            let text = text.trim_start();
            SQL_OPENINGS.iter().any(|opening| text.starts_with(opening))
        });
        let mut broken: Vec<String> =
            in_strings.map(|(line, _)| format!("{}:{line}: SQL belongs into crates/db", source.path)).collect();
        for word in ["sqlx::query", "sqlx::query_as", "sqlx::query_scalar"] {
            broken.extend(report(source, word, "belongs into crates/db"));
        }
        broken
    })
}

/// Invariant 6.
pub fn ui_has_no_data() -> Broken {
    each(|source| {
        if !source.path.starts_with("app/src/ui") {
            return Vec::new();
        }
        let mut broken = report(source, "api", "is data, and ui has none");
        broken.extend(report(source, "server", "is data, and ui has none"));
        broken
    })
}

fn each(rule: impl Fn(&Source) -> Vec<String>) -> Broken {
    let sources: Result<Vec<Source>> = source::list();
    Ok(sources?.iter().flat_map(rule).collect())
}

fn report(source: &Source, word: &str, what: &str) -> Vec<String> {
    source.find_word(word).into_iter().map(|line| format!("{}:{line}: `{word}` {what}", source.path)).collect()
}

#[derive(Debug, PartialEq)]
struct Function<'code> {
    name: &'code str,
    line: usize,
    /// From its signature to its closing brace.
    lines: usize,
}

/// Functions with a body, by braces; `code` has no comments and strings.
fn list_functions(code: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("fn ") {
        let before = code.as_bytes()[..start].last();
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            continue;
        }
        let rest = &code[start + 3..];
        let name_end = rest.find(|character: char| !(character.is_alphanumeric() || character == '_'));
        let name = &rest[..name_end.unwrap_or(rest.len())];
        // A type `fn (…)` has no name; a declaration ends before it has a body.
        let Some(body) = find_body(rest) else {
            continue;
        };
        if name.is_empty() {
            continue;
        }
        found.push(Function {
            name,
            line: code[..start].matches('\n').count() + 1,
            lines: rest[..body].matches('\n').count() + 1,
        });
    }
    found
}

/// The end of the first braced block, unless a `;` outside brackets comes before it.
fn find_body(text: &str) -> Option<usize> {
    let mut brackets = 0_i32;
    let mut braces = 0_i32;
    for (index, character) in text.char_indices() {
        match character {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if brackets == 0 && braces == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces -= 1;
                if braces <= 0 && brackets == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_to_their_last_brace() {
        let code = "trait A {\n fn a(x: [u8; 3]);\n}\nfn b(f: fn (u8)) {\n if x {\n }\n}\nfn c() {}\n";
        let found = list_functions(code);
        let b = Function { name: "b", line: 4, lines: 4 };
        let c = Function { name: "c", line: 8, lines: 1 };
        assert_eq!(found, [b, c]);
    }
}
