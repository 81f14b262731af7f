//! `POST /x/{exercise}/submissions`: takes a source, by form or by script.
//!
//! A plain handler and not a Leptos server function: each refusal must have its own status and keep what was typed,
//! and the same address must serve a form without script (303) and a script (JSON).

use std::net::IpAddr;
use std::time::Duration;

use app::pages::problem::Kept;
use axum::body::Body;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Json, body::Bytes};
use db::submissions::{NewSubmission, Submitted};
use domain::id::{RequestKey, Slug, SubmissionId};
use domain::limits::REQUEST_BYTES_MAX;
use domain::submission::SourceText;
use rand::TryRngCore;
use rand::rngs::OsRng;
use uuid::Uuid;

use crate::addresses;
use crate::problem::{Failure, wants_json};
use crate::session::{self, Viewer};
use crate::state::SiteState;

/// How long a client may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The fields of the form, as bytes: a source may be anything until it is checked.
#[derive(Default)]
struct Fields {
    /// Whether the body said that it is a form.
    is_form: bool,
    source: Vec<u8>,
    request_key: Option<RequestKey>,
}

/// Stores and queues a submission.
pub async fn submit(State(state): State<SiteState>, Path(exercise): Path<String>, request: Request) -> Response {
    let wants_json = wants_json(request.headers());
    let client = addresses::client_of(&state.config, &request);
    let (parts, body) = request.into_parts();
    // The page of a refusal is drawn for the same address.
    let again = Request::from_parts(parts.clone(), Body::empty());
    let (action, headers) = (parts.uri.path().to_owned(), parts.headers.clone());
    let fields = read(Request::from_parts(parts, body), &state).await;
    let stored = match &fields {
        Ok(fields) => store(&state, &exercise, &headers, client, fields).await,
        Err(failure) => Err(failure.clone()),
    };
    match stored {
        Ok(stored) if wants_json => tell_script(&state, stored).await,
        Ok(stored) => (stored.viewer.jar, Redirect::to(&format!("/s/{}", stored.id))).into_response(),
        Err(failure) if wants_json => failure.json(),
        Err(failure) => {
            let source = fields
                .map(|fields| String::from_utf8_lossy(&fields.source).replace('\0', "\u{fffd}"))
                .unwrap_or_default();
            let kept = (!source.trim().is_empty() && failure.status != StatusCode::NOT_FOUND)
                .then_some(Kept { action, source });
            failure.page(&state, again, kept).await
        }
    }
}

/// A submission that is there now.
struct Stored {
    viewer: Viewer,
    id: SubmissionId,
    /// Whether this request made it; the same request may have come before.
    is_new: bool,
}

/// The answer to a script: which submission it is, and the key of the next request.
async fn tell_script(state: &SiteState, stored: Stored) -> Response {
    let (number, ahead) = match db::submissions::find_for(&state.pool, stored.viewer.user, stored.id).await {
        Ok(submission) => submission.map_or((0, 0), |submission| (submission.number, submission.ahead)),
        Err(error) => return Failure::from(error).json(),
    };
    let status = if stored.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let body =
        serde_json::json!({ "submission": stored.id, "number": number, "ahead": ahead, "next_key": Uuid::new_v4() });
    (status, stored.viewer.jar, Json(body)).into_response()
}

async fn read(request: Request, state: &SiteState) -> Result<Fields, Failure> {
    let is_form = is_form(request.headers());
    let bytes = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, state))
        .await
        .map_err(|_| {
            Failure::of_request(
                StatusCode::REQUEST_TIMEOUT,
                "Too slow",
                "The form did not arrive in time. Send it again.",
            )
        })?
        .map_err(|rejection| match rejection.into_response().status() {
            StatusCode::PAYLOAD_TOO_LARGE => Failure::of_request(
                StatusCode::PAYLOAD_TOO_LARGE,
                "Too large",
                format!("The request is over {REQUEST_BYTES_MAX} bytes. Shorten the source and send it again."),
            ),
            _ => Failure::of_request(
                StatusCode::BAD_REQUEST,
                "We could not read that",
                "The form arrived incomplete. Send it again.",
            ),
        })?;
    // A form has no spaces and no line ends; of anything else, nothing would be kept as it was typed.
    let is_readable = is_form || !bytes.iter().any(u8::is_ascii_whitespace);
    Ok(Fields { is_form, ..if is_readable { parse(&bytes) } else { Fields::default() } })
}

