//! Submissions, from the moment they are stored to their one verdict.
//!
//! A submission is stored and queued in one transaction. A grader begins by taking the fence: a new run
//! token, and one more start. Only the holder of the token writes events and the verdict, so a grader that
//! was believed dead and comes back writes nothing. After [`STARTS_MAX`] starts the submission ends as our
//! fault, whether the graders died or failed.

use domain::event::GradeEvent;
use domain::finding::OurReason;
use domain::id::{RequestKey, RunToken, Slug, SubmissionId, UserId};
use domain::limits::{STARTS_MAX, SUBMISSION_WINDOW_SECONDS, SUBMISSIONS_PER_WINDOW_MAX, UNFINISHED_SUBMISSIONS_MAX};
use domain::submission::{SourceText, Status};
use domain::verdict::{Verdict, VerdictKind};
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{Error, grade_events, jobs};

/// Most rows of one history.
const HISTORY_MAX: i64 = 50;

/// What a learner hands in.
#[derive(Clone, Copy, Debug)]
pub struct NewSubmission<'a> {
    /// Who.
    pub user: UserId,
    /// For which exercise.
    pub exercise: &'a Slug,
    /// Hash of the exercise's files.
    pub content_hash: &'a str,
    /// The source.
    pub source: &'a SourceText,
    /// The same key with the same source twice is the same submission.
    pub request_key: Option<RequestKey>,
    /// Drawn by the caller; hidden inputs follow from it.
    pub seed: i64,
}

/// What became of a request to submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// Stored and queued.
    Stored(SubmissionId),
    /// The same request came before.
    Again(SubmissionId),
    /// A request with this key came before, with another source or for another exercise.
    KeyTaken,
    /// Too many at once.
    TooMany {
        /// When to try again.
        retry_after_seconds: u32,
    },
}

/// Stores a submission, its first event and its job in one transaction.
pub async fn submit(pool: &PgPool, new: &NewSubmission<'_>) -> Result<Submitted, Error> {
    let mut transaction = pool.begin().await?;
    // One learner's submissions are numbered and counted one after another.
    sqlx::query!("SELECT id FROM users WHERE id = $1 FOR UPDATE", new.user.0).fetch_one(&mut *transaction).await?;
    if let Some(key) = new.request_key {
        let known = sqlx::query!(
            r#"SELECT id, exercise = $3 AND source = $4 AS "same!" FROM submissions
               WHERE user_id = $1 AND request_key = $2"#,
            new.user.0,
            key.0,
            new.exercise.as_str(),
            new.source.as_str(),
        )
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(known) = known {
            return Ok(if known.same { Submitted::Again(SubmissionId(known.id)) } else { Submitted::KeyTaken });
        }
    }
    if let Some(retry_after_seconds) = find_wait(&mut transaction, new.user).await? {
        return Ok(Submitted::TooMany { retry_after_seconds });
    }
    let id = SubmissionId(Uuid::now_v7());
    sqlx::query!(
        "INSERT INTO submissions (id, user_id, exercise, content_hash, number, request_key, source, seed)
         SELECT $1, $2, $3, $4, coalesce(max(number), 0) + 1, $5, $6, $7
         FROM submissions WHERE user_id = $2 AND exercise = $3",
        id.0,
        new.user.0,
        new.exercise.as_str(),
        new.content_hash,
        new.request_key.map(|key| key.0),
        new.source.as_str(),
        new.seed,
    )
    .execute(&mut *transaction)
    .await?;
    grade_events::append_in(&mut transaction, id, &GradeEvent::Queued).await?;
    jobs::enqueue(pool, &mut transaction, id).await?;
    transaction.commit().await?;
    Ok(Submitted::Stored(id))
}

/// Seconds to wait, if the learner has too many unfinished or too many lately.
async fn find_wait(connection: &mut PgConnection, user: UserId) -> Result<Option<u32>, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) FILTER (WHERE status <> 'finished') AS "unfinished!",
                  count(*) FILTER (WHERE created_at > now() - make_interval(secs => $2)) AS "recent!",
                  coalesce(extract(epoch FROM min(created_at) FILTER (WHERE created_at > now() - make_interval(secs => $2))
                      + make_interval(secs => $2) - now()), 0)::FLOAT8 AS "window_seconds!"
           FROM submissions
           WHERE user_id = $1 AND (status <> 'finished' OR created_at > now() - make_interval(secs => $2))"#,
        user.0,
        SUBMISSION_WINDOW_SECONDS as f64,
    )
    .fetch_one(connection)
    .await?;
    if row.recent >= SUBMISSIONS_PER_WINDOW_MAX {
        return Ok(Some(row.window_seconds.ceil().max(1.0) as u32));
    }
    // How long a judgement takes is not known here; a few seconds is what one usually takes.
    Ok((row.unfinished >= UNFINISHED_SUBMISSIONS_MAX).then_some(5))
}

