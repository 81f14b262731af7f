//! `/s/{submission}`: a lasting page for one result, whole without script.

use domain::transcript::Transcript;
use leptos::prelude::*;

use crate::exercise::facts::{line_notes, tone};
use crate::exercise::panel::{ResultPanel, Shown};
use crate::exercise::result::headline_words;
use crate::shell::footer;
use crate::ui::icon::Icon;
use crate::ui::listing::{Note, listing};
use crate::ui::text::unmarked;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct SubmissionPage {
    /// Its id, as text.
    pub id: String,
    /// 1, 2, 3 …
    pub number: i32,
    /// Slug of its exercise.
    pub exercise: String,
    /// Title of its exercise.
    pub exercise_title: String,
    /// The source as submitted.
    pub source: String,
    /// When it was stored, as text in UTC.
    pub received: String,
    /// Submissions that wait before it.
    pub ahead: i64,
    /// What is known.
    pub transcript: Transcript,
}

/// The title, from the particular.
pub fn title(page: &SubmissionPage) -> String {
    format!("{} · {}", unmarked(&headline_words(&page.transcript)), page.exercise_title)
}

/// The page.
pub fn submission(page: &SubmissionPage) -> AnyView {
    let shown = Shown {
        submission: Some(page.id.clone()),
        number: page.number,
        ahead: page.ahead,
        transcript: page.transcript.clone(),
        ..Shown::default()
    };
    let words = unmarked(&headline_words(&page.transcript));
    view! {
        <main id="content" class="sub">
            <div class="head">
                <h1>{format!("Submission {}: {words}", page.number)}</h1>
                <p class="row">
                    <a class="btn" href=format!("/x/{}", page.exercise)>{format!("Back to {}", page.exercise_title)}</a>
                    <span class="muted num">{format!("received {}", page.received)}</span>
                </p>
            </div>
            <section aria-label="Result" class="res" id="result"><ResultPanel first=shown name=page.exercise_title.clone()/></section>
            <section aria-label="Source" class="listing card" id="code">
                <h2 class="h3">"The source that was judged"</h2>
                <div class="ed" tabindex="0" role="group" aria-label="Source">{source(page)}</div>
            </section>
        </main>
        {footer()}
    }
    .into_any()
}

/// The source with line numbers; lines that the verdict speaks of are marked.
fn source(page: &SubmissionPage) -> AnyView {
    let icon = page.transcript.verdict.as_ref().map_or(Icon::Cross, |verdict| tone(verdict.kind).1);
    let notes: Vec<_> = line_notes(&page.transcript)
        .into_iter()
        .map(|note| Note { line: note.line, icon, text: note.text, is_warning: note.is_warning })
        .collect();
    listing(&page.source, &notes, true)
}
