//! The headers of `wrong/*.cu` and `right/*.cu`, and the sections of `hints.md`.

use domain::verdict::VerdictKind;

use crate::{RightFile, WrongFile};

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

/// Lines that one header may name.
const FAULT_LINES_MAX: usize = 8;

/// What the lines above a wrong file say.
struct Header {
    expect: Vec<VerdictKind>,
    why: String,
    lines: Vec<u32>,
    /// Lines that it takes itself.
    length: usize,
}

/// Reads a wrong file. Its first lines are `// expect: …`, `// why: …` and, where it has one, `// line: …`.
pub(crate) fn wrong_file(name: &str, text: &str) -> Result<WrongFile, LineFault> {
    let header = read_header(text)?;
    check_lines(&header, header.length + 1, text)?;
    let source = blank(text, header.length);
    Ok(WrongFile { name: name.to_owned(), source, expect: header.expect, why: header.why, lines: header.lines })
}

/// Reads a wrong file whose header stands in a file of its own, since any line before the source would spoil it.
/// Faults are about `header`.
pub(crate) fn wrong_file_beside(name: &str, text: &str, header: &str) -> Result<WrongFile, LineFault> {
    let found = read_header(header)?;
    if let Some(stray) = header.lines().skip(found.length).position(|line| !line.trim().is_empty()) {
        return Err((found.length + stray + 1, "only a header belongs here; the source stands beside it".to_owned()));
    }
    check_lines(&found, 1, text)?;
    let Header { expect, why, lines, .. } = found;
    Ok(WrongFile { name: name.to_owned(), source: text.to_owned(), expect, why, lines })
}

/// Reads a right file. It needs no header; one that says `accepted` is blanked.
pub(crate) fn right_file(name: &str, text: &str) -> Result<RightFile, LineFault> {
    let mut lines = text.lines();
    let source = match header(lines.next(), "// expect:") {
        None => text.to_owned(),
        Some("accepted") => {
            header(lines.next(), "// why:").ok_or((2, "the second line must be '// why: …'".to_owned()))?;
            blank(text, 2)
        }
        Some(other) => return Err((1, format!("a right file is accepted, and this one expects '{other}'"))),
    };
    Ok(RightFile { name: name.to_owned(), source })
}

fn read_header(text: &str) -> Result<Header, LineFault> {
    let mut lines = text.lines();
    let expect =
        header(lines.next(), "// expect:").ok_or((1, "the first line must be '// expect: VERDICT, …'".to_owned()))?;
    let why = header(lines.next(), "// why:").ok_or((2, "the second line must be '// why: …'".to_owned()))?;
    let third = lines.next().filter(|line| line.starts_with("// line:"));
    let expect = verdicts(expect.split(',')).map_err(|message| (1, message))?;
    let wrong = |kind: &VerdictKind| !matches!(kind, VerdictKind::Accepted | VerdictKind::OurFault);
    if let Some(kind) = expect.iter().find(|kind| !wrong(kind)) {
        let word = kind.as_str();
        return Err((1, format!("'{word}' is no verdict that a wrong file can get")));
    }
    let lines = match third {
        Some(line) => fault_lines(line, expect[0]).map_err(|message| (3, message))?,
        None => vec![],
    };
    let length = if third.is_some() { 3 } else { 2 };
    Ok(Header { expect, why: why.to_owned(), lines, length })
}

/// The numbers of `// line: 8, 11`.
fn fault_lines(line: &str, best: VerdictKind) -> Result<Vec<u32>, String> {
    if !has_place(best) {
        return Err(format!("'{}' is about values and has no line; remove this header", best.as_str()));
    }
    let numbers = line.trim_start_matches("// line:").split(',');
    let lines: Option<Vec<u32>> = numbers.map(|number| number.trim().parse().ok()).collect();
    lines
        .filter(|lines| lines.len() <= FAULT_LINES_MAX)
        .ok_or(format!("this must be '// line: N', or up to {FAULT_LINES_MAX} numbers parted by commas"))
}

/// Whether a good diagnosis of this kind names a line.
fn has_place(kind: VerdictKind) -> bool {
    matches!(
        kind,
        VerdictKind::CompileError
            | VerdictKind::OobRead
            | VerdictKind::OobWrite
            | VerdictKind::OobShared
            | VerdictKind::Misaligned
            | VerdictKind::Illegal
            | VerdictKind::BarrierDivergence
            | VerdictKind::RaceShared
            | VerdictKind::RaceGlobal
            | VerdictKind::UninitRead
            | VerdictKind::TimeLimit
            | VerdictKind::MemoryLimit
    )
}

/// The lines must be lines of the source, which begins at line `first` of `text`.
fn check_lines(header: &Header, first: usize, text: &str) -> Result<(), LineFault> {
    let last = text.lines().count();
    match header.lines.iter().find(|line| !(first..=last).contains(&(**line as usize))) {
        Some(line) => Err((3, format!("line {line} is none of the source, which has lines {first} to {last}"))),
        None => Ok(()),
    }
}

/// `text` with its first `count` lines empty.
fn blank(text: &str, count: usize) -> String {
    let rest = text.splitn(count + 1, '\n').nth(count).unwrap_or_default();
    "\n".repeat(count) + rest
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

    #[test]
    fn a_header_may_name_the_lines_of_the_fault() {
        let lines = |text: &str| wrong_file("name", text).map(|file| (file.lines, file.source));
        let head = "// expect: race-shared\n// why: w\n";
        assert_eq!(lines(&format!("{head}// line: 5, 4\nx\ny")), Ok((vec![5, 4], "\n\n\nx\ny".into())));
        assert_eq!(lines(&format!("{head}x\n")), Ok((vec![], "\n\nx\n".into())));
        let fault = |third: &str, part: &str| {
            let (line, message) = lines(&format!("{head}{third}\nx\n")).unwrap_err();
            assert_eq!(line, 3, "{third}");
            assert!(message.contains(part), "{third}: {message}");
        };
        fault("// line: 3", "lines 4 to 4");
        fault("// line: 5", "lines 4 to 4");
        fault("// line:", "must be '// line: N'");
        fault("// line: four", "must be '// line: N'");
        fault("// line: 4,", "must be '// line: N'");
        fault("// line: 4, 4, 4, 4, 4, 4, 4, 4, 4", "up to 8");
        let (_, message) = lines("// expect: nan, oob-read\n// why: w\n// line: 4\nx\n").unwrap_err();
        assert!(message.contains("'nan' is about values"), "{message}");
    }

    #[test]
    fn a_header_may_stand_beside_the_file() {
        let head = "// expect: compile-error\n// why: w\n// line: 1\n";
        let file = wrong_file_beside("name", "int x\n", head).unwrap();
        assert_eq!((file.source.as_str(), &file.lines[..]), ("int x\n", &[1][..]));
        assert_eq!(wrong_file_beside("name", "x\n", &format!("{head}\nx")).unwrap_err().0, 5);
        assert_eq!(wrong_file_beside("name", "", head).unwrap_err().0, 3);
        assert_eq!(wrong_file_beside("name", "x", "x").unwrap_err().0, 1);
    }

    #[test]
    fn a_right_file_needs_no_header() {
        let source = |text: &str| right_file("name", text).map(|file| file.source).map_err(|(line, _)| line);
        assert_eq!(source("x\n"), Ok("x\n".into()));
        assert_eq!(source("// expect: accepted\r\n// why: w\r\nx"), Ok("\n\nx".into()));
        assert_eq!(source("// expect: accepted\nx"), Err(2));
        assert_eq!(source("// expect: nan\n// why: w\nx"), Err(1));
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
