//! LISTEN with reconnect. A notification carries an id and nothing else: losing one costs latency, never a result.

use std::time::Duration;

use domain::id::SubmissionId;
use sqlx::PgPool;
use sqlx::postgres::PgListener;

/// The channel of new grade events.
pub(crate) const GRADE_EVENTS_CHANNEL: &str = "grade_events";

/// Calls `on_hint` for each submission that has news, for ever. Reconnects with growing pauses up to 5 s.
pub async fn run(pool: PgPool, on_hint: impl Fn(SubmissionId) + Send + 'static) {
    let mut pause = Duration::from_millis(200);
    loop {
        match listen(&pool, &on_hint, &mut pause).await {
            Ok(()) => {}
            Err(error) => {
                tracing::warn!(%error, "listening for grade events broke off; trying again");
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(5));
    }
}

async fn listen(pool: &PgPool, on_hint: &impl Fn(SubmissionId), pause: &mut Duration) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(GRADE_EVENTS_CHANNEL).await?;
    loop {
        let Some(hint) = listener.try_recv().await? else {
            continue;
        };
        *pause = Duration::from_millis(200);
        if let Ok(submission) = hint.payload().parse() {
            on_hint(submission);
        }
    }
}
