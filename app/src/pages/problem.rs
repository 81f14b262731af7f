//! Pages for what went wrong: a sentence, a cause, one action. What was typed is kept.

use leptos::prelude::*;

use crate::shell::{footer, mask};
use crate::ui::area::source_area;

/// What to tell.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The title.
    pub title: String,
    /// One or two sentences.
    pub text: String,
    /// Where to go on: text and address.
    pub action: (String, String),
    /// What was typed, if anything was, with the address that takes it again.
    pub kept: Option<Kept>,
}

/// A source that was refused.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Where it goes.
    pub action: String,
    /// The text.
    pub source: String,
}

/// The page.
pub fn problem(problem: Problem) -> AnyView {
    let (action, address) = problem.action;
    let kept = problem.kept.map(|kept| {
        view! {
            <form method="post" action=kept.action class="card">
                <label for="kept">"Your code is kept here; you can change it and send it again."</label>
                {source_area("kept", "18", &kept.source)}
                <p class="row"><button class="btn pri" type="submit">"Submit again"</button></p>
            </form>
        }
    });
    view! {
        <main id="content" class="page narrow">
            <div class="off-mask">{mask(0x0000_0018)}</div>
            <h1>{problem.title}</h1>
            <p class="lead">{problem.text}</p>
            <p class="row"><a class="btn" href=address>{action}</a></p>
            {kept}
        </main>
        {footer()}
    }
    .into_any()
}
