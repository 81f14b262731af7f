//! The island: draws a submission, follows it live, and submits the form around the editor without leaving the page.

#![expect(missing_docs, reason = "the island macro makes public items that it does not document")]

use domain::transcript::Transcript;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::exercise::result::result;

/// What the panel shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The submission; `None` before the first.
    pub submission: Option<String>,
    /// 1, 2, 3 … per learner and exercise.
    pub number: i32,
    /// Submissions that waited before it when that was last asked.
    pub ahead: i64,
    /// What is known of it.
    pub transcript: Transcript,
    /// Why the last attempt to submit was refused.
    pub refusal: Option<String>,
    /// Whether the source was edited after it was submitted.
    pub changed: bool,
    /// Whether nothing was heard for long.
    pub silent: bool,
}

impl Shown {
    /// Whether `submission` is what is shown.
    pub fn is_of(&self, submission: &str) -> bool {
        self.submission.as_deref() == Some(submission)
    }

    /// Whether others wait before it, and no grader has begun.
    fn is_behind_others(&self) -> bool {
        self.ahead > 0 && self.waits() && self.transcript.start == 0
    }

    /// Whether there is a submission without a verdict.
    pub fn waits(&self) -> bool {
        self.submission.is_some() && self.transcript.verdict.is_none()
    }
}

/// Draws `first`, then whatever happens. `name` is the exercise's title, for the page's title.
#[island]
pub fn ResultPanel(first: Shown, name: String) -> impl IntoView {
    let shown = RwSignal::new(first);
    follow(shown, name);
    view! { <div class="panel">{move || shown.with(draw)}</div> }
}

#[cfg(feature = "hydrate")]
fn follow(shown: RwSignal<Shown>, name: String) {
    Effect::new(move || crate::exercise::live::attach(shown, name.clone()));
}

/// The server draws once.
#[cfg(not(feature = "hydrate"))]
fn follow(_: RwSignal<Shown>, name: String) {
    drop(name);
}

fn draw(shown: &Shown) -> AnyView {
    let refusal = shown.refusal.clone().map(|text| {
        view! { <div class="card refusal"><h2 class="h3">"Not submitted"</h2><p>{text}</p></div> }
    });
    let changed = (shown.changed && shown.submission.is_some())
        .then(|| view! { <p class="muted note">{format!("For submission {}; code changed since.", shown.number)}</p> });
    let silent = (shown.silent && shown.waits()).then(|| {
        view! { <p class="muted note">"Still waiting for the grader. You can leave; the result will be here."</p> }
    });
    let behind = shown
        .is_behind_others()
        .then(|| view! { <p class="muted note num">{format!("{} ahead in the queue", shown.ahead)}</p> });
    let body = match &shown.submission {
        Some(id) => result(&shown.transcript, id, shown.number),
        None => view! {
            <div class="card">
                <h2 class="h3">"Nothing submitted yet"</h2>
                <p class="muted">"The starter compiles and fails on purpose: submit it to see what a result looks like."</p>
            </div>
        }
        .into_any(),
    };
    view! { {refusal}{changed}{silent}{behind}{body} }.into_any()
}
