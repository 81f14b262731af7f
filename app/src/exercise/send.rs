//! The form around the editor, sent without leaving the page. A repeated request has the same key, so it is one submission.

use leptos::prelude::*;
use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{FormData, Headers, HtmlFormElement, HtmlInputElement, Request, RequestInit, Response, UrlSearchParams};

const OFFLINE: &str = "The server cannot be reached. Your code is kept in this browser; try again.";
const UNREADABLE: &str = "The server's answer could not be read. Reload the page to see what became of it.";

/// The server's answer to a submission.
#[derive(Deserialize)]
pub struct Accepted {
    /// Its id.
    pub submission: String,
    /// 1, 2, 3 …
    pub number: i32,
    /// Submissions that wait before it.
    pub ahead: i64,
    /// The key of the next request.
    next_key: String,
}

#[derive(Deserialize)]
struct Refused {
    error: String,
    /// The key that sends the same source again as something new, where the old one is taken.
    next_key: Option<String>,
}

/// Sends the form; the error is a sentence to show.
pub async fn submit(form: &HtmlFormElement) -> Result<Accepted, String> {
    let response = post(form).await.map_err(|_| OFFLINE.to_owned())?;
    let text = text(&response).await.ok_or_else(|| OFFLINE.to_owned())?;
    if !response.ok() {
        let Ok(refused) = serde_json::from_str::<Refused>(&text) else {
            return Err(format!("The server answered {}. Your code is kept in this browser.", response.status()));
        };
        if let Some(key) = &refused.next_key {
            set_key(form, key);
        }
        return Err(refused.error);
    }
    let accepted: Accepted = serde_json::from_str(&text).map_err(|_| UNREADABLE.to_owned())?;
    set_key(form, &accepted.next_key);
    Ok(accepted)
}

fn set_key(form: &HtmlFormElement, key: &str) {
    if let Ok(Some(field)) = form.query_selector("input[name=request_key]")
        && let Ok(field) = field.dyn_into::<HtmlInputElement>()
    {
        field.set_value(key);
    }
}

async fn post(form: &HtmlFormElement) -> Result<Response, JsValue> {
    let fields = FormData::new_with_form(form)?;
    let headers = Headers::new()?;
    headers.set("Accept", "application/json")?;
    let init = RequestInit::new();
    init.set_method("POST");
    let body = UrlSearchParams::new_with_str_sequence_sequence(&fields)?;
    init.set_body(&body);
    init.set_headers(&headers);
    let request = Request::new_with_str_and_init(&form.action(), &init)?;
    JsFuture::from(window().fetch_with_request(&request)).await?.dyn_into()
}

/// The body as text.
pub async fn text(response: &Response) -> Option<String> {
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}
