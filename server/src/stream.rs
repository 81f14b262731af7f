//! `GET /s/{submission}/events`: events as they come, resumed after `Last-Event-ID`; and the transcript for polling.
//!
//! Rows are the truth and hints only wake: a stream that missed one looks again after two seconds.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::event::GradeEvent;
use domain::id::{SubmissionId, UserId};
use domain::submission::Status;
use futures::stream;
use tokio::sync::broadcast::Receiver;

use crate::hub::Permit;
use crate::pages::load_transcript;
use crate::problem::Failure;
use crate::session;
use crate::state::SiteState;

/// How long a stream sleeps without a hint.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// Pause between comments that keep the connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The stream of one submission's events. 204 tells a browser that has seen the end not to come back.
pub async fn events(State(state): State<SiteState>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    match open(&state, &id, &headers).await {
        Ok(Some(following)) => {
            let events = stream::unfold(following, next);
            Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
        }
        Ok(None) => StatusCode::NO_CONTENT.into_response(),
        Err(failure) => failure.json(),
    }
}

struct Following {
    state: SiteState,
    user: UserId,
    submission: SubmissionId,
    hints: Receiver<SubmissionId>,
    seen: i32,
    ready: VecDeque<(i32, GradeEvent)>,
    ended: bool,
    _permit: Permit,
}

/// Opens a stream; `None` if everything has been seen.
async fn open(state: &SiteState, id: &str, headers: &HeaderMap) -> Result<Option<Following>, Failure> {
    let submission: SubmissionId = id.parse().map_err(|_| Failure::not_found())?;
    let user = session::find(state, headers).await?.ok_or_else(Failure::not_found)?;
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok()).unwrap_or(0);
    // Subscribed before the first look, so that nothing falls between the two.
    let hints = state.hub.subscribe();
    // Asked before the events: an end that comes in between is then among them.
    let status = db::submissions::find_for(&state.pool, user, submission).await?.ok_or_else(Failure::not_found)?.status;
    let (seen, ready) = list_news(state, user, submission, seen).await?;
    if ready.is_empty() && status == Status::Finished {
        return Ok(None);
    }
    let permit = state.hub.permit(user).ok_or_else(|| Failure {
        retry_after_seconds: Some(5),
        ..Failure::of_request(
            StatusCode::TOO_MANY_REQUESTS,
            "One moment",
            "Too many pages of yours follow a submission. Close some of them.",
        )
    })?;
    Ok(Some(Following {
        state: state.clone(),
        user,
        submission,
        hints,
        seen,
        ready: ready.into(),
        ended: false,
        _permit: permit,
    }))
}

/// The events after number `seen`, and what was seen indeed: a number that no event has yet counts as none, since a
/// stream that waits for it would not tell the verdict.
async fn list_news(
    state: &SiteState,
    user: UserId,
    submission: SubmissionId,
    seen: i32,
) -> Result<(i32, Vec<(i32, GradeEvent)>), Failure> {
    let list_after = async |seen| {
        let events = db::grade_events::list_after(&state.pool, user, submission, seen).await?;
        events.ok_or_else(Failure::not_found)
    };
    let ready = list_after(seen).await?;
    if !ready.is_empty() || seen <= 0 {
        return Ok((seen, ready));
    }
    let all = list_after(0).await?;
    let is_of_the_future = all.last().is_none_or(|(last, _)| *last < seen);
    Ok(if is_of_the_future { (0, all) } else { (seen, ready) })
}

async fn next(mut following: Following) -> Option<(Result<Event, Infallible>, Following)> {
    loop {
        if following.ended {
            return None;
        }
        if let Some((seq, event)) = following.ready.pop_front() {
            following.seen = seq;
            following.ended = event.is_final();
            let data = serde_json::to_string(&event).expect("an event that was read from JSON can be written as JSON");
            return Some((Ok(Event::default().id(seq.to_string()).event(event.name()).data(data)), following));
        }
        let hub = following.state.hub.clone();
        tokio::select! {
            () = wait(&mut following) => {}
            () = hub.closed() => return None,
        }
        match db::grade_events::list_after(&following.state.pool, following.user, following.submission, following.seen)
            .await
        {
            Ok(Some(events)) => following.ready = events.into(),
            Ok(None) => return None,
            // The browser asks again with its last number.
            Err(error) => {
                tracing::warn!(%error, "a stream lost the database");
                return None;
            }
        }
    }
}

/// Until a hint of this submission, or until it is time to look again.
async fn wait(following: &mut Following) {
    let submission = following.submission;
    let hint = async {
        loop {
            match following.hints.recv().await {
                Ok(hint) if hint != submission => {}
                _ => return,
            }
        }
    };
    let _ = tokio::time::timeout(LOOK_AGAIN, hint).await;
}

/// The fold of all events so far, for browsers whose stream is cut.
pub async fn transcript(State(state): State<SiteState>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    let loaded = async {
        let submission: SubmissionId = id.parse().map_err(|_| Failure::not_found())?;
        let user = session::find(&state, &headers).await?.ok_or_else(Failure::not_found)?;
        load_transcript(&state, user, submission).await?.ok_or_else(Failure::not_found)
    };
    match loaded.await {
        Ok(transcript) => Json(transcript).into_response(),
        Err(failure) => failure.json(),
    }
}
