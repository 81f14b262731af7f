//! Which graders are alive, and on what they judge.

use domain::job::Backend;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::Error;

/// Seconds after which a silent grader no longer counts.
const LIVE_SECONDS: i32 = 15;

/// A grader as pages and health checks show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grader {
    /// GPU name or `simulator`.
    pub device: String,
    /// `sim` or `gpu`.
    pub backend: String,
    /// `A`, `B` or `C`.
    pub sandbox_level: String,
    /// Whole seconds since it was last heard of.
    pub last_seen_seconds: i64,
}

/// Says that a grader is alive.
pub async fn beat(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    backend: Backend,
    device: &str,
    sandbox_level: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO graders (id, backend, device, sandbox_level) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO UPDATE SET seen_at = now()",
        id,
        backend.as_str(),
        device,
        sandbox_level,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Says that a grader ends, and forgets those that ended without a word a day ago.
pub async fn leave(executor: impl PgExecutor<'_>, id: Uuid) -> Result<(), Error> {
    sqlx::query!("DELETE FROM graders WHERE id = $1 OR seen_at < now() - INTERVAL '1 day'", id)
        .execute(executor)
        .await?;
    Ok(())
}

/// Graders that were heard of lately, GPUs first.
pub async fn list_live(executor: impl PgExecutor<'_>) -> Result<Vec<Grader>, Error> {
    Ok(sqlx::query_as!(
        Grader,
        r#"SELECT device, backend, sandbox_level,
                  greatest(floor(extract(epoch FROM now() - seen_at)), 0)::BIGINT AS "last_seen_seconds!"
           FROM graders
           WHERE seen_at > now() - make_interval(secs => $1)
           ORDER BY backend = 'gpu' DESC, device, id"#,
        f64::from(LIVE_SECONDS),
    )
    .fetch_all(executor)
    .await?)
}
