//! One submission from source to verdict: all branches live here.
//!
//! `Ok(Verdict)` is about the learner, `Err(GradeError)` is about us: it can never become "wrong answer".

use std::pin::pin;

use domain::event::{GradeEvent, Stage};
use domain::exercise::{KernelTask, Task};
use domain::job::Backend;
use domain::limits::{PRINTF_CASE_SHOWN_BYTES, PRINTF_SUBMISSION_BYTES};
use domain::submission::SourceText;
use domain::verdict::{CaseOutcome, CaseReport, Diagnostic, Mark, Printed, Verdict, VerdictKind};
use futures::future::{self, Either};
use lesson::Exercise;
use tokio::sync::mpsc::UnboundedSender;

use crate::cases::{self, PlannedCase};
use crate::oracle::Expected;
use crate::runner::protocol::{Look, Noted, Ran, Response};
use crate::runner::{Runner, RunnerError};
use crate::tools::{Built, Tools};
use crate::{diagnostics, faults};

mod beside;
pub(crate) mod remarks;
mod unset;

use beside::{explain, inspect, join_explanation, join_inspection};

/// Why we could not judge. Never about the learner.
#[derive(Debug, thiserror::Error)]
pub enum GradeError {
    /// A runner failed in a way that no kernel explains.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// A runner said that it cannot work.
    #[error("a runner cannot work: {reason}")]
    Broken {
        /// In its own words.
        reason: String,
    },
    /// A device is of no use.
    #[error("the device cannot work: {reason}")]
    Device {
        /// In its own words.
        reason: String,
    },
    /// The exercise's own reference fails.
    #[error("the reference of {exercise} fails: {reason}")]
    Reference {
        /// Which exercise.
        exercise: String,
        /// How.
        reason: String,
    },
    /// The manifest gives no case.
    #[error("the manifest of {exercise} gives no case {case_index}")]
    Plan {
        /// Which exercise.
        exercise: String,
        /// Which case, from 0.
        case_index: usize,
        /// Why.
        #[source]
        source: cases::PlanError,
    },
}

/// Where events of one submission go; nobody may be listening.
#[derive(Clone, Default)]
pub struct EventSink(pub Option<UnboundedSender<GradeEvent>>);

impl EventSink {
    fn send(&self, event: GradeEvent) {
        if let Some(sender) = &self.0 {
            // Whoever listened has gone, and with it the fence: the verdict will be refused there.
            let _ = sender.send(event);
        }
    }

    fn stage(&self, stage: Stage) {
        self.send(GradeEvent::Stage { stage });
    }
}

/// What one device said of all cases.
#[derive(Default)]
struct Judged {
    /// Whether races were not looked for in all memory.
    is_partial: bool,
    reports: Vec<CaseReport>,
    /// Of visible cases.
    remarks: Vec<Noted>,
    printed: Vec<Printed>,
}

/// Leads one source through compiler and device to its verdict.
pub async fn grade(
    tools: &Tools,
    exercise: &Exercise,
    source: &SourceText,
    seed: i64,
    start: i32,
    events: &EventSink,
) -> Result<Verdict, GradeError> {
    let Task::Kernel(task) = &exercise.task;
    let submission = Submission { exercise, task, source, seed };
    grade_cases(tools, &submission, split(tools.backend, task), start, events).await
}

/// Judges the visible cases alone.
///
/// # Errors
/// As [`grade`].
pub async fn grade_visible(tools: &Tools, exercise: &Exercise, source: &SourceText) -> Result<Verdict, GradeError> {
    let Task::Kernel(task) = &exercise.task;
    let (mut judged_here, mut left_out) = split(tools.backend, task);
    judged_here.retain(|index| task.cases[*index].visible);
    left_out.retain(|(index, _)| task.cases[*index].visible);
    // Visible cases have the same inputs for everybody.
    let submission = Submission { exercise, task, source, seed: 0 };
    grade_cases(tools, &submission, (judged_here, left_out), 1, &EventSink::default()).await
}

