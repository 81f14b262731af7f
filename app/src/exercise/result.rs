//! A transcript as markup: verdict card, stations, diagnosis, facts, cases, messages, printed text.
//!
//! Pure: the server draws the first picture with it and the island every later one.

use domain::event::Stage;
use domain::transcript::{StationState, Transcript};
use domain::verdict::{
    CaseOutcome, CaseReport, Diagnostic, Finding, Mark, Mismatch, Severity, Thread, Verdict,
    VerdictKind,
};
use domain::words;
use leptos::prelude::*;

use crate::ui::icon::Icon;
use crate::ui::text::marked;

/// Everything about one submission.
pub fn result(transcript: &Transcript, number: i32) -> AnyView {
    view! {
        {headline(transcript, number)}
        {transcript.verdict.as_ref().map(diagnosis)}
        {messages(&transcript.diagnostics)}
        {cases(transcript)}
        {transcript.verdict.as_ref().map(printed)}
    }
    .into_any()
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

fn tone(transcript: &Transcript) -> (&'static str, Icon) {
    let Some(verdict) = &transcript.verdict else {
        return ("work", Icon::Clock);
    };
    match verdict.kind {
        VerdictKind::Accepted => ("pass", Icon::Tick),
        VerdictKind::OurFault | VerdictKind::Unsupported => ("ours", Icon::Plug),
        VerdictKind::TimeLimit
        | VerdictKind::CompileLimit
        | VerdictKind::MemoryLimit
        | VerdictKind::OutputLimit => ("fail", Icon::Clock),
        VerdictKind::OobRead
        | VerdictKind::OobWrite
        | VerdictKind::OobShared
        | VerdictKind::Misaligned => ("fail", Icon::Wall),
        VerdictKind::BarrierDivergence => ("fail", Icon::Bars),
        VerdictKind::WrongValues
        | VerdictKind::OutputUntouched
        | VerdictKind::Nan
        | VerdictKind::InputModified => ("fail", Icon::Wave),
        _ => ("fail", Icon::Cross),
    }
}

fn headline(transcript: &Transcript, number: i32) -> impl IntoView + use<> {
    let (tone, icon) = tone(transcript);
    let title = headline_words(transcript);
    let judged_on = (!transcript.device.is_empty())
        .then(|| view! { <span>{format!("judged on: {}", transcript.device)}</span> });
    let again = (transcript.start > 1)
        .then(|| view! { <span>{format!("start {} of 3", transcript.start)}</span> });
    let costs = transcript
        .verdict
        .as_ref()
        .filter(|verdict| !verdict.kind.costs_attempt())
        .map(|_| view! { <span>"no attempt used"</span> });
    let stations: Vec<_> = Stage::ALL
        .into_iter()
        .map(|stage| station(transcript, stage))
        .collect();
    view! {
        <div class="card" data-verdict=transcript.verdict.as_ref().map_or("", |verdict| verdict.kind.as_str())>
            <div class=format!("verdict {tone}")>
                <span class="ic">{icon.view()}</span>
                <div>
                    <h2>{marked(&title)}</h2>
                    <div class="meta num"><span>{format!("Submission {number}")}</span>{judged_on}{again}{costs}</div>
                </div>
            </div>
            <ol class="track">{stations}</ol>
        </div>
    }
}

fn station(transcript: &Transcript, stage: Stage) -> impl IntoView + use<> {
    let state = transcript.station(stage);
    let note = transcript.station_note(stage);
    let (class, word, icon) = match state {
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
            <span class="vh">{format!(", {word}")}</span>
            <span class="num">{note}</span>
        </li>
    }
}

fn diagnosis(verdict: &Verdict) -> impl IntoView + use<> {
    let words = words::of(verdict);
    let line = verdict.finding.as_ref().and_then(Finding::line).map(|line| {
        view! { <a class="btn" href=format!("#line-{line}") data-line=line.to_string()>{format!("Go to line {line}")}</a> }
    });
    let marks: Vec<_> = verdict
        .marks
        .iter()
        .map(|mark| view! { <p class="muted">{mark_words(*mark)}</p> })
        .collect();
    view! {
        <div class="card">
            <p class="say">{marked(&words.explanation)}</p>
            {verdict.finding.as_ref().and_then(facts)}
            <p class="next"><b>"Next. "</b>{marked(&words.next)}</p>
            <p class="row">{line}</p>
            {marks}
        </div>
    }
}

fn mark_words(mark: Mark) -> &'static str {
    match mark {
        Mark::TimingPending => "Timed cases wait for a grader that measures.",
        Mark::GpuCasesPending => {
            "The largest case runs only where a GPU is; it was not judged here."
        }
        Mark::SimulatorSilent => "The simulator cannot run this kernel, so the GPU judged alone.",
        Mark::DevicesDisagree => {
            "The simulator and the GPU disagree here. A person will look at it."
        }
    }
}

