//! Markdown to HTML: pulldown-cmark's events, ours where a rule of the site asks for it, then the sanitiser.
//!
//! Raw HTML of an author is text, except the few bare tags of [`BARE_TAGS`]. What the author got wrong is
//! told with its line; the page is rendered all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use domain::id::Slug;
use pulldown_cmark::{
    BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag,
    TagEnd,
};

use crate::files::lines_before;
use crate::sanitise;
use crate::{Heading, Rendered};

/// Tags that may stand in a text as they are, without attributes.
const BARE_TAGS: [&str; 11] = [
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<kbd>",
    "</kbd>",
    "<sub>",
    "</sub>",
    "<sup>",
    "</sup>",
    "<br>",
];
/// Fences that the full format has and this version has not.
const LATER_FENCES: [&str; 2] = ["quiz", "figure"];
/// Characters of a heading's id.
const ID_CHARACTERS_MAX: usize = 60;

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
    let mut renderer = Renderer {
        markdown,
        targets,
        out: Vec::new(),
        headings: Vec::new(),
        ids: BTreeSet::new(),
        heading: None,
        links: Vec::new(),
        skipping: None,
        faults: Vec::new(),
    };
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        renderer.event(event, &range);
    }
    let mut html = String::with_capacity(markdown.len() * 2);
    pulldown_cmark::html::push_html(&mut html, renderer.out.into_iter());
    // The writer aligns cells by an inline style, which the site's policy forbids. The text between is
    // escaped, so this sequence occurs in cells only.
    for side in ["left", "center", "right"] {
        html = html.replace(
            &format!(" style=\"text-align: {side}\">"),
            &format!(" class=\"align-{side}\">"),
        );
    }
    Output {
        rendered: Rendered {
            html: sanitise::clean(&html),
            headings: renderer.headings,
        },
        faults: renderer.faults,
    }
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

/// A heading that is open: where its start event is, its wanted id and its text so far.
struct OpenHeading<'t> {
    at: usize,
    level: HeadingLevel,
    id: Option<CowStr<'t>>,
    text: String,
}

struct Renderer<'t> {
    markdown: &'t str,
    targets: Option<&'t Targets>,
    out: Vec<Event<'t>>,
    headings: Vec<Heading>,
    ids: BTreeSet<String>,
    heading: Option<OpenHeading<'t>>,
    /// For each open link whether it is written.
    links: Vec<bool>,
    /// The end that ends a part that is left out.
    skipping: Option<TagEnd>,
    faults: Vec<(usize, String)>,
}

impl<'t> Renderer<'t> {
    fn event(&mut self, event: Event<'t>, range: &Range<usize>) {
        if let Some(end) = self.skipping {
            if event == Event::End(end) {
                self.skipping = None;
            }
            return;
        }
        if let (Some(heading), Event::Text(text) | Event::Code(text)) = (&mut self.heading, &event)
        {
            heading.text.push_str(text);
        }
        match event {
            Event::Html(html) | Event::InlineHtml(html) => self.raw_html(&html),
            Event::TaskListMarker(done) => {
                let mark = if done { "☑ " } else { "☐ " };
                self.out.push(Event::Text(mark.into()));
            }
            Event::FootnoteReference(name) => {
                self.out.push(Event::FootnoteReference(footnote_id(&name)));
            }
            Event::Start(tag) => self.start(tag, range),
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::End(TagEnd::Link) => {
                if self.links.pop() == Some(true) {
                    self.out.push(Event::End(TagEnd::Link));
                }
            }
            Event::End(TagEnd::Image) => {}
            other => self.out.push(other),
        }
    }

