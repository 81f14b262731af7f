//! Browser sessions: a cookie's hash and whose it is.

use domain::id::UserId;
use sqlx::PgExecutor;

use crate::Error;

/// Stores a session that ends after `lifetime_days`.
pub async fn create(
    executor: impl PgExecutor<'_>,
    user: UserId,
    token_hash: &[u8; 32],
    lifetime_days: i32,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO sessions (token_hash, user_id, expires_at)
         VALUES ($1, $2, now() + make_interval(days => $3))",
        token_hash.as_slice(),
        user.0,
        lifetime_days,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Whose session this is, if it has not ended.
pub async fn find_user(executor: impl PgExecutor<'_>, token_hash: &[u8; 32]) -> Result<Option<UserId>, Error> {
    let user = sqlx::query_scalar!(
        "SELECT user_id FROM sessions WHERE token_hash = $1 AND expires_at > now()",
        token_hash.as_slice(),
    )
    .fetch_optional(executor)
    .await?;
    Ok(user.map(UserId))
}
