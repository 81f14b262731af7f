//! Headers of every answer, and the refusal of requests that another site sends in a visitor's name.

use std::fmt::Write;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The policy of answers that bring none of their own: they load nothing.
const STRICT_POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The policy of a page: scripts by nonce, everything from here, WebAssembly compiled, nothing evaluated.
pub fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'self'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    )
}

/// Adds what every answer has.
pub async fn secure(request: Request, next: Next) -> Response {
    let caching = caching(request.uri().path(), request.uri().query());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(STRICT_POLICY));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(caching));
    response
}

/// A file with its hash in the query never changes; fonts change with a package. Other files are asked for again, since
/// their names are stable, and pages are somebody's own.
fn caching(path: &str, query: Option<&str>) -> &'static str {
    if !path.starts_with("/pkg/") {
        "no-store"
    } else if query.is_some_and(|query| query.starts_with("v=")) {
        "public, max-age=31536000, immutable"
    } else if path.rsplit_once('.').is_some_and(|(_, extension)| extension == "woff2") {
        "public, max-age=86400"
    } else {
        "no-cache"
    }
}

/// Refuses a change that another site asks for. A client without these headers is no browser and has no cookie to abuse.
pub async fn refuse_cross_site(request: Request, next: Next) -> Response {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if !reads && is_cross_site(request.headers()) {
        return (StatusCode::FORBIDDEN, "This request came from another site. Open the page here and try again.")
            .into_response();
    }
    next.run(request).await
}

fn is_cross_site(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    match (text("origin"), text("host")) {
        (Some(origin), Some(host)) => origin.split_once("://").is_none_or(|(_, origin)| origin != host),
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// The logo as an icon: only the lanes that are on.
pub async fn favicon() -> impl IntoResponse {
    const MASK: u32 = 0x42a5_9981;
    let mut lanes = String::new();
    for lane in (0..32).filter(|lane| MASK >> lane & 1 == 1) {
        let (x, y) = (lane % 8 * 4, lane / 8 * 4 + 8);
        let _ = write!(lanes, "<rect x='{x}' y='{y}' width='4' height='4'/>");
    }
    let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='#E39B00'>{lanes}</svg>");
    ([(header::CONTENT_TYPE, "image/svg+xml")], svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&'static str, &'static str)], expect: bool) {
        let headers = pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        assert_eq!(is_cross_site(&headers), expect, "{pairs:?}");
    }

    #[test]
    fn other_sites_are_known_by_their_headers() {
        check(&[("sec-fetch-site", "same-origin")], false);
        check(&[("sec-fetch-site", "none")], false);
        check(&[("sec-fetch-site", "cross-site")], true);
        check(&[("sec-fetch-site", "same-site")], true);
        check(&[("origin", "http://a.example"), ("host", "a.example")], false);
        check(&[("origin", "http://evil.example"), ("host", "a.example")], true);
        check(&[("origin", "null"), ("host", "a.example")], true);
        check(&[("host", "a.example")], false);
    }
}
