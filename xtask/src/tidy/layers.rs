//! Rules about who may depend on whom (ARCHITECTURE.md, "Direction of dependencies").

use super::Broken;
use crate::paths;
use crate::shell;
use anyhow::{Context, Result};
use std::fs;

/// A member's folder, and the members it may use.
const DIRECTIONS: [(&str, &[&str]); 10] = [
    ("crates/domain", &[]),
    ("crates/lesson", &["domain"]),
    ("crates/db", &["domain"]),
    ("crates/ptx", &[]),
    ("crates/sim", &["domain", "ptx"]),
    ("crates/sandbox", &[]),
    ("app", &["db", "domain", "lesson"]),
    ("server", &["app", "db", "domain", "lesson"]),
    ("grader", &["db", "domain", "lesson", "ptx", "sandbox", "sim"]),
    ("xtask", &["domain", "lesson"]),
];
const MEMBERS: [&str; 11] =
    ["app", "db", "domain", "e2e", "grader", "lesson", "ptx", "sandbox", "server", "sim", "xtask"];
const BROWSER: &str = "wasm32-unknown-unknown";

/// Invariant 2, and all arrows around it.
pub fn directions_hold() -> Broken {
    let mut broken = Vec::new();
    for (folder, allowed) in DIRECTIONS {
        let path = paths::root().join(folder).join("Cargo.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for used in list_members_used(&text)? {
            if !allowed.contains(&used.as_str()) {
                broken.push(format!("{folder}/Cargo.toml: must not depend on {used}"));
            }
        }
    }
    Ok(broken)
}

/// Invariant 1.
pub fn domain_is_light() -> Broken {
    let tree = list_dependencies(&["-p", "domain"])?;
    Ok(find_heavy(&tree, &["tokio", "sqlx", "axum", "leptos", "rand"], "domain"))
}

/// The wasm of the app must not carry what only a server needs.
pub fn browser_is_light() -> Broken {
    let tree = list_dependencies(&["-p", "app", "--features", "hydrate"])?;
    Ok(find_heavy(&tree, &["tokio", "sqlx", "axum", "rand", "db", "lesson"], "app"))
}

/// Members named in the tables that take part in the product; tests may use anything.
fn list_members_used(manifest: &str) -> Result<Vec<String>> {
    let manifest: toml::Table = toml::from_str(manifest)?;
    let tables = ["dependencies", "build-dependencies"];
    Ok(tables
        .iter()
        .filter_map(|table| manifest.get(*table)?.as_table())
        .flat_map(|table| table.keys())
        .filter(|name| MEMBERS.contains(&name.as_str()))
        .cloned()
        .collect())
}

fn list_dependencies(selection: &[&str]) -> Result<Vec<String>> {
    let mut command = shell::cargo();
    command
        .args(["tree", "--quiet", "--locked", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}", "--target", BROWSER])
        .args(selection);
    let tree = shell::get_output(&mut command)?;
    Ok(tree.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect())
}

fn find_heavy(tree: &[String], refused: &[&str], package: &str) -> Vec<String> {
    refused
        .iter()
        .filter(|name| tree.iter().any(|found| found == *name))
        .map(|name| format!("{package}: {name} is among its dependencies for {BROWSER}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_members_in_the_products_tables_count() {
        let manifest =
            "[dependencies]\nserde = \"1\"\ndb = { path = \"x\" }\n[dev-dependencies]\nserver = { path = \"y\" }\n";
        let used = list_members_used(manifest).expect("it is TOML");
        assert_eq!(used, ["db"]);
    }
}
