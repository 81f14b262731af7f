//! The Leptos web app: what a browser sees.
//!
//! Pages are served HTML, made from plain data that the server has already loaded and authorised: a page function
//! takes values and returns markup, so nothing that a viewer may not see can reach the page by accident. The one
//! island, [`exercise::panel`], hydrates and follows a submission live; it draws with the same components that the
//! server used, so a plain reload shows the same.

pub mod exercise;
pub mod ui;

#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod shell;

/// Called by the browser once the WebAssembly is there.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
