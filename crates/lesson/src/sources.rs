//! The headers of `wrong/*.cu` and the sections of `hints.md`.

use domain::verdict::VerdictKind;

use crate::WrongFile;

/// A fault at a line of the file, counted from 1.
pub(crate) type LineFault = (usize, String);

/// One section of `hints.md`, not rendered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HintText {
    /// `Stage 1`.
    pub(crate) title: String,
    /// Verdicts that open it.
    pub(crate) when: Vec<VerdictKind>,
    /// Line of the first line below the title.
    pub(crate) first_line: usize,
    /// The text.
    pub(crate) markdown: String,
}

/// Reads a wrong file. Its first two lines are `// expect: …` and `// why: …`.
pub(crate) fn wrong_file(name: &str, text: &str) -> Result<WrongFile, LineFault> {
    let mut lines = text.splitn(3, '\n');
    let expect =
        header(lines.next(), "// expect:").ok_or((1, "the first line must be '// expect: VERDICT, …'".to_owned()))?;
    let why = header(lines.next(), "// why:").ok_or((2, "the second line must be '// why: …'".to_owned()))?;
    let expect = verdicts(expect.split(',')).map_err(|message| (1, message))?;
    let wrong = |kind: &VerdictKind| !matches!(kind, VerdictKind::Accepted | VerdictKind::OurFault);
    if let Some(kind) = expect.iter().find(|kind| !wrong(kind)) {
        let word = kind.as_str();
        return Err((1, format!("'{word}' is no verdict that a wrong file can get")));
    }
    Ok(WrongFile {
        name: name.to_owned(),
        source: format!("\n\n{}", lines.next().unwrap_or_default()),
        expect,
        why: why.to_owned(),
    })
}

fn header<'t>(line: Option<&'t str>, prefix: &str) -> Option<&'t str> {
    let rest = line?.strip_prefix(prefix)?.trim();
    (!rest.is_empty()).then_some(rest)
}

/// Verdicts by their words, none twice, at least one.
fn verdicts<'t>(words: impl Iterator<Item = &'t str>) -> Result<Vec<VerdictKind>, String> {
    let mut kinds = Vec::new();
    for word in words.map(str::trim) {
        let Some(kind) = VerdictKind::find(word) else {
            let known: Vec<_> = VerdictKind::ALL.iter().map(|kind| kind.as_str()).collect();
            return Err(format!("'{word}' is no verdict; the verdicts are {}", known.join(", ")));
        };
        if kinds.contains(&kind) {
            return Err(format!("'{word}' is listed twice"));
        }
        kinds.push(kind);
    }
    if kinds.is_empty() {
        return Err("no verdict is named".to_owned());
    }
    Ok(kinds)
}

/// Cuts `hints.md` at its `## ` lines; fenced code is left alone.
pub(crate) fn hints(text: &str) -> (Vec<HintText>, Vec<LineFault>) {
    let (mut hints, mut faults): (Vec<HintText>, _) = (Vec::new(), Vec::new());
    let mut fence: Option<&str> = None;
    for (position, line) in text.lines().enumerate() {
        let number = position + 1;
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if let (None, Some(heading)) = (fence, line.strip_prefix("## ")) {
            match hint_heading(heading) {
                Ok((title, when)) => {
                    hints.push(HintText { title, when, first_line: number + 1, markdown: String::new() });
                }
                Err(message) => faults.push((number, message)),
            }
            continue;
        }
        match hints.last_mut() {
            Some(hint) => {
                hint.markdown.push_str(line);
                hint.markdown.push('\n');
            }
            None if line.trim().is_empty() || !faults.is_empty() => {}
            None => faults.push((number, "text before the first section; begin with '## Stage 1'".to_owned())),
        }
    }
    for hint in &hints {
        if hint.markdown.trim().is_empty() {
            faults.push((hint.first_line - 1, "this hint says nothing".to_owned()));
        }
    }
    (hints, faults)
}

