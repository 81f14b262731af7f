//! What authors write, what they get wrong, and what must stay inert.

use super::*;

fn targets() -> Targets {
    let target = |address: &str, title: &str, is_lesson| Target {
        address: address.to_owned(),
        title: title.to_owned(),
        is_lesson,
    };
    Targets::from([
        ("many".parse().unwrap(), target("/course/threads/many", "Many <blocks>", true)),
        ("add".parse().unwrap(), target("/x/add", "Add two", false)),
    ])
}

/// The HTML contains `part`, and there is no fault.
fn check(markdown: &str, part: &str) {
    let output = render(markdown, Some(&targets()));
    let html = &output.rendered.html;
    assert!(html.contains(part), "{markdown}\n{html}");
    assert!(output.faults.is_empty(), "{markdown}: {:?}", output.faults);
}

/// One fault at `line` with `part` in its message; the HTML is returned.
fn check_fault(markdown: &str, line: usize, part: &str) -> String {
    let output = render(markdown, Some(&targets()));
    let [(found_line, message)] = &output.faults[..] else {
        panic!("{markdown}: {:?}", output.faults);
    };
    assert_eq!(*found_line, line, "{markdown}");
    assert!(message.contains(part), "{markdown}: {message}");
    output.rendered.html
}

#[test]
fn what_authors_write_is_rendered() {
    check("a **b** `c<d>`", "<strong>b</strong> <code>c&lt;d&gt;</code>");
    check("~~x~~", "<del>x</del>");
    check("|a|b|\n|:-|-:|\n|1|2|\n", "<td class=\"align-right\">2</td>");
    check("|a|\n|-|\n|1|\n", "<th scope=\"col\">a</th>");
    check("- [x] done", "☑ done");
    check("> [!TIP]\n> Look.", "<blockquote class=\"markdown-alert-tip\">");
    check("> [!TIP]\n> Look.", "<p class=\"markdown-alert-title\">Tip</p>");
    check("grid\n: all blocks\n", "<dd>all blocks</dd>");
    check("a[^n]\n\n[^n]: note\n", "id=\"fn-n\"");
    check("a[^n]\n\n[^n]: note\n", "href=\"#fn-n\"");
    check(
        "```cuda\nif (i < n) { }\n```",
        "<pre tabindex=\"0\"><code class=\"language-cuda\">if (i &lt; n) { }\n</code></pre>",
    );
    check("```\nplain\n```", "<code>plain\n</code>");
    check("x^2 H~2~O $5", "x^2");
    check("<details>\n<summary>Answer</summary>\n\n8 *blocks*\n\n</details>\n", "<details>\n<summary>Answer</summary>");
    check("<https://example.org>", "<a href=\"https://example.org\" rel=\"noopener noreferrer\">");
    check("<me@example.org>", "href=\"mailto:me@example.org\"");
    check("[a](/x/add) [b](#h-c)", "href=\"#h-c\"");
}

#[test]
fn links_by_name_lead_to_pages() {
    check("[[add|the task]]", "<a href=\"/x/add\" rel=\"noopener noreferrer\">the task</a>");
    check("[[add]].", ">Add two</a>.");
    check("[[many]]", "<a href=\"/course/threads/many\" rel=\"noopener noreferrer\">Many &lt;blocks&gt;</a>");
    check("`[[nodiscard]]`", "<code>[[nodiscard]]</code>");
    let html = check_fault("a\n\n[[gone|b]] c", 3, "[[gone]] is no lesson");
    assert_eq!(html.trim_end(), "<p>a</p>\n<p>b c</p>");
    assert_eq!(render("[[gone|b]]", None).faults, []);
}

#[test]
fn faults_have_lines_and_keep_the_page() {
    check_fault("a\n\n```quiz\nx\n```\nb", 3, "not available yet");
    let html = check_fault("```figure\nsecret\n```\nb", 1, "not available yet");
    assert!(!html.contains("secret") && html.contains("<p>b</p>"), "{html}");
    check_fault("```fortran\nx\n```", 1, "no known language");
    check_fault("# Title", 1, "begin with '##'");
    let html = check_fault("![alt *text*](https://example.org/a.png)", 1, "pictures");
    assert_eq!(html.trim_end(), "<p>alt <em>text</em></p>");
    check_fault("\n[a](other.md)", 2, "may not be followed");
}

#[test]
fn headings_have_ids_that_clobber_nothing() {
    let rendered =
        render("## The guard `i < n`\n### The guard i n\n## Ä\n## x {#login .wide onclick=a}\n", None).rendered;
    let ids: Vec<_> = rendered.headings.iter().map(|h| h.id.as_str()).collect();
    assert_eq!(ids, ["h-the-guard-i-n", "h-the-guard-i-n-2", "h-part", "h-login"]);
    let levels: Vec<_> = rendered.headings.iter().map(|h| h.level).collect();
    assert_eq!(levels, [2, 3, 2, 2]);
    assert_eq!(rendered.headings[0].text, "The guard i < n");
    assert!(rendered.html.contains("<h2 id=\"h-login\">x</h2>"));
}

