//! The web server: wires, authenticates, streams.
//!
//! A page is loaded and authorised here and drawn by `app`; nothing below this crate decides who may see what.
//! [`router`] needs no socket, so tests call it directly.
#![forbid(unsafe_code)]

pub mod addresses;
pub mod config;
pub mod headers;
pub mod health;
pub mod hub;
pub mod odd;
pub mod page;
pub mod pages;
pub mod problem;
pub mod session;
pub mod state;
pub mod stream;
pub mod submit;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, get_service, post};
use domain::limits::REQUEST_BYTES_MAX;
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;
use tower_http::trace::TraceLayer;

use crate::state::SiteState;

/// Every address of the site.
pub fn router(state: SiteState) -> Router {
    // Leptos renders on this process's tokio; a second router finds it there already.
    let _ = any_spawner::Executor::init_tokio();
    let files = ServeDir::new(state.config.site.join("pkg")).precompressed_br().append_index_html_on_directories(false);
    let files = get_service(files).fallback(odd::wrong_method).with_state(state.clone());
    let live = Router::new()
        .route("/s/{submission}/events", get(stream::events))
        .method_not_allowed_fallback(odd::wrong_method);
    let site = Router::new()
        .route("/", get(pages::landing))
        .route("/course", get(pages::course))
        .route("/course/{module}/{lesson}", get(pages::lesson))
        .route("/x/{exercise}", get(pages::workspace))
        .route("/x/{exercise}/submissions", post(submit::submit))
        .route("/s/{submission}", get(pages::submission))
        .route("/s/{submission}/transcript", get(stream::transcript))
        .route("/healthz", get(health::healthz))
        .route("/favicon.svg", get(headers::favicon))
        .nest_service("/pkg", files)
        .fallback(odd::unknown)
        .method_not_allowed_fallback(odd::wrong_method)
        .layer(CompressionLayer::new().br(true).gzip(true));
    site.merge(live)
        .layer(DefaultBodyLimit::max(REQUEST_BYTES_MAX))
        .layer(from_fn_with_state(state.clone(), odd::refuse_unreadable))
        .layer(from_fn_with_state(state.clone(), problem::catch_panics))
        .layer(from_fn(headers::refuse_cross_site))
        .layer(from_fn(headers::secure))
        .layer(TraceLayer::new_for_http())
        .with_state(state)
}
