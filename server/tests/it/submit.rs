//! What the form takes and what it refuses, each with its status and a sentence.

use axum::http::{StatusCode, header};
use db::PgPool;
use domain::limits::{REQUEST_BYTES_MAX, SOURCE_BYTES_MAX, UNFINISHED_SUBMISSIONS_MAX};

use crate::site::Site;

/// Posts `body` and expects a page with this status that says `sentence`; nothing is stored.
async fn refused(site: &mut Site, body: Vec<u8>, status: StatusCode, sentence: &str) -> String {
    let before = site.count_submissions().await;
    let answer = site.post(body).await;
    let text = answer.text();
    assert_eq!(answer.status, status, "{text}");
    assert!(text.contains(sentence), "{sentence} is not in {text}");
    assert!(answer.header("content-type").starts_with("text/html"));
    assert_eq!(site.count_submissions().await, before);
    text
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_source_may_have_65536_bytes_and_not_one_more(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let full = format!("source={}", "x".repeat(SOURCE_BYTES_MAX));
    site.post(full.clone()).await.submission();
    let over = format!("{full}x");
    let sentence = "The source is 65537 bytes; the limit is 65536.";
    let page = refused(&mut site, over.into(), StatusCode::PAYLOAD_TOO_LARGE, sentence).await;
    let kept = page.matches("xxxxxxxx").count() * 8;
    assert!(kept > SOURCE_BYTES_MAX - 8, "what was typed is on the page: {kept}");
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_request_may_have_262144_bytes_and_not_one_more(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let start = "source=x&filler=";
    let full = format!("{start}{}", "y".repeat(REQUEST_BYTES_MAX - start.len()));
    site.post(full.clone()).await.submission();
    let sentence = "The request is over 262144 bytes.";
    let over = format!("{full}y").into_bytes();
    refused(&mut site, over, StatusCode::PAYLOAD_TOO_LARGE, sentence).await;
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn bad_text_is_refused_with_a_sentence_and_kept(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let bad = StatusCode::BAD_REQUEST;
    let page = refused(&mut site, b"source=keep+me%00".into(), bad, "holds a NUL byte (at byte 7)").await;
    assert!(page.contains("keep me\u{fffd}</textarea>"));
    refused(&mut site, b"source=%ff".into(), bad, "not valid UTF-8 (at byte 0)").await;
    refused(&mut site, b"source=\xff".into(), bad, "not valid UTF-8 (at byte 0)").await;
    refused(&mut site, b"source=".into(), bad, "There is no source to judge").await;
    refused(&mut site, b"source=+%0d%0a".into(), bad, "There is no source to judge").await;
    refused(&mut site, b"".into(), bad, "There is no source to judge").await;
    let breaks_out = b"source=%3C/textarea%3E%3Cscript%3E%00";
    let page = refused(&mut site, breaks_out.into(), bad, "NUL").await;
    assert!(page.contains("&lt;/textarea") && !page.contains("<script>\u{fffd}"));
    // The same text, accepted, comes back in the editor and in the listing.
    let stored = site.post("source=%3C/textarea%3E%3C/template%3E%3Cscript%3E1").await.submission();
    for path in [format!("/x/{}", site.exercise), format!("/s/{stored}")] {
        let page = site.get(&path).await.text();
        assert!(page.contains("&lt;") && !page.contains("<script>1"), "{path}");
    }
}

/// Posts `body` as `kind`; none where that is empty.
async fn post_as(site: &Site, kind: &str, body: &'static str) -> (StatusCode, String) {
    let mut request = site.form(body);
    request.headers_mut().remove(header::CONTENT_TYPE);
    if !kind.is_empty() {
        request.headers_mut().insert(header::CONTENT_TYPE, kind.parse().unwrap());
    }
    let answer = site.ask(request).await;
    (answer.status, answer.text())
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_form_is_known_however_its_type_is_spelled(pool: PgPool) {
    let site = Site::new(pool).await;
    for kind in [
        "application/x-www-form-urlencoded",
        "Application/X-WWW-Form-URLEncoded",
        "application/x-www-form-urlencoded;charset=UTF-8",
        "application/x-www-form-urlencoded ; charset=utf-8",
    ] {
        assert_eq!(post_as(&site, kind, "source=x").await.0, StatusCode::SEE_OTHER, "{kind}");
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_body_of_another_kind_is_415(pool: PgPool) {
    let site = Site::new(pool).await;
    for kind in ["application/json", "application/x-www-form-urlencoded-not", "text/plain", ""] {
        // What was typed is kept where it can be read.
        let (status, text) = post_as(&site, kind, "source=my+kernel").await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        assert!(text.contains("my kernel</textarea>") && !text.contains("nothing is kept"), "{kind}: {text}");
        for unreadable in ["{\"source\":\"my kernel\"}", "source=int a = 1 + 2;", "--x\r\nname=\"source\"\r\n", ""] {
            let (status, text) = post_as(&site, kind, unreadable).await;
            assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
            assert!(text.contains("nothing is kept") && !text.contains("<textarea"), "{kind}: {text}");
        }
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn unknown_exercises_are_404(pool: PgPool) {
    let mut site = Site::new(pool).await;
    site.post("source=x").await.submission();
    let known = site.exercise.clone();
    for exercise in ["no-such-exercise", "UPPER", "%00", "..", &"a".repeat(10_000)] {
        site.exercise = exercise.to_owned();
        assert_eq!(site.post("source=x").await.status, StatusCode::NOT_FOUND, "{exercise}");
    }
    site.exercise = known;
    assert_eq!(site.count_submissions().await, 1);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn too_many_at_once_wait_their_time(pool: PgPool) {
    let mut site = Site::new(pool).await;
    for number in 0..UNFINISHED_SUBMISSIONS_MAX {
        site.post(format!("source=x{number}")).await.submission();
    }
    let answer = site.post("source=my+kernel").await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    let seconds: u32 = answer.header("retry-after").parse().unwrap();
    assert!(seconds > 0);
    let text = answer.text();
    assert!(text.contains(&format!("can go in {seconds} s")), "{text}");
    assert!(text.contains("my kernel</textarea>"));
    // Somebody else is not held up.
    site.stranger().post("source=x").await.submission();
}

const KEY: &str = "request_key=67e55044-10b1-426f-9247-bb680e5fe0c8";

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_repeated_request_is_one_submission(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let body = format!("source=x&{KEY}");
    let first = site.post(body.clone()).await.submission();
    assert_eq!(site.post(body.clone()).await.submission(), first);
    assert_eq!(site.count_submissions().await, 1);
    let (status, json) = site.ask_json(body).await;
    assert_eq!((status, json["submission"].as_str()), (StatusCode::OK, Some(first.to_string().as_str())));
    assert_eq!(site.count_submissions().await, 1);
    // A key of nonsense is no key.
    let other = site.post("source=x&request_key=zzz").await.submission();
    assert_ne!(other, first);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_repeated_key_with_other_content_is_a_conflict(pool: PgPool) {
    let mut site = Site::new(pool).await;
    site.post(format!("source=x&{KEY}")).await.submission();
    let sentence = "This form was sent before, with another source";
    let body = format!("source=my+kernel&{KEY}");
    let page = refused(&mut site, body.clone().into(), StatusCode::CONFLICT, sentence).await;
    assert!(page.contains("my kernel</textarea>"));
    // A script gets the key that sends this source too.
    let (status, json) = site.ask_json(body).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(json["error"].as_str().unwrap().starts_with(sentence));
    let key = json["next_key"].as_str().unwrap();
    site.post(format!("source=my+kernel&request_key={key}")).await.submission();
    assert_eq!(site.count_submissions().await, 2);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_script_is_answered_in_json(pool: PgPool) {
    let site = Site::new(pool).await;
    let (status, json) = site.ask_json("source=x").await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!(json["number"], 1);
    assert!(json["submission"].is_string() && json["next_key"].is_string());
    let (status, json) = site.ask_json("source=").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(json["error"].as_str().unwrap().starts_with("There is no source"));
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn the_newest_source_is_there_again(pool: PgPool) {
    let mut site = Site::new(pool).await;
    site.post("source=%0Afirst+line+is+empty").await.submission();
    let page = site.get(&format!("/x/{}", site.exercise)).await.text();
    // One line end is for the parser of HTML, which drops it.
    assert!(page.contains(">\n\nfirst line is empty</textarea>"), "{page}");
    assert!(page.contains("Submission 1"));
}
