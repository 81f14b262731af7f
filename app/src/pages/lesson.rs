//! `/course/{module}/{lesson}`: one idea, and the exercises that belong to it.

use leptos::prelude::*;
use lesson::{Course, Exercise, Lesson};

use crate::shell::footer;
use crate::ui::highlight::prose;
use crate::ui::icon::Icon;

/// A lesson of `course`. Its HTML was sanitised when it was loaded.
pub fn lesson(course: &Course, lesson: &Lesson) -> AnyView {
    let exercise_count = match lesson.exercises.len() {
        0 => String::new(),
        1 => " · 1 exercise".to_owned(),
        count => format!(" · {count} exercises"),
    };
    let contents: Vec<_> = lesson
        .headings
        .iter()
        .filter(|heading| heading.level == 2)
        .map(|heading| {
            view! { <li><a href=format!("#{}", heading.id)>{heading.text.clone()}</a></li> }
        })
        .collect();
    let exercises: Vec<_> = lesson.exercises.iter().map(exercise_card).collect();
    view! {
        <div class="lesson">
            {table_of_contents(course, lesson)}
            <main id="content">
                <article>
                    <p class="eyebrow">{format!("Lesson · about {} minutes{exercise_count}", lesson.minutes)}</p>
                    <h1>{lesson.title.clone()}</h1>
                    <p class="lead">{lesson.summary.clone()}</p>
                    {objectives(lesson)}
                    <div class="prose" inner_html=prose(&lesson.html)></div>
                    {exercises}
                </article>
            </main>
            <aside class="rail" aria-label="On this page"><p class="eyebrow">"On this page"</p><ol>{contents}</ol></aside>
        </div>
        {footer()}
    }
    .into_any()
}

fn table_of_contents(course: &Course, here: &Lesson) -> impl IntoView + use<> {
    let modules: Vec<_> = course
        .modules
        .iter()
        .filter(|module| !module.lessons.is_empty())
        .map(|module| {
            let lessons: Vec<_> = module
                .lessons
                .iter()
                .map(|lesson| {
                    let current = (lesson.slug == here.slug).then_some("page");
                    let address = format!("/course/{}/{}", lesson.module, lesson.slug);
                    view! { <li><a href=address aria-current=current>{lesson.title.clone()}</a></li> }
                })
                .collect();
            view! { <p class="eyebrow">{module.title.clone()}</p><ol>{lessons}</ol> }
        })
        .collect();
    view! { <nav class="toc" aria-label="Course">{modules}</nav> }
}

fn objectives(lesson: &Lesson) -> Option<AnyView> {
    if lesson.objectives.is_empty() {
        return None;
    }
    let objectives: Vec<_> = lesson
        .objectives
        .iter()
        .map(|text| view! { <li>{Icon::Flag.view()}<span>{text.clone()}</span></li> })
        .collect();
    let card = view! { <section class="card objectives"><h2 class="h3">"After this you can"</h2><ul>{objectives}</ul></section> };
    Some(card.into_any())
}

fn exercise_card(exercise: &Exercise) -> impl IntoView + use<> {
    view! {
        <section class="try">
            <div>
                <h2 class="h3">{format!("Now write it: {}", exercise.title)}</h2>
                <p>{format!("Compiled, run and checked as you submit. About {} minutes.", exercise.minutes)}</p>
            </div>
            <a class="btn pri big" href=format!("/x/{}", exercise.slug)>"Open the exercise"</a>
        </section>
    }
}
