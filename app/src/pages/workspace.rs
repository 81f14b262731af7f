//! `/x/{exercise}`: task, code, result side by side; one column on a phone. A plain form underneath everything.

use domain::exercise::{Compare, KernelTask, Param, Role, Task};
use domain::submission::Status;
use leptos::prelude::*;
use lesson::{Exercise, Hint};

use crate::exercise::panel::{ResultPanel, Shown};
use crate::ui::icon::Icon;

/// What the page shows.
pub struct WorkspacePage<'a> {
    /// The exercise.
    pub exercise: &'a Exercise,
    /// Title of its lesson.
    pub lesson_title: String,
    /// The text to begin with: the last submitted source, or the starter.
    pub source: String,
    /// Makes a repeated request the same submission.
    pub request_key: String,
    /// The newest submission, if there is one.
    pub shown: Shown,
    /// Earlier submissions, newest first: number, address, verdict in words.
    pub history: Vec<HistoryRow>,
}

/// One earlier submission.
pub struct HistoryRow {
    /// 1, 2, 3 …
    pub number: i32,
    /// Its id, as text.
    pub id: String,
    /// Where it stands.
    pub status: Status,
    /// What was decided.
    pub verdict: Option<&'static str>,
}

/// The page.
pub fn workspace(page: WorkspacePage<'_>) -> AnyView {
    let exercise = page.exercise;
    let Task::Kernel(task) = &exercise.task;
    view! {
        <main id="content" class="ws">
            <section class="task" id="task" aria-label="Task"><div class="scroll" tabindex="0">{task_region(&page, task)}</div></section>
            <section class="edsec" id="code" aria-label="Code">{code_region(&page, task)}</section>
            <section class="res" id="result" aria-label="Result">
                <div class="scroll" tabindex="0"><ResultPanel first=page.shown.clone() name=exercise.title.clone()/></div>
            </section>
        </main>
        <nav class="phonebar" aria-label="Parts of this page">
            <a href="#task">"Task"</a><a href="#code">"Code"</a><a href="#result">"Result"</a>
            <button class="btn pri" type="submit" form="submit-form">"Submit"</button>
        </nav>
    }
    .into_any()
}

fn task_region(page: &WorkspacePage<'_>, task: &KernelTask) -> impl IntoView + use<> {
    let exercise = page.exercise;
    let params: Vec<_> = task.params.iter().map(param_row).collect();
    let visible = task.cases.iter().filter(|case| case.visible).count();
    let hidden = task.cases.len() - visible;
    let tolerance: Vec<_> = task
        .params
        .iter()
        .filter_map(tolerance)
        .map(|text| view! { <li>{text}</li> })
        .collect();
    let hints: Vec<_> = exercise.hints.iter().map(hint).collect();
    let history: Vec<_> = page.history.iter().map(history_row).collect();
    let history = (!history.is_empty()).then(
        || view! { <h2>"Your submissions"</h2><ol class="history num" reversed>{history}</ol> },
    );
    view! {
        <p class="eyebrow">{format!("Exercise · about {} minutes", exercise.minutes)}</p>
        <h1>{exercise.title.clone()}</h1>
        <div class="prose" inner_html=exercise.statement_html.clone()></div>
        <h2>"You are given"</h2>
        <div class="sig">{params}</div>
        <h2>"You pass when"</h2>
        <ul class="pass">
            <li>"it compiles"</li>
            <li>{format!("{visible} visible and {hidden} hidden cases agree")}</li>
            {tolerance}
            <li>"no access leaves its buffer, and inputs stay as they are"</li>
        </ul>
        <h2>"If you are stuck"</h2>
        <p class="muted">"Hints cost nothing. Open them one at a time."</p>
        {hints}
        <h2>"Read again"</h2>
        <p><a href=format!("/course/{}/{}", exercise.module, exercise.lesson)>{page.lesson_title.clone()}</a></p>
        {history}
    }
}

