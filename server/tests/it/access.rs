//! Who may see what: a submission is its owner's, and a stranger cannot even tell that it is there.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use db::PgPool;
use std::path::PathBuf;

use crate::site::{Site, config};

const UNKNOWN: &str = "01900000-0000-7000-8000-000000000000";

/// A page without what differs in every answer.
fn without_nonces(page: &str) -> String {
    page.split("nonce=\"")
        .enumerate()
        .map(|(index, part)| if index == 0 { part } else { part.split_once('"').map_or("", |(_, rest)| rest) })
        .collect()
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn foreign_and_unknown_submissions_are_the_same_404(pool: PgPool) {
    let mut owner = Site::new(pool).await;
    let id = owner.post("source=secret").await.submission();
    let mut guest = owner.stranger();
    guest.post("source=x").await.submission();
    for suffix in ["", "/events", "/transcript"] {
        let path = format!("/s/{id}{suffix}");
        if suffix != "/events" {
            assert_eq!(owner.get(&path).await.status, StatusCode::OK, "{path}");
        }
        for somebody in [&guest, &owner.stranger()] {
            let foreign = somebody.get(&path).await;
            let unknown = somebody.get(&format!("/s/{UNKNOWN}{suffix}")).await;
            let nonsense = somebody.get(&format!("/s/nonsense{suffix}")).await;
            assert_eq!(foreign.status, StatusCode::NOT_FOUND, "{path}");
            assert_eq!(unknown.status, StatusCode::NOT_FOUND);
            assert_eq!(nonsense.status, StatusCode::NOT_FOUND);
            let foreign = without_nonces(&foreign.text());
            assert_eq!(foreign, without_nonces(&unknown.text()));
            assert_eq!(foreign, without_nonces(&nonsense.text()));
            assert!(!foreign.contains("secret"));
        }
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn reading_leaves_no_trace_and_submitting_makes_a_guest(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let exercise = format!("/x/{}", site.exercise);
    for path in ["/", "/course", &exercise, "/nothing", "/healthz"] {
        let answer = site.get(path).await;
        assert!(!answer.headers.contains_key(header::SET_COOKIE), "{path}");
    }
    let answer = site.post("source=x").await;
    let cookie = answer.header("set-cookie");
    for part in ["warpyard=", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(cookie.contains(part), "{part} is not in {cookie}");
    }
    // The table knows only a hash of what the cookie holds.
    let token = site.token().unwrap();
    assert_eq!(db::sessions::find_user(&site.pool, &token).await.unwrap(), None);
    assert_eq!(site.count_submissions().await, 1);
    assert!(!site.post("source=y").await.headers.contains_key(header::SET_COOKIE));
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn behind_https_the_cookie_is_bound_to_the_host(pool: PgPool) {
    let config = config(PathBuf::from("/nonexistent"), Some("https://a.example"));
    let mut site = Site::with(pool, config).await;
    let answer = site.post("source=x").await;
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("__Host-warpyard=") && cookie.contains("; Secure"), "{cookie}");
    assert!(!cookie.contains("Domain"));
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn another_site_cannot_submit_in_a_visitors_name(pool: PgPool) {
    let mut site = Site::new(pool).await;
    site.post("source=x").await.submission();
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let mut request = site.form("source=forged");
        request.headers_mut().insert(name, value.parse().unwrap());
        request.headers_mut().insert("host", "a.example".parse().unwrap());
        assert_eq!(site.ask(request).await.status, StatusCode::FORBIDDEN, "{name}: {value}");
    }
    assert_eq!(site.count_submissions().await, 1);
    // A link from another site is a visit, not a change.
    let request = Request::get("/course").header("sec-fetch-site", "cross-site");
    let answer = site.ask(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK);
}
