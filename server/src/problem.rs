//! What goes wrong, as an answer: a status, one sentence, and for us a reference that leads to the log.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use app::pages::problem::{Kept, Problem};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use uuid::Uuid;

use crate::page;
use crate::state::SiteState;

/// Why a request is not answered as it was meant.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The status.
    pub status: StatusCode,
    /// A short title.
    pub title: &'static str,
    /// One or two sentences.
    pub sentence: String,
    /// Seconds after which it may be tried again.
    pub retry_after_seconds: Option<u32>,
    /// For a script: the key that sends the same again as something new.
    pub next_key: Option<Uuid>,
}

impl Failure {
    /// Something is wrong with the request; the sentence says what to do.
    pub fn of_request(status: StatusCode, title: &'static str, sentence: impl Into<String>) -> Self {
        Self { status, title, sentence: sentence.into(), retry_after_seconds: None, next_key: None }
    }

    /// What is not there, and what is somebody else's: one answer.
    pub fn not_found() -> Self {
        Self::of_request(
            StatusCode::NOT_FOUND,
            "No such page",
            "There is nothing at this address, or it is not yours to see.",
        )
    }

    /// Our fault: the log gets the reason, the browser a reference.
    pub fn ours(reason: impl std::fmt::Display) -> Self {
        let reference = Uuid::new_v4().simple().to_string()[..12].to_owned();
        tracing::error!(reference, %reason, "a request failed");
        let sentence = format!("Nothing was lost. We have a record of it: reference {reference}.");
        Self::of_request(StatusCode::INTERNAL_SERVER_ERROR, "Our fault", sentence)
    }

    /// The answer as JSON.
    pub fn json(self) -> Response {
        let mut body = serde_json::json!({ "error": self.sentence });
        if let Some(key) = self.next_key {
            body["next_key"] = key.to_string().into();
        }
        with_retry(self.retry_after_seconds, (self.status, Json(body)).into_response())
    }

    /// The answer in the form that `request` asks for.
    pub async fn answer(self, state: &SiteState, request: Request) -> Response {
        if wants_json(request.headers()) { self.json() } else { self.page(state, request, None).await }
    }

    /// The answer as a page that keeps what was typed.
    pub async fn page(self, state: &SiteState, request: Request, kept: Option<Kept>) -> Response {
        let action = ("Go to the course".to_owned(), "/course".to_owned());
        let problem = Problem { title: self.title.to_owned(), text: self.sentence, action, kept };
        let chrome = page::chrome(state, self.title, vec![(self.title.to_owned(), None)]).await;
        let body = move || app::pages::problem::problem(problem.clone());
        with_retry(self.retry_after_seconds, page::respond(state, request, self.status, chrome, &[], body).await)
    }
}

/// Whether a script asks: it names JSON, which a browser that opens a page does not.
pub fn wants_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.to_ascii_lowercase().contains("application/json"))
}

impl From<db::Error> for Failure {
    fn from(error: db::Error) -> Self {
        let gone = error.is_connection();
        let failure = Self::ours(chain(&error));
        if gone { Self { status: StatusCode::SERVICE_UNAVAILABLE, title: "Back soon", ..failure } } else { failure }
    }
}

fn with_retry(seconds: Option<u32>, mut response: Response) -> Response {
    if let Some(seconds) = seconds {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// An error with its causes, once.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Answers a panic with a page: nothing of it reaches the browser, and the log has it under the page's reference.
pub async fn catch_panics(State(state): State<SiteState>, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => {
            let failure = Failure::ours(format!("{uri}: {}", words_of(panic.as_ref())));
            let plain = format!("{}. {}", failure.title, failure.sentence);
            let mut again = Request::new(Body::empty());
            *again.uri_mut() = uri;
            // Drawing the page may be what panicked.
            let page = AssertUnwindSafe(failure.page(&state, again, None));
            page.catch_unwind().await.unwrap_or_else(|_| (StatusCode::INTERNAL_SERVER_ERROR, plain).into_response())
        }
    }
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic")
}
