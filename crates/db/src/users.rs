//! People. Guests are people: a row at their first step, and everything kept.

use domain::id::UserId;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::Error;

/// Makes a guest.
pub async fn create_guest(executor: impl PgExecutor<'_>) -> Result<UserId, Error> {
    let id = UserId(Uuid::now_v7());
    sqlx::query!("INSERT INTO users (id, kind) VALUES ($1, 'guest')", id.0).execute(executor).await?;
    Ok(id)
}
