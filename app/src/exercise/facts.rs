//! What a verdict means in short: its tone and icon, a few words, the table of its numbers, notes on lines.

use domain::finding::{Finding, Mismatch, Thread};
use domain::transcript::Transcript;
use domain::verdict::{Severity, VerdictKind};
use domain::words;
use leptos::prelude::*;

use crate::ui::icon::Icon;

/// Lines with a note; what the compiler says beyond them stands in the list of messages.
const NOTES_MAX: usize = 8;

/// Class of the colour, and outline: each tone has both, so it holds in one colour.
pub fn tone(kind: VerdictKind) -> (&'static str, Icon) {
    match kind {
        VerdictKind::Accepted => ("pass", Icon::Tick),
        VerdictKind::OurFault | VerdictKind::Unsupported => ("ours", Icon::Plug),
        VerdictKind::TimeLimit | VerdictKind::CompileLimit | VerdictKind::MemoryLimit | VerdictKind::OutputLimit => {
            ("fail", Icon::Clock)
        }
        VerdictKind::OobRead | VerdictKind::OobWrite | VerdictKind::OobShared | VerdictKind::Misaligned => {
            ("fail", Icon::Wall)
        }
        VerdictKind::BarrierDivergence => ("fail", Icon::Bars),
        VerdictKind::RaceShared | VerdictKind::RaceGlobal => ("fail", Icon::Race),
        VerdictKind::WrongValues | VerdictKind::OutputUntouched | VerdictKind::Nan | VerdictKind::InputModified => {
            ("fail", Icon::Wave)
        }
        _ => ("fail", Icon::Cross),
    }
}

/// Two or three words, for tiles and lists.
pub fn short_words(kind: VerdictKind) -> String {
    match kind {
        VerdictKind::OobRead => "reads outside".to_owned(),
        VerdictKind::OobWrite => "writes outside".to_owned(),
        VerdictKind::OobShared => "outside shared".to_owned(),
        VerdictKind::TimeLimit => "did not finish".to_owned(),
        VerdictKind::Nan => "not a number".to_owned(),
        VerdictKind::OutputUntouched => "not written".to_owned(),
        VerdictKind::InputModified => "input changed".to_owned(),
        VerdictKind::CompileError => "does not compile".to_owned(),
        kind => kind.as_str().replace('-', " "),
    }
}

/// A note on one line of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct LineNote {
    /// Line, from 1.
    pub line: u32,
    /// Code between backticks.
    pub text: String,
    /// Whether it is only a warning.
    pub is_warning: bool,
}

/// What to write under which line: the finding first, then the compiler's messages.
pub fn line_notes(transcript: &Transcript) -> Vec<LineNote> {
    let mut notes = Vec::new();
    if let Some(verdict) = &transcript.verdict
        && let Some(finding) = &verdict.finding
        && let Some(line) = finding.line()
        && !matches!(finding, Finding::CompileError { .. })
    {
        let words = words::of(verdict);
        let text = if words.explanation.is_empty() { words.title } else { words.explanation };
        notes.push(LineNote { line, text, is_warning: false });
    }
    for diagnostic in &transcript.diagnostics {
        if let Some(line) = diagnostic.line
            && notes.len() < NOTES_MAX
        {
            // A backtick of the compiler's is none of ours.
            let text = diagnostic.message.replace('`', "'");
            let is_warning = diagnostic.severity == Severity::Warning;
            notes.push(LineNote { line, text, is_warning });
        }
    }
    notes
}

/// The numbers of a finding as a table, where a case may show them.
pub fn table(finding: &Finding) -> Option<AnyView> {
    let rows = match finding {
        Finding::WrongValues { buffer, at: Some(at) }
        | Finding::Nan { buffer, at: Some(at) }
        | Finding::Untouched { buffer, at: Some(at) } => mismatch_rows(buffer, at),
        Finding::OutOfBounds { buffer, at: Some(reach), .. } => {
            let name = buffer.as_deref().unwrap_or("memory");
            let mut rows = vec![("Index", format!("{name}[{}]", reach.index)), ("Size", elements(reach.size))];
            rows.extend(who_rows(reach.who));
            rows
        }
        Finding::Illegal { who, .. } | Finding::TimeLimit { who, .. } | Finding::BarrierDivergent { who, .. } => {
            who_rows(*who)
        }
        _ => vec![],
    };
    if rows.is_empty() {
        return None;
    }
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(name, value)| {
            view! { <tr><th scope="row">{name}</th><td><code>{value}</code></td></tr> }
        })
        .collect();
    Some(view! { <table class="facts num"><tbody>{rows}</tbody></table> }.into_any())
}

fn mismatch_rows(buffer: &str, at: &Mismatch) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("First mismatch", format!("{buffer}[{}]", at.index)),
        ("Expected", at.expected.clone()),
        ("Got", at.got.clone()),
    ];
    if let Some(difference) = at.difference {
        rows.push(("Off by", number(difference)));
        rows.push(("Allowed", number(at.allowed)));
    }
    rows.push(("Differ", format!("{} of {}", at.count, elements(at.size))));
    rows.extend(who_rows(at.who));
    rows
}

fn elements(count: u64) -> String {
    if count == 1 { "1 element".to_owned() } else { format!("{count} elements") }
}

fn who_rows(who: Option<Thread>) -> Vec<(&'static str, String)> {
    let triple = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
    who.map_or(vec![], |who| vec![("Thread", triple(who.thread)), ("Block", triple(who.block))])
}

/// About four digits, as a person would write them.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::verdict::Diagnostic;

    #[test]
    fn numbers_are_short() {
        for (value, expect) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.17053, "0.1705"),
            (-2.5, "-2.5"),
            (1e-6, "1.00e-6"),
            (123_456.0, "123456"),
            (1e9, "1.00e9"),
        ] {
            assert_eq!(number(value), expect);
        }
    }

    #[test]
    fn every_verdict_has_words_and_a_tone() {
        for kind in VerdictKind::ALL {
            assert!(!short_words(*kind).is_empty() && !short_words(*kind).contains('-'));
            assert_eq!(tone(*kind).0 == "pass", *kind == VerdictKind::Accepted);
        }
    }

    #[test]
    fn notes_are_bounded_and_have_lines() {
        let diagnostic = |line| Diagnostic { severity: Severity::Error, line, message: "expected a `;`".to_owned() };
        let mut transcript = Transcript::default();
        transcript.diagnostics.push(diagnostic(None));
        transcript.diagnostics.extend((1..=20).map(|line| diagnostic(Some(line))));
        let notes = line_notes(&transcript);
        assert_eq!(notes.len(), NOTES_MAX);
        assert_eq!(notes[0], LineNote { line: 1, text: "expected a ';'".to_owned(), is_warning: false });
    }
}
