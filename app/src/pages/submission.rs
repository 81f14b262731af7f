//! `/s/{submission}`: a lasting page for one result, whole without script.

use domain::transcript::Transcript;
use domain::verdict::Finding;
use leptos::prelude::*;

use crate::exercise::panel::{ResultPanel, Shown};
use crate::exercise::result::headline_words;
use crate::shell::footer;
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
    format!(
        "{} · {}",
        unmarked(&headline_words(&page.transcript)),
        page.exercise_title
    )
}

/// The page.
pub fn submission(page: &SubmissionPage) -> AnyView {
    let shown = Shown {
        submission: Some(page.id.clone()),
        number: page.number,
        transcript: page.transcript.clone(),
        ..Shown::default()
    };
    let waits = (page.ahead > 0)
        .then(|| view! { <p class="muted">{format!("{} ahead in the queue.", page.ahead)}</p> });
    view! {
        <main id="content" class="submission">
            <div class="head">
                <h1>{format!("Submission {}: {}", page.number, page.exercise_title)}</h1>
                <p class="row">
                    <a class="btn" href=format!("/x/{}", page.exercise)>"Back to the exercise"</a>
                    <span class="muted num">{format!("received {}", page.received)}</span>
                </p>
                {waits}
            </div>
            <section aria-label="Result" class="res" id="result"><ResultPanel first=shown name=page.exercise_title.clone()/></section>
            <section aria-label="Source" class="listing">{listing(page)}</section>
        </main>
        {footer()}
    }
    .into_any()
}

/// The source with line numbers; lines that messages speak of are marked.
fn listing(page: &SubmissionPage) -> impl IntoView + use<> {
    let mut marked: Vec<u32> = page
        .transcript
        .diagnostics
        .iter()
        .filter_map(|diagnostic| diagnostic.line)
        .collect();
    marked.extend(
        page.transcript
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.finding.as_ref())
            .and_then(Finding::line),
    );
    let lines: Vec<_> = page
        .source
        .lines()
        .zip(1_u32..)
        .map(|(text, number)| {
            let bad = marked.contains(&number);
            let class = if bad { "l bad" } else { "l" };
            let note = bad.then(|| view! { <span class="vh">"marked: "</span> });
            view! { <div class=class id=format!("line-{number}")><span class="g">{number}</span><span>{note}{text.to_owned()}</span></div> }
        })
        .collect();
    view! { <h2 class="h3">"The source that was judged"</h2><div class="ed card" tabindex="0" role="region" aria-label="Source">{lines}</div> }
}
