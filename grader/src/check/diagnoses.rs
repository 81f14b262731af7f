//! How often the best diagnosis is made, and at the right line. A figure to improve, not a condition.

use domain::verdict::{Verdict, VerdictKind};
use lesson::WrongFile;
use serde::Serialize;

use super::Row;

/// What one wrong file was told, against the best that it can be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// `race-shared at line 8 or 11`, the line where the header names one.
    pub wanted: String,
    /// The same of what was told.
    pub got: String,
    /// Whether the kind is a first-named one and the line is one of the header's.
    pub right: bool,
    /// Whether the kind is one of the header's at all, and the line likewise.
    pub acceptable: bool,
}

/// The figure over all wrong files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diagnoses {
    /// Wrong files whose first-named diagnosis was made at the right line.
    pub right: usize,
    /// Wrong files that got any verdict of their header, at the right line.
    pub acceptable: usize,
    /// Wrong files in all.
    pub of: usize,
    /// The others: exercise, file, wanted, got.
    pub misses: Vec<String>,
}

impl Diagnosis {
    /// What `file` was told; `got` stands for it where there is no verdict.
    pub(super) fn of(file: &WrongFile, got: &str, verdict: Option<&Verdict>) -> Self {
        let kind = verdict.map(|verdict| verdict.kind);
        let finding = verdict.and_then(|verdict| verdict.finding.as_ref());
        let lines: Vec<u32> = finding.into_iter().flat_map(domain::finding::Finding::lines).collect();
        let first: Vec<_> = first_named(&file.expect).collect();
        let is_named = kind.is_some_and(|kind| first.contains(&kind));
        let is_there = file.lines.is_empty() || lines.iter().any(|line| file.lines.contains(line));
        let words: Vec<_> = first.iter().map(|kind| kind.as_str()).collect();
        Self {
            wanted: at(&words.join(" or "), &file.lines),
            got: at(got, &lines),
            right: is_named && is_there,
            acceptable: kind.is_some_and(|kind| file.expect.contains(&kind)) && is_there,
        }
    }
}

/// The verdicts that begin a header and are of one family: a device that sees only writes says another of them.
fn first_named(expect: &[VerdictKind]) -> impl Iterator<Item = VerdictKind> {
    let family = |kind: VerdictKind| match kind {
        VerdictKind::OobWrite | VerdictKind::OobShared => VerdictKind::OobRead,
        VerdictKind::RaceGlobal => VerdictKind::RaceShared,
        other => other,
    };
    let best = family(expect[0]);
    expect.iter().copied().take_while(move |kind| family(*kind) == best)
}

fn at(kind: &str, lines: &[u32]) -> String {
    if lines.is_empty() {
        return kind.to_owned();
    }
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    format!("{kind} at line {}", lines.join(" or "))
}

impl Diagnoses {
    /// Counts the rows of wrong files.
    pub(super) fn count(rows: &[Row]) -> Self {
        let mut counted = Self::default();
        for (row, diagnosis) in rows.iter().filter_map(|row| Some((row, row.diagnosis.as_ref()?))) {
            counted.of += 1;
            counted.right += usize::from(diagnosis.right);
            counted.acceptable += usize::from(diagnosis.acceptable);
            if !diagnosis.right {
                let Diagnosis { wanted, got, .. } = diagnosis;
                counted.misses.push(format!("{} {}: {got}, wanted {wanted}", row.exercise, row.subject));
            }
        }
        counted
    }

    /// The figure as the last row of the report; none where there is nothing to count.
    pub(super) fn row(&self) -> Option<Row> {
        let Self { right, acceptable, of, misses } = self;
        let percent = (100 * right).checked_div(*of)?;
        let missed = if misses.is_empty() {
            "all".to_owned()
        } else {
            format!("all; these are missed:\n    {}", misses.join("\n    "))
        };
        Some(Row {
            exercise: "all exercises".to_owned(),
            subject: format!(
                "a listed diagnosis at the right line: {acceptable} of {of} wrong files; the first-named one: {right} ({percent} %)"
            ),
            wanted: missed,
            got: String::new(),
            explanation: "This is a figure and no condition.".to_owned(),
            ok: true,
            diagnosis: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::finding::Finding;

    use super::*;

    fn check(expect: &[VerdictKind], lines: &[u32], kind: VerdictKind, line: Option<u32>, right: bool) {
        let file = WrongFile {
            name: "x".into(),
            source: String::new(),
            expect: expect.to_vec(),
            why: "w".into(),
            lines: lines.to_vec(),
        };
        let finding = Finding::CompileError { line, message: String::new() };
        let verdict = Verdict::before_cases(kind, finding, vec![], "simulator");
        let diagnosis = Diagnosis::of(&file, kind.as_str(), Some(&verdict));
        assert_eq!(diagnosis.right, right, "{diagnosis:?}");
    }

    #[test]
    fn the_best_kind_at_its_line_is_right() {
        use VerdictKind::{OobRead, OobWrite, RaceGlobal, UninitRead, WrongValues};
        check(&[OobRead], &[8], OobRead, Some(8), true);
        check(&[OobRead], &[8, 11], OobRead, Some(11), true);
        check(&[OobRead], &[8], OobRead, Some(9), false);
        check(&[OobRead], &[8], OobRead, None, false);
        check(&[OobRead], &[], OobRead, None, true);
        check(&[OobRead, OobWrite, WrongValues], &[8], OobWrite, Some(8), true);
        check(&[OobRead, WrongValues, OobWrite], &[8], OobWrite, Some(8), false);
        check(&[RaceGlobal, UninitRead], &[8], UninitRead, Some(8), false);
        check(&[WrongValues, RaceGlobal], &[], WrongValues, None, true);
    }

    #[test]
    fn rows_of_wrong_files_are_counted_and_misses_named() {
        let row = |subject: &str, right: Option<bool>| Row {
            exercise: "add".into(),
            subject: subject.into(),
            wanted: String::new(),
            got: String::new(),
            explanation: String::new(),
            ok: true,
            diagnosis: right.map(|right| Diagnosis {
                wanted: "nan".into(),
                got: "oob-read at line 3".into(),
                right,
                acceptable: right,
            }),
        };
        assert_eq!(Diagnoses::count(&[row("solution.cu", None)]).row().map(|row| row.subject), None);
        let rows = [row("solution.cu", None), row("wrong/a", Some(true)), row("wrong/b", Some(false))];
        let counted = Diagnoses::count(&rows);
        assert_eq!((counted.right, counted.of), (1, 2));
        assert_eq!(counted.misses, ["add wrong/b: oob-read at line 3, wanted nan"]);
        let row = counted.row().unwrap();
        assert!(row.ok);
        assert_eq!(
            row.subject,
            "a listed diagnosis at the right line: 1 of 2 wrong files; the first-named one: 1 (50 %)"
        );
    }
}
