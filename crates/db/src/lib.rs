//! All SQL of the project: one module per table or aggregate, one function per statement or use case.
//!
//! A function that must be atomic opens its own transaction. Authorisation is part of the `WHERE`:
//! what belongs to somebody else is answered exactly like what does not exist.
#![forbid(unsafe_code)]

pub mod grade_events;
pub mod graders;
pub mod jobs;
pub mod notify;
pub mod scratch;
pub mod sessions;
pub mod submissions;
pub mod users;

use std::time::Duration;

pub use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

/// What programs of the product log unless they are told otherwise. The queue's crates log payloads, and all their names
/// begin alike.
pub const LOG_FILTER: &str = "info,sqlx=warn,graphile_worker=warn";

/// The project's schema, embedded. The queue's own schema comes with [`migrate`].
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// What can go wrong with the database, one variant per failed operation.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No connection.
    #[error("cannot reach Postgres")]
    Connect(#[source] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("cannot bring the database schema up to date")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// The queue's schema could not be brought up to date.
    #[error("cannot bring the queue's schema up to date: {0}")]
    MigrateQueue(String),
    /// A statement failed.
    #[error("a statement failed")]
    Statement(#[from] sqlx::Error),
    /// A job could not be queued.
    #[error("cannot queue the job of submission {submission}: {reason}")]
    Enqueue {
        /// Whose job.
        submission: domain::id::SubmissionId,
        /// The queue's reason.
        reason: String,
    },
    /// A row holds what the product does not know: it was written by hand or by a newer version.
    #[error("a row of {table} cannot be read: {reason}")]
    Row {
        /// The table.
        table: &'static str,
        /// Which field, and why.
        reason: String,
    },
}

impl Error {
    /// Whether waiting may help: the connection is gone, not the statement wrong.
    pub fn is_connection(&self) -> bool {
        match self {
            Self::Connect(error) | Self::Statement(error) => match error {
                sqlx::Error::Io(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => true,
                // Class 57: admin shutdown, crash shutdown, cannot connect now. Class 08: connection exceptions.
                sqlx::Error::Database(error) => {
                    error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08"))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// Opens a pool. One attempt: who can wait calls again.
pub async fn connect(url: &str) -> Result<PgPool, Error> {
    PgPoolOptions::new()
        .max_connections(16)
        .acquire_timeout(Duration::from_secs(5))
        .connect(url)
        .await
        .map_err(Error::Connect)
}

/// Opens a pool over an up-to-date schema; waits for a database that is not there yet, and says so.
pub async fn connect_patiently(url: &str) -> Result<PgPool, Error> {
    let mut pause = Duration::from_millis(200);
    loop {
        let connected = async {
            let pool = connect(url).await?;
            migrate(&pool).await?;
            Ok::<_, Error>(pool)
        };
        match connected.await {
            Ok(pool) => return Ok(pool),
            Err(error) if error.is_connection() => tracing::warn!(%error, "waiting for Postgres"),
            Err(error) => return Err(error),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(5));
    }
}

/// Brings the project's schema and the queue's up to date. Safe to call from several processes at once.
pub async fn migrate(pool: &PgPool) -> Result<(), Error> {
    MIGRATOR.run(pool).await.map_err(Error::Migrate)?;
    jobs::migrate(pool).await
}
