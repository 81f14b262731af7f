//! Headers of every answer, and the policy of pages.

use axum::http::StatusCode;
use db::PgPool;

use crate::site::{Answer, Site};

fn nonce(answer: &Answer) -> String {
    let policy = answer.header("content-security-policy");
    let (_, rest) = policy.split_once("'nonce-").unwrap();
    rest.split_once('\'').unwrap().0.to_owned()
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn pages_have_a_policy_with_a_fresh_nonce(pool: PgPool) {
    let site = Site::new(pool).await;
    let lesson = site.get("/course").await.text();
    let (_, rest) = lesson.split_once("href=\"/course/").unwrap();
    let lesson = format!("/course/{}", rest.split_once('"').unwrap().0);
    let exercise = format!("/x/{}", site.exercise);
    for path in ["/", "/course", &lesson, &exercise, "/nothing"] {
        let (one, two) = (site.get(path).await, site.get(path).await);
        assert_eq!(one.status == StatusCode::OK, path != "/nothing");
        assert_ne!(nonce(&one), nonce(&two), "{path}");
        let policy = one.header("content-security-policy");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
        for part in ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"] {
            assert!(policy.contains(part), "{part} is not in {policy}");
        }
        let page = one.text();
        let with_nonce = format!("nonce=\"{}\"", nonce(&one));
        for script in page.split("<script").skip(1) {
            let tag = script.split_once('>').unwrap().0;
            assert!(tag.contains(&with_nonce), "{path}: a script without the nonce: {tag}");
        }
        assert!(!page.contains(" style=") && !page.contains(" onclick="), "{path}");
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn what_is_fetched_ahead_is_what_the_scripts_fetch(pool: PgPool) {
    let site = Site::new(pool).await;
    let answer = site.get(&format!("/x/{}", site.exercise)).await;
    let (page, nonce) = (answer.text(), nonce(&answer));
    let links: Vec<_> = page
        .split("<link ")
        .skip(1)
        .map(|rest| rest.split_once('>').unwrap().0)
        .filter(|tag| tag.contains("preload"))
        .collect();
    assert_eq!(links.len(), 2, "{links:?}");
    for (link, part) in links.iter().zip(["href=\"/pkg/app.js\"", "href=\"/pkg/app_bg.wasm\""]) {
        // As import() and fetch() ask: with cookies to this site, and no others.
        for part in [part, "crossorigin=\"anonymous\"", &format!("nonce=\"{nonce}\"")] {
            assert!(link.contains(part), "{part} is not in {link}");
        }
    }
    // Browsers hide a nonce only where it is called so.
    assert_eq!(page.matches(&nonce).count(), page.matches(&format!(" nonce=\"{nonce}\"")).count(), "{page}");
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn every_answer_is_guarded(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    let transcript = format!("/s/{id}/transcript");
    for path in ["/", "/healthz", "/favicon.svg", "/pkg/none.js", "/nothing", &transcript] {
        let answer = site.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert!(!answer.header("content-security-policy").is_empty(), "{path}");
        let caching = if path.starts_with("/pkg/") { "no-cache" } else { "no-store" };
        assert_eq!(answer.header("cache-control"), caching, "{path}");
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn health_says_what_grades(pool: PgPool) {
    let site = Site::new(pool).await;
    let answer = site.get("/healthz").await;
    assert_eq!(answer.status, StatusCode::OK);
    let health: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(health, serde_json::json!({ "status": "ok", "graders": [] }));
    db::graders::beat(&site.pool, uuid::Uuid::from_u128(1), domain::job::Backend::Sim, "simulator", "A").await.unwrap();
    let health: serde_json::Value = serde_json::from_slice(&site.get("/healthz").await.body).unwrap();
    let grader = &health["graders"][0];
    assert_eq!((grader["device"].as_str(), grader["sandbox_level"].as_str()), (Some("simulator"), Some("A")));
    assert!(grader["last_seen_seconds"].as_i64().is_some_and(|age| (0..15).contains(&age)), "{health}");
    site.pool.close().await;
    assert_eq!(site.get("/healthz").await.status, StatusCode::SERVICE_UNAVAILABLE);
    // Reading goes on, and what needs the database says so without its words.
    assert_eq!(site.get("/course").await.status, StatusCode::OK);
    let answer = site.ask(site.form("source=keep+me")).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    let text = answer.text();
    assert!(text.contains("reference ") && text.contains("keep me</textarea>"), "{text}");
    assert!(!text.to_lowercase().contains("pool") && !text.to_lowercase().contains("sql"), "{text}");
}
