//! The document around every page: head, top bar, landmarks, live regions, foot.

use leptos::config::LeptosOptions;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos::tachys::html::InertElement;

use crate::ui::icon::Icon;

/// What every page has.
#[derive(Clone, Debug, Default)]
pub struct Chrome {
    /// From the particular to the general; " · Warpyard" is added.
    pub title: String,
    /// Steps of the breadcrumb: text and address; the last has none.
    pub crumbs: Vec<(String, Option<String>)>,
    /// What grades: a GPU's name, `simulator`, or nothing.
    pub grader: Option<String>,
    /// Whether the island's WebAssembly and the editor are needed.
    pub live: bool,
    /// Whether a page without script loads itself again every two seconds.
    pub refresh: bool,
}

/// A skip link beyond "Skip to content": text and address.
pub type Skip = (&'static str, &'static str);

const THEME_SCRIPT: &str = include_str!("shell/theme.js");

/// Wraps `body` into the document.
pub fn document(options: LeptosOptions, chrome: &Chrome, skips: &[Skip], body: AnyView) -> AnyView {
    let nonce = use_nonce();
    let skips: Vec<_> = skips.iter().map(|(text, to)| view! { <a class="skip-link" href=*to>{*text}</a> }).collect();
    let refresh = chrome.refresh.then(|| view! { <noscript><meta http-equiv="refresh" content="2"/></noscript> });
    let live = chrome.live.then(|| {
        view! {
            <script type="module" src="/pkg/code-editor.js" nonce=nonce.clone()></script>
            {hydration(options)}
        }
    });
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <title>{format!("{} · Warpyard", chrome.title)}</title>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
                <link rel="stylesheet" href="/pkg/app.css"/>
                {refresh}
                <script nonce=nonce>{THEME_SCRIPT}</script>
                {live}
            </head>
            <body>
                <a class="skip-link" href="#content">"Skip to content"</a>
                {skips}
                {top_bar(chrome)}
                {body}
                <div id="say" class="vh" role="status" aria-live="polite"></div>
                <div id="alert" class="vh" role="alert"></div>
            </body>
        </html>
    }
    .into_any()
}

/// Leptos's script and what it fetches ahead. Leptos writes the nonce as the value of `crossorigin`, where browsers do not
/// hide it and mean nothing by it; it is put where it belongs.
fn hydration(options: LeptosOptions) -> impl IntoView {
    let html = view! { <HydrationScripts options=options islands=true/> }.to_html();
    let html = match use_nonce() {
        Some(nonce) => {
            html.replace(&format!("crossorigin=\"{nonce}\""), &format!("crossorigin=\"anonymous\" nonce=\"{nonce}\""))
        }
        None => html,
    };
    InertElement::new(html)
}

fn top_bar(chrome: &Chrome) -> impl IntoView + use<> {
    let crumbs = (!chrome.crumbs.is_empty()).then(|| breadcrumb(&chrome.crumbs));
    let course = chrome
        .crumbs
        .is_empty()
        .then(|| view! { <nav aria-label="Main"><a class="btn quiet" href="/course">"Course"</a></nav> });
    let (shape, words, more) = match chrome.grader.as_deref() {
        None => ("dot off", "Grading paused".to_owned(), ", no grader is running"),
        Some("simulator") => ("dot half", "Checks only".to_owned(), ", no GPU"),
        Some(name) => ("dot", name.to_owned(), " ready"),
    };
    view! {
        <header class="top">
            <a class="logo" href="/" aria-label="Warpyard, home">{mask(0x42a5_9981)}<span>"Warpyard"</span></a>
            {crumbs}
            <span class="sp"></span>
            <span class="gpu hide" id="draft"></span>
            <span class="gpu"><span class=shape aria-hidden="true"></span><span>{words}<span class="long">{more}</span></span></span>
            {course}
            <button id="theme" class="btn quiet hide" type="button" aria-label="Switch between light and dark" hidden>{Icon::Moon.view()}</button>
        </header>
    }
}

fn breadcrumb(crumbs: &[(String, Option<String>)]) -> impl IntoView + use<> {
    let steps: Vec<_> = crumbs
        .iter()
        .cloned()
        .map(|(text, address)| match address {
            Some(address) => view! { <li><a href=address>{text}</a></li> }.into_any(),
            None => view! { <li><b aria-current="page">{text}</b></li> }.into_any(),
        })
        .collect();
    view! { <nav class="crumb" aria-label="Breadcrumb"><ol>{steps}</ol></nav> }
}

/// 32 lanes of a warp, lane 0 top left; those of `lit` are on. The logo's spell W.
pub fn mask(lit: u32) -> impl IntoView {
    let lanes: Vec<_> = (0..32)
        .map(|lane| {
            let class = if lit >> lane & 1 == 1 { "lane on" } else { "lane" };
            let (x, y) = (f64::from(lane % 8) * 4.0 + 0.4, f64::from(lane / 8) * 4.0 + 0.4);
            view! { <rect x=x.to_string() y=y.to_string() width="3.2" height="3.2" rx="0.8" class=class></rect> }
        })
        .collect();
    view! { <svg viewBox="0 0 32 16" aria-hidden="true">{lanes}</svg> }
}

/// The foot of reading pages.
pub fn footer() -> impl IntoView {
    view! {
        <footer class="foot">
            <a href="/course">"Course"</a>
            <span>"Kernels run in a sandbox. What you submit is kept for this browser, by a cookie."</span>
        </footer>
    }
}
