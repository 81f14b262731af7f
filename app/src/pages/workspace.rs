//! `/x/{exercise}`: task, code, result side by side; one column on a phone. A plain form underneath everything.

use domain::exercise::{KernelTask, Launch, Task};
use domain::expression::Expression;
use leptos::prelude::*;
use lesson::Exercise;

use crate::exercise::panel::{ResultPanel, Shown};
use crate::pages::task::{HistoryRow, task_region};
use crate::ui::area::source_area;
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
    /// Earlier submissions, newest first.
    pub history: Vec<HistoryRow>,
}

/// The page.
pub fn workspace(page: &WorkspacePage<'_>) -> AnyView {
    let exercise = page.exercise;
    let Task::Kernel(task) = &exercise.task;
    let name = exercise.title.clone();
    view! {
        <main id="content" class="ws">
            <section class="task" id="task" aria-label="Task">{task_region(page, task)}</section>
            <section class="edsec" id="code" aria-label="Code">{code_region(page, task)}</section>
            <section class="res" id="result" aria-label="Result">
                <div class="tabs"><h2 class="tab on">"Result"</h2></div>
                <div class="scroll" tabindex="0" role="group" aria-label="Result">
                    <ResultPanel first=page.shown.clone() name=name/>
                </div>
            </section>
        </main>
        <nav class="phonebar" aria-label="Parts of this page">
            <a href="#task">{Icon::Page.view()}"Task"</a>
            <a href="#code">{Icon::Code.view()}"Code"</a>
            <a href="#result">{Icon::Columns.view()}"Result"</a>
            <button class="btn pri" type="submit" form="submit-form">"Submit"</button>
        </nav>
    }
    .into_any()
}

fn code_region(page: &WorkspacePage<'_>, task: &KernelTask) -> impl IntoView + use<> {
    let slug = page.exercise.slug.to_string();
    let launches: Vec<_> = task.launches.iter().map(|one| launch(one, task)).collect();
    let pointers: Vec<_> =
        task.params.iter().filter(|param| param.shape().is_some()).map(|param| param.name.as_str()).collect();
    let source = source_area("source", "24", &page.source);
    view! {
        <div class="tabs"><h2 class="tab on">{format!("{slug}.cu")}</h2></div>
        <div class="launch" tabindex="0" role="group" aria-label="Launch">{Icon::Lock.view()}<span>"The grader launches"</span>{launches}</div>
        <form id="submit-form" method="post" action=format!("/x/{slug}/submissions")>
            <input type="hidden" name="request_key" value=page.request_key.clone() autocomplete="off"/>
            <code-editor name="source" exercise=slug.clone() pointers=pointers.join(" ") label=format!("Kernel source, {slug}.cu")>
                <label class="vh" for="source">"Kernel source"</label>
                {source}
            </code-editor>
            <div class="actions">
                <button class="btn quiet" type="button" id="reset-code" hidden>"Reset to starter"</button>
                <span class="sp"></span>
                <button class="btn pri" type="submit">{Icon::Up.view()}"Submit"<kbd aria-hidden="true">"Ctrl ⇧ ↵"</kbd></button>
            </div>
        </form>
        <template id="starter-code">{page.exercise.starter.clone()}</template>
        <p class="status"><span id="cursor" hidden></span><span>"CUDA C++17"</span><span id="leave" hidden>"Esc, then Tab, leaves the editor"</span></p>
    }
}

/// `kernel<<<grid, block>>>(arguments)`, as the grader will call it.
fn launch(launch: &Launch, task: &KernelTask) -> impl IntoView + use<> {
    let names: Vec<_> = task.params.iter().map(|param| param.name.as_str()).collect();
    view! {
        <code>
            {launch.kernel.clone()}"<<<"<b>{extents(&launch.grid)}</b>", "<b>{extents(&launch.block)}</b>">>>("{names.join(", ")}")"
        </code>
    }
}

/// Extents without the ones at the end.
fn extents(extents: &[Expression; 3]) -> String {
    let mut words: Vec<_> = extents.iter().map(ToString::to_string).collect();
    while words.len() > 1 && words.last().is_some_and(|word| word == "1") {
        words.pop();
    }
    if words.len() == 1 { words.remove(0) } else { format!("({})", words.join(", ")) }
}
