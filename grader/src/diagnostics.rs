//! The compiler's messages -> diagnostics on lines, and the finding that explains a refusal.
//!
//! Messages are the learner's text in part: control and bidirectional characters are replaced, lengths are cut,
//! and a file that is not the learner's gives no line.

use domain::finding::Finding;
use domain::limits::COMPILE_DIAGNOSTICS_MAX;
use domain::verdict::{Diagnostic, Severity};

use crate::compile::SOURCE_NAME;

/// Bytes of one message that are kept.
const MESSAGE_BYTES_MAX: usize = 500;

/// Reads NVRTC's log: lines of the form `kernel.cu(7): error: …`.
pub fn parse(log: &str) -> Vec<Diagnostic> {
    log.lines().filter_map(parse_line).take(COMPILE_DIAGNOSTICS_MAX).collect()
}

fn parse_line(line: &str) -> Option<Diagnostic> {
    const MARKS: [(&str, Severity); 3] =
        [("): catastrophic error", Severity::Error), ("): error", Severity::Error), ("): warning", Severity::Warning)];
    let (at, mark, severity) = MARKS
        .iter()
        .filter_map(|(mark, severity)| line.find(mark).map(|at| (at, mark, severity)))
        .min_by_key(|(at, ..)| *at)?;
    let (file, number) = line[..at].rsplit_once('(')?;
    let message = line[at + mark.len()..].split_once(": ").map_or("", |(_number, message)| message);
    Some(Diagnostic {
        severity: *severity,
        line: number.parse().ok().filter(|number| *number > 0 && file == SOURCE_NAME),
        message: clean(&without_folders(message), MESSAGE_BYTES_MAX),
    })
}

/// What explains that nothing was compiled.
pub fn finding(diagnostics: &[Diagnostic], log: &str) -> Finding {
    let Some(first) = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) else {
        let line = log.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("the compiler gave no reason");
        return Finding::CompileError { line: None, message: clean(line, MESSAGE_BYTES_MAX) };
    };
    if let Some(header) =
        first.message.strip_prefix("cannot open source file \"").and_then(|rest| rest.split('"').next())
    {
        if header.starts_with(['/', '~']) || header.split(['/', '\\']).any(|part| part == "..") {
            return Finding::CompileRefused { line: first.line };
        }
        return Finding::CompileInclude { header: header.to_owned(), line: first.line };
    }
    Finding::CompileError { line: first.line, message: first.message.clone() }
}

/// Paths of headers cut to what follows their include folder: where the machine keeps them is nobody's business.
fn without_folders(message: &str) -> String {
    let mut rest = message;
    let mut shown = String::new();
    while let Some(at) = rest.find("/include/") {
        let start =
            rest[..at].rfind(|letter: char| letter.is_whitespace() || "\"'(<".contains(letter)).map_or(0, |at| at + 1);
        let is_path = rest[start..].starts_with('/');
        shown.push_str(&rest[..if is_path { start } else { at + "/include/".len() }]);
        rest = &rest[at + "/include/".len()..];
    }
    shown + rest
}

/// Text of a learner made safe to show: no control or direction characters, at most `bytes_max` bytes.
pub fn clean(text: &str, bytes_max: usize) -> String {
    let mut shown = String::new();
    for letter in text.chars() {
        let letter = match letter {
            '\n' | '\t' => letter,
            _ if letter.is_control() => '\u{fffd}',
            // Directional embeddings, overrides, isolates and marks reorder what a reader sees.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}' => '\u{fffd}',
            _ => letter,
        };
        if shown.len() + letter.len_utf8() > bytes_max {
            break;
        }
        shown.push(letter);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_find_their_lines() {
        let log = "kernel.cu(3): error: identifier \"x\" is undefined\n    x = 1;\n    ^\n\n\
            kernel.cu(4): warning #177-D: variable \"y\" was declared but never referenced\n\n\
            evil.rs(1): error: #error directive: \u{1b}[2J\u{202e}abc\n2 errors detected in the compilation of \"kernel.cu\".\n";
        let found = parse(log);
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[0],
            Diagnostic { severity: Severity::Error, line: Some(3), message: "identifier \"x\" is undefined".into() }
        );
        assert_eq!((found[1].severity, found[1].line), (Severity::Warning, Some(4)));
        assert_eq!(found[2].line, None, "not the learner's file");
        assert_eq!(found[2].message, "#error directive: \u{fffd}[2J\u{fffd}abc");
        assert_eq!(finding(&found, log), Finding::CompileError { line: Some(3), message: found[0].message.clone() });
    }

    #[test]
    fn includes_are_told_apart() {
        let refuse = |header: &str| {
            let log = format!("kernel.cu(1): catastrophic error: cannot open source file \"{header}\"\n");
            finding(&parse(&log), &log)
        };
        for outside in ["/etc/passwd", "../x", "a/../../b", "~/x"] {
            assert_eq!(refuse(outside), Finding::CompileRefused { line: Some(1) }, "{outside}");
        }
        assert_eq!(refuse("stdio.h"), Finding::CompileInclude { header: "stdio.h".into(), line: Some(1) });
    }

    #[test]
    fn no_folder_of_the_machine_is_told() {
        let log = "kernel.cu(4): error: class \"x\" has already been defined (previous definition at line 4 of /root/.cache/w/include/cuda_fp16.h)\n\
            kernel.cu(2): error: static assertion failed with \"/a/b/include/cccl/x.h\"\n";
        let found = parse(log);
        assert_eq!(
            found[0].message,
            "class \"x\" has already been defined (previous definition at line 4 of cuda_fp16.h)"
        );
        assert_eq!(found[1].message, "static assertion failed with \"cccl/x.h\"");
    }

    #[test]
    fn a_flood_of_messages_is_bounded() {
        let log = "kernel.cu(1): error: x\n".repeat(10_000);
        assert_eq!(parse(&log).len(), COMPILE_DIAGNOSTICS_MAX);
        assert_eq!(clean(&"ä".repeat(1000), 501).len(), 500);
    }
}