/// Markdown whose HTML must hold none of the things that act.
#[test]
fn hostile_markdown_is_inert() {
    let payloads = [
        "[x](javascript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](\tjavascript:alert(1))",
        "[x](<java\tscript:alert(1)>)",
        "[x](JAVASCRIPT:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:a)",
        "[x](//evil.example)",
        "[x](/\\evil.example)",
        "[x]: javascript:alert(1)\n\n[x]",
        "<javascript:alert(1)>",
        "![x](data:image/svg+xml,%3Csvg%20onload=alert(1)%3E)",
        "![x](https://evil.example/p.png)",
        "![[javascript:alert(1)|x]]",
        "[[javascript:alert(1)|x]]",
        "[[//evil.example|x]]",
        "<img src=x onerror=alert(1)>",
        "a <img src=x onerror=alert(1)> b",
        "<svg><set attributeName=href to=javascript:alert(1)></svg>",
        "<math><annotation-xml encoding=text/html><script>alert(1)</script></annotation-xml></math>",
        "<a href=\"//evil.example\">x</a>",
        "<a href=\"javascript:alert(1)\">x</a>",
        "<form action=/logout method=post><button>x</button></form>",
        "<style>*{display:none}</style>",
        "<script>alert(1)</script>",
        "<base href=\"//evil.example\">",
        "<meta http-equiv=refresh content=\"0;url=//evil.example\">",
        "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
        "<div id=\"login\">x</div>",
        "<details ontoggle=alert(1) open>x</details>",
        "<details id=login>x</details>",
        "<summary style=position:fixed>x</summary>",
        "<sup><script>alert(1)</script></sup>",
        "<details><img src=x onerror=alert(1)></details>",
        "## x {#login onclick=alert(1) style=x}",
        "## x {.admin}",
        "a[^login]\n\n[^login]: x",
        "a[^\"><script>alert(1)</script>]\n\n[^\"><script>alert(1)</script>]: x",
        "```\"><script>alert(1)</script>\nx\n```",
        "```cuda\" onclick=\"alert(1)\nx\n```",
        "`<script>alert(1)</script>`",
        "|a style=\"text-align: left\">|\n|:-|\n|<td style=\"text-align: right\"><script>|",
        "[x](https://a.example \"\\\" onclick=alert(1) \\\"\")",
        "<!-- --><script>alert(1)</script>",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<details>ä<ä><script>",
    ];
    for payload in payloads {
        for targets in [None, Some(&targets())] {
            let html = render(payload, targets).rendered.html;
            check_inert(payload, &html);
        }
    }
}

/// Walks the tags of `html`; text between them cannot act.
fn check_inert(payload: &str, html: &str) {
    for piece in html.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap().to_ascii_lowercase();
        let name = tag.trim_start_matches('/').split(' ').next().unwrap();
        let forbidden = [
            "script", "style", "svg", "math", "img", "iframe", "form", "button", "input", "base", "meta", "object",
            "embed", "link", "set",
        ];
        assert!(!forbidden.contains(&name), "{payload}\n{html}");
        for part in ["javascript:", "data:", "vbscript:", "href=\"//", "href=\"/\\", "id=\"login", "style=", "admin"] {
            assert!(!tag.contains(part), "{payload}\n{html}");
        }
        // A handler in a quoted title is text; outside of quotes it would act.
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(!outside.contains(" on"), "{payload}\n{html}");
    }
}

#[test]
fn depth_has_a_bound() {
    let quote = |depth: usize| format!("{}a", "> ".repeat(depth));
    // The paragraph is the last level.
    let output = render(&quote(31), None);
    assert_eq!(output.faults, []);
    assert_eq!(output.rendered.html.matches("<blockquote>").count(), 31);
    let output = render(&quote(3000), None);
    assert_eq!(output.rendered.html.matches("<blockquote>").count(), 32);
    let [(1, message)] = &output.faults[..] else {
        panic!("{:?}", output.faults);
    };
    assert!(message.contains("32 levels"), "{message}");
    let html = render(&"<sub>".repeat(3000), None).rendered.html;
    assert_eq!(html.matches("<sub>").count(), 32);
    let html = render("a</sub></details>b", None).rendered.html;
    assert_eq!(html.trim_end(), "<p>a&lt;/sub&gt;&lt;/details&gt;b</p>");
}

#[test]
fn odd_text_renders_without_a_panic() {
    for piece in
        ["[", "![", "[[", "<", "<ä", "> ", "- ", "|", "```", "#", "*", "[^a]: ", "&#x", "\0", ":", "<details>", "ä"]
    {
        let _ = render(&piece.repeat(2000), Some(&targets()));
        let _ = render(&format!("a\n\n{piece}|b\n|-\n{piece}]({piece})"), None);
    }
}
