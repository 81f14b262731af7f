//! The browser's side of the panel: the event stream with its fallback, the form, announcements.
//!
//! The stream resumes by itself (`Last-Event-ID`); after three failures the transcript is fetched every two seconds.
//! Nothing here ever decides a verdict: a silent grader is waited for.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use domain::event::GradeEvent;
use domain::transcript::Transcript;
use domain::verdict::VerdictKind;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{EventSource, HtmlFormElement, MessageEvent, Response};

use crate::exercise::page::{choose_hints, document, holds_draft, listen, mark_editor, say, set_busy};
use crate::exercise::panel::Shown;
use crate::exercise::result::{agreed_words, headline_words};
use crate::exercise::send;
use crate::ui::text::unmarked;

/// Names of the stream's events, as [`GradeEvent::name`] gives them.
const EVENTS: [&str; 6] = ["queued", "started", "stage", "compiled", "case_done", "finished"];
/// Failures of the stream in a row after which it is given up for polling.
const STREAM_FAILURES_MAX: u32 = 3;
/// Pause between polls.
const POLL_PAUSE: Duration = Duration::from_secs(2);
/// Silence after which the panel says that it still waits.
const SILENCE_MS: f64 = 20_000.0;
/// Pause between two looks for silence.
const SILENCE_LOOK: Duration = Duration::from_secs(1);
/// Pause between two announcements of stages; the verdict is always told.
const ANNOUNCEMENT_PAUSE_MS: f64 = 3000.0;

/// What follows the submissions of one page.
#[derive(Clone)]
struct Follower {
    shown: RwSignal<Shown>,
    /// The exercise's title.
    name: Rc<str>,
    /// When something was last announced.
    said_at_ms: Rc<Cell<f64>>,
    /// When something was last heard of the submission that is followed.
    heard_at_ms: Rc<Cell<f64>>,
}

/// Called once when the island hydrates.
pub fn attach(shown: RwSignal<Shown>, name: String) {
    let follower = Follower { shown, name: name.into(), said_at_ms: Rc::default(), heard_at_ms: Rc::default() };
    let first = shown.get_untracked();
    let is_draft = holds_draft();
    if is_draft && first.submission.is_some() {
        shown.update(|shown| shown.changed = true);
    } else {
        mark_editor(&first.transcript);
    }
    if first.waits()
        && let Some(submission) = &first.submission
    {
        follower.follow(submission);
    }
    let form = document().get_element_by_id("submit-form");
    if let Some(form) = form.and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) {
        follower.attach_form(&form);
    }
}

impl Follower {
    fn attach_form(&self, form: &HtmlFormElement) {
        let shown = self.shown;
        listen(form, "input", move |_| {
            if shown.with_untracked(|shown| !shown.changed && shown.submission.is_some()) {
                shown.update(|shown| shown.changed = true);
            }
        });
        let busy = Rc::new(Cell::new(false));
        let (this, form_again) = (self.clone(), form.clone());
        listen(form, "submit", move |event| {
            event.prevent_default();
            if busy.replace(true) {
                return;
            }
            set_busy(true);
            let (this, form, busy) = (this.clone(), form_again.clone(), busy.clone());
            spawn_local(async move {
                match send::submit(&form).await {
                    Ok(accepted) => this.accepted(accepted),
                    Err(sentence) => {
                        say("alert", &sentence);
                        this.shown.update(|shown| shown.refusal = Some(sentence));
                    }
                }
                busy.set(false);
                set_busy(false);
            });
        });
        // Tells tests and style sheets that this form no longer leaves the page.
        let _ = form.set_attribute("data-live", "");
    }

    fn accepted(&self, answer: send::Accepted) {
        say("alert", "");
        self.announce(&format!("Submission {} received.", answer.number));
        let submission = answer.submission.clone();
        self.shown.set(Shown {
            submission: Some(answer.submission),
            number: answer.number,
            ahead: answer.ahead,
            ..Shown::default()
        });
        mark_editor(&Transcript::default());
        if let Some(result) = document().get_element_by_id("result") {
            // Where the result stands below the code, it is what one waits for now.
            if window().inner_width().is_ok_and(|width| width.as_f64().is_some_and(|width| width <= 760.0)) {
                result.scroll_into_view();
            }
        }
        self.follow(&submission);
    }

    /// Whether this submission is still the one on the page and without a verdict.
    fn is_awaited(&self, submission: &str) -> bool {
        self.shown.with_untracked(|shown| shown.is_of(submission) && shown.waits())
    }