/// Whether the type is a form's, whatever its letters and parameters.
fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

fn refuse_kind(fields: &Fields) -> Failure {
    let mut sentence =
        "Send the source as a form (application/x-www-form-urlencoded) with the field 'source'.".to_owned();
    if fields.source.trim_ascii().is_empty() {
        sentence += " No source could be read from what came, so nothing is kept here.";
    }
    Failure::of_request(StatusCode::UNSUPPORTED_MEDIA_TYPE, "We could not read that", sentence)
}

/// Reads `name=value&…` with percent-encoding, as bytes. Unknown fields are ignored; the last of a name counts.
fn parse(body: &[u8]) -> Fields {
    let mut fields = Fields::default();
    for pair in body.split(|byte| *byte == b'&') {
        let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        let value = || percent_decode(pair.get(at + 1..).unwrap_or_default());
        match &pair[..at] {
            b"source" => fields.source = value(),
            b"request_key" => {
                fields.request_key = String::from_utf8(value()).ok().and_then(|text| text.parse().ok());
            }
            _ => {}
        }
    }
    fields
}

/// Reads percent-encoding as forms write it; what is none stays as it is.
pub(crate) fn percent_decode(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match (text[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                at += 3;
            }
            (b'+', ..) => {
                bytes.push(b' ');
                at += 1;
            }
            (byte, ..) => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    bytes
}

async fn store(
    state: &SiteState,
    exercise: &str,
    headers: &HeaderMap,
    client: Option<IpAddr>,
    fields: &Fields,
) -> Result<Stored, Failure> {
    let slug: Slug = exercise.parse().map_err(|_| Failure::not_found())?;
    let exercise = state.course.find_exercise(&slug).ok_or_else(Failure::not_found)?;
    if !fields.is_form {
        return Err(refuse_kind(fields));
    }
    let source = SourceText::from_bytes(&fields.source).map_err(|refused| {
        let status = StatusCode::from_u16(refused.status()).expect("the statuses of a refusal are statuses");
        let title = if status == StatusCode::PAYLOAD_TOO_LARGE { "Too large" } else { "We could not read that" };
        Failure::of_request(status, title, refused.to_string())
    })?;
    // Before a guest is made: who throws cookies away gets no row for it.
    let admission = match client {
        Some(client) => Some(state.addresses.admit(&state.pool, client).await?),
        None => None,
    };
    let viewer = session::get(state, headers).await?;
    let seed = OsRng.try_next_u64().map_err(|error| Failure::ours(format!("no randomness: {error}")))?;
    let new = NewSubmission {
        user: viewer.user,
        exercise: &slug,
        content_hash: &exercise.content_hash,
        source: &source,
        request_key: fields.request_key,
        seed: seed.cast_signed(),
    };
    match db::submissions::submit(&state.pool, &new).await? {
        Submitted::Stored(id) => {
            if let Some(admission) = admission {
                admission.count(id);
            }
            Ok(Stored { viewer, id, is_new: true })
        }
        Submitted::Again(id) => Ok(Stored { viewer, id, is_new: false }),
        // The page of a refusal draws no key, so what it keeps is sent as something new; a script is given another.
        Submitted::KeyTaken => Err(Failure {
            next_key: Some(Uuid::new_v4()),
            ..Failure::of_request(
                StatusCode::CONFLICT,
                "Sent before",
                "This form was sent before, with another source or for another exercise; that submission stands. \
                 Submit again to hand in this one as well.",
            )
        }),
        Submitted::TooMany { retry_after_seconds } => Err(Failure {
            retry_after_seconds: Some(retry_after_seconds),
            ..Failure::of_request(
                StatusCode::TOO_MANY_REQUESTS,
                "One moment",
                format!("You have sent many submissions just now. The next one can go in {retry_after_seconds} s."),
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_bytes() {
        let fields = parse(b"source=a%2Bb+%26%00%ff%&request_key=67e55044-10b1-426f-9247-bb680e5fe0c8&role=admin");
        assert_eq!(fields.source, b"a+b &\0\xff%");
        assert!(fields.request_key.is_some());
        assert!(parse(b"source").source.is_empty());
        assert!(parse(b"request_key=x").request_key.is_none());
    }
}
