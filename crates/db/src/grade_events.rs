//! What graders tell while they work: appended behind the fence, read in order.

use domain::event::GradeEvent;
use domain::id::{RunToken, SubmissionId, UserId};
use domain::limits::EVENTS_MAX;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};

use crate::Error;
use crate::notify::GRADE_EVENTS_CHANNEL;

/// Appends an event if `token` still holds the fence and fewer than [`EVENTS_MAX`] are there; says whether it did.
pub async fn append(
    executor: impl PgExecutor<'_>,
    submission: SubmissionId,
    token: RunToken,
    event: &GradeEvent,
) -> Result<bool, Error> {
    // appended: the row, numbered behind the last one, only for the holder of the fence.
    // The notification goes out with the commit.
    let row = sqlx::query_scalar!(
        r#"WITH appended AS (
               INSERT INTO grade_events (submission_id, seq, event)
               SELECT id, (SELECT count(*)::INT + 1 FROM grade_events WHERE submission_id = $1), $3
               FROM submissions
               WHERE id = $1 AND run_token = $2 AND status = 'running'
                 AND (SELECT count(*) FROM grade_events WHERE submission_id = $1) < $4
               RETURNING submission_id
           )
           SELECT pg_notify($5, submission_id::TEXT)::TEXT AS "sent" FROM appended"#,
        submission.0,
        token.0,
        Json(event) as _,
        i64::from(EVENTS_MAX),
        GRADE_EVENTS_CHANNEL,
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.is_some())
}

/// Appends without a fence, inside a transaction that holds the submission's row. Past the cap only the last event is let in.
pub(crate) async fn append_in(
    connection: &mut PgConnection,
    submission: SubmissionId,
    event: &GradeEvent,
) -> Result<(), Error> {
    sqlx::query_scalar!(
        r#"WITH appended AS (
               INSERT INTO grade_events (submission_id, seq, event)
               VALUES ($1, (SELECT count(*)::INT + 1 FROM grade_events WHERE submission_id = $1), $2)
               RETURNING submission_id
           )
           SELECT pg_notify($3, submission_id::TEXT)::TEXT AS "sent" FROM appended"#,
        submission.0,
        Json(event) as _,
        GRADE_EVENTS_CHANNEL,
    )
    .fetch_one(connection)
    .await?;
    Ok(())
}

/// Events after number `after_seq`, in order. `None` if the submission is unknown or not this user's.
pub async fn list_after(
    executor: impl PgExecutor<'_>,
    user: UserId,
    submission: SubmissionId,
    after_seq: i32,
) -> Result<Option<Vec<(i32, GradeEvent)>>, Error> {
    let rows = sqlx::query!(
        r#"SELECT e.seq AS "seq?", e.event AS "event?: Json<GradeEvent>"
           FROM submissions s
           LEFT JOIN grade_events e ON e.submission_id = s.id AND e.seq > $3
           WHERE s.id = $1 AND s.user_id = $2
           ORDER BY e.seq"#,
        submission.0,
        user.0,
        after_seq,
    )
    .fetch_all(executor)
    .await?;
    if rows.is_empty() {
        return Ok(None);
    }
    Ok(Some(rows.into_iter().filter_map(|row| Some((row.seq?, row.event?.0))).collect()))
}
