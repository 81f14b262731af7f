//! From markup to an answer: renders with islands, puts the nonce into the policy.

use app::shell::{Chrome, Skip, document};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_axum::{ResponseOptions, render_app_async_with_context};

use crate::headers::page_policy;
use crate::state::SiteState;

/// What every page has, with what grades at this moment.
pub async fn chrome(state: &SiteState, title: &str, crumbs: Vec<(String, Option<String>)>) -> Chrome {
    // A database that does not answer leaves the place empty; the page itself may still stand.
    let graders = db::graders::list_live(&state.pool).await.unwrap_or_default();
    let grader = graders.into_iter().next().map(|grader| grader.device);
    Chrome { title: title.to_owned(), crumbs, grader, ..Chrome::default() }
}

/// Renders a page.
pub async fn respond(
    state: &SiteState,
    request: Request,
    status: StatusCode,
    chrome: Chrome,
    skips: &'static [Skip],
    body: impl Fn() -> AnyView + Clone + Send + Sync + 'static,
) -> Response {
    let options = state.options.clone();
    let with_policy = || {
        let policy = use_nonce().and_then(|nonce| HeaderValue::from_str(&page_policy(&nonce)).ok());
        if let (Some(policy), Some(response)) = (policy, use_context::<ResponseOptions>()) {
            response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
        }
    };
    let render = render_app_async_with_context(with_policy, move || document(options.clone(), &chrome, skips, body()));
    let mut response = render(request).await;
    *response.status_mut() = status;
    response
}