/// A submission as its owner sees it; the verdict comes with its events.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Its id.
    pub id: SubmissionId,
    /// 1, 2, 3 … per learner and exercise.
    pub number: i32,
    /// For which exercise.
    pub exercise: Slug,
    /// The source that is judged.
    pub source: String,
    /// Where it stands.
    pub status: Status,
    /// Graders that began.
    pub starts: i32,
    /// Submissions of anybody that wait before it.
    pub ahead: i64,
    /// When it was stored.
    pub created_at: OffsetDateTime,
}

/// One's own submission; `None` if it is unknown or somebody else's.
pub async fn find_for(
    executor: impl PgExecutor<'_>,
    user: UserId,
    id: SubmissionId,
) -> Result<Option<Submission>, Error> {
    let row = sqlx::query!(
        r#"SELECT s.number, s.exercise, s.source, s.status, s.starts, s.created_at AS "created_at: OffsetDateTime",
                  (SELECT count(*) FROM submissions o
                   WHERE o.status = 'queued' AND s.status = 'queued' AND o.created_at < s.created_at) AS "ahead!"
           FROM submissions s WHERE s.id = $1 AND s.user_id = $2"#,
        id.0,
        user.0,
    )
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(Submission {
        id,
        number: row.number,
        exercise: slug(&row.exercise)?,
        source: row.source,
        status: status(&row.status)?,
        starts: row.starts,
        ahead: row.ahead,
        created_at: row.created_at,
    }))
}

/// Those of `ids` that have no verdict yet.
pub async fn list_unfinished(executor: impl PgExecutor<'_>, ids: &[SubmissionId]) -> Result<Vec<SubmissionId>, Error> {
    let ids: Vec<_> = ids.iter().map(|id| id.0).collect();
    let unfinished =
        sqlx::query_scalar!("SELECT id FROM submissions WHERE id = ANY($1) AND status <> 'finished'", &ids)
            .fetch_all(executor)
            .await?;
    Ok(unfinished.into_iter().map(SubmissionId).collect())
}

/// One line of a history.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Its id.
    pub id: SubmissionId,
    /// 1, 2, 3 … per learner and exercise.
    pub number: i32,
    /// Where it stands.
    pub status: Status,
    /// What was decided.
    pub verdict: Option<VerdictKind>,
    /// When it was stored.
    pub created_at: OffsetDateTime,
}

/// One's own submissions for an exercise, newest first, at most 50.
pub async fn list_for(executor: impl PgExecutor<'_>, user: UserId, exercise: &Slug) -> Result<Vec<Summary>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, number, status, verdict_kind, created_at AS "created_at: OffsetDateTime" FROM submissions
           WHERE user_id = $1 AND exercise = $2 ORDER BY number DESC LIMIT $3"#,
        user.0,
        exercise.as_str(),
        HISTORY_MAX,
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Summary {
                id: SubmissionId(row.id),
                number: row.number,
                status: status(&row.status)?,
                verdict: row.verdict_kind.as_deref().map(verdict_kind).transpose()?,
                created_at: row.created_at,
            })
        })
        .collect()
}

/// What a grader needs for one start.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Which submission.
    pub submission: SubmissionId,
    /// The fence.
    pub token: RunToken,
    /// 1, 2 or 3.
    pub start: i32,
    /// For which exercise.
    pub exercise: Slug,
    /// Hash of the exercise's files when it was submitted.
    pub content_hash: String,
    /// What to judge.
    pub source: SourceText,
    /// Hidden inputs follow from it.
    pub seed: i64,
}

/// What [`begin`] found.
#[derive(Clone, Debug)]
pub enum Begin {
    /// Judge it.
    Claimed(Box<Claimed>),
    /// It has its verdict, or its row is gone: nothing to do.
    Done,
    /// Its starts were used up; it has just been closed as our fault.
    GaveUp,
}

