//! A transcript as markup: verdict card, stations, diagnosis, cases, messages, printed text.
//!
//! Pure: the server draws the first picture with it and the island every later one.

use domain::event::Stage;
use domain::finding::Finding;
use domain::transcript::{StationState, Transcript};
use domain::verdict::{CaseOutcome, CaseReport, Diagnostic, Severity, Verdict};
use domain::words;
use leptos::prelude::*;

use crate::exercise::facts::{short_words, table, tone};
use crate::ui::icon::Icon;
use crate::ui::text::marked;

/// Everything about submission `id`.
pub fn result(transcript: &Transcript, id: &str, number: i32) -> AnyView {
    view! {
        {headline(transcript, id, number)}
        {transcript.verdict.as_ref().map(|verdict| diagnosis(verdict, id))}
        {(!is_told(transcript)).then(|| messages(&transcript.diagnostics, id))}
        {cases(transcript)}
        {transcript.verdict.as_ref().map(printed)}
    }
    .into_any()
}

/// Whether the only message of the compiler is the verdict's finding, so that it stands on the page already.
fn is_told(transcript: &Transcript) -> bool {
    let finding = transcript.verdict.as_ref().and_then(|verdict| verdict.finding.as_ref());
    transcript.diagnostics.len() == 1 && matches!(finding, Some(Finding::CompileError { .. }))
}

/// The headline in words, as the page's title and the announcement use it.
pub fn headline_words(transcript: &Transcript) -> String {
    match &transcript.verdict {
        Some(verdict) => words::of(verdict).title,
        None => match transcript.stage {
            Some(Stage::Compile) => "Compiling".to_owned(),
            Some(Stage::Values) => "Checking values".to_owned(),
            Some(Stage::Memory) => "Checking memory".to_owned(),
            Some(Stage::Timing) => "Timing".to_owned(),
            Some(Stage::Queue) | None => "Waiting for a grader".to_owned(),
        },
    }
}

fn headline(transcript: &Transcript, id: &str, number: i32) -> impl IntoView + use<> {
    let verdict = transcript.verdict.as_ref();
    let (tone, icon) = verdict.map_or(("work", Icon::Dots), |verdict| tone(verdict.kind));
    let mut remarks = Vec::new();
    if verdict.is_some() && !transcript.cases.is_empty() {
        remarks.push(format!("{} cases right", agreed_words(transcript)));
    }
    if !transcript.device.is_empty() {
        remarks.push(format!("judged on: {}", transcript.device));
    }
    if transcript.start > 1 {
        remarks.push(format!("start {} of 3", transcript.start));
    }
    if verdict.is_some_and(|verdict| !verdict.kind.costs_attempt()) {
        remarks.push("no attempt used".to_owned());
    }
    let remarks: Vec<_> = remarks.into_iter().map(|text| view! { <span>{text}</span> }).collect();
    let stations: Vec<_> = Stage::ALL.into_iter().map(|stage| station(transcript, stage)).collect();
    view! {
        <div class="card" data-verdict=verdict.map_or("", |verdict| verdict.kind.as_str())>
            <div class=format!("verdict {tone}")>
                <span class="ic">{icon.view()}</span>
                <div>
                    <h2>{marked(&headline_words(transcript))}</h2>
                    <div class="meta num"><a href=format!("/s/{id}")>{format!("Submission {number}")}</a>{remarks}</div>
                </div>
            </div>
            <ol class="track" aria-label="Stages">{stations}</ol>
        </div>
    }
}

/// `7 of 15`: cases that agree, of those that are for this device.
pub fn agreed_words(transcript: &Transcript) -> String {
    let count = |wanted: fn(&CaseOutcome) -> bool| transcript.cases.iter().filter(|case| wanted(&case.outcome)).count();
    let agreed = count(|outcome| *outcome == CaseOutcome::Agrees);
    format!("{agreed} of {}", count(|outcome| *outcome != CaseOutcome::Skipped))
}

fn station(transcript: &Transcript, stage: Stage) -> impl IntoView + use<> {
    let note = transcript.station_note(stage);
    let (class, word, icon) = match transcript.station(stage) {
        StationState::Ahead => ("st", "not reached", None),
        StationState::Working => ("st work", "working", None),
        StationState::Passed => ("st ok", "passed", Some(Icon::Tick)),
        StationState::Failed => ("st no", "failed", Some(Icon::Cross)),
        StationState::Skipped => ("st skip", "skipped", None),
        StationState::Ours => ("st ours", "our fault", Some(Icon::Plug)),
    };
    view! {
        <li class=class>
            <i aria-hidden="true">{icon.map(Icon::view)}</i>
            <b>{stage.title()}</b>
            <span class="vh">{format!(", {word}, ")}</span>
            <span class="num">{note}</span>
        </li>
    }
}

