//! `/`: what this is, and the way to the first kernel.

use leptos::prelude::*;
use lesson::Course;

use crate::shell::footer;
use crate::ui::icon::Icon;
use crate::ui::listing::{Note, listing};

/// The landing page.
pub fn landing(course: &Course) -> AnyView {
    let first_lesson = course.lessons().next().map(|lesson| format!("/course/{}/{}", lesson.module, lesson.slug));
    let first_exercise = course.exercises().next().map(|exercise| format!("/x/{}", exercise.slug));
    let try_one = first_exercise.map(|to| view! { <a class="btn pri big" href=to>"Try a kernel"</a> });
    let start = first_lesson.map(|to| view! { <a class="btn big" href=to>"Start the first lesson"</a> });
    view! {
        <main id="content">
            <section class="hero">
                <div>
                    <h1>"Write a kernel. See what every thread did."</h1>
                    <p class="lead">"Learn CUDA by writing kernels that are compiled, run and checked while you watch."</p>
                    <p class="row">{try_one}{start}</p>
                    <p class="small">"No account needed. No GPU needed."</p>
                </div>
                {example()}
            </section>
            <section class="three" aria-label="How it works"><div>{three()}</div></section>
        </main>
        {footer()}
    }
    .into_any()
}

const EXAMPLE: &str = "__global__ void ramp(float* out, int n,
                     float start, float step)
{
    // One thread makes one value.
    int i = blockIdx.x * blockDim.x
          + threadIdx.x;
    out[i] = start + step * i;
}
";

/// A result as it looks: what a kernel without a guard is told.
fn example() -> impl IntoView {
    let note = Note {
        line: 7,
        icon: Icon::Wall,
        text: "24 threads write past the end of `out`; the first makes `out[1000]`.".to_owned(),
        is_warning: false,
    };
    view! {
        <figure class="demo" aria-label="An example: a kernel and what it is told">
            <div class="launch" tabindex="0" role="group" aria-label="Launch">{Icon::Lock.view()}<code>"ramp<<<"<b>"4"</b>", "<b>"256"</b>">>>(out, n = 1000, …)"</code></div>
            <div class="ed" tabindex="0" role="group" aria-label="Kernel">{listing(EXAMPLE, &[note], false)}</div>
            <div class="r">
                <div class="verdict fail">
                    <span class="ic">{Icon::Wall.view()}</span>
                    <div>
                        <h2>"Past the end of "<code>"out"</code>", line 7"</h2>
                        <p class="sec">"All 1000 values are right. Still, thread (232, 0, 0) of block (3, 0, 0) wrote where "<code>"out"</code>" has ended."</p>
                    </div>
                </div>
                <p class="eqn" tabindex="0">"3 × 256 + 232 = "<b>"1000"</b>", the last index is 999"</p>
                <p class="row"><span>"Block 3, 256 threads"</span><span class="out">"232 to 255: no element left"</span></p>
                {lanes()}
            </div>
        </figure>
    }
}

/// The last block of the example: eight warps of 32 lanes, those without an element in the colour of a fault.
fn lanes() -> impl IntoView {
    let lanes: Vec<_> = (0_u32..256)
        .map(|thread| {
            let (x, y) = (thread % 32 * 16, thread / 32 * 11);
            let class = if thread >= 232 { "out" } else { "" };
            view! { <rect x=x.to_string() y=y.to_string() width="14" height="8" rx="2" class=class></rect> }
        })
        .collect();
    view! { <svg class="lanes" viewBox="0 0 510 85" aria-hidden="true">{lanes}</svg> }
}

fn three() -> impl IntoView {
    view! {
        <article>
            <svg viewBox="0 0 270 62" aria-hidden="true">
                <path d="M0 12h250M0 32h250M0 52h250"/>
                <path class="lit" d="M6 6h34v12H6zM46 6h34v12H46zM86 6h34v12H86zM6 26h34v12H6zM46 26h34v12H46zM86 26h34v12H86zM6 46h34v12H6zM46 46h34v12H46z"/>
                <path class="no" d="M86 46h34v12H86z"/>
                <path class="dark" d="M140 2v58"/>
            </svg>
            <h2>"It names the thread"</h2>
            <p>"A stray access is told with block, thread, line and index, and with the line of arithmetic that joins them."</p>
        </article>
        <article>
            <svg viewBox="0 0 270 62" aria-hidden="true">
                <path d="M10 31h150"/>
                <path class="skip-track" d="M160 31h70"/>
                <path class="ok" d="M10 25a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM60 25a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM110 25a6 6 0 1 0 0 12 6 6 0 0 0 0-12z"/>
                <path class="no" d="M154 25h12v12h-12z"/>
                <path d="M230 25a6 6 0 1 0 0 12 6 6 0 0 0 0-12z"/>
            </svg>
            <h2>"Right values are not enough"</h2>
            <p>"Small and ragged sizes, cases nobody sees before, inputs that must stand, outputs that must be written: a wrong kernel does not pass."</p>
        </article>
        <article>
            <svg viewBox="0 0 270 62" aria-hidden="true">
                <path d="M10 20h220"/>
                <path class="ours" d="M90 20c20 0 16 28 40 28s20-28 40-28"/>
                <path class="ok" d="M10 14a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM60 14a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM230 14a6 6 0 1 0 0 12 6 6 0 0 0 0-12z"/>
            </svg>
            <h2>"Our fault is never yours"</h2>
            <p>"If a grader stops, your submission is tried again by itself, it costs nothing, and nothing you typed is lost."</p>
        </article>
    }
}
