//! Markdown to HTML: pulldown-cmark's events, ours where a rule of the site asks for it, then the sanitiser.
//!
//! Raw HTML of an author is text, except the few bare tags of `BARE_TAGS`. What the author got wrong is
//! told with its line; the page is rendered all the same.

mod renderer;

use std::collections::BTreeMap;
use std::path::PathBuf;

use domain::id::Slug;
use pulldown_cmark::{Options, Parser};

use self::renderer::Renderer;
use crate::Rendered;
use crate::sanitise;

/// Markdown with the place it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// Its file, relative to the course's folder.
    pub(crate) file: PathBuf,
    /// Line of its first line.
    pub(crate) first_line: usize,
    /// The text.
    pub(crate) markdown: String,
}

/// What `[[name]]` can lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Path on the site.
    pub(crate) address: String,
    /// What a link without words of its own says.
    pub(crate) title: String,
    /// Lesson or exercise.
    pub(crate) is_lesson: bool,
}

/// All targets by name.
pub(crate) type Targets = BTreeMap<Slug, Target>;

/// A rendered text and its faults: line from 1, and message.
pub(crate) struct Output {
    /// The HTML.
    pub(crate) rendered: Rendered,
    /// What the author got wrong.
    pub(crate) faults: Vec<(usize, String)>,
}

/// Renders `markdown`. Without `targets` a `[[link]]` is plain text and no fault.
pub(crate) fn render(markdown: &str, targets: Option<&Targets>) -> Output {
    let mut renderer = Renderer::new(markdown, targets);
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        renderer.event(event, &range);
    }
    let mut html = String::with_capacity(markdown.len() * 2);
    pulldown_cmark::html::push_html(&mut html, renderer.out.into_iter());
    // The writer aligns cells by an inline style, which the site's policy forbids. The text between is
    // escaped, so this sequence occurs in cells only.
    for side in ["left", "center", "right"] {
        html = html.replace(&format!(" style=\"text-align: {side}\">"), &format!(" class=\"align-{side}\">"));
    }
    Output { rendered: Rendered { html: sanitise::clean(&html), headings: renderer.headings }, faults: renderer.faults }
}

/// Listed one by one: `Options::all()` includes the old footnotes, and taking those out takes all footnotes.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_WIKILINKS
}

#[cfg(test)]
mod tests;