async fn grade_cases(
    tools: &Tools,
    submission: &Submission<'_>,
    (judged_here, left_out): Split,
    start: i32,
    events: &EventSink,
) -> Result<Verdict, GradeError> {
    let case_count = judged_here.len() as u32;
    events.send(GradeEvent::Started { start, case_count, device: tools.device.clone() });
    events.stage(Stage::Compile);
    let explain = async {
        match &tools.explainers {
            Some(pool) => explain(tools, pool, submission, &judged_here).await.map(Some),
            None => Ok(None),
        }
    };
    // It only adds: where it fails for a reason of ours, what was judged stands, and a mark says what is missing.
    let inspect = async {
        inspect(tools, submission, &judged_here).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "an inspection failed");
            None
        })
    };
    let decided = pin!(decide(tools, submission, &judged_here, events));
    let beside = pin!(future::join(explain, inspect));
    let (decided, (explained, inspected)) = match future::select(decided, beside).await {
        // Where no case led to the verdict, nothing can be added: it does not wait.
        Either::Left((Ok(Err(verdict)), _)) => return Ok(*verdict),
        Either::Left((decided, beside)) => (decided?, beside.await),
        Either::Right((beside, decided)) => (decided.await?, beside),
    };
    let (mut judged, mut diagnostics) = match decided {
        Ok(judged) => judged,
        Err(verdict) => return Ok(*verdict),
    };
    let mut marks: Vec<Mark> = vec![];
    for (_, mark) in &left_out {
        if !marks.contains(mark) {
            marks.push(*mark);
        }
    }
    if let Some(explained) = explained? {
        events.stage(Stage::Memory);
        join_explanation(&mut judged, explained, &mut marks);
    }
    join_inspection(&mut judged, inspected, &mut marks);
    unset::explain(&mut judged.reports, &diagnostics);
    let last_line = submission.source.as_str().lines().count() as u32;
    remarks::tell(std::mem::take(&mut judged.remarks), last_line, &mut diagnostics);
    if judged.is_partial {
        marks.push(Mark::DetectionPartial);
    }
    judged.reports.extend(left_out.iter().map(|(index, _)| CaseReport {
        index: *index as u32,
        label: None,
        outcome: CaseOutcome::Skipped,
        elapsed_us: 0,
    }));
    judged.reports.sort_by_key(|report| report.index);
    Ok(verdict(tools, judged, diagnostics, marks))
}

/// What is judged, for the steps below.
struct Submission<'a> {
    exercise: &'a Exercise,
    task: &'a KernelTask,
    source: &'a SourceText,
    seed: i64,
}

/// Cases that are judged, and those that are not with the reason.
type Split = (Vec<usize>, Vec<(usize, Mark)>);

/// The cases that this backend judges, and those that it leaves out with the reason.
fn split(backend: Backend, task: &KernelTask) -> Split {
    let (mut judged_here, mut left_out) = (vec![], vec![]);
    for (index, case) in task.cases.iter().enumerate() {
        match (case.timed, case.gpu_only && backend == Backend::Sim) {
            (true, _) => left_out.push((index, Mark::TimingPending)),
            (false, true) => left_out.push((index, Mark::GpuCasesPending)),
            (false, false) => judged_here.push(index),
        }
    }
    (judged_here, left_out)
}

/// Sizes and inputs of these cases, made beside the compilation: a large case takes milliseconds.
async fn plan(submission: &Submission<'_>, indices: Vec<usize>) -> Result<Vec<PlannedCase>, GradeError> {
    let (task, seed) = (submission.task.clone(), submission.seed);
    let exercise = submission.exercise.slug.to_string();
    let plan_all = move || {
        let plan_one = |case_index| {
            cases::plan(&task, case_index, seed).map_err(|source| GradeError::Plan {
                exercise: exercise.clone(),
                case_index,
                source,
            })
        };
        indices.into_iter().map(plan_one).collect()
    };
    tokio::task::spawn_blocking(plan_all).await.expect("planning does not panic")
}

type Decided = Result<(Judged, Vec<Diagnostic>), Box<Verdict>>;

