//! Handlers of pages: load, authorise, hand to `app`.

use app::exercise::panel::Shown;
use app::pages::submission::SubmissionPage;
use app::pages::task::HistoryRow;
use app::pages::workspace::WorkspacePage;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::id::{Slug, SubmissionId, UserId};
use domain::transcript::Transcript;
use time::format_description::StaticFormatDescription;
use time::macros::format_description;
use uuid::Uuid;

use crate::page::{chrome, respond};
use crate::problem::Failure;
use crate::session;
use crate::state::SiteState;

const RECEIVED: StaticFormatDescription =
    format_description!("[day padding:none] [month repr:long] [year], [hour]:[minute] UTC");
const NO_SKIPS: &[(&str, &str)] = &[];
const WORKSPACE_SKIPS: &[(&str, &str)] = &[("Skip to code", "#code"), ("Skip to result", "#result")];

/// `/`.
pub async fn landing(State(state): State<SiteState>, request: Request) -> Response {
    let chrome = chrome(&state, "Learn CUDA by writing kernels", vec![]).await;
    let course = state.course.clone();
    respond(&state, request, StatusCode::OK, chrome, NO_SKIPS, move || app::pages::landing::landing(&course)).await
}

/// `/course`.
pub async fn course(State(state): State<SiteState>, request: Request) -> Response {
    let chrome = chrome(&state, "Course", vec![("Course".to_owned(), None)]).await;
    let course = state.course.clone();
    respond(&state, request, StatusCode::OK, chrome, NO_SKIPS, move || app::pages::course::course(&course)).await
}

/// `/course/{module}/{lesson}`.
pub async fn lesson(
    State(state): State<SiteState>,
    Path((module, lesson)): Path<(String, String)>,
    request: Request,
) -> Response {
    let found = module.parse::<Slug>().ok().zip(lesson.parse::<Slug>().ok());
    let Some((module, lesson)) = found.filter(|(module, lesson)| state.course.find_lesson(module, lesson).is_some())
    else {
        return Failure::not_found().answer(&state, request).await;
    };
    let course = state.course.clone();
    let title = course.find_lesson(&module, &lesson).map_or(String::new(), |lesson| lesson.title.clone());
    let crumbs = vec![("Course".to_owned(), Some("/course".to_owned())), (title.clone(), None)];
    let chrome = chrome(&state, &title, crumbs).await;
    let body = move || {
        let lesson = course.find_lesson(&module, &lesson).expect("it was found above, and a course never changes");
        app::pages::lesson::lesson(&course, lesson)
    };
    respond(&state, request, StatusCode::OK, chrome, NO_SKIPS, body).await
}

/// `/x/{exercise}`.
pub async fn workspace(State(state): State<SiteState>, Path(exercise): Path<String>, request: Request) -> Response {
    let Some(slug) = exercise.parse::<Slug>().ok().filter(|slug| state.course.find_exercise(slug).is_some()) else {
        return Failure::not_found().answer(&state, request).await;
    };
    let headers = request.headers().clone();
    // Whoever only looks leaves no row behind; the first submission makes a guest.
    let loaded = async {
        let Some(user) = session::find(&state, &headers).await? else {
            return Ok(Work::default());
        };
        load_work(&state, user, &slug).await
    };
    let work = match loaded.await {
        Ok(work) => work,
        Err(failure) => return failure.answer(&state, request).await,
    };
    let course = state.course.clone();
    let exercise = course.find_exercise(&slug).expect("it was found above, and a course never changes");
    let lesson_title =
        course.find_lesson(&exercise.module, &exercise.lesson).map_or(String::new(), |lesson| lesson.title.clone());
    let lesson_address = format!("/course/{}/{}", exercise.module, exercise.lesson);
    let crumbs = vec![
        ("Course".to_owned(), Some("/course".to_owned())),
        (lesson_title.clone(), Some(lesson_address)),
        (exercise.title.clone(), None),
    ];
    let mut chrome = chrome(&state, &exercise.title, crumbs).await;
    chrome.live = true;
    let request_key = Uuid::new_v4().to_string();
    let course = state.course.clone();
    let body = move || {
        let exercise = course.find_exercise(&slug).expect("it was found above, and a course never changes");
        let history = work.history.iter().map(|row| HistoryRow {
            number: row.number,
            id: row.id.to_string(),
            status: row.status,
            verdict: row.verdict,
        });
        app::pages::workspace::workspace(&WorkspacePage {
            exercise,
            lesson_title: lesson_title.clone(),
            source: work.source.clone().unwrap_or_else(|| exercise.starter.clone()),
            request_key: request_key.clone(),
            shown: work.shown.clone(),
            history: history.collect(),
        })
    };
    respond(&state, request, StatusCode::OK, chrome, WORKSPACE_SKIPS, body).await
}

