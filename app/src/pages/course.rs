//! `/course`: modules, lessons and their exercises, in order.

use leptos::prelude::*;
use lesson::{Course, Lesson};

use crate::shell::footer;

/// The course map.
pub fn course(course: &Course) -> AnyView {
    let modules: Vec<_> = course
        .modules
        .iter()
        .filter(|module| !module.lessons.is_empty())
        .map(|module| {
            let lessons: Vec<_> = module.lessons.iter().map(lesson_row).collect();
            view! { <li><h2>{module.title.clone()}</h2><ol class="lessons">{lessons}</ol></li> }
        })
        .collect();
    let body = if modules.is_empty() {
        view! { <div class="card"><p>"No lessons are published yet. They appear here as soon as they are."</p></div> }.into_any()
    } else {
        view! { <ol class="modules">{modules}</ol> }.into_any()
    };
    view! {
        <main id="content" class="page">
            <h1>{course.title.clone()}</h1>
            {body}
        </main>
        {footer()}
    }
    .into_any()
}

fn lesson_row(lesson: &Lesson) -> impl IntoView + use<> {
    let exercises: Vec<_> = lesson
        .exercises
        .iter()
        .map(|exercise| {
            view! {
                <li><a href=format!("/x/{}", exercise.slug)>{exercise.title.clone()}</a>" "<span class="muted">{format!("exercise · {} min", exercise.minutes)}</span></li>
            }
        })
        .collect();
    view! {
        <li class="card">
            <a class="title" href=format!("/course/{}/{}", lesson.module, lesson.slug)>{lesson.title.clone()}</a>
            <p class="sec">{lesson.summary.clone()}</p>
            <p class="muted">{format!("about {} minutes", lesson.minutes)}</p>
            <ul class="exercises">{exercises}</ul>
        </li>
    }
}
