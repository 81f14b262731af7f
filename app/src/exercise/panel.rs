//! The island: draws a submission, follows it live, and submits the form around the editor without leaving the page.

#![expect(
    missing_docs,
    reason = "the island macro makes public items that it does not document"
)]

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
    /// What is known of it.
    pub transcript: Transcript,
    /// Why the last attempt to submit was refused.
    pub refusal: Option<String>,
    /// Whether the source was edited after it was submitted.
    pub changed: bool,
    /// Whether nothing was heard for long.
    pub silent: bool,
}

/// Draws `first`, then whatever happens. `name` is the exercise's title, for the page's title.
#[island]
pub fn ResultPanel(first: Shown, name: String) -> impl IntoView {
    let shown = RwSignal::new(first);
    #[cfg(feature = "hydrate")]
    Effect::new({
        let name = name.clone();
        move || crate::exercise::live::attach(shown, name.clone())
    });
    #[cfg(not(feature = "hydrate"))]
    let _ = name;
    view! { <div class="panel">{move || shown.with(draw)}</div> }
}

fn draw(shown: &Shown) -> AnyView {
    let refusal = shown
        .refusal
        .clone()
        .map(|text| view! { <div class="card refusal"><p class="say">{text}</p></div> });
    let changed = shown
        .changed
        .then(|| view! { <p class="muted note">"The code changed since this submission."</p> });
    let silent = shown.silent.then(|| view! { <p class="muted note">"Still waiting for the grader. You can leave; the result stays here."</p> });
    let body = match &shown.submission {
        Some(_) => result(&shown.transcript, shown.number),
        None => view! {
            <div class="card">
                <h2 class="h3">"Nothing submitted yet"</h2>
                <p class="muted">"The starter compiles and fails on purpose: submit it to see what a result looks like."</p>
            </div>
        }
        .into_any(),
    };
    view! { {refusal}{changed}{silent}{body} }.into_any()
}
