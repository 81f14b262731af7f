//! The Leptos web app: what a browser sees.
