//! The left of the workspace: what to do, what is given, what is checked, hints, earlier submissions.

use domain::exercise::{Compare, KernelTask, Param, Role};
use domain::submission::Status;
use domain::verdict::VerdictKind;
use leptos::prelude::*;
use lesson::Hint;

use crate::exercise::facts::{short_words, tone};
use crate::pages::workspace::WorkspacePage;
use crate::ui::highlight::prose;
use crate::ui::icon::Icon;

/// One earlier submission.
#[derive(Clone, Debug)]
pub struct HistoryRow {
    /// 1, 2, 3 …
    pub number: i32,
    /// Its id, as text.
    pub id: String,
    /// Where it stands.
    pub status: Status,
    /// What was decided.
    pub verdict: Option<VerdictKind>,
}

/// The region, with links to its parts above it.
pub fn task_region(page: &WorkspacePage<'_>, task: &KernelTask) -> impl IntoView + use<> {
    let exercise = page.exercise;
    let found = page.shown.transcript.verdict.as_ref().map(|verdict| verdict.kind);
    let params: Vec<_> = task.params.iter().map(param_row).collect();
    let hints: Vec<_> = exercise.hints.iter().map(|one| hint(one, found)).collect();
    let to_hints = (!hints.is_empty()).then(|| view! { <a class="tab" href="#hints">"Hints"</a> });
    let hints = (!hints.is_empty()).then(|| {
        view! {
            <h2 id="hints">"If you are stuck"</h2>
            <p class="muted">"Hints cost nothing. Open them one at a time."</p>
            {hints}
        }
    });
    let history = &page.history;
    let to_history = (!history.is_empty()).then(|| {
        view! { <a class="tab" href="#history">"History "<span class="n">{history.len()}</span></a> }
    });
    let rows: Vec<_> = history.iter().map(history_row).collect();
    let history = (!rows.is_empty()).then(|| {
        view! { <h2 id="history">"Your submissions"</h2><ol class="history num">{rows}</ol> }
    });
    let lesson = format!("/course/{}/{}", exercise.module, exercise.lesson);
    view! {
        <nav class="tabs" aria-label="Parts of the task"><a class="tab on" href="#task">"Task"</a>{to_hints}{to_history}</nav>
        <div class="scroll" tabindex="0" role="group" aria-label="Task">
            <p class="eyebrow">{format!("Exercise · about {} minutes", exercise.minutes)}</p>
            <h1>{exercise.title.clone()}</h1>
            <div class="prose" inner_html=prose(&exercise.statement_html)></div>
            <h2>"The arguments"</h2>
            <dl class="sig">{params}</dl>
            <h2>"What is checked"</h2>
            <ul class="target">{checks(task)}</ul>
            {hints}
            <h2>"Read again"</h2>
            <p><a href=lesson>{page.lesson_title.clone()}</a></p>
            {history}
        </div>
    }
}

fn checks(task: &KernelTask) -> Vec<AnyView> {
    let visible = task.cases.iter().filter(|case| case.visible).count();
    let hidden = task.cases.len() - visible;
    let mut checks = vec![
        (Icon::Tick, "it compiles".to_owned()),
        (Icon::Flag, format!("{visible} visible and {hidden} hidden cases agree")),
    ];
    checks.extend(task.params.iter().filter_map(tolerance).map(|text| (Icon::Flag, text)));
    checks.push((Icon::Wall, "no access leaves its buffer, and inputs stay as they are".to_owned()));
    checks.into_iter().map(|(icon, text)| view! { <li>{icon.view()}<span>{text}</span></li> }.into_any()).collect()
}

fn param_row(param: &Param) -> impl IntoView + use<> {
    let (class, what) = match &param.role {
        Role::In { .. } => ("ms-g", "input, must not change"),
        Role::Out { .. } => ("ms-g", "output, every element is yours to write"),
        Role::InOut { .. } => ("ms-g", "read and written"),
        Role::Scratch { .. } => ("ms-g", "room to work in"),
        Role::Scalar { .. } => ("ms-r", "by value"),
    };
    let declaration = param.declaration();
    let shape = param.shape().map_or(String::new(), |shape| {
        let extents: Vec<_> = shape.iter().map(ToString::to_string).collect();
        format!(" · {} elements", extents.join(" × "))
    });
    view! {
        <div>
            <dt><code class=class>{param.name.clone()}</code></dt>
            <dd><code>{declaration}</code>{shape}<br/><span class="muted">{what}</span></dd>
        </div>
    }
}

fn tolerance(param: &Param) -> Option<String> {
    let (Role::Out { compare, .. } | Role::InOut { compare, .. }) = &param.role else {
        return None;
    };
    Some(match compare {
        Compare::Exact => format!("{} is exactly right", param.name),
        Compare::Close { abs, rel, .. } => {
            format!("{} is off by at most {abs:e} + {rel:e} × its value", param.name)
        }
    })
}

/// A hint about certain verdicts is hidden until one of them is there.
fn hint(hint: &Hint, found: Option<VerdictKind>) -> impl IntoView + use<> {
    let when: Vec<_> = hint.when.iter().map(|kind| kind.as_str()).collect();
    let is_bound = !when.is_empty();
    let hidden = is_bound && !found.is_some_and(|found| hint.when.contains(&found));
    let about = is_bound.then(|| view! { <span class="muted">"about this result"</span> });
    view! {
        <details class="hint" data-when=is_bound.then(|| when.join(" ")) hidden=hidden>
            <summary>{Icon::Lamp.view()}<span>{hint.title.clone()}</span>{about}</summary>
            <div class="prose" inner_html=prose(&hint.html)></div>
        </details>
    }
}

fn history_row(row: &HistoryRow) -> impl IntoView + use<> {
    let (tone, icon, words) = match (row.status, row.verdict) {
        (Status::Finished, Some(kind)) => {
            let (tone, icon) = tone(kind);
            (tone, icon, short_words(kind))
        }
        (Status::Running, _) => ("work", Icon::Dots, "being judged".to_owned()),
        _ => ("work", Icon::Dots, "waiting".to_owned()),
    };
    view! {
        <li><a href=format!("/s/{}", row.id)>
            <span class=tone>{icon.view()}</span><span>{format!("Submission {}", row.number)}</span><span class="muted">{words}</span>
        </a></li>
    }
}
