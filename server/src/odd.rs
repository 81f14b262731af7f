//! Requests that no page is meant for: addresses that are no text, a slash too many, the wrong method.

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::id::{Slug, SubmissionId};

use crate::problem::Failure;
use crate::state::SiteState;
use crate::submit::percent_decode;

/// Answers an address that is no UTF-8 like one where nothing is; extractors would refuse it in words of their own.
pub async fn refuse_unreadable(State(state): State<SiteState>, request: Request, next: Next) -> Response {
    if String::from_utf8(percent_decode(request.uri().path().as_bytes())).is_err() {
        return Failure::not_found().answer(&state, request).await;
    }
    next.run(request).await
}

/// What no route takes: a page's address with a slash behind it leads to the page, everything else is not there.
pub async fn unknown(State(state): State<SiteState>, request: Request) -> Response {
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    match request.uri().path().strip_suffix('/') {
        Some(path) if reads && is_page(&state, path) => {
            let query = request.uri().query().map_or(String::new(), |query| format!("?{query}"));
            Redirect::permanent(&format!("{path}{query}")).into_response()
        }
        _ => Failure::not_found().answer(&state, request).await,
    }
}

/// Whether a page has this address; whose submission it is, is not looked at.
fn is_page(state: &SiteState, path: &str) -> bool {
    let slug = |text: &str| text.parse::<Slug>().ok();
    match path.split('/').collect::<Vec<_>>()[..] {
        ["", "course" | "healthz"] => true,
        ["", "course", module, lesson] => slug(module)
            .zip(slug(lesson))
            .is_some_and(|(module, lesson)| state.course.find_lesson(&module, &lesson).is_some()),
        ["", "x", exercise] => slug(exercise).is_some_and(|slug| state.course.find_exercise(&slug).is_some()),
        ["", "s", submission] => submission.parse::<SubmissionId>().is_ok(),
        _ => false,
    }
}

/// An address that is there, but not for this method; the router adds which ones are.
pub async fn wrong_method(State(state): State<SiteState>, request: Request) -> Response {
    let method = request.method();
    let sentence =
        format!("This address takes no {method} requests. Go back, and use the links and buttons of the page.");
    let failure = Failure::of_request(StatusCode::METHOD_NOT_ALLOWED, "That does not work here", sentence);
    failure.answer(&state, request).await
}
