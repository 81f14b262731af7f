//! The browser's side of the panel: the event stream with its fallback, the form, announcements, the editor's marks.
//!
//! The stream resumes by itself (`Last-Event-ID`); after three failures the transcript is fetched every two seconds.
//! Nothing here ever decides a verdict: a silent grader is waited for.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use domain::event::GradeEvent;
use domain::transcript::Transcript;
use domain::verdict::{Finding, Severity};
use leptos::prelude::*;
use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Document, EventSource, FormData, Headers, HtmlFormElement, HtmlInputElement, MessageEvent,
    Request, RequestInit, Response, UrlSearchParams,
};

use crate::exercise::panel::Shown;
use crate::exercise::result::headline_words;
use crate::ui::text::unmarked;

/// Names of the stream's events, as [`GradeEvent::name`] gives them.
const EVENTS: [&str; 6] = [
    "queued",
    "started",
    "stage",
    "compiled",
    "case_done",
    "finished",
];
/// Failures of the stream after which it is given up for polling.
const STREAM_FAILURES_MAX: u32 = 3;
/// Pause between polls.
const POLL_PAUSE: Duration = Duration::from_secs(2);
/// Silence after which the panel says that it still waits.
const SILENCE: Duration = Duration::from_secs(20);

/// Called once when the island hydrates.
pub fn attach(shown: RwSignal<Shown>, name: String) {
    let name = Rc::new(name);
    mark_editor(&shown.get_untracked().transcript);
    if let Some(submission) = shown.get_untracked().submission
        && shown.get_untracked().transcript.verdict.is_none()
    {
        follow(shown, &submission, &name);
    }
    let Some(form) = document()
        .get_element_by_id("submit-form")
        .and_then(|form| form.dyn_into::<HtmlFormElement>().ok())
    else {
        return;
    };
    listen(&form, "input", move |_| {
        shown.update(|shown| shown.changed = shown.submission.is_some())
    });
    let busy = Rc::new(Cell::new(false));
    let target = form.clone();
    listen(&target, "submit", move |event| {
        event.prevent_default();
        if busy.replace(true) {
            return;
        }
        let (form, busy, name) = (form.clone(), busy.clone(), name.clone());
        spawn_local(async move {
            match submit(&form).await {
                Ok(answer) => accepted(shown, &form, answer, &name),
                Err(sentence) => {
                    say("alert", &sentence);
                    shown.update(|shown| shown.refusal = Some(sentence));
                }
            }
            busy.set(false);
        });
    });
}

fn document() -> Document {
    leptos::prelude::document()
}

/// Listens for as long as the page lives.
fn listen(
    target: &web_sys::EventTarget,
    name: &str,
    handler: impl FnMut(web_sys::Event) + 'static,
) {
    let closure = Closure::<dyn FnMut(web_sys::Event)>::new(handler);
    // A failure leaves the plain form or the served page, which work without us.
    let _ = target.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
    closure.forget();
}

/// The server's answer to a submission.
#[derive(Deserialize)]
struct Accepted {
    submission: String,
    number: i32,
    next_key: String,
}

#[derive(Deserialize)]
struct Refused {
    error: String,
}

/// Sends the form; the error is a sentence to show.
async fn submit(form: &HtmlFormElement) -> Result<Accepted, String> {
    const OFFLINE: &str =
        "The server cannot be reached. Your code is kept in this browser; try again.";
    let lost = |_| OFFLINE.to_owned();
    let fields = FormData::new_with_form(form).map_err(lost)?;
    let body = UrlSearchParams::new_with_str_sequence_sequence(&fields).map_err(lost)?;
    let headers = Headers::new().map_err(lost)?;
    headers.set("Accept", "application/json").map_err(lost)?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_body(&body);
    init.set_headers(&headers);
    let request = Request::new_with_str_and_init(&form.action(), &init).map_err(lost)?;
    let response: Response = JsFuture::from(window().fetch_with_request(&request))
        .await
        .map_err(lost)?
        .unchecked_into();
    let text = JsFuture::from(response.text().map_err(lost)?)
        .await
        .map_err(lost)?
        .as_string()
        .unwrap_or_default();
    if response.ok() {
        serde_json::from_str(&text).map_err(|_| {
            "The server's answer could not be read. Reload the page to see what became of it."
                .to_owned()
        })
    } else {
        Err(serde_json::from_str::<Refused>(&text).map_or_else(
            |_| format!("The server answered {}.", response.status()),
            |refused| refused.error,
        ))
    }
}

fn accepted(shown: RwSignal<Shown>, form: &HtmlFormElement, answer: Accepted, name: &Rc<String>) {
    if let Ok(Some(field)) = form.query_selector("input[name=request_key]")
        && let Ok(field) = field.dyn_into::<HtmlInputElement>()
    {
        field.set_value(&answer.next_key);
    }
    say("say", &format!("Submission {} received.", answer.number));
    shown.set(Shown {
        submission: Some(answer.submission.clone()),
        number: answer.number,
        ..Shown::default()
    });
    mark_editor(&Transcript::default());
    follow(shown, &answer.submission, name);
}

