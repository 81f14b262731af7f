//! The document around every page: head, top bar, landmarks, live regions, footer.

use leptos::config::LeptosOptions;
use leptos::nonce::use_nonce;
use leptos::prelude::*;

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

/// Wraps `body` into the document. `skips` are further skip links: text and address.
pub fn document(
    options: LeptosOptions,
    chrome: Chrome,
    skips: &[(&'static str, &'static str)],
    body: AnyView,
) -> AnyView {
    let nonce = use_nonce();
    let skips: Vec<_> = skips
        .iter()
        .map(|(text, to)| view! { <a class="skip" href=*to>{*text}</a> })
        .collect();
    let refresh = chrome
        .refresh
        .then(|| view! { <noscript><meta http-equiv="refresh" content="2"/></noscript> });
    let live = chrome.live.then(|| {
        view! {
            <script type="module" src="/pkg/code-editor.js" nonce=nonce.clone()></script>
            <HydrationScripts options=options islands=true/>
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
                <script nonce=nonce.clone()>{THEME_SCRIPT}</script>
                {live}
            </head>
            <body>
                <a class="skip" href="#content">"Skip to content"</a>
                {skips}
                {top_bar(&chrome)}
                {body}
                <div id="say" class="vh" role="status" aria-live="polite"></div>
                <div id="alert" class="vh" role="alert"></div>
            </body>
        </html>
    }
    .into_any()
}

/// The theme that was chosen here before, applied before the first paint; and the button that changes it.
const THEME_SCRIPT: &str = r#"(() => {
  const root = document.documentElement;
  const apply = (theme) => { theme ? root.setAttribute("data-theme", theme) : root.removeAttribute("data-theme"); };
  let theme = null;
  try { theme = localStorage.getItem("theme"); } catch {}
  apply(theme);
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      theme = dark ? "light" : "dark";
      apply(theme);
      try { localStorage.setItem("theme", theme); } catch {}
    });
  });
})();"#;

fn top_bar(chrome: &Chrome) -> impl IntoView + use<> {
    let last = chrome.crumbs.len().saturating_sub(1);
    let crumbs: Vec<_> = chrome
        .crumbs
        .iter()
        .cloned()
        .enumerate()
        .map(|(index, (text, address))| {
            let slash =
                (index > 0).then(|| view! { <span aria-hidden="true" class="hide">"/"</span> });
            let step = match address {
                Some(address) if index < last => {
                    view! { <a class="hide" href=address>{text}</a> }.into_any()
                }
                _ => view! { <b aria-current="page">{text}</b> }.into_any(),
            };
            view! { {slash}{step} }
        })
        .collect();
    let (shape, words) = match chrome.grader.as_deref() {
        None => ("dot off", "No grader is running".to_owned()),
        Some("simulator") => ("dot half", "Checks only, no GPU".to_owned()),
        Some(name) => ("dot", format!("{name} ready")),
    };
    view! {
        <header class="top">
            <a class="logo" href="/" aria-label="Warpyard, home">{logo()}<span>"Warpyard"</span></a>
            <nav class="crumb" aria-label="Breadcrumb">{crumbs}</nav>
            <span class="sp"></span>
            <span class="gpu"><span class=shape aria-hidden="true"></span>{words}</span>
            <button id="theme" class="btn quiet" type="button" aria-label="Switch between light and dark" hidden>"◐"</button>
        </header>
    }
}

/// The logo: 32 lanes of a warp, those that are on spell W. Mask 0x42A59981, lane 0 top left.
fn logo() -> impl IntoView {
    const MASK: u32 = 0x42a5_9981;
    let lanes: Vec<_> = (0..32)
        .map(|lane| {
            let on = MASK >> lane & 1 == 1;
            let (x, y) = (f64::from(lane % 8) * 4.0 + 0.4, f64::from(lane / 8) * 4.0 + 0.4);
            let class = if on { "lane on" } else { "lane" };
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
            <span>"Kernels run in a sandbox; what you submit is kept with a cookie of this browser."</span>
        </footer>
    }
}