/// Takes the fence: a new run token and one more start, or the end after [`STARTS_MAX`] of them.
pub async fn begin(pool: &PgPool, id: SubmissionId) -> Result<Begin, Error> {
    let mut transaction = pool.begin().await?;
    let row = sqlx::query!(
        "SELECT exercise, content_hash, source, seed, status, starts FROM submissions WHERE id = $1 FOR UPDATE",
        id.0,
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row.filter(|row| row.status != Status::Finished.as_str()) else {
        return Ok(Begin::Done);
    };
    if row.starts >= STARTS_MAX {
        close_as_our_fault(&mut transaction, id, OurReason::GaveUp).await?;
        transaction.commit().await?;
        return Ok(Begin::GaveUp);
    }
    let (token, start) = (RunToken(Uuid::new_v4()), row.starts + 1);
    sqlx::query!(
        "UPDATE submissions SET status = 'running', starts = $2, run_token = $3, started_at = now() WHERE id = $1",
        id.0,
        start,
        token.0,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    let source = SourceText::try_from(row.source)
        .map_err(|error| Error::Row { table: "submissions", reason: format!("source of {id}: {error}") })?;
    Ok(Begin::Claimed(Box::new(Claimed {
        submission: id,
        token,
        start,
        exercise: slug(&row.exercise)?,
        content_hash: row.content_hash,
        source,
        seed: row.seed,
    })))
}

/// Writes the verdict and the last event, if `token` still holds the fence; says whether it did.
pub async fn finish(pool: &PgPool, id: SubmissionId, token: RunToken, verdict: &Verdict) -> Result<bool, Error> {
    let mut transaction = pool.begin().await?;
    let done = sqlx::query!(
        "UPDATE submissions SET status = 'finished', verdict_kind = $3, finished_at = now()
         WHERE id = $1 AND run_token = $2 AND status = 'running'",
        id.0,
        token.0,
        verdict.kind.as_str(),
    )
    .execute(&mut *transaction)
    .await?;
    if done.rows_affected() != 1 {
        return Ok(false);
    }
    let event = GradeEvent::Finished { verdict: Box::new(verdict.clone()) };
    grade_events::append_in(&mut transaction, id, &event).await?;
    transaction.commit().await?;
    Ok(true)
}

/// Closes a submission as our fault, if `token` still holds the fence; says whether it did.
pub async fn give_up(pool: &PgPool, id: SubmissionId, token: RunToken, reason: OurReason) -> Result<bool, Error> {
    let mut transaction = pool.begin().await?;
    let held = sqlx::query!(
        "SELECT id FROM submissions WHERE id = $1 AND run_token = $2 AND status = 'running' FOR UPDATE",
        id.0,
        token.0,
    )
    .fetch_optional(&mut *transaction)
    .await?;
    if held.is_none() {
        return Ok(false);
    }
    close_as_our_fault(&mut transaction, id, reason).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn close_as_our_fault(connection: &mut PgConnection, id: SubmissionId, reason: OurReason) -> Result<(), Error> {
    // The reference that a learner quotes is the end of the id: random bits, short enough to read aloud.
    let text = id.to_string();
    let verdict = Verdict::our_fault(&text[text.len() - 12..], reason);
    sqlx::query!(
        "UPDATE submissions SET status = 'finished', verdict_kind = $2, run_token = NULL, finished_at = now() WHERE id = $1",
        id.0,
        verdict.kind.as_str(),
    )
    .execute(&mut *connection)
    .await?;
    grade_events::append_in(connection, id, &GradeEvent::Finished { verdict: Box::new(verdict) }).await
}

fn slug(text: &str) -> Result<Slug, Error> {
    text.parse().map_err(|error| Error::Row { table: "submissions", reason: format!("exercise '{text}': {error}") })
}

fn status(word: &str) -> Result<Status, Error> {
    Status::find(word).ok_or_else(|| Error::Row { table: "submissions", reason: format!("status '{word}'") })
}

fn verdict_kind(word: &str) -> Result<VerdictKind, Error> {
    VerdictKind::find(word).ok_or_else(|| Error::Row { table: "submissions", reason: format!("verdict_kind '{word}'") })
}