    /// Follows one submission to its end, or until another takes its place.
    fn follow(&self, submission: &str) {
        self.heard_at_ms.set(js_sys::Date::now());
        self.watch_silence(submission.to_owned());
        let Ok(source) = EventSource::new(&format!("/s/{submission}/events")) else {
            self.poll(submission.to_owned());
            return;
        };
        let failures = Rc::new(Cell::new(0));
        for name in EVENTS {
            let (this, id, stream) = (self.clone(), submission.to_owned(), source.clone());
            let failures = failures.clone();
            listen(&source, name, move |event| {
                failures.set(0);
                this.hear(&id, &stream, event);
            });
        }
        let (this, id, stream) = (self.clone(), submission.to_owned(), source.clone());
        listen(&source, "error", move |_| {
            failures.set(failures.get() + 1);
            let is_closed = stream.ready_state() == EventSource::CLOSED;
            if is_closed || failures.get() == STREAM_FAILURES_MAX {
                stream.close();
                this.poll(id.clone());
            }
        });
    }

    fn hear(&self, submission: &str, stream: &EventSource, event: web_sys::Event) {
        if !self.is_awaited(submission) {
            stream.close();
            return;
        }
        let Ok(message) = event.dyn_into::<MessageEvent>() else {
            return;
        };
        let data = message.data().as_string();
        let event = data.and_then(|data| serde_json::from_str::<GradeEvent>(&data).ok());
        let seq = message.last_event_id().parse::<i32>();
        if let (Some(event), Ok(seq)) = (event, seq) {
            if event.is_final() {
                stream.close();
            }
            self.change(|transcript| transcript.apply(seq, &event));
        }
    }

    /// Applies news, then tells them.
    fn change(&self, apply: impl FnOnce(&mut Transcript)) {
        let stage_and_end = |shown: &Shown| (shown.transcript.stage, shown.transcript.verdict.is_some());
        let before = self.shown.with_untracked(stage_and_end);
        self.heard_at_ms.set(js_sys::Date::now());
        self.shown.update(|shown| {
            apply(&mut shown.transcript);
            shown.silent = false;
            shown.refusal = None;
        });
        if before == self.shown.with_untracked(stage_and_end) {
            return;
        }
        let transcript = self.shown.with_untracked(|shown| shown.transcript.clone());
        let words = unmarked(&headline_words(&transcript));
        let Some(verdict) = &transcript.verdict else {
            self.announce(&format!("{words}."));
            return;
        };
        let cases = format!("{} cases agree.", agreed_words(&transcript));
        match verdict.kind {
            VerdictKind::OurFault => say("alert", &format!("{words}. No attempt used.")),
            VerdictKind::Accepted => say("say", &format!("{words}. {cases}")),
            _ if verdict.cases.is_empty() => say("say", &format!("Not accepted. {words}.")),
            _ => say("say", &format!("Not accepted. {words}. {cases}")),
        }
        let sign = if verdict.kind == VerdictKind::Accepted { "✓" } else { "✕" };
        document().set_title(&format!("{sign} {words} · {} · Warpyard", self.name));
        choose_hints(&transcript);
        if !self.shown.with_untracked(|shown| shown.changed) {
            mark_editor(&transcript);
        }
    }

    /// Says something that may be left out when something else was said a moment ago.
    fn announce(&self, text: &str) {
        let now_ms = js_sys::Date::now();
        if now_ms - self.said_at_ms.get() >= ANNOUNCEMENT_PAUSE_MS {
            self.said_at_ms.set(now_ms);
            say("say", text);
        }
    }

    /// Fetches the transcript every two seconds until it is final or another submission took its place.
    fn poll(&self, submission: String) {
        let this = self.clone();
        let fetch = move || {
            spawn_local(async move {
                if !this.is_awaited(&submission) {
                    return;
                }
                let known = this.shown.with_untracked(|shown| shown.transcript.last_seq);
                if let Some(transcript) = fetch_transcript(&submission).await
                    && transcript.last_seq > known
                    && this.is_awaited(&submission)
                {
                    this.change(|known| *known = transcript);
                }
                this.poll(submission);
            });
        };
        set_timeout(fetch, POLL_PAUSE);
    }

    fn watch_silence(&self, submission: String) {
        let this = self.clone();
        let look = move || {
            if !this.is_awaited(&submission) {
                return;
            }
            let silent = js_sys::Date::now() - this.heard_at_ms.get() >= SILENCE_MS;
            if this.shown.with_untracked(|shown| shown.silent != silent) {
                this.shown.update(|shown| shown.silent = silent);
            }
            this.watch_silence(submission);
        };
        set_timeout(look, SILENCE_LOOK);
    }
}

async fn fetch_transcript(submission: &str) -> Option<Transcript> {
    let address = format!("/s/{submission}/transcript");
    let answer = JsFuture::from(window().fetch_with_str(&address)).await.ok()?;
    let response: Response = answer.dyn_into().ok()?;
    serde_json::from_str(&send::text(&response).await?).ok()
}
