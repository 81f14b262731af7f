//! Requests that no page is meant for get the site's own words, with the status that is right.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use db::PgPool;

use crate::site::{Answer, Site};

async fn ask(site: &Site, method: Method, path: &str, accept: &str) -> Answer {
    let request = Request::builder().method(method).uri(path).header("accept", accept);
    site.ask(request.body(Body::empty()).unwrap()).await
}

/// A page of the site, and for a script a sentence in JSON.
async fn check(site: &Site, method: Method, path: &str, status: StatusCode) {
    let page = ask(site, method.clone(), path, "text/html").await;
    assert_eq!(page.status, status, "{method} {path}");
    let text = page.text();
    assert!(text.contains("<main") && text.contains("Go to the course"), "{method} {path}: {text}");
    let answer = ask(site, method.clone(), path, "application/json").await;
    assert_eq!(answer.status, status, "{method} {path}");
    assert_eq!(answer.header("content-type"), "application/json", "{method} {path}");
    let json: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert!(json["error"].as_str().unwrap().len() > 20, "{json}");
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn unknown_and_unreadable_addresses_are_the_same_page(pool: PgPool) {
    let site = Site::new(pool).await;
    for path in [
        "/nothing",
        "/nothing/",
        "/x/nothing",
        "/x/%ff",
        "/x/%FF%fe/",
        "/s/%ff",
        "/course/%ff/a",
        "/%ff",
        "/x/",
        "/s//",
    ] {
        check(&site, Method::GET, path, StatusCode::NOT_FOUND).await;
    }
    check(&site, Method::POST, "/x/%ff/submissions", StatusCode::NOT_FOUND).await;
    check(&site, Method::POST, "/course/", StatusCode::NOT_FOUND).await;
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_wrong_method_is_told_which_ones_are_right(pool: PgPool) {
    let site = Site::new(pool).await;
    let exercise = format!("/x/{}", site.exercise);
    let form = format!("{exercise}/submissions");
    let stream = "/s/01900000-0000-7000-8000-000000000000/events";
    for (method, path, allow) in [
        (Method::POST, "/", "GET,HEAD"),
        (Method::DELETE, exercise.as_str(), "GET,HEAD"),
        (Method::PUT, "/course", "GET,HEAD"),
        (Method::POST, "/pkg/app.js", "GET,HEAD"),
        (Method::POST, stream, "GET,HEAD"),
        (Method::GET, form.as_str(), "POST"),
    ] {
        check(&site, method.clone(), path, StatusCode::METHOD_NOT_ALLOWED).await;
        let answer = ask(&site, method.clone(), path, "*/*").await;
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
        assert!(answer.text().contains(&format!("takes no {method} requests")), "{method} {path}");
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_slash_too_many_leads_to_the_page(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    let lesson = site.get("/course").await.text();
    let (_, rest) = lesson.split_once("href=\"/course/").unwrap();
    let lesson = format!("/course/{}", rest.split_once('"').unwrap().0);
    for path in ["/course", "/healthz", &lesson, &format!("/x/{}", site.exercise), &format!("/s/{id}")] {
        let answer = site.get(&format!("{path}/?a=%2F")).await;
        assert_eq!(answer.status, StatusCode::PERMANENT_REDIRECT, "{path}");
        assert_eq!(answer.header("location"), format!("{path}?a=%2F"));
        assert_eq!(site.get(&format!("{path}/")).await.header("location"), path);
    }
    // No way to another site.
    for path in ["//evil.example/", "/x//", "/course//", "//course/"] {
        assert_eq!(site.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}
