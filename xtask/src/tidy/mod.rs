//! House rules that no lint knows: ARCHITECTURE.md's invariants and the style guide's numbers.
//!
//! A rule returns what breaks it, one line each. It reads text, not syntax trees:
//! comments and strings are blanked first, which is exact enough and needs no parser.

mod content;
mod layers;
mod rust;
mod source;

use anyhow::{Result, bail};

/// What breaks a rule, as `path:line: what is wrong`.
type Broken = Result<Vec<String>>;
pub type Rule = fn() -> Broken;

pub const RULES: &[(&str, Rule)] = &[
    ("modules say what they are", rust::modules_open_with_docs),
    ("files are short", rust::files_are_short),
    ("functions fit a screen", rust::functions_are_short),
    ("tests are neither ignored nor vague", rust::tests_are_plain),
    ("clock and randomness are parameters", rust::time_is_a_parameter),
    ("unsafe code stays where it is allowed", rust::unsafe_is_confined),
    ("safe crates forbid unsafe code", rust::safe_crates_forbid_unsafe),
    ("SQL stays in db", rust::sql_stays_in_db),
    ("ui calls no server function", rust::ui_has_no_data),
    ("crates depend in one direction", layers::directions_hold),
    ("domain is fit for the browser", layers::domain_is_light),
    ("the browser's part has no server in it", layers::browser_is_light),
    ("Markdown has one title and one sentence a line", content::markdown_is_plain),
    ("committed migrations are unchanged", content::migrations_are_final),
    ("no toolchain file", content::no_toolchain_file),
];

/// All rules, and what breaks them.
pub fn run() -> Result<()> {
    let mut count = 0;
    for (title, rule) in RULES {
        let broken = rule()?;
        if !broken.is_empty() {
            println!("{title}:\n  {}", broken.join("\n  "));
        }
        count += broken.len();
    }
    if count > 0 {
        bail!("{count} places break a rule");
    }
    println!("{} rules hold", RULES.len());
    Ok(())
}

/// Fails with all that breaks the rule.
pub fn check(rule: Rule) -> Result<()> {
    let broken = rule()?;
    if broken.is_empty() {
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}
