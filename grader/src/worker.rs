//! The queue's side of the grader: take a job, fence it, judge it, write the verdict once.
//!
//! Retries are counted in the submission's row, not by the queue: the third start that fails or dies ends as our
//! fault, so a source that brings graders down cannot go round for ever. A lost database stops the loop, which
//! then begins anew; a verdict that cannot be written is offered again for a minute before it is given up for
//! the next start.

use std::sync::Arc;
use std::time::Duration;

use db::submissions::{Begin, Claimed};
use domain::event::GradeEvent;
use domain::finding::OurReason;
use domain::job::{GradeJob, JOB_VERSION};
use domain::limits::STARTS_MAX;
use domain::verdict::Verdict;
use graphile_worker::recovery::WorkerRecoveryConfig;
use graphile_worker::{IntoTaskHandlerResult, TaskHandler, WorkerContext, WorkerOptions};
use lesson::Course;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::grade::{self, EventSink, GradeError};
use crate::tools::Tools;

/// How long a finished verdict is offered to a database that does not answer.
const WRITE_PATIENCE: Duration = Duration::from_mins(1);
/// How long a job may go on after the grader was asked to end.
const DRAIN_TIME: Duration = Duration::from_secs(25);
/// Pause between signs of life.
const BEAT_PAUSE: Duration = Duration::from_secs(5);

/// What a job needs, shared by all.
pub struct Shared {
    /// The database.
    pub pool: PgPool,
    /// Compiler, device, oracle.
    pub tools: Tools,
    /// The exercises.
    pub course: Course,
}

/// How the loop runs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Jobs at a time.
    pub concurrency: usize,
    /// Silence after which a grader counts as dead and its jobs go to another.
    pub dead_after: Duration,
}

#[derive(Clone)]
struct Extension(Arc<Shared>);

impl std::fmt::Debug for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Extension")
    }
}

/// The queue's task: [`GradeJob`] with a handler.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Task(GradeJob);

impl TaskHandler for Task {
    const IDENTIFIER: &'static str = db::jobs::GRADE_TASK;

    async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
        let Extension(shared) = context.get_ext::<Extension>().expect("the loop registers it").clone();
        run(&shared, self.0).await
    }
}

/// Takes jobs until `shutdown` ends. Begins anew when the database was lost.
pub async fn serve(
    shared: Arc<Shared>,
    options: Options,
    sandbox_level: &str,
    shutdown: impl Future<Output = ()> + Send + 'static,
) {
    let (stop, stopped) = tokio::sync::watch::channel(false);
    tokio::spawn(async move {
        shutdown.await;
        let _ = stop.send(true);
    });
    let id = Uuid::now_v7();
    let beat = tokio::spawn(beat(shared.clone(), id, sandbox_level.to_owned()));
    let mut pause = Duration::from_millis(500);
    while !*stopped.borrow() {
        let mut stop_here = stopped.clone();
        let wait = async move {
            // An error is a sender that is gone: then the process ends anyway.
            let _ = stop_here.wait_for(|stop| *stop).await;
        };
        match serve_once(&shared, options, wait).await {
            Ok(()) => pause = Duration::from_millis(500),
            Err(error) => tracing::warn!(%error, ?pause, "the queue was lost; trying again"),
        }
        let mut stop_here = stopped.clone();
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stop_here.wait_for(|stop| *stop) => {}
        }
        pause = (pause * 2).min(Duration::from_secs(5));
    }
    beat.abort();
    if let Err(error) = db::graders::leave(&shared.pool, id).await {
        tracing::warn!(%error, "could not sign off");
    }
}

async fn serve_once(
    shared: &Arc<Shared>,
    options: Options,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let recovery = WorkerRecoveryConfig::default()
        .heartbeat_interval(options.dead_after / 6)
        .sweep_interval(options.dead_after / 3)
        .sweep_threshold(options.dead_after)
        .recovery_delay(Duration::ZERO);
    let worker = WorkerOptions::default()
        .pg_pool(shared.pool.clone())
        .schema(db::jobs::SCHEMA)
        .concurrency(options.concurrency)
        .worker_recovery(recovery)
        // Its own listener would take SIGPIPE, which every runner that dies early sends, for a wish to end.
        .listen_os_shutdown_signals(false)
        .shutdown_signal(shutdown)
        .shutdown_grace_period(DRAIN_TIME)
        .shutdown_interrupted_job_retry_delay(Duration::ZERO)
        .add_extension(Extension(shared.clone()))
        .define_job::<Task>()
        .init()
        .await
        .map_err(|error| error.to_string())?;
    worker.run().await.map_err(|error| error.to_string())
}

