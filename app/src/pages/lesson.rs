//! `/course/{module}/{lesson}`: one idea, and the exercises that belong to it.

use leptos::prelude::*;
use lesson::Lesson;

use crate::shell::footer;

/// A lesson. Its HTML was sanitised when it was loaded.
pub fn lesson(lesson: &Lesson) -> AnyView {
    let objectives: Vec<_> = lesson
        .objectives
        .iter()
        .map(|text| view! { <li>{text.clone()}</li> })
        .collect();
    let contents: Vec<_> = lesson
        .headings
        .iter()
        .filter(|heading| heading.level == 2)
        .map(|heading| view! { <li><a href=format!("#{}", heading.id)>{heading.text.clone()}</a></li> })
        .collect();
    let exercises: Vec<_> = lesson
        .exercises
        .iter()
        .map(|exercise| {
            view! {
                <a class="card exercise" href=format!("/x/{}", exercise.slug)>
                    <span class="eyebrow">{format!("Exercise · about {} minutes", exercise.minutes)}</span>
                    <span class="title">{exercise.title.clone()}</span>
                    <span class="btn pri">"Open the workspace"</span>
                </a>
            }
        })
        .collect();
    view! {
        <main id="content" class="lesson">
            <article>
                <p class="eyebrow">{format!("Lesson · about {} minutes", lesson.minutes)}</p>
                <h1>{lesson.title.clone()}</h1>
                <p class="lead">{lesson.summary.clone()}</p>
                <div class="card objectives"><h2 class="h3">"After this you can"</h2><ul>{objectives}</ul></div>
                <div class="prose" inner_html=lesson.html.clone()></div>
                <section aria-label="Exercises">{exercises}</section>
            </article>
            <aside aria-label="On this page"><p class="eyebrow">"On this page"</p><ol>{contents}</ol></aside>
        </main>
        {footer()}
    }
    .into_any()
}
