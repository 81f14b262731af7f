//! Who throws the cookie away is still at the same address.

use std::net::SocketAddr;
use std::path::PathBuf;

use axum::http::{StatusCode, header};
use db::PgPool;
use db::submissions::Begin;
use domain::finding::OurReason;
use domain::id::SubmissionId;
use server::addresses::OPEN_MAX;
use server::config::Config;

use crate::site::{Answer, Site, config};

fn at(site: &Site, peer: &str) -> Site {
    Site { peer: Some(SocketAddr::new(peer.parse().unwrap(), 1)), ..site.stranger() }
}

async fn end(site: &Site, id: SubmissionId) {
    let Begin::Claimed(claimed) = db::submissions::begin(&site.pool, id).await.unwrap() else {
        panic!("not to be had")
    };
    assert!(db::submissions::give_up(&site.pool, id, claimed.token, OurReason::GaveUp).await.unwrap());
}

fn check_refused(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    let seconds: u32 = answer.header("retry-after").parse().unwrap();
    assert!(!answer.headers.contains_key(header::SET_COOKIE), "no guest is made");
    let text = answer.text();
    assert!(text.contains(&format!("from your network just now. The next one can go in {seconds} s.")), "{text}");
    assert!(text.contains("my kernel</textarea>"), "{text}");
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_new_cookie_is_no_new_allowance(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut first = None;
    for number in 0..OPEN_MAX {
        // A provider gives a customer all of these.
        let id = at(&site, &format!("2001:db8::{number:x}")).post("source=x").await.submission();
        first.get_or_insert(id);
    }
    check_refused(&at(&site, "2001:db8::ffff").post("source=my+kernel").await);
    // What a client says of itself is not believed.
    let mut request = site.form("source=my+kernel");
    request.headers_mut().insert("x-forwarded-for", "192.0.2.1".parse().unwrap());
    check_refused(&at(&site, "2001:db8::1").ask(request).await);
    at(&site, "2001:db8:0:1::1").post("source=x").await.submission();
    at(&site, "192.0.2.1").post("source=x").await.submission();
    // A verdict makes room for one.
    end(&site, first.unwrap()).await;
    at(&site, "2001:db8::1").post("source=x").await.submission();
    check_refused(&at(&site, "2001:db8::1").post("source=my+kernel").await);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn behind_a_proxy_of_ours_its_word_counts(pool: PgPool) {
    let config = Config { trust_forwarded: true, ..config(PathBuf::from("/nonexistent"), None) };
    let site = at(&Site::with(pool, config).await, "127.0.0.1");
    let ask = async |forwarded: &str| {
        let mut request = site.form("source=my+kernel");
        request.headers_mut().insert("x-forwarded-for", forwarded.parse().unwrap());
        site.stranger().ask(request).await
    };
    for number in 0..OPEN_MAX {
        ask(&format!("198.51.100.{number}, 192.0.2.1")).await.submission();
    }
    check_refused(&ask("198.51.100.99, 192.0.2.1").await);
    ask("192.0.2.1, 192.0.2.2").await.submission();
}