/// Follows one submission to its end, or until another takes its place.
fn follow(shown: RwSignal<Shown>, submission: &str, name: &Rc<String>) {
    let Ok(source) = EventSource::new(&format!("/s/{submission}/events")) else {
        poll(shown, submission.to_owned(), name.clone());
        return;
    };
    let heard = Rc::new(Cell::new(true));
    for event_name in EVENTS {
        let (submission, name, stream, heard) = (
            submission.to_owned(),
            name.clone(),
            source.clone(),
            heard.clone(),
        );
        listen(&source, event_name, move |event| {
            heard.set(true);
            let Ok(message) = event.dyn_into::<MessageEvent>() else {
                return;
            };
            if shown.with_untracked(|shown| shown.submission.as_deref() != Some(&submission)) {
                stream.close();
                return;
            }
            let event = message
                .data()
                .as_string()
                .and_then(|data| serde_json::from_str::<GradeEvent>(&data).ok());
            let (Some(event), Ok(seq)) = (event, message.last_event_id().parse::<i32>()) else {
                return;
            };
            let final_ = event.is_final();
            changed(shown, &name, |transcript| transcript.apply(seq, &event));
            if final_ {
                stream.close();
            }
        });
    }
    let (failures, stream, id, title) = (
        Cell::new(0),
        source.clone(),
        submission.to_owned(),
        name.clone(),
    );
    listen(&source, "error", move |_| {
        failures.set(failures.get() + 1);
        if failures.get() >= STREAM_FAILURES_MAX && stream.ready_state() != EventSource::CLOSED {
            stream.close();
            poll(shown, id.clone(), title.clone());
        } else if stream.ready_state() == EventSource::CLOSED {
            poll(shown, id.clone(), title.clone());
        }
    });
    watch_silence(shown, submission.to_owned(), heard);
}

/// Applies news, then tells them.
fn changed(shown: RwSignal<Shown>, name: &str, apply: impl FnOnce(&mut Transcript)) {
    let before =
        shown.with_untracked(|shown| (shown.transcript.stage, shown.transcript.verdict.is_some()));
    shown.update(|shown| {
        apply(&mut shown.transcript);
        shown.silent = false;
        shown.refusal = None;
    });
    let transcript = shown.with_untracked(|shown| shown.transcript.clone());
    if before == (transcript.stage, transcript.verdict.is_some()) {
        return;
    }
    let words = unmarked(&headline_words(&transcript));
    if let Some(verdict) = &transcript.verdict {
        let judged = transcript.cases.len();
        say(
            "say",
            &format!("{words}. {} of {judged} cases agree.", verdict.agreed()),
        );
        document().set_title(&format!("{words} · {name} · Warpyard"));
        mark_editor(&transcript);
    } else {
        say("say", &format!("{words}."));
    }
}

/// Fetches the transcript every two seconds until it is final or another submission took its place.
fn poll(shown: RwSignal<Shown>, submission: String, name: Rc<String>) {
    set_timeout(
        move || {
            spawn_local(async move {
                if shown.with_untracked(|shown| {
                    shown.submission.as_deref() != Some(&submission)
                        || shown.transcript.verdict.is_some()
                }) {
                    return;
                }
                if let Some(transcript) = fetch_transcript(&submission).await {
                    changed(shown, &name, |known| {
                        if transcript.last_seq > known.last_seq {
                            *known = transcript;
                        }
                    });
                }
                poll(shown, submission, name);
            });
        },
        POLL_PAUSE,
    );
}

async fn fetch_transcript(submission: &str) -> Option<Transcript> {
    let answer = JsFuture::from(window().fetch_with_str(&format!("/s/{submission}/transcript")))
        .await
        .ok()?;
    let response: Response = answer.unchecked_into();
    let text = JsFuture::from(response.text().ok()?)
        .await
        .ok()?
        .as_string()?;
    serde_json::from_str(&text).ok()
}

fn watch_silence(shown: RwSignal<Shown>, submission: String, heard: Rc<Cell<bool>>) {
    set_timeout(
        move || {
            let waits = shown.with_untracked(|shown| {
                shown.submission.as_deref() == Some(&submission)
                    && shown.transcript.verdict.is_none()
            });
            if waits {
                let silent = !heard.replace(false);
                shown.update(|shown| shown.silent = silent);
                watch_silence(shown, submission, heard);
            }
        },
        SILENCE,
    );
}

/// Writes into a live region.
fn say(region: &str, text: &str) {
    if let Some(region) = document().get_element_by_id(region) {
        region.set_text_content(Some(text));
    }
}

/// Gives the editor the compiler's messages and the finding's line.
fn mark_editor(transcript: &Transcript) {
    let mut marks: Vec<serde_json::Value> = transcript
        .diagnostics
        .iter()
        .filter_map(|diagnostic| {
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            Some(serde_json::json!({ "line": diagnostic.line?, "severity": severity, "message": diagnostic.message }))
        })
        .collect();
    if let Some(verdict) = &transcript.verdict
        && let Some(line) = verdict
            .finding
            .as_ref()
            .filter(|finding| !matches!(finding, Finding::CompileError { .. }))
            .and_then(Finding::line)
    {
        let message = unmarked(&domain::words::of(verdict).title);
        marks.push(serde_json::json!({ "line": line, "severity": "error", "message": message }));
    }
    if let Ok(Some(editor)) = document().query_selector("code-editor") {
        let text = serde_json::Value::from(marks).to_string();
        let _: Result<(), JsValue> = editor.set_attribute("diagnostics", &text);
    }
}
