//! The page around the island: live regions, the editor's marks, hints that a verdict opens.

use domain::transcript::Transcript;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{Document, Element, HtmlTextAreaElement};

use crate::exercise::facts::line_notes;

/// The document.
pub fn document() -> Document {
    leptos::prelude::document()
}

/// Elements that match, none where the selector is wrong.
pub fn all(selector: &str) -> Vec<Element> {
    let Ok(list) = document().query_selector_all(selector) else {
        return vec![];
    };
    (0..list.length()).filter_map(|index| list.get(index)?.dyn_into().ok()).collect()
}

/// Listens for as long as the page lives.
pub fn listen(target: &web_sys::EventTarget, name: &str, handler: impl FnMut(web_sys::Event) + 'static) {
    let closure = Closure::<dyn FnMut(web_sys::Event)>::new(handler);
    // A failure leaves the plain form or the served page, which work without us.
    let _ = target.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
    closure.forget();
}

/// Writes into a live region.
pub fn say(region: &str, text: &str) {
    if let Some(region) = document().get_element_by_id(region) {
        region.set_text_content(Some(text));
    }
}

/// Whether the editor holds something else than the page was served with: a draft.
pub fn holds_draft() -> bool {
    let Some(editor) = all("code-editor").into_iter().next() else {
        return false;
    };
    let value = js_sys::Reflect::get(&editor, &JsValue::from_str("value"));
    let served = editor
        .query_selector("textarea")
        .ok()
        .flatten()
        .and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok())
        .and_then(|area| area.default_value().ok())
        .map(|text| text.replace("\r\n", "\n"));
    match (value.ok().and_then(|value| value.as_string()), served) {
        (Some(value), Some(served)) => value != served,
        _ => false,
    }
}

/// Gives the editor the finding and the compiler's messages.
pub fn mark_editor(transcript: &Transcript) {
    let marks: Vec<_> = line_notes(transcript)
        .into_iter()
        .map(|note| {
            let severity = if note.is_warning { "warning" } else { "error" };
            serde_json::json!({ "line": note.line, "severity": severity, "message": note.text })
        })
        .collect();
    let text = serde_json::Value::from(marks).to_string();
    for editor in all("code-editor") {
        let _ = editor.set_attribute("diagnostics", &text);
    }
}

/// Shows the hints that are about this verdict, and those that are about every one.
pub fn choose_hints(transcript: &Transcript) {
    let kind = transcript.verdict.as_ref().map_or("", |verdict| verdict.kind.as_str());
    for hint in all("[data-when]") {
        let fits = hint.get_attribute("data-when").is_some_and(|when| when.split(' ').any(|word| word == kind));
        let _ = if fits { hint.remove_attribute("hidden") } else { hint.set_attribute("hidden", "") };
    }
}

/// Marks every submit button as busy or free; it keeps the focus either way.
pub fn set_busy(busy: bool) {
    for button in all("button[type=submit]") {
        let _ =
            if busy { button.set_attribute("aria-disabled", "true") } else { button.remove_attribute("aria-disabled") };
    }
}