/// The backend's own judgement; the inner error is a verdict that no case led to.
async fn decide(
    tools: &Tools,
    submission: &Submission<'_>,
    judged_here: &[usize],
    events: &EventSink,
) -> Result<Decided, GradeError> {
    let Submission { exercise, task, source, .. } = *submission;
    let before =
        |kind, finding, diagnostics| Box::new(Verdict::before_cases(kind, finding, diagnostics, &tools.device));
    let loaded = async {
        let built = tools.build(source.as_str(), tools.backend).await?;
        let (image, diagnostics) = match built {
            Built::Image { image, diagnostics } => (image, diagnostics),
            Built::Refused { kind, finding, diagnostics } => return Ok(Err(before(kind, finding, diagnostics))),
        };
        events.send(GradeEvent::Compiled { diagnostics: diagnostics.clone() });
        let mut runner = tools.devices.take().await?;
        match tools.load(&mut runner, image, (task, source.as_str())).await? {
            Ok(()) => Ok::<_, GradeError>(Ok((runner, diagnostics))),
            Err((kind, finding)) => Ok(Err(before(kind, finding, diagnostics))),
        }
    };
    // The oracle works while the learner's source compiles.
    let planned = async {
        let cases = plan(submission, judged_here.to_vec()).await?;
        let expected = tools.oracle.cases(tools, exercise, task, &cases).await?;
        Ok::<_, GradeError>((cases, expected))
    };
    let (loaded, planned) = tokio::join!(loaded, planned);
    let (runner, diagnostics) = match loaded? {
        Ok(loaded) => loaded,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let (cases, expected) = planned?;
    events.stage(Stage::Values);
    let judged = judge(tools, (runner, Look::Mistakes), task, (&cases, &expected), source, events).await?;
    Ok(Ok((judged, diagnostics)))
}

/// Runs and compares every case, until one ends the process.
async fn judge(
    tools: &Tools,
    (mut runner, look): (Runner, Look),
    task: &KernelTask,
    (cases, expected): (&[PlannedCase], &[Expected]),
    source: &SourceText,
    events: &EventSink,
) -> Result<Judged, GradeError> {
    let mut judged = Judged::default();
    let mut process_is_gone = false;
    for (case, expected) in cases.iter().zip(expected) {
        let (outcome, elapsed_us) = if process_is_gone {
            (CaseOutcome::NotRun, 0)
        } else {
            match tools.run(&mut runner, case, look).await? {
                Response::Ran(mut ran) => {
                    let remarks = remarks::take(&mut ran.noted, task);
                    judged.remarks.extend(remarks.into_iter().filter(|_| case.visible));
                    judged.is_partial |= ran.detection_is_partial;
                    keep_printed(&mut judged.printed, case, &ran);
                    (in_source(faults::ended(task, case, expected, &ran)?, source), ran.elapsed_us)
                }
                Response::Stopped(mut stopped) => {
                    process_is_gone = true;
                    let _ = remarks::take(&mut stopped.noted, task);
                    (in_source(faults::stopped(case, stopped)?, source), 0)
                }
                other => {
                    return Err(GradeError::Broken { reason: format!("a device answered {other:?}") });
                }
            }
        };
        // Time tells a size; hidden sizes are not told.
        let elapsed_us = if case.visible { elapsed_us } else { 0 };
        let report = CaseReport { index: case.index, label: case.visible.then(|| case.label()), outcome, elapsed_us };
        events.send(GradeEvent::CaseDone { case: report.clone() });
        judged.reports.push(report);
    }
    Ok(judged)
}

/// A failure with lines that the source has, and with where its memory is declared.
pub(crate) fn in_source(outcome: CaseOutcome, source: &SourceText) -> CaseOutcome {
    match outcome {
        CaseOutcome::Failed { kind, finding } => {
            let last_line = source.as_str().lines().count() as u32;
            let finding = finding.with_declaration(source.as_str()).within(last_line);
            CaseOutcome::Failed { kind, finding: Box::new(finding) }
        }
        other => other,
    }
}

/// The first failing case in the exercise's order decides.
fn verdict(tools: &Tools, judged: Judged, diagnostics: Vec<Diagnostic>, marks: Vec<Mark>) -> Verdict {
    let failure = judged.reports.iter().find_map(|report| report.outcome.failure());
    let (kind, finding) = match failure {
        Some((kind, finding)) => (kind, Some(finding.clone())),
        None => (VerdictKind::Accepted, None),
    };
    Verdict {
        kind,
        finding,
        cases: judged.reports,
        diagnostics,
        marks,
        printed: judged.printed,
        device: tools.device.clone(),
    }
}

pub(crate) fn keep_printed(printed: &mut Vec<Printed>, case: &PlannedCase, ran: &Ran) {
    let kept: usize = printed.iter().map(|one| one.text.len()).sum();
    let room = PRINTF_CASE_SHOWN_BYTES.min(PRINTF_SUBMISSION_BYTES.saturating_sub(kept));
    if !case.visible || ran.printed_bytes == 0 {
        return;
    }
    let text = diagnostics::clean(&String::from_utf8_lossy(&ran.printed.0), room);
    let dropped_bytes = ran.printed_bytes.saturating_sub(text.len() as u64);
    printed.push(Printed { case_index: case.index, text, dropped_bytes });
}
