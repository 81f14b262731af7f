//! Licences and advisories of what we depend on.
//!
//! `cargo deny` judges where it is installed. Elsewhere the licences come from `cargo metadata`
//! and are held against the same list in deny.toml; advisories are then skipped, and a line says so.

use crate::paths;
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

pub fn check() -> Result<()> {
    if paths::find_program("cargo-deny").is_some() {
        return shell::run(shell::cargo().args(["deny", "check", "licenses"]));
    }
    let allowed = read_allowed()?;
    let mut command = shell::cargo();
    command.args(["metadata", "--format-version", "1", "--locked"]);
    let metadata: Value = serde_json::from_str(&shell::get_output(&mut command)?)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let refused: Vec<String> = packages
        .iter()
        .filter_map(|package| {
            let licence = package["license"].as_str().unwrap_or("none stated");
            (!is_allowed(licence, &allowed)).then(|| format!("{}: {licence}", package["name"]))
        })
        .collect();
    if !refused.is_empty() {
        bail!("not in deny.toml's list:\n{}", refused.join("\n"));
    }
    Ok(())
}

/// Why advisories were not looked up, where they were not.
pub type Skipped = Option<&'static str>;

pub fn check_advisories() -> Result<Skipped> {
    if paths::find_program("cargo-deny").is_none() {
        return Ok(Some("cargo-deny is not installed"));
    }
    let output = shell::capture(shell::cargo().args(["deny", "check", "advisories"]))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(None);
    }
    if words.contains("failed to fetch") || words.contains("failed to load advisory database") {
        return Ok(Some("the advisory database cannot be reached"));
    }
    bail!("{words}")
}

fn read_allowed() -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(paths::root().join("deny.toml"))?;
    let settings: toml::Table = toml::from_str(&text).context("deny.toml is broken")?;
    let list = settings
        .get("licenses")
        .and_then(|licences| licences.get("allow")?.as_array())
        .context("deny.toml has no licenses.allow")?;
    Ok(list.iter().filter_map(|licence| licence.as_str().map(str::to_owned)).collect())
}

/// Whether an SPDX expression can be met with allowed licences alone.
///
/// AND binds tighter than OR; the old `/` means OR (SPDX specification 2.3, annex D).
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let fits = any_of(&mut rest, allowed);
    fits && rest.is_empty()
}

fn any_of(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut fits = all_of(rest, allowed);
    while take(rest, "OR") {
        // Not short-circuited: the words must be consumed.
        let other = all_of(rest, allowed);
        fits |= other;
    }
    fits
}

fn all_of(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut fits = one(rest, allowed);
    while take(rest, "AND") {
        let other = one(rest, allowed);
        fits &= other;
    }
    fits
}

fn one(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    if take(rest, "(") {
        let fits = any_of(rest, allowed);
        return take(rest, ")") && fits;
    }
    let Some((licence, others)) = rest.split_first() else {
        return false;
    };
    *rest = others;
    if !take(rest, "WITH") {
        return allowed.contains(*licence);
    }
    let Some((exception, others)) = rest.split_first() else {
        return false;
    };
    *rest = others;
    allowed.contains(&format!("{licence} WITH {exception}"))
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    let found = rest.first() == Some(&word);
    if found {
        *rest = &rest[1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_judged_by_their_alternatives() {
        let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"];
        let allowed = allowed.map(str::to_owned).into_iter().collect();
        let check = |expression: &str, expected: bool| {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        };
        check("MIT", true);
        check("MIT OR GPL-3.0", true);
        check("GPL-3.0/MIT", true);
        check("MIT AND GPL-3.0", false);
        check("GPL-3.0 OR MIT AND Zlib", true);
        check("(GPL-3.0 OR MIT) AND Zlib", true);
        check("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true);
        check("Apache-2.0", false);
        check("MIT WITH something", false);
        check("(MIT", false);
        check("MIT Zlib", false);
        check("", false);
    }
}
