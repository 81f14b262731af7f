//! Waiting for a database that is not there yet, and for none that never will be.

use std::str::FromStr;
use std::time::Duration;

use db::PgPool;
use sqlx::postgres::PgConnectOptions;

#[tokio::test]
async fn an_absent_database_is_waited_for() {
    let url = "postgres://nobody@localhost/none?host=/nonexistent";
    let waiting = tokio::time::timeout(Duration::from_secs(1), db::connect_patiently(url));
    assert!(waiting.await.is_err(), "it came back");
}

#[tokio::test]
async fn a_database_that_refuses_is_no_reason_to_wait() {
    let url = std::env::var("DATABASE_URL").unwrap();
    let url =
        sqlx::ConnectOptions::to_url_lossy(&PgConnectOptions::from_str(&url).unwrap().database("no such database"));
    let refused = tokio::time::timeout(Duration::from_secs(20), db::connect_patiently(url.as_str()));
    assert!(matches!(refused.await.unwrap(), Err(db::Error::Connect(_))));
}

#[sqlx::test(migrations = false)]
async fn the_schema_is_there_afterwards(pool: PgPool) {
    let url = sqlx::ConnectOptions::to_url_lossy(pool.connect_options().as_ref());
    let pool = db::connect_patiently(url.as_str()).await.unwrap();
    assert!(db::graders::list_live(&pool).await.unwrap().is_empty());
}
