//! What the schema allows is what the types can say.

use db::PgPool;
use domain::job::Backend;
use domain::submission::Status;
use domain::verdict::VerdictKind;

/// The words in single quotes of a column's CHECK.
async fn allowed(pool: &PgPool, table: &str, column: &str) -> Vec<String> {
    let checks: Vec<String> = sqlx::query_scalar(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint
         WHERE conrelid = $1::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%' || $2 || ' = ANY%'",
    )
    .bind(table)
    .bind(column)
    .fetch_all(pool)
    .await
    .unwrap();
    let mut words: Vec<String> = checks.concat().split('\'').skip(1).step_by(2).map(str::to_owned).collect();
    words.sort();
    words
}

fn sorted<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.sort();
    words
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn enumerations_agree_with_their_checks(pool: PgPool) {
    let kinds = sorted(VerdictKind::ALL.iter().map(|kind| kind.as_str()));
    assert_eq!(allowed(&pool, "submissions", "verdict_kind").await, kinds);
    let statuses = sorted(Status::ALL.iter().map(|status| status.as_str()));
    assert_eq!(allowed(&pool, "submissions", "status").await, statuses);
    let backends = sorted([Backend::Sim, Backend::Gpu].iter().map(|backend| backend.as_str()));
    assert_eq!(allowed(&pool, "graders", "backend").await, backends);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn migrating_again_changes_nothing(pool: PgPool) {
    db::migrate(&pool).await.unwrap();
    db::migrate(&pool).await.unwrap();
}
