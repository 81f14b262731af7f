//! `/`: what this is, and the way to the first kernel.

use leptos::prelude::*;
use lesson::Course;

use crate::shell::footer;

/// The landing page.
pub fn landing(course: &Course) -> AnyView {
    let first_lesson = course
        .lessons()
        .next()
        .map(|lesson| format!("/course/{}/{}", lesson.module, lesson.slug));
    let first_exercise = course
        .exercises()
        .next()
        .map(|exercise| format!("/x/{}", exercise.slug));
    let start = first_lesson
        .map(|to| view! { <a class="btn pri big" href=to>"Start the first lesson"</a> });
    let try_one = first_exercise.map(|to| view! { <a class="btn big" href=to>"Try a kernel"</a> });
    view! {
        <main id="content" class="landing">
            <section class="hero">
                <div>
                    <h1>"Write a kernel." <br/> "See what every thread did."</h1>
                    <p class="lead">"Learn CUDA by writing kernels that are compiled, run and checked while you watch: no account, no GPU of your own."</p>
                    <p class="row">{start}{try_one}</p>
                </div>
                {recorded()}
            </section>
            <section class="three">
                <div class="card"><h2 class="h3">"It names the thread"</h2><p>"A stray access is told with block, thread, line and index, and with the line of arithmetic that joins them."</p></div>
                <div class="card"><h2 class="h3">"Right values are not enough"</h2><p>"Small and ragged sizes, sizes nobody sees before, inputs that must stand, outputs that must be written: wrong kernels do not pass."</p></div>
                <div class="card"><h2 class="h3">"Our fault is never yours"</h2><p>"If a grader stops, your submission is tried again by itself, and nothing you typed is lost."</p></div>
            </section>
        </main>
        {footer()}
    }
    .into_any()
}

/// A result as it looks: what a kernel without a guard is told.
fn recorded() -> impl IntoView {
    view! {
        <figure class="card recorded" aria-label="An example of a result">
            <pre><code>"5   int i = blockIdx.x * blockDim.x + threadIdx.x;\n6   "<mark>"c[i] = a[i] + b[i];"</mark></code></pre>
            <p class="say"><b>"Reads past the end of "<code>"a"</code>", line 6."</b>" Thread (104, 0, 0) of block (7, 0, 0) read "<code>"a[1000]"</code>"; the last index is 999."</p>
            <p class="num arithmetic"><code>"7 × 128 + 104 = 1000"</code></p>
            <p class="next"><b>"Next. "</b>"1024 threads are launched for 1000 elements. What should the others do?"</p>
        </figure>
    }
}