fn hint_heading(heading: &str) -> Result<(String, Vec<VerdictKind>), String> {
    let (title, condition) = match heading.split_once('{') {
        Some((title, condition)) => (title.trim(), Some(condition.trim())),
        None => (heading.trim(), None),
    };
    if title.is_empty() {
        return Err("the section has no title; write '## Stage 1'".to_owned());
    }
    let when = match condition {
        None => vec![],
        Some(condition) => {
            let words = condition
                .strip_prefix("when=\"")
                .and_then(|rest| rest.strip_suffix("\"}"))
                .ok_or("the condition must read {when=\"VERDICT …\"}")?;
            verdicts(words.split_whitespace())?
        }
    };
    Ok((title.to_owned(), when))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_wrong(text: &str, expect: Result<&[VerdictKind], (usize, &str)>) {
        match (wrong_file("name", text), expect) {
            (Ok(file), Ok(kinds)) => {
                assert_eq!(file.expect, kinds, "{text}");
                assert_eq!(file.source.lines().count(), text.lines().count(), "{text}");
                assert!(!file.source.contains("expect"), "{text}");
            }
            (Err((line, message)), Err((expect_line, part))) => {
                assert_eq!(line, expect_line, "{text}");
                assert!(message.contains(part), "{text}: {message}");
            }
            (found, expect) => panic!("{text}: {found:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn headers_name_verdicts_and_keep_line_numbers() {
        use VerdictKind::{OobRead, OobWrite};
        check_wrong("// expect: oob-read\n// why: w\nx\ny\n", Ok(&[OobRead]));
        check_wrong("// expect: oob-write, oob-read\r\n// why: w\r\nx", Ok(&[OobWrite, OobRead]));
        check_wrong("", Err((1, "expect")));
        check_wrong("x\n// why: w\n", Err((1, "expect")));
        check_wrong("// expect:\n// why: w\n", Err((1, "expect")));
        check_wrong("// expect: oob-read\nx\n", Err((2, "why")));
        check_wrong("// expect: oob-read\n// why: \nx\n", Err((2, "why")));
        check_wrong("// expect: oob\n// why: w\n", Err((1, "'oob' is no verdict")));
        check_wrong("// expect: nan, nan\n// why: w\n", Err((1, "twice")));
        check_wrong("// expect: accepted\n// why: w\n", Err((1, "accepted")));
        check_wrong("// expect: our-fault\n// why: w\n", Err((1, "our-fault")));
    }

    fn check_hints(text: &str, expect_titles: &[&str], expect_faults: &[(usize, &str)]) {
        let (hints, faults) = hints(text);
        let titles: Vec<_> = hints.iter().map(|hint| hint.title.as_str()).collect();
        assert_eq!(titles, expect_titles, "{text}");
        assert_eq!(faults.len(), expect_faults.len(), "{text}: {faults:?}");
        for ((line, message), (expect_line, part)) in faults.iter().zip(expect_faults) {
            assert_eq!(line, expect_line, "{text}: {message}");
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn hints_are_sections_with_conditions() {
        check_hints("## Stage 1\na\n\n## Stage 2 {when=\"nan time-limit\"}\nb\n", &["Stage 1", "Stage 2"], &[]);
        check_hints("## S\n```\n## not a section\n```\n", &["S"], &[]);
        check_hints("## S\n~~~\n```\n## no\n~~~\n", &["S"], &[]);
        check_hints("intro\n## S\na\n", &["S"], &[(1, "before the first section")]);
        check_hints("## S {when=\"bad\"}\na\n", &[], &[(1, "'bad' is no verdict")]);
        check_hints("## S {when=nan}\na\n", &[], &[(1, "must read")]);
        check_hints("## S {when=\"\"}\na\n", &[], &[(1, "no verdict is named")]);
        check_hints("##  {when=\"nan\"}\na\n", &[], &[(1, "no title")]);
        check_hints("## S\n## T\nb\n", &["S", "T"], &[(1, "says nothing")]);
        check_hints("", &[], &[]);
    }

    #[test]
    fn a_hint_knows_its_verdicts_and_its_line() {
        let (hints, _) = hints("\n## S {when=\"nan time-limit\"}\ntext\n");
        assert_eq!(hints[0].when, [VerdictKind::Nan, VerdictKind::TimeLimit]);
        assert_eq!((hints[0].first_line, hints[0].markdown.as_str()), (3, "text\n"));
    }
}
