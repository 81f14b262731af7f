//! Rules about files that are not Rust.

use super::Broken;
use crate::paths;
use crate::shell;
use anyhow::Result;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// After these a capital does not begin a sentence.
const ABBREVIATIONS: [&str; 5] = ["e.g.", "i.e.", "cf.", "vs.", "etc."];

/// Style guide, rule 20.
pub fn markdown_is_plain() -> Broken {
    let mut broken = Vec::new();
    for path in list_documents()? {
        let name = path.strip_prefix(paths::root())?.display().to_string();
        broken.extend(
            check_markdown(&fs::read_to_string(&path)?)
                .into_iter()
                .map(|(line, what)| format!("{name}:{line}: {what}")),
        );
    }
    Ok(broken)
}

/// Style guide, rule 33: what a database may have applied must not change under it.
pub fn migrations_are_final() -> Broken {
    let mut command = Command::new("git");
    command.args(["diff", "--name-status", "--no-renames", "HEAD", "--", "migrations"]);
    if paths::find_program("git").is_none() {
        eprintln!("skipped: git is not installed");
        return Ok(Vec::new());
    }
    let output = shell::capture(&mut command)?;
    if !output.status.success() {
        eprintln!("skipped: this is no git checkout");
        return Ok(Vec::new());
    }
    Ok(find_changed(&String::from_utf8_lossy(&output.stdout)))
}

/// One that names the wasm target makes every call of cargo try to download it.
pub fn no_toolchain_file() -> Broken {
    let mut broken = Vec::new();
    for name in ["rust-toolchain", "rust-toolchain.toml"] {
        if paths::root().join(name).try_exists()? {
            broken.push(format!("{name}: remove it; ./dev finds the target by itself"));
        }
    }
    Ok(broken)
}

fn list_documents() -> Result<Vec<PathBuf>> {
    let root = paths::root();
    let mut documents = paths::list_files(&root.join("docs"), &|path| paths::has_extension(path, "md"))?;
    for name in ["README.md", "ARCHITECTURE.md"] {
        documents.extend(Some(root.join(name)).filter(|path| path.exists()));
    }
    Ok(documents)
}

fn check_markdown(text: &str) -> Vec<(usize, &'static str)> {
    let mut broken = Vec::new();
    let mut titles = 0;
    let mut is_code = false;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        if line.starts_with("# ") {
            titles += 1;
            if titles > 1 {
                broken.push((line_number, "a second `#` title"));
            }
        } else if !line.starts_with('#') && !line.starts_with('|') && has_two_sentences(line) {
            broken.push((line_number, "one sentence a line"));
        }
    }
    if titles == 0 {
        broken.push((1, "a `#` title is missing"));
    }
    broken
}

/// A full stop, question or exclamation mark, a space, and then a capital or a code word.
fn has_two_sentences(line: &str) -> bool {
    let prose = without_code(line);
    let prose = prose
        .trim_start()
        .trim_start_matches(|character: char| character.is_ascii_digit() || "-*+. >".contains(character));
    prose.match_indices(['.', '?', '!']).any(|(index, mark)| {
        let before = &prose[..=index];
        let after = &prose[index + mark.len()..];
        let mut next = after.chars();
        let is_abbreviation = ABBREVIATIONS.iter().any(|word| before.ends_with(word));
        !is_abbreviation
            && next.next() == Some(' ')
            && next.next().is_some_and(|character| character.is_uppercase() || character == '`')
    })
}

/// Code spans become a word that says nothing.
fn without_code(line: &str) -> String {
    let mut is_code = false;
    line.chars()
        .map(|character| match character {
            '`' => {
                is_code = !is_code;
                '`'
            }
            _ if is_code => 'x',
            other => other,
        })
        .collect()
}

/// `M\tpath` lines of git; added files are fine.
fn find_changed(status: &str) -> Vec<String> {
    status
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(kind, _)| *kind != "A")
        .map(|(_, path)| format!("{path}: is committed and must not change; write a new migration"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_one_sentence() {
        let check = |line: &str, expected: bool| {
            assert_eq!(has_two_sentences(line), expected, "{line}");
        };
        check("One sentence.", false);
        check("One. Two.", true);
        check("1. One sentence of a list.", false);
        check("Really? `cargo` says so.", true);
        check("Use a tool, e.g. Cargo, for it.", false);
        check("Write `a. B` into it.", false);
        check("Version 1.2 is out.", false);
    }

    #[test]
    fn code_blocks_are_not_prose() {
        assert_eq!(check_markdown("# T\n```\n# a\nOne. Two.\n```\n"), []);
        assert_eq!(check_markdown("a\n").len(), 1);
        assert_eq!(check_markdown("# T\n# U\n").len(), 1);
    }

    #[test]
    fn added_migrations_are_fine_and_changed_ones_are_not() {
        let broken = find_changed("A\tmigrations/2.sql\nM\tmigrations/1.sql\n");
        assert_eq!(broken.len(), 1);
        assert!(broken[0].starts_with("migrations/1.sql:"));
    }
}
