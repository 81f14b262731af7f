//! Plain text with `code` marks -> markup. The text is escaped by the framework; only the marks become elements.

use leptos::prelude::*;

/// Text whose parts between backticks are code.
pub fn marked(text: &str) -> Vec<AnyView> {
    text.split('`')
        .enumerate()
        .filter(|(_, part)| !part.is_empty())
        .map(|(index, part)| {
            let part = part.to_owned();
            if index % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
        })
        .collect()
}

/// The same text without marks, for titles and announcements.
pub fn unmarked(text: &str) -> String {
    text.replace('`', "")
}

/// Text as markup that shows it.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
