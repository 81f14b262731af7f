//! One pass over pulldown-cmark's events, which changes those that a rule of the site is about.

use std::collections::BTreeSet;
use std::ops::Range;

use domain::id::Slug;
use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd};

use super::Targets;
use crate::Heading;
use crate::files::lines_before;
use crate::sanitise;

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
/// Levels of a text: lists in quotes in lists.
const NESTING_MAX: usize = 32;
/// Characters of a heading's id.
const ID_CHARACTERS_MAX: usize = 60;

/// A heading that is open: where its start event is, its wanted id and its text so far.
struct OpenHeading<'t> {
    at: usize,
    level: HeadingLevel,
    id: Option<CowStr<'t>>,
    text: String,
}

/// Rewrites the parser's events.
pub(super) struct Renderer<'t> {
    markdown: &'t str,
    targets: Option<&'t Targets>,
    /// What is written.
    pub(super) out: Vec<Event<'t>>,
    /// Headings so far.
    pub(super) headings: Vec<Heading>,
    ids: BTreeSet<String>,
    heading: Option<OpenHeading<'t>>,
    /// For each open tag of the parser whether it is written.
    open: Vec<bool>,
    /// How many of them are written.
    depth: usize,
    /// Bare tags that are open.
    bare_depth: usize,
    /// Whether too deep a nesting was reported.
    told_depth: bool,
    /// The end that ends a part that is left out.
    skipping: Option<TagEnd>,
    /// Line and message of each fault.
    pub(super) faults: Vec<(usize, String)>,
}

impl<'t> Renderer<'t> {
    /// For the events of `markdown`.
    pub(super) fn new(markdown: &'t str, targets: Option<&'t Targets>) -> Self {
        Self {
            markdown,
            targets,
            out: Vec::new(),
            headings: Vec::new(),
            ids: BTreeSet::new(),
            heading: None,
            open: Vec::new(),
            depth: 0,
            bare_depth: 0,
            told_depth: false,
            skipping: None,
            faults: Vec::new(),
        }
    }

    /// Takes the next event, from `range` of the text.
    pub(super) fn event(&mut self, event: Event<'t>, range: &Range<usize>) {
        if let Some(end) = self.skipping {
            if event == Event::End(end) {
                self.skipping = None;
                self.close();
            }
            return;
        }
        if let (Some(heading), Event::Text(text) | Event::Code(text)) = (&mut self.heading, &event) {
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
            Event::Start(tag) => {
                let is_written = self.may_nest(range) && self.start(tag, range);
                self.open.push(is_written);
                self.depth += usize::from(is_written);
            }
            Event::End(end) => match (self.close(), end) {
                (false, _) => {}
                (true, TagEnd::Heading(_)) => self.end_heading(),
                (true, end) => self.out.push(Event::End(end)),
            },
            other => self.out.push(other),
        }
    }

    /// Whether one more level is allowed. The sanitiser's time grows with the square of the depth.
    fn may_nest(&mut self, range: &Range<usize>) -> bool {
        if self.depth == NESTING_MAX && !self.told_depth {
            self.told_depth = true;
            let message = format!("this is more than {NESTING_MAX} levels deep; write it flatter");
            self.fault(range, message);
        }
        self.depth < NESTING_MAX
    }

    /// Closes the innermost tag; whether it was written.
    fn close(&mut self) -> bool {
        let is_written = self.open.pop() == Some(true);
        self.depth -= usize::from(is_written);
        is_written
    }

    /// Whether the tag is written, and so its end must be.
    fn start(&mut self, tag: Tag<'t>, range: &Range<usize>) -> bool {
        match tag {
            Tag::Heading { level, id, .. } => {
                self.start_heading(level, id, range);
            }
            Tag::Link { link_type, dest_url, title, id } => {
                if let LinkType::WikiLink { has_pothole } = link_type {
                    return self.wikilink(&dest_url, has_pothole, range);
                }
                let address = match link_type {
                    LinkType::Email => format!("mailto:{dest_url}"),
                    _ => dest_url.to_string(),
                };
                if !sanitise::is_safe_address(&address) {
                    self.fault(
                        range,
                        "this link may not be followed; use http, https, mailto, /path, #place or [[name]]",
                    );
                    return false;
                }
                self.out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Tag::Image { .. } => {
                self.fault(range, "pictures are not available yet; their words are shown");
                return false;
            }
            Tag::CodeBlock(kind) => return self.start_code(kind, range),
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
        true
    }

    fn start_heading(&mut self, level: HeadingLevel, id: Option<CowStr<'t>>, range: &Range<usize>) {
        let level = if level == HeadingLevel::H1 {
            self.fault(range, "the page's title is elsewhere; begin with '##'");
            HeadingLevel::H2
        } else {
            level
        };
        self.heading = Some(OpenHeading { at: self.out.len(), level, id, text: String::new() });
        // Classes and attributes of the author are dropped; the id comes with the end.
        self.out.push(Event::Start(Tag::Heading { level, id: None, classes: vec![], attrs: vec![] }));
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
        self.headings.push(Heading { id, text: open.text, level: open.level as u8 });
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

    /// Whether a link is open afterwards.
    fn wikilink(&mut self, name: &CowStr<'t>, has_words: bool, range: &Range<usize>) -> bool {
        let target = name.parse::<Slug>().ok().and_then(|slug| self.targets?.get(&slug));
        let Some(target) = target else {
            if self.targets.is_some() {
                self.fault(range, format!("[[{name}]] is no lesson and no exercise here"));
            }
            return false;
        };
        let link = Tag::Link {
            link_type: LinkType::Inline,
            dest_url: target.address.clone().into(),
            title: "".into(),
            id: "".into(),
        };
        self.out.push(Event::Start(link));
        if !has_words {
            self.out.push(Event::Text(target.title.clone().into()));
            self.out.push(Event::End(TagEnd::Link));
            self.skipping = Some(TagEnd::Link);
        }
        true
    }

    /// Whether the block is written.
    fn start_code(&mut self, kind: CodeBlockKind<'t>, range: &Range<usize>) -> bool {
        let CodeBlockKind::Fenced(info) = &kind else {
            self.out.push(Event::Start(Tag::CodeBlock(kind)));
            return true;
        };
        let word = info.split_whitespace().next().unwrap_or_default();
        if LATER_FENCES.contains(&word) {
            self.fault(range, format!("'{word}' blocks are not available yet; the block is left out"));
            self.skipping = Some(TagEnd::CodeBlock);
            return false;
        }
        let language = if word.is_empty() || sanitise::is_language(word) {
            word.to_owned()
        } else {
            let known = sanitise::languages();
            self.fault(range, format!("'{word}' is no known language; the languages are {known}"));
            String::new()
        };
        let kind = CodeBlockKind::Fenced(language.into());
        self.out.push(Event::Start(Tag::CodeBlock(kind)));
        true
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
            let is_bare = tag.is_some() && self.may_be_bare(piece);
            let piece = CowStr::from(piece.to_owned());
            self.out.push(if is_bare { Event::InlineHtml(piece) } else { Event::Text(piece) });
            rest = after;
        }
    }

    /// Keeps count of bare tags, so that they cannot nest without a bound either.
    fn may_be_bare(&mut self, tag: &str) -> bool {
        if tag == "<br>" {
            return true;
        }
        if tag.starts_with("</") {
            let was_open = self.bare_depth > 0;
            self.bare_depth -= usize::from(was_open);
            return was_open;
        }
        let may_open = self.bare_depth < NESTING_MAX;
        self.bare_depth += usize::from(may_open);
        may_open
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
    if id.is_empty() { "part".to_owned() } else { id.to_owned() }
}