fn param_row(param: &Param) -> impl IntoView + use<> {
    let (class, what) = match &param.role {
        Role::In { .. } => ("ms-g", "input, must not change"),
        Role::Out { .. } => ("ms-g", "output, write every element"),
        Role::InOut { .. } => ("ms-g", "read and written"),
        Role::Scratch { .. } => ("ms-g", "room to work in"),
        Role::Scalar { .. } => ("ms-r", "by value"),
    };
    let declaration = param.declaration();
    let shape = param.shape().map_or(String::new(), |shape| {
        let extents: Vec<_> = shape.iter().map(ToString::to_string).collect();
        format!(" · {} elements", extents.join(" × "))
    });
    view! { <div><code class=class>{param.name.clone()}</code><span><code>{declaration}</code>{shape}<br/><span class="muted">{what}</span></span></div> }
}

fn tolerance(param: &Param) -> Option<String> {
    let (Role::Out { compare, .. } | Role::InOut { compare, .. }) = &param.role else {
        return None;
    };
    Some(match compare {
        Compare::Exact => format!("{} is exactly right", param.name),
        Compare::Close { abs, rel, reason } => {
            format!(
                "{} is within {abs:e} + {rel:e} × |expected|: {reason}",
                param.name
            )
        }
    })
}

fn hint(hint: &Hint) -> impl IntoView + use<> {
    view! { <details class="hint"><summary>{Icon::Lamp.view()}{hint.title.clone()}</summary><div inner_html=hint.html.clone()></div></details> }
}

fn history_row(row: &HistoryRow) -> impl IntoView + use<> {
    let words = match (row.status, row.verdict) {
        (Status::Finished, Some(verdict)) => verdict.replace('-', " "),
        (Status::Running, _) => "being judged".to_owned(),
        _ => "waiting".to_owned(),
    };
    view! { <li value=row.number><a href=format!("/s/{}", row.id)>{format!("Submission {}", row.number)}</a>" "<span class="muted">{words}</span></li> }
}

fn code_region(page: &WorkspacePage<'_>, task: &KernelTask) -> impl IntoView + use<> {
    let launches: Vec<_> = task
        .launches
        .iter()
        .map(|launch| {
            let triple = |extents: &[domain::expression::Expression; 3]| {
                let mut words: Vec<_> = extents.iter().map(ToString::to_string).collect();
                while words.len() > 1 && words.last().is_some_and(|word| word == "1") {
                    words.pop();
                }
                words.join(", ")
            };
            let names: Vec<_> = task.params.iter().map(|param| param.name.clone()).collect();
            format!(
                "{}<<<{}, {}>>>({})",
                launch.kernel,
                triple(&launch.grid),
                triple(&launch.block),
                names.join(", ")
            )
        })
        .map(|text| view! { <code>{text}</code> })
        .collect();
    let slug = page.exercise.slug.to_string();
    view! {
        <div class="launch">{Icon::Lock.view()}<span>"The grader launches"</span>{launches}</div>
        <form id="submit-form" method="post" action=format!("/x/{slug}/submissions")>
            <input type="hidden" name="request_key" value=page.request_key.clone()/>
            <code-editor name="source" exercise=slug.clone() label=format!("Kernel source, {slug}.cu")>
                <label class="vh" for="source">"Kernel source"</label>
                <textarea id="source" name="source" spellcheck="false" autocapitalize="off" autocomplete="off" rows="24">{page.source.clone()}</textarea>
            </code-editor>
            <div class="actions">
                <button class="btn quiet" type="button" id="reset-code" hidden>"Reset to starter"</button>
                <span class="sp"></span>
                <button class="btn pri" type="submit">{Icon::Up.view()}"Submit"<kbd aria-hidden="true">"Ctrl ⇧ ↵"</kbd></button>
            </div>
        </form>
        <template id="starter-code">{page.exercise.starter.clone()}</template>
        <p class="status"><span>"CUDA C++17"</span><span>"Esc, then Tab, leaves the editor"</span><span id="draft"></span></p>
    }
}
