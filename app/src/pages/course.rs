//! `/course`: modules, lessons and their exercises, in order.

use leptos::prelude::*;
use lesson::{Course, Lesson};

use crate::shell::footer;
use crate::ui::icon::Icon;

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
        view! { <div class="card"><p>"No lessons are published yet. They appear here as soon as they are."</p></div> }
            .into_any()
    } else {
        view! { <ol class="modules">{modules}</ol> }.into_any()
    };
    view! {
        <main id="content" class="page">
            <h1>{course.title.clone()}</h1>
            <p class="lead">"Read, write the kernel, see what every thread did. Lessons come in order; nothing is locked."</p>
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
                <li><a href=format!("/x/{}", exercise.slug)>
                    {Icon::Code.view()}<span>{exercise.title.clone()}</span>
                    <span class="muted">{format!("exercise, about {} minutes", exercise.minutes)}</span>
                </a></li>
            }
        })
        .collect();
    view! {
        <li>
            <a class="title" href=format!("/course/{}/{}", lesson.module, lesson.slug)>{lesson.title.clone()}</a>
            <p class="sec">{lesson.summary.clone()}</p>
            <p class="muted num">{format!("about {} minutes", lesson.minutes)}</p>
            <ul class="exercises">{exercises}</ul>
        </li>
    }
}