/// The numbers of a finding as a table, where a case may show them.
fn facts(finding: &Finding) -> Option<AnyView> {
    let rows: Vec<(&str, String)> = match finding {
        Finding::WrongValues {
            buffer,
            at: Some(m),
        }
        | Finding::Nan {
            buffer,
            at: Some(m),
        }
        | Finding::Untouched {
            buffer,
            at: Some(m),
        } => mismatch_rows(buffer, m),
        Finding::OutOfBounds {
            buffer,
            at: Some(reach),
            ..
        } => {
            let mut rows = vec![];
            let name = buffer.clone().unwrap_or_else(|| "memory".to_owned());
            rows.push(("Index", format!("{name}[{}]", reach.index)));
            rows.push(("Size", format!("{} elements", reach.size)));
            rows.extend(who_rows(reach.who));
            rows
        }
        Finding::Illegal { who, .. }
        | Finding::TimeLimit { who, .. }
        | Finding::BarrierDivergent { who, .. } => who_rows(*who),
        _ => vec![],
    };
    if rows.is_empty() {
        return None;
    }
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(name, value)| view! { <tr><th scope="row">{name}</th><td><code>{value}</code></td></tr> })
        .collect();
    Some(view! { <table class="facts num"><tbody>{rows}</tbody></table> }.into_any())
}

fn mismatch_rows(buffer: &str, m: &Mismatch) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("First mismatch", format!("{buffer}[{}]", m.index)),
        ("Expected", m.expected.clone()),
        ("Got", m.got.clone()),
    ];
    if let Some(difference) = m.difference {
        rows.push((
            "Off by",
            format!("{difference:.4e}, allowed {:.4e}", m.allowed),
        ));
    }
    rows.push(("Differ", format!("{} of {} elements", m.count, m.size)));
    rows.extend(who_rows(m.who));
    rows
}

fn who_rows(who: Option<Thread>) -> Vec<(&'static str, String)> {
    let triple = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
    who.map_or(vec![], |who| {
        vec![("Thread", triple(who.thread)), ("Block", triple(who.block))]
    })
}

/// The compiler's messages, each a link to its line.
fn messages(diagnostics: &[Diagnostic]) -> Option<AnyView> {
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
                Some(line) => view! { <a href=format!("#line-{line}") data-line=line.to_string()>{format!("Line {line}")}</a> }.into_any(),
                None => "About the whole program".into_any(),
            };
            view! { <li class=word>{place}" · "{word}<br/><code>{diagnostic.message.clone()}</code></li> }
        })
        .collect();
    Some(view! { <div class="card"><h3 class="h3">"The compiler says"</h3><ul class="messages">{items}</ul></div> }.into_any())
}

fn cases(transcript: &Transcript) -> Option<AnyView> {
    if transcript.cases.is_empty() {
        return None;
    }
    let tiles: Vec<_> = transcript.cases.iter().map(case_tile).collect();
    Some(view! { <div class="card"><h3 class="h3">"Cases"</h3><ul class="cases num">{tiles}</ul></div> }.into_any())
}

fn case_tile(case: &CaseReport) -> impl IntoView + use<> {
    let label = case
        .label
        .clone()
        .unwrap_or_else(|| "hidden case".to_owned());
    let (class, word, icon) = match &case.outcome {
        CaseOutcome::Agrees => ("case", "agrees".to_owned(), Some(Icon::Tick)),
        CaseOutcome::Failed { kind, .. } => {
            ("case x", kind.as_str().replace('-', " "), Some(Icon::Cross))
        }
        CaseOutcome::NotRun => ("case off", "not run".to_owned(), None),
        CaseOutcome::Skipped => ("case off", "needs a GPU".to_owned(), None),
    };
    view! { <li class=class><b>{label}</b>{icon.map(Icon::view)}<span>{word}</span></li> }
}

fn printed(verdict: &Verdict) -> Option<AnyView> {
    if verdict.printed.is_empty() {
        return None;
    }
    let texts: Vec<_> = verdict
        .printed
        .iter()
        .map(|printed| {
            let cut = (printed.dropped_bytes > 0)
                .then(|| view! { <p class="muted">{format!("Cut here; {} more bytes were printed.", printed.dropped_bytes)}</p> });
            view! { <p class="muted">{format!("Case {}", printed.case_index + 1)}</p><pre tabindex="0">{printed.text.clone()}</pre>{cut} }
        })
        .collect();
    Some(view! { <div class="card"><h3 class="h3">"Printed"</h3>{texts}</div> }.into_any())
}