async fn beat(shared: Arc<Shared>, id: Uuid, sandbox_level: String) {
    let tools = &shared.tools;
    loop {
        if let Err(error) = db::graders::beat(&shared.pool, id, tools.backend, &tools.device, &sandbox_level).await {
            tracing::warn!(%error, "could not give a sign of life");
        }
        tokio::time::sleep(BEAT_PAUSE).await;
    }
}

/// One job. `Err` asks the queue for another start; a row that ends as our fault asks for none.
async fn run(shared: &Shared, job: GradeJob) -> Result<(), String> {
    if job.version > JOB_VERSION {
        return Err(format!("job version {} is newer than {JOB_VERSION}: this grader must be updated", job.version));
    }
    let claimed = match db::submissions::begin(&shared.pool, job.submission).await {
        Ok(Begin::Claimed(claimed)) => claimed,
        Ok(Begin::Done) => return Ok(()),
        Ok(Begin::GaveUp) => {
            tracing::error!(submission = %job.submission, "starts are used up: closed as our fault");
            return Ok(());
        }
        Err(error) => return Err(report("begin", &error)),
    };
    let Some(exercise) = shared.course.find_exercise(&claimed.exercise) else {
        tracing::error!(submission = %job.submission, exercise = %claimed.exercise, "unknown exercise");
        return give_up(shared, &claimed, OurReason::UnknownExercise).await;
    };
    let (sender, receiver) = mpsc::unbounded_channel();
    let forward = forward(shared, &claimed, receiver);
    let judge = async {
        let events = EventSink(Some(sender));
        grade::grade(&shared.tools, exercise, &claimed.source, claimed.seed, claimed.start, &events).await
    };
    let (judged, ()) = tokio::join!(judge, forward);
    match judged {
        Ok(verdict) => write(shared, &claimed, &verdict).await,
        Err(error @ GradeError::Reference { .. }) => {
            tracing::error!(submission = %job.submission, error = report("grade", &error), "the content is broken");
            give_up(shared, &claimed, OurReason::Content).await
        }
        Err(error) => {
            let chain = report("grade", &error);
            tracing::error!(submission = %job.submission, start = claimed.start, error = chain, "could not judge");
            if claimed.start >= STARTS_MAX {
                return give_up(shared, &claimed, OurReason::GaveUp).await;
            }
            Err(chain)
        }
    }
}

/// Writes events as they come. One that cannot be written is only missing from the live picture.
async fn forward(shared: &Shared, claimed: &Claimed, mut events: mpsc::UnboundedReceiver<GradeEvent>) {
    while let Some(event) = events.recv().await {
        match db::grade_events::append(&shared.pool, claimed.submission, claimed.token, &event).await {
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(submission = %claimed.submission, %error, "an event was not written");
            }
        }
    }
}

async fn write(shared: &Shared, claimed: &Claimed, verdict: &Verdict) -> Result<(), String> {
    let begun = tokio::time::Instant::now();
    loop {
        match db::submissions::finish(&shared.pool, claimed.submission, claimed.token, verdict).await {
            Ok(true) => {
                tracing::info!(submission = %claimed.submission, verdict = verdict.kind.as_str(), start = claimed.start, "judged");
                return Ok(());
            }
            Ok(false) => {
                tracing::warn!(submission = %claimed.submission, "another start holds the fence; this verdict is dropped");
                return Ok(());
            }
            Err(error) if error.is_connection() && begun.elapsed() < WRITE_PATIENCE => {
                tracing::warn!(submission = %claimed.submission, %error, "the verdict was not written; trying again");
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            Err(error) => return Err(report("finish", &error)),
        }
    }
}

async fn give_up(shared: &Shared, claimed: &Claimed, reason: OurReason) -> Result<(), String> {
    db::submissions::give_up(&shared.pool, claimed.submission, claimed.token, reason)
        .await
        .map(|_| ())
        .map_err(|error| report("give up", &error))
}

/// An error with its causes, once.
fn report(operation: &str, error: &dyn std::error::Error) -> String {
    let mut text = format!("{operation}: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