    fn start(&mut self, tag: Tag<'t>, range: &Range<usize>) {
        match tag {
            Tag::Heading { level, id, .. } => self.start_heading(level, id, range),
            Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            } => {
                if let LinkType::WikiLink { has_pothole } = link_type {
                    self.wikilink(&dest_url, has_pothole, range);
                    return;
                }
                let address = match link_type {
                    LinkType::Email => format!("mailto:{dest_url}"),
                    _ => dest_url.to_string(),
                };
                let is_safe = sanitise::is_safe_address(&address);
                self.links.push(is_safe);
                if is_safe {
                    self.out.push(Event::Start(Tag::Link {
                        link_type,
                        dest_url,
                        title,
                        id,
                    }));
                } else {
                    self.fault(range, "this link may not be followed; use http, https, mailto, /path, #place or [[name]]");
                }
            }
            Tag::Image { .. } => {
                self.fault(
                    range,
                    "pictures are not available yet; their words are shown",
                );
            }
            Tag::CodeBlock(kind) => self.start_code(kind, range),
            Tag::BlockQuote(Some(kind)) => {
                self.out.push(Event::Start(Tag::BlockQuote(Some(kind))));
                let title = alert_title(kind);
                let html = format!("<p class=\"markdown-alert-title\">{title}</p>\n");
                self.out.push(Event::Html(html.into()));
            }
            Tag::FootnoteDefinition(name) => {
                let tag = Tag::FootnoteDefinition(footnote_id(&name));
                self.out.push(Event::Start(tag));
            }
            other => self.out.push(Event::Start(other)),
        }
    }

    fn start_heading(&mut self, level: HeadingLevel, id: Option<CowStr<'t>>, range: &Range<usize>) {
        let level = if level == HeadingLevel::H1 {
            self.fault(range, "the page's title is elsewhere; begin with '##'");
            HeadingLevel::H2
        } else {
            level
        };
        self.heading = Some(OpenHeading {
            at: self.out.len(),
            level,
            id,
            text: String::new(),
        });
        // Classes and attributes of the author are dropped; the id comes with the end.
        self.out.push(Event::Start(Tag::Heading {
            level,
            id: None,
            classes: vec![],
            attrs: vec![],
        }));
    }

    fn end_heading(&mut self) {
        let Some(open) = self.heading.take() else {
            return;
        };
        let id = self.free_id(open.id.as_deref().unwrap_or(&open.text));
        self.out[open.at] = Event::Start(Tag::Heading {
            level: open.level,
            id: Some(id.clone().into()),
            classes: vec![],
            attrs: vec![],
        });
        self.out.push(Event::End(TagEnd::Heading(open.level)));
        self.headings.push(Heading {
            id,
            text: open.text,
            level: open.level as u8,
        });
    }

    fn free_id(&mut self, text: &str) -> String {
        let base = format!("h-{}", plain_id(text));
        let mut id = base.clone();
        let mut number = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{base}-{number}");
            number += 1;
        }
        id
    }

    fn wikilink(&mut self, name: &CowStr<'t>, has_words: bool, range: &Range<usize>) {
        let target = name
            .parse::<Slug>()
            .ok()
            .and_then(|slug| self.targets?.get(&slug));
        let Some(target) = target else {
            if self.targets.is_some() {
                self.fault(
                    range,
                    format!("[[{name}]] is no lesson and no exercise here"),
                );
            }
            self.links.push(false);
            return;
        };
        let link = Tag::Link {
            link_type: LinkType::Inline,
            dest_url: target.address.clone().into(),
            title: "".into(),
            id: "".into(),
        };
        self.out.push(Event::Start(link));
        if has_words {
            self.links.push(true);
            return;
        }
        self.out.push(Event::Text(target.title.clone().into()));
        self.out.push(Event::End(TagEnd::Link));
        self.skipping = Some(TagEnd::Link);
    }

    fn start_code(&mut self, kind: CodeBlockKind<'t>, range: &Range<usize>) {
        let CodeBlockKind::Fenced(info) = &kind else {
            self.out.push(Event::Start(Tag::CodeBlock(kind)));
            return;
        };
        let word = info.split_whitespace().next().unwrap_or_default();
        if LATER_FENCES.contains(&word) {
            self.fault(
                range,
                format!("'{word}' blocks are not available yet; the block is left out"),
            );
            self.skipping = Some(TagEnd::CodeBlock);
            return;
        }
        let language = if word.is_empty() || sanitise::is_language(word) {
            word.to_owned()
        } else {
            let known = sanitise::languages();
            self.fault(
                range,
                format!("'{word}' is no known language; the languages are {known}"),
            );
            String::new()
        };
        let kind = CodeBlockKind::Fenced(language.into());
        self.out.push(Event::Start(Tag::CodeBlock(kind)));
    }

    /// Raw HTML: bare tags pass, everything else is text.
    fn raw_html(&mut self, html: &str) {
        let mut rest = html;
        while !rest.is_empty() {
            let tag = BARE_TAGS.iter().find(|tag| rest.starts_with(**tag));
            let length = if let Some(tag) = tag {
                tag.len()
            } else {
                let mut places = rest.match_indices('<').map(|(at, _)| at);
                places.find(|at| *at > 0).unwrap_or(rest.len())
            };
            let (piece, after) = rest.split_at(length);
            let piece = CowStr::from(piece.to_owned());
            self.out.push(match tag {
                Some(_) => Event::InlineHtml(piece),
                None => Event::Text(piece),
            });
            rest = after;
        }
    }

    fn fault(&mut self, range: &Range<usize>, message: impl Into<String>) {
        let line = 1 + lines_before(self.markdown, range.start);
        self.faults.push((line, message.into()));
    }
}

fn alert_title(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note",
        BlockQuoteKind::Tip => "Tip",
        BlockQuoteKind::Important => "Important",
        BlockQuoteKind::Warning => "Warning",
        BlockQuoteKind::Caution => "Caution",
    }
}

fn footnote_id(name: &str) -> CowStr<'static> {
    format!("fn-{}", plain_id(name)).into()
}

/// Letters, digits and single '-' of `text`, lower case.
fn plain_id(text: &str) -> String {
    let mut id = String::new();
    for c in text.chars() {
        if id.len() >= ID_CHARACTERS_MAX {
            break;
        }
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    let id = id.trim_end_matches('-');
    if id.is_empty() {
        "part".to_owned()
    } else {
        id.to_owned()
    }
}

#[cfg(test)]
mod tests;