/// What a learner did on one exercise.
#[derive(Clone, Default)]
struct Work {
    source: Option<String>,
    shown: Shown,
    history: Vec<db::submissions::Summary>,
}

async fn load_work(state: &SiteState, user: UserId, slug: &Slug) -> Result<Work, Failure> {
    let history = db::submissions::list_for(&state.pool, user, slug).await?;
    let Some(newest) = history.first() else {
        return Ok(Work::default());
    };
    let submission = db::submissions::find_for(&state.pool, user, newest.id).await?;
    let transcript = load_transcript(state, user, newest.id).await?.unwrap_or_default();
    let shown = Shown {
        submission: Some(newest.id.to_string()),
        number: newest.number,
        ahead: submission.as_ref().map_or(0, |submission| submission.ahead),
        transcript,
        ..Shown::default()
    };
    Ok(Work { source: submission.map(|submission| submission.source), shown, history })
}

/// The fold of all events; `None` if the submission is unknown or somebody else's.
pub(crate) async fn load_transcript(
    state: &SiteState,
    user: UserId,
    id: SubmissionId,
) -> Result<Option<Transcript>, Failure> {
    let Some(events) = db::grade_events::list_after(&state.pool, user, id, 0).await? else {
        return Ok(None);
    };
    let mut transcript = Transcript::default();
    for (seq, event) in &events {
        transcript.apply(*seq, event);
    }
    Ok(Some(transcript))
}

/// `/s/{submission}`.
pub async fn submission(State(state): State<SiteState>, Path(id): Path<String>, request: Request) -> Response {
    match load_submission(&state, &id, &request.headers().clone()).await {
        Ok(page) => {
            let crumbs = vec![
                ("Course".to_owned(), Some("/course".to_owned())),
                (page.exercise_title.clone(), Some(format!("/x/{}", page.exercise))),
                (format!("Submission {}", page.number), None),
            ];
            let mut chrome = chrome(&state, &app::pages::submission::title(&page), crumbs).await;
            chrome.live = true;
            chrome.refresh = page.transcript.verdict.is_none();
            respond(&state, request, StatusCode::OK, chrome, NO_SKIPS, move || {
                app::pages::submission::submission(&page)
            })
            .await
        }
        Err(failure) => failure.answer(&state, request).await,
    }
}

async fn load_submission(state: &SiteState, id: &str, headers: &HeaderMap) -> Result<SubmissionPage, Failure> {
    let id: SubmissionId = id.parse().map_err(|_| Failure::not_found())?;
    let user = session::find(state, headers).await?.ok_or_else(Failure::not_found)?;
    let submission = db::submissions::find_for(&state.pool, user, id).await?.ok_or_else(Failure::not_found)?;
    let transcript = load_transcript(state, user, id).await?.unwrap_or_default();
    let exercise_title = state.course.find_exercise(&submission.exercise).map(|exercise| exercise.title.clone());
    Ok(SubmissionPage {
        id: id.to_string(),
        number: submission.number,
        exercise: submission.exercise.to_string(),
        exercise_title: exercise_title.unwrap_or_else(|| submission.exercise.to_string()),
        source: submission.source,
        received: submission.created_at.format(RECEIVED).unwrap_or_default(),
        ahead: submission.ahead,
        transcript,
    })
}