/// A link to a line: in the editor where there is one, else on the submission's page.
fn line_link(line: u32, id: &str, text: String, class: &'static str) -> impl IntoView + use<> {
    let address = format!("/s/{id}#line-{line}");
    view! { <a class=class href=address data-line=line.to_string()>{text}</a> }
}

fn diagnosis(verdict: &Verdict, id: &str) -> impl IntoView + use<> {
    let words = words::of(verdict);
    let line = verdict.finding.as_ref().and_then(Finding::line).map(|line| {
        view! { <p class="row">{line_link(line, id, format!("Go to line {line}"), "btn")}</p> }
    });
    let marks: Vec<_> = words::marks(verdict).map(|mark| view! { <li>{mark}</li> }).collect();
    let marks = (!marks.is_empty()).then(|| view! { <ul class="marks">{marks}</ul> });
    view! {
        <div class="card">
            <p class="say">{marked(&words.explanation)}</p>
            {verdict.finding.as_ref().and_then(table)}
            <p class="next"><b>"Next. "</b>{marked(&words.next)}</p>
            {marks}
            {line}
        </div>
    }
}

/// The compiler's messages, each a link to its line.
fn messages(diagnostics: &[Diagnostic], id: &str) -> Option<AnyView> {
    if diagnostics.is_empty() {
        return None;
    }
    let items: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| {
            let word = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let place = match diagnostic.line {
                Some(line) => line_link(line, id, format!("Line {line}"), "place").into_any(),
                None => view! { <span class="place">"About the whole program"</span> }.into_any(),
            };
            let message = diagnostic.message.clone();
            view! { <li class=word>{place}", "{word}<code>{message}</code></li> }
        })
        .collect();
    let card =
        view! { <div class="card"><h3 class="h3">"The compiler says"</h3><ul class="messages">{items}</ul></div> };
    Some(card.into_any())
}

fn cases(transcript: &Transcript) -> Option<AnyView> {
    if transcript.cases.is_empty() {
        return None;
    }
    let tiles: Vec<_> = transcript.cases.iter().map(case_tile).collect();
    let chip = transcript.verdict.as_ref().map(|verdict| {
        let class = if verdict.finding.is_none() { "chip pass num" } else { "chip num" };
        view! { <span class=class>{agreed_words(transcript)}</span> }
    });
    let card = view! {
        <div class="card">
            <div class="between"><h3 class="h3">"Cases"</h3>{chip}</div>
            <ul class="cases num">{tiles}</ul>
        </div>
    };
    Some(card.into_any())
}

fn case_tile(case: &CaseReport) -> impl IntoView + use<> {
    let label = case.label.clone().unwrap_or_else(|| "hidden case".to_owned());
    let (class, words, icon) = match &case.outcome {
        CaseOutcome::Agrees => ("case", "agrees".to_owned(), Some(Icon::Tick)),
        CaseOutcome::Failed { kind, .. } => ("case x", short_words(*kind), Some(Icon::Cross)),
        CaseOutcome::NotRun => ("case off", "not run".to_owned(), None),
        CaseOutcome::Skipped => ("case off", "needs a GPU".to_owned(), None),
    };
    view! { <li class=class><b>{label}</b>{icon.map(Icon::view)}<span>{words}</span></li> }
}

fn printed(verdict: &Verdict) -> Option<AnyView> {
    if verdict.printed.is_empty() {
        return None;
    }
    let texts: Vec<_> = verdict
        .printed
        .iter()
        .map(|printed| {
            let case = verdict.cases.get(printed.case_index as usize);
            let title =
                case.and_then(|case| case.label.clone()).unwrap_or_else(|| format!("case {}", printed.case_index + 1));
            let cut = (printed.dropped_bytes > 0).then(|| {
                let text = format!("Cut here; {} more bytes were printed.", printed.dropped_bytes);
                view! { <p class="muted">{text}</p> }
            });
            let text = visible(&printed.text);
            let label = format!("Printed, {title}");
            view! { <p class="muted">{title}</p><pre tabindex="0" role="group" aria-label=label>{text}</pre>{cut} }
        })
        .collect();
    let card = view! { <div class="card"><h3 class="h3">"Printed"</h3>{texts}</div> };
    Some(card.into_any())
}

/// Text without characters that would move or hide the text around them.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_text_keeps_to_itself() {
        assert_eq!(visible("a\tb\n"), "a\tb\n");
        assert_eq!(visible("\u{1b}[31m\r\u{202e}x"), "\u{fffd}[31m\u{fffd}\u{fffd}x");
    }
}
