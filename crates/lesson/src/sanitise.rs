//! The second fence: whatever the renderer wrote, only listed tags, attributes, classes and addresses pass.
//!
//! The first fence is the renderer, which shows an author's raw HTML as text. Either alone is enough for the
//! payloads of the tests; both are kept because a lesson is shown to administrators too.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Classes of code blocks; a block names its language without the prefix.
const LANGUAGE_CLASSES: [&str; 9] = [
    "language-cuda",
    "language-cpp",
    "language-c",
    "language-ptx",
    "language-text",
    "language-sh",
    "language-toml",
    "language-python",
    "language-json",
];
const LANGUAGE_PREFIX: &str = "language-";

const TAGS: [&str; 33] = [
    "a",
    "blockquote",
    "br",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "kbd",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];
const HEADINGS: [&str; 5] = ["h2", "h3", "h4", "h5", "h6"];

static SANITISER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(sanitiser);

/// Cleans `html`.
pub(crate) fn clean(html: &str) -> String {
    SANITISER.clean(html).to_string()
}

/// Whether a code block may name this language.
pub(crate) fn is_language(word: &str) -> bool {
    LANGUAGE_CLASSES.contains(&format!("{LANGUAGE_PREFIX}{word}").as_str())
}

/// The languages of code blocks, for a message.
pub(crate) fn languages() -> String {
    LANGUAGE_CLASSES.map(|class| class.trim_start_matches(LANGUAGE_PREFIX)).join(", ")
}

/// Whether a link may lead there: http, https, mailto, a path of this site or a place on this page.
///
/// Browsers read `//host`, `/\host` and either with tabs inside as another site, so those are refused.
pub(crate) fn is_safe_address(address: &str) -> bool {
    if address.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return false;
    }
    if let Some(rest) = address.strip_prefix('/') {
        return !rest.starts_with('/');
    }
    if address.starts_with('#') {
        return true;
    }
    let scheme = address.split(':').next().unwrap_or_default();
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => address[scheme.len()..].starts_with("://"),
        "mailto" => address.len() > "mailto:".len(),
        _ => false,
    }
}

fn sanitiser() -> ammonia::Builder<'static> {
    let mut attributes: HashMap<&str, HashSet<&str>> = HashMap::from([
        ("a", HashSet::from(["href", "title"])),
        ("ol", HashSet::from(["start"])),
        ("div", HashSet::from(["id"])),
    ]);
    for heading in HEADINGS {
        attributes.insert(heading, HashSet::from(["id"]));
    }
    let aligned = HashSet::from(["align-left", "align-center", "align-right"]);
    let classes = HashMap::from([
        ("code", HashSet::from(LANGUAGE_CLASSES)),
        (
            "blockquote",
            HashSet::from([
                "markdown-alert-note",
                "markdown-alert-tip",
                "markdown-alert-important",
                "markdown-alert-warning",
                "markdown-alert-caution",
            ]),
        ),
        ("p", HashSet::from(["markdown-alert-title"])),
        ("td", aligned.clone()),
        ("th", aligned),
        ("div", HashSet::from(["footnote-definition"])),
        ("sup", HashSet::from(["footnote-reference", "footnote-definition-label"])),
    ]);
    let mut builder = ammonia::Builder::empty();
    builder
        .tags(HashSet::from(TAGS))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(attributes)
        .generic_attributes(HashSet::new())
        .allowed_classes(classes)
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(ammonia::UrlRelative::PassThrough)
        .link_rel(Some("noopener noreferrer"))
        .strip_comments(true)
        // A wide table or listing scrolls; the keyboard must reach it.
        .set_tag_attribute_value("pre", "tabindex", "0")
        .set_tag_attribute_value("th", "scope", "col")
        .attribute_filter(filter);
    builder
}

/// Ids are ours (a page's own ids never begin so), addresses are safe ones.
fn filter<'v>(_tag: &str, attribute: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let passes = match attribute {
        "id" => value.starts_with("h-") || value.starts_with("fn-"),
        "href" => is_safe_address(value),
        _ => true,
    };
    passes.then_some(Cow::Borrowed(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged() {
        for good in [
            "https://example.org/a?b=c#d",
            "HTTP://example.org",
            "mailto:a@example.org",
            "/x/vector-add",
            "/",
            "#h-part",
        ] {
            assert!(is_safe_address(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "\tjavascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "https:evil.example",
            "lesson.md",
            "",
            "mailto:",
        ] {
            assert!(!is_safe_address(bad), "{bad}");
        }
    }

    #[test]
    fn the_fence_holds_alone() {
        for (html, expect) in [
            ("<script>x</script>a", "a"),
            ("<style>x</style>a", "a"),
            ("<p onclick=x style=y id=login class=z>a</p>", "<p class=\"\">a</p>"),
            ("<h2 id=login>a</h2>", "<h2>a</h2>"),
            ("<h2 id=h-a>a</h2>", "<h2 id=\"h-a\">a</h2>"),
            ("<a href=//evil>a</a>", "<a rel=\"noopener noreferrer\">a</a>"),
            ("<svg><set attributeName=href to=javascript:x></svg>", ""),
            ("<math><annotation-xml encoding=text/html><p>a", ""),
            ("<form action=/logout><input name=x><button>a</button></form>", "a"),
            ("<base href=//evil><meta http-equiv=refresh content=0>", ""),
            ("<iframe src=/></iframe><img src=x onerror=y><object></object>", ""),
        ] {
            assert_eq!(clean(html).trim(), expect, "{html}");
        }
    }
}
