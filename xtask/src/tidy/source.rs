//! Rust files as tidy sees them: the text, and the code in it without comments and strings.

use crate::paths;
use anyhow::Result;
use std::fs;

/// Folders with Rust of ours.
const FOLDERS: [&str; 6] = ["app", "crates", "grader", "server", "tests", "xtask"];

pub struct Source {
    /// Relative to the workspace, with `/`.
    pub path: String,
    pub text: String,
    /// As long as `text`, line by line; comments and the insides of strings are spaces.
    pub code: String,
    /// The insides of strings, with their lines.
    pub strings: Vec<(usize, String)>,
}

impl Source {
    pub fn new(path: String, text: String) -> Self {
        let (code, strings) = split(&text);
        Self { path, text, code, strings }
    }

    /// Lines before the unit tests.
    pub fn product_lines(&self) -> usize {
        let code: Vec<&str> = self.code.lines().collect();
        code.windows(2).position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ")).unwrap_or(code.len())
    }

    /// A file that is all tests.
    pub fn is_test(&self) -> bool {
        self.path.starts_with("tests/") || self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// Lines of code that contain `word` as a whole, counted from 1.
    pub fn find_word(&self, word: &str) -> Vec<usize> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let holds = |line: &str| {
            line.match_indices(word).any(|(start, _)| {
                let before = line.as_bytes()[..start].last();
                let after = line.as_bytes().get(start + word.len());
                !before.is_some_and(|byte| is_part(*byte)) && !after.is_some_and(|byte| is_part(*byte))
            })
        };
        self.code.lines().enumerate().filter(|(_, line)| holds(line)).map(|(index, _)| index + 1).collect()
    }
}

/// All Rust files of the project.
pub fn list() -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for folder in FOLDERS {
        let folder = paths::root().join(folder);
        for path in paths::list_files(&folder, &|path| paths::has_extension(path, "rs"))? {
            let relative = path.strip_prefix(paths::root())?.display().to_string();
            sources.push(Source::new(relative, fs::read_to_string(&path)?));
        }
    }
    Ok(sources)
}

/// Blanks comments and strings, keeping every line end where it was.
fn split(text: &str) -> (String, Vec<(usize, String)>) {
    let bytes = text.as_bytes();
    let mut code = Vec::with_capacity(bytes.len());
    let mut strings = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (end, inside) = find_blank(bytes, at);
        if end == at {
            code.push(bytes[at]);
            at += 1;
            continue;
        }
        if let Some((from, to)) = inside {
            let line = text[..at].matches('\n').count() + 1;
            strings.push((line, text[from..to].to_owned()));
        }
        code.extend(bytes[at..end].iter().map(|byte| match byte {
            b'\n' => b'\n',
            _ => b' ',
        }));
        at = end;
    }
    // Only whole comments and strings are blanked, each byte by one.
    let code = String::from_utf8(code).expect("what is left are whole characters");
    (code, strings)
}

/// The end of the comment, string or character that begins at `at`, and what is inside a string.
/// An end equal to `at` says that none begins there.
fn find_blank(bytes: &[u8], at: usize) -> (usize, Option<(usize, usize)>) {
    let rest = &bytes[at..];
    let starts_word = at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    if rest.starts_with(b"//") {
        let length = rest.iter().position(|byte| *byte == b'\n');
        return (at + length.unwrap_or(rest.len()), None);
    }
    if rest.starts_with(b"/*") {
        return (find_comment_end(bytes, at), None);
    }
    if rest[0] == b'"' {
        let end = find_string_end(bytes, at + 1);
        return (end, Some((at + 1, end.saturating_sub(1).max(at + 1))));
    }
    if starts_word && let Some((from, to, end)) = find_raw_string(bytes, at) {
        return (end, Some((from, to)));
    }
    if rest[0] == b'\'' {
        return (find_character_end(bytes, at), None);
    }
    (at, None)
}

fn find_comment_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = at;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn find_string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `r"…"`, `r#"…"#`, `br"…"`: start and end of the inside, and the end of all.
fn find_raw_string(bytes: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let rest = &bytes[at..];
    let prefix = [b"r".as_slice(), b"br", b"cr"].into_iter().find(|prefix| rest.starts_with(prefix))?;
    let hashes = rest[prefix.len()..].iter().take_while(|byte| **byte == b'#').count();
    let quote = prefix.len() + hashes;
    if rest.get(quote) != Some(&b'"') {
        return None;
    }
    let from = at + quote + 1;
    let mut closing = vec![b'"'];
    closing.extend(std::iter::repeat_n(b'#', hashes));
    let length =
        bytes[from..].windows(closing.len()).position(|window| window == closing).unwrap_or(bytes.len() - from);
    let end = (from + length + closing.len()).min(bytes.len());
    Some((from, from + length, end))
}

/// A character literal ends after its quote; a lifetime is left as it is.
fn find_character_end(bytes: &[u8], at: usize) -> usize {
    let Some(first) = bytes.get(at + 1) else {
        return at;
    };
    if *first == b'\\' {
        let from = (at + 3).min(bytes.len());
        let length = bytes[from..].iter().position(|byte| *byte == b'\'');
        return length.map_or(at, |length| from + length + 1);
    }
    // The character may take up to four bytes.
    let length = bytes[at + 1..].iter().take(5).position(|byte| *byte == b'\'');
    match length {
        Some(length) if length > 0 && (length == 1 || *first >= 0x80) => at + length + 2,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &str, strings: &[&str]) {
        let source = Source::new("a.rs".to_owned(), text.to_owned());
        assert_eq!(source.code, code, "{text}");
        let found: Vec<&str> = source.strings.iter().map(|(_, text)| &**text).collect();
        assert_eq!(found, strings, "{text}");
    }

    #[test]
    fn comments_and_strings_are_blank() {
        check("a // b\nc", "a     \nc", &[]);
        check("a /* b /* c\n */ */ d", "a          \n       d", &[]);
        check(r#"f("x\"y", z)"#, "f(      , z)", &[r#"x\"y"#]);
        check("f(r#\"a\"b\"#)", "f(        )", &["a\"b"]);
        check("for_r(1)", "for_r(1)", &[]);
    }

    #[test]
    fn characters_are_blank_and_lifetimes_are_not() {
        check("'{' 'a '\\'' <'b>", "    'a      <'b>", &[]);
        check("'é' x", "     x", &[]);
        check("&'static str", "&'static str", &[]);
    }

    #[test]
    fn words_are_found_whole() {
        let text = "unsafe {}\nunsafe_code\n// unsafe\n\"unsafe\"".to_owned();
        let source = Source::new("a.rs".to_owned(), text);
        assert_eq!(source.find_word("unsafe"), [1]);
    }

    #[test]
    fn unit_tests_are_not_counted_as_product() {
        let text = "a\nb\n#[cfg(test)]\nmod tests {\n}\n".to_owned();
        assert_eq!(Source::new("a.rs".to_owned(), text).product_lines(), 2);
    }
}
