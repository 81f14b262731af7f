//! A field for source text.

use leptos::prelude::*;

use crate::ui::text::escape;

/// A `<textarea name="source">` with `text` in it.
///
/// Leptos writes the children of a textarea as they are, so a text with `</textarea>` in it would break out:
/// the text is escaped here. And a parser of HTML drops the first line end of a textarea, so it gets one more.
pub fn source_area(id: &'static str, rows: &'static str, text: &str) -> AnyView {
    let inner = format!("\n{}", escape(text));
    view! {
        <textarea id=id name="source" rows=rows spellcheck="false" autocapitalize="off" autocomplete="off" inner_html=inner></textarea>
    }
    .into_any()
}
