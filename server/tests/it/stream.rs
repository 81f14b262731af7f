//! The stream of events: in order, resumed, woken, bounded.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use db::PgPool;
use db::submissions::Begin;
use domain::event::{GradeEvent, Stage};
use domain::id::{RunToken, SubmissionId};
use domain::limits::STREAMS_PER_USER_MAX;
use domain::transcript::Transcript;
use domain::verdict::{Verdict, VerdictKind};
use futures::StreamExt;

use crate::site::Site;

/// Long enough for a busy machine; no test waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

fn accepted() -> Verdict {
    Verdict {
        kind: VerdictKind::Accepted,
        finding: None,
        cases: vec![],
        diagnostics: vec![],
        marks: vec![],
        printed: vec![],
        device: "simulator".to_owned(),
    }
}

async fn begin(site: &Site, id: SubmissionId) -> RunToken {
    match db::submissions::begin(&site.pool, id).await.unwrap() {
        Begin::Claimed(claimed) => claimed.token,
        other => panic!("{other:?}"),
    }
}

/// Does what a grader does, up to the verdict.
async fn judge(site: &Site, id: SubmissionId) {
    let token = begin(site, id).await;
    let started = GradeEvent::Started { start: 1, case_count: 0, device: "simulator".to_owned() };
    for event in [started, GradeEvent::Stage { stage: Stage::Compile }] {
        assert!(db::grade_events::append(&site.pool, id, token, &event).await.unwrap());
    }
    assert!(db::submissions::finish(&site.pool, id, token, &accepted()).await.unwrap());
}

/// Numbers and names of the events in a stream's text.
fn events(text: &str) -> Vec<(i32, String)> {
    let field =
        |block: &str, name: &str| block.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
    text.split("\n\n")
        .filter_map(|block| Some((field(block, "id:")?.parse().unwrap(), field(block, "event:")?)))
        .collect()
}

async fn follow(site: &Site, id: SubmissionId, seen: Option<&str>) -> String {
    let mut request = Request::get(format!("/s/{id}/events"));
    if let Some(seen) = seen {
        request = request.header("last-event-id", seen);
    }
    let ask = site.ask(request.body(Body::empty()).unwrap());
    let answer = tokio::time::timeout(PATIENCE, ask).await.expect("the stream ends by itself");
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "text/event-stream");
    answer.text()
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_stream_resumes_after_the_last_event_that_was_seen(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    judge(&site, id).await;
    let whole = events(&follow(&site, id, None).await);
    let names: Vec<_> = whole.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["queued", "started", "stage", "finished"]);
    for seen in 0..3_i32 {
        let rest = events(&follow(&site, id, Some(&seen.to_string())).await);
        assert_eq!(rest, whole[seen as usize..]);
    }
    // A number that makes no sense is no number.
    assert_eq!(events(&follow(&site, id, Some("x")).await), whole);
    // The fold of the stream is what a browser without streams is given.
    let text = follow(&site, id, None).await;
    let mut folded = Transcript::default();
    for block in text.split("\n\n") {
        let data = block.lines().find_map(|line| line.strip_prefix("data: "));
        let seq = block.lines().find_map(|line| line.strip_prefix("id: "));
        if let (Some(data), Some(seq)) = (data, seq) {
            folded.apply(seq.parse().unwrap(), &serde_json::from_str(data).unwrap());
        }
    }
    let served = site.get(&format!("/s/{id}/transcript")).await;
    assert_eq!(serde_json::from_slice::<Transcript>(&served.body).unwrap(), folded);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_browser_that_has_seen_the_end_is_told_not_to_come_back(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    judge(&site, id).await;
    let request = Request::get(format!("/s/{id}/events")).header("last-event-id", "4");
    let answer = site.ask(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_number_from_the_future_is_no_number(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    // Of a submission without a verdict as well: its stream must not wait for a number that never comes.
    let request = Request::get(format!("/s/{id}/events")).header("last-event-id", "99").body(Body::empty()).unwrap();
    let early = site.send(request).await.into_body();
    judge(&site, id).await;
    let whole = events(&follow(&site, id, None).await);
    for seen in ["5", "99", "2147483647", "99999999999", "-1"] {
        assert_eq!(events(&follow(&site, id, Some(seen)).await), whole, "{seen}");
    }
    let early = tokio::time::timeout(PATIENCE, axum::body::to_bytes(early, 1 << 20)).await.expect("it ends").unwrap();
    assert_eq!(events(std::str::from_utf8(&early).unwrap()), whole);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn an_open_stream_tells_what_happens_and_then_ends(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    let request = Request::get(format!("/s/{id}/events")).body(Body::empty()).unwrap();
    let mut body = site.send(request).await.into_body().into_data_stream();
    let mut text = String::new();
    let mut judged = false;
    while let Some(chunk) = tokio::time::timeout(PATIENCE, body.next()).await.expect("news come") {
        text.push_str(std::str::from_utf8(&chunk.unwrap()).unwrap());
        if !judged && text.contains("event: queued") {
            judged = true;
            judge(&site, id).await;
        }
    }
    assert_eq!(events(&text).last().unwrap(), &(4, "finished".to_owned()));
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_server_that_ends_ends_its_streams(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    site.hub.close();
    assert_eq!(events(&follow(&site, id, None).await), [(1, "queued".to_owned())]);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn streams_of_one_learner_are_bounded(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=x").await.submission();
    let open = async |site: &Site| {
        let request = Request::get(format!("/s/{id}/events")).body(Body::empty()).unwrap();
        site.send(request).await
    };
    let mut held = Vec::new();
    for _ in 0..STREAMS_PER_USER_MAX {
        let response = open(&site).await;
        assert_eq!(response.status(), StatusCode::OK);
        held.push(response);
    }
    let refused = open(&site).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers().contains_key("retry-after"));
    held.pop();
    assert_eq!(open(&site).await.status(), StatusCode::OK);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_page_without_a_verdict_asks_again_and_a_final_one_does_not(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let id = site.post("source=int+a%3B%0A%3Cb%3E").await.submission();
    let refresh = "<noscript><meta http-equiv=\"refresh\" content=\"2\"";
    let page = site.get(&format!("/s/{id}")).await.text();
    assert!(page.contains(refresh) && page.contains("Waiting for a grader"), "{page}");
    assert!(page.contains("id=\"line-2\"") && page.contains("&lt;") && !page.contains("<b>b"));
    judge(&site, id).await;
    let page = site.get(&format!("/s/{id}")).await.text();
    assert!(!page.contains(refresh) && page.contains("data-verdict=\"accepted\""), "{page}");
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn whoever_waits_is_told_how_many_wait_before(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let workspace = format!("/x/{}", site.exercise);
    site.post("source=a").await.submission();
    assert!(!site.get(&workspace).await.text().contains("ahead in the queue"));
    let id = site.post("source=b").await.submission();
    let lasting = format!("/s/{id}");
    for path in [&workspace, &lasting] {
        assert_eq!(site.get(path).await.text().matches("1 ahead in the queue").count(), 1, "{path}");
    }
    let (_, json) = site.ask_json("source=c").await;
    assert_eq!(json["ahead"], 2);
    judge(&site, id).await;
    assert!(!site.get(&lasting).await.text().contains("ahead in the queue"));
}
