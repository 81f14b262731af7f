//! Every bound of a request, at the bound and one past it.

use domain::limits::{SOURCE_BYTES_MAX, UNFINISHED_SUBMISSIONS_MAX};
use e2e::visitor::form;
use e2e::world::World;

#[tokio::test]
async fn bad_input_is_refused_with_a_sentence() -> anyhow::Result<()> {
    let url = std::env::var("DATABASE_URL")?;
    let world = World::without_grader(&url).await?;
    let visitor = world.visitor();
    let slug = world.exercise().slug.as_str().to_owned();
    let full = vec![b'x'; SOURCE_BYTES_MAX];
    let over = vec![b'x'; SOURCE_BYTES_MAX + 1];
    let cases: [(&[u8], u16); 7] = [
        (&full, 201),
        (&over, 413),
        (b"a\0b", 400),
        (b"a\xffb", 400),
        (b"\xed\xa0\x80", 400),
        (b"", 400),
        (b" \n\t", 400),
    ];
    for (source, status) in cases {
        let response = visitor.post(&slug, form(source, None)).await?;
        assert_eq!(response.status(), status, "{} bytes", source.len());
        if status != 201 {
            let body: serde_json::Value = response.json().await?;
            assert!(body["error"].as_str().is_some_and(|sentence| sentence.len() > 20), "{body}");
        }
    }
    let huge = visitor.post(&slug, form(&vec![b'%'; 100_000], None)).await?;
    assert_eq!(huge.status(), 413);
    assert_eq!(visitor.post("no-such-exercise", form(b"x", None)).await?.status(), 404);
    assert_eq!(visitor.post("..%2f..%2fetc", form(b"x", None)).await?.status(), 404);
    assert_eq!(visitor.get("/s/not-an-id").await?.status(), 404);
    assert_eq!(visitor.get("/pkg/..%2f..%2fCargo.toml").await?.status(), 404);
    world.end().await
}

#[tokio::test]
async fn too_many_wait_and_a_repeated_request_is_one() -> anyhow::Result<()> {
    let url = std::env::var("DATABASE_URL")?;
    let world = World::without_grader(&url).await?;
    let visitor = world.visitor();
    let slug = world.exercise().slug.as_str().to_owned();
    let key = uuid::Uuid::new_v4().to_string();
    let id = |body: serde_json::Value| body["submission"].as_str().map(str::to_owned);
    let first = id(visitor.post(&slug, form(b"x", Some(&key))).await?.json().await?);
    let again = id(visitor.post(&slug, form(b"x", Some(&key))).await?.json().await?);
    assert!(first.is_some());
    assert_eq!(first, again);
    for _ in 1..UNFINISHED_SUBMISSIONS_MAX {
        assert_eq!(visitor.post(&slug, form(b"x", None)).await?.status(), 201);
    }
    let refused = visitor.post(&slug, form(b"x", None)).await?;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    let body: serde_json::Value = refused.json().await?;
    assert!(body["error"].as_str().is_some_and(|sentence| sentence.contains(" s.")), "{body}");
    world.end().await
}

#[tokio::test]
async fn a_new_cookie_is_no_new_allowance() -> anyhow::Result<()> {
    let url = std::env::var("DATABASE_URL")?;
    let world = World::without_grader(&url).await?;
    let slug = world.exercise().slug.as_str().to_owned();
    // Generous for a classroom, and an end for one that asks with a new cookie each time.
    for _ in 0..20 {
        assert_eq!(world.visitor().post(&slug, form(b"x", None)).await?.status(), 201);
    }
    let refused = world.visitor().post(&slug, form(b"x", None)).await?;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    world.end().await
}
