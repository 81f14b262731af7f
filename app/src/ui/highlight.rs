//! CUDA C++ in colours, on the server: the same classes that the editor uses.
//!
//! A scanner of words, not a parser: it colours what a reader looks for, and shows everything else as it is.

use std::fmt::Write;

use crate::ui::text::escape;

const KEYWORDS: &[&str] = &[
    "alignas",
    "auto",
    "break",
    "case",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "else",
    "enum",
    "extern",
    "for",
    "goto",
    "if",
    "inline",
    "namespace",
    "nullptr",
    "operator",
    "return",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "typedef",
    "typename",
    "union",
    "using",
    "volatile",
    "while",
    "true",
    "false",
];
const TYPES: &[&str] = &[
    "bool", "char", "double", "float", "half", "int", "long", "short", "signed", "size_t", "unsigned", "void", "dim3",
    "float2", "float4", "int2", "int4", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t", "__half", "__half2",
];
const BUILTINS: &[&str] = &["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// Words with the class of each; `None` where nothing is coloured. Joined, they are the text again.
pub fn words(text: &str) -> Vec<(Option<&'static str>, &str)> {
    let mut words = Vec::new();
    let mut rest = text;
    let mut line_begins = true;
    while let Some(first) = rest.chars().next() {
        let (class, length) = scan(rest, first, line_begins);
        let (word, after) = rest.split_at(length);
        line_begins = word.ends_with('\n') || (line_begins && word.trim().is_empty());
        words.push((class, word));
        rest = after;
    }
    words
}

/// Class and length in bytes of the word that `rest` begins with.
fn scan(rest: &str, first: char, line_begins: bool) -> (Option<&'static str>, usize) {
    let until = |end: &str| rest.find(end).unwrap_or(rest.len());
    let while_ = |good: fn(char) -> bool| rest.find(|c| !good(c)).unwrap_or(rest.len());
    if rest.starts_with("//") {
        return (Some("tok-comment"), until("\n"));
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        let end = comment.find("*/").map_or(rest.len(), |at| at + 4);
        return (Some("tok-comment"), end);
    }
    if first == '#' && line_begins {
        return (Some("tok-meta"), until("\n"));
    }
    if first == '"' || first == '\'' {
        return (Some("tok-string"), string_length(rest, first));
    }
    if first.is_ascii_digit() {
        let length = while_(|c| c.is_ascii_alphanumeric() || c == '.' || c == '\'');
        return (Some("tok-number"), length);
    }
    if first.is_alphabetic() || first == '_' {
        let length = while_(|c| c.is_alphanumeric() || c == '_');
        return (class_of(&rest[..length]), length);
    }
    if first.is_whitespace() {
        // A line end is a word of its own, so that the next line is seen to begin.
        let length = if first == '\n' { 1 } else { while_(|c| c.is_whitespace() && c != '\n') };
        return (None, length);
    }
    (None, first.len_utf8())
}

fn class_of(word: &str) -> Option<&'static str> {
    if KEYWORDS.contains(&word) {
        Some("tok-keyword")
    } else if TYPES.contains(&word) {
        Some("tok-typeName")
    } else if BUILTINS.contains(&word) {
        Some("tok-builtin")
    } else if word.starts_with("__") {
        Some("tok-cuda")
    } else {
        None
    }
}

/// Up to the closing quote, or the end of the line where there is none.
fn string_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Colours the CUDA blocks of a sanitised text, and lets wide tables scroll by keyboard.
pub fn prose(html: &str) -> String {
    const OPEN: &str = "<code class=\"language-";
    let html = html
        .replace("<table>", "<div class=\"wide\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>");
    let mut out = String::with_capacity(html.len() * 2);
    let mut rest = html.as_str();
    while let Some(at) = rest.find(OPEN) {
        // Up to the end of the tag, whose class names the language.
        let (language, _) = rest[at + OPEN.len()..].split_once("\">").unwrap_or_default();
        let (before, code) = rest.split_at(at + OPEN.len() + language.len());
        if !["cuda", "cpp", "c"].contains(&language) {
            out.push_str(before);
            rest = code;
            continue;
        }
        let (before, code) = rest.split_at(before.len() + "\">".len());
        let end = code.find("</code>").unwrap_or(code.len());
        out.push_str(before);
        for (class, word) in words(&unescape(&code[..end])) {
            let word = escape(word);
            match class {
                Some(class) => {
                    let _ = write!(out, "<span class=\"{class}\">{word}</span>");
                }
                None => out.push_str(&word),
            }
        }
        rest = &code[end..];
    }
    out.push_str(rest);
    out
}

fn unescape(text: &str) -> String {
    // `&amp;` last, or `&amp;lt;` would become `<`.
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", "\u{a0}"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        let found = words(text);
        let joined: String = found.iter().map(|(_, word)| *word).collect();
        assert_eq!(joined, text);
        let coloured: Vec<_> = found.iter().filter_map(|(class, word)| Some(((*class)?, *word))).collect();
        assert_eq!(coloured, expect, "{text}");
    }

    #[test]
    fn words_have_the_classes_of_the_editor() {
        check(
            "__global__ void f(int n) // 1\n",
            &[("tok-cuda", "__global__"), ("tok-typeName", "void"), ("tok-typeName", "int"), ("tok-comment", "// 1")],
        );
        check("  #define N 1\na # b", &[("tok-meta", "#define N 1")]);
        check(
            "s = \"a\\\"b\"; i = 0x1fu + blockIdx.x;",
            &[("tok-string", "\"a\\\"b\""), ("tok-number", "0x1fu"), ("tok-builtin", "blockIdx")],
        );
        check("/* open\n", &[("tok-comment", "/* open\n")]);
        check("\"open\nä = 'x", &[("tok-string", "\"open"), ("tok-string", "'x")]);
    }

    #[test]
    fn prose_stays_escaped() {
        let html = "<p>a</p><pre><code class=\"language-cuda\">if (i &lt; n &amp;&amp; &amp;lt;) \"&lt;script&gt;\"\n</code></pre><p>b</p>";
        let coloured = prose(html);
        assert!(coloured.contains("<span class=\"tok-keyword\">if</span> (i &lt; n &amp;&amp; &amp;lt;)"));
        assert!(coloured.contains("<span class=\"tok-string\">&quot;&lt;script&gt;&quot;</span>"));
        let text = "<code class=\"language-text\">if</code>";
        assert_eq!(prose(text), text);
        assert_eq!(prose("<code class=\"language-"), "<code class=\"language-");
        assert!(prose("<code class=\"language-cpp\">if</code>").contains("tok-keyword"));
        assert!(coloured.ends_with("</code></pre><p>b</p>") && !coloured.contains("<script"));
    }
}
