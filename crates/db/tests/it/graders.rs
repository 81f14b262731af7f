//! Which graders count as alive, and since when they are silent.

use db::PgPool;
use domain::job::Backend;
use uuid::Uuid;

/// Ages of the live graders, after this one was silent for `seconds`.
async fn ages(pool: &PgPool, seconds: f64) -> Vec<i64> {
    sqlx::query("UPDATE graders SET seen_at = now() - make_interval(secs => $1)")
        .bind(seconds)
        .execute(pool)
        .await
        .unwrap();
    db::graders::list_live(pool).await.unwrap().iter().map(|grader| grader.last_seen_seconds).collect()
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn a_silent_grader_ages_and_is_then_left_out(pool: PgPool) {
    let id = Uuid::new_v4();
    db::graders::beat(&pool, id, Backend::Sim, "simulator", "A").await.unwrap();
    assert_eq!(ages(&pool, 0.5).await, [0]);
    assert_eq!(ages(&pool, 12.5).await, [12]);
    assert!(ages(&pool, 15.5).await.is_empty());
    db::graders::beat(&pool, id, Backend::Sim, "simulator", "A").await.unwrap();
    assert_eq!(db::graders::list_live(&pool).await.unwrap().len(), 1, "it came back");
    db::graders::leave(&pool, id).await.unwrap();
    assert!(db::graders::list_live(&pool).await.unwrap().is_empty());
}
