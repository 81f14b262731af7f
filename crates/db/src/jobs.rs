//! The queue: graphile_worker's schema, our task's name, and enqueueing inside a caller's transaction.

use domain::id::SubmissionId;
use domain::job::{GradeJob, JOB_VERSION};
use graphile_worker::{JobSpec, WorkerUtils};
use sqlx::{PgPool, Postgres, Transaction};

use crate::Error;

/// Schema of the queue.
pub const SCHEMA: &str = "graphile_worker";
/// The task that a grader takes.
pub const GRADE_TASK: &str = "grade";
/// Attempts of the queue itself. Ours are counted in `submissions.starts`, since the queue gives an attempt
/// back when a worker dies, so these must merely never run out first.
const QUEUE_ATTEMPTS_MAX: i16 = 25;

/// Brings the queue's schema up to date.
pub async fn migrate(pool: &PgPool) -> Result<(), Error> {
    WorkerUtils::new(pool.clone(), SCHEMA).migrate().await.map_err(|error| Error::MigrateQueue(error.to_string()))
}

/// Queues the judging of a submission; it becomes visible when the transaction commits.
pub(crate) async fn enqueue(
    pool: &PgPool,
    transaction: &mut Transaction<'_, Postgres>,
    submission: SubmissionId,
) -> Result<(), Error> {
    let payload = GradeJob { version: JOB_VERSION, submission };
    let spec = JobSpec { max_attempts: Some(QUEUE_ATTEMPTS_MAX), ..JobSpec::default() };
    WorkerUtils::new(pool.clone(), SCHEMA)
        .with_executor(transaction)
        .add_raw_job(GRADE_TASK, payload, spec)
        .await
        .map_err(|error| Error::Enqueue { submission, reason: error.to_string() })?;
    Ok(())
}
