//! One submission from source to verdict: all branches live here.
//!
//! `Ok(Verdict)` is about the learner, `Err(GradeError)` is about us: it can never become "wrong answer".

use domain::event::{GradeEvent, Stage};
use domain::exercise::{KernelTask, Task};
use domain::job::Backend;
use domain::limits::{PRINTF_CASE_SHOWN_BYTES, PRINTF_SUBMISSION_BYTES};
use domain::submission::SourceText;
use domain::verdict::{CaseOutcome, CaseReport, Diagnostic, Mark, Printed, Verdict, VerdictKind};
use lesson::Exercise;
use tokio::sync::mpsc::UnboundedSender;

use crate::cases::{self, PlannedCase};
use crate::oracle::Expected;
use crate::runner::protocol::{Ran, Response};
use crate::runner::{Pool, Runner, RunnerError};
use crate::tools::{Built, Tools};
use crate::{diagnostics, faults, merge};

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
    reports: Vec<CaseReport>,
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
    let (cases, skipped) = plan(tools, exercise, task, seed)?;
    events.send(GradeEvent::Started { start, case_count: cases.len() as u32, device: tools.device.clone() });
    events.stage(Stage::Compile);
    let explain = async {
        match &tools.explainers {
            Some(pool) => explain(tools, pool, exercise, task, source, &cases).await.map(Some),
            None => Ok(None),
        }
    };
    let decide = decide(tools, exercise, task, source, &cases, events);
    let (decided, explained) = tokio::join!(decide, explain);
    let (mut judged, diagnostics) = match decided? {
        Ok(judged) => judged,
        Err(verdict) => return Ok(*verdict),
    };
    let mut marks = skipped.1;
    if let Some(explained) = explained? {
        events.stage(Stage::Memory);
        join_explanation(&mut judged, explained, &mut marks);
    }
    judged.reports.extend(skipped.0);
    judged.reports.sort_by_key(|report| report.index);
    Ok(verdict(tools, judged, diagnostics, marks))
}

type Skipped = (Vec<CaseReport>, Vec<Mark>);

/// Plans what this device judges, and reports what it does not.
fn plan(
    tools: &Tools,
    exercise: &Exercise,
    task: &KernelTask,
    seed: i64,
) -> Result<(Vec<PlannedCase>, Skipped), GradeError> {
    let (mut planned, mut skipped, mut marks) = (vec![], vec![], vec![]);
    for (case_index, case) in task.cases.iter().enumerate() {
        let mark = match (case.timed, case.gpu_only && tools.backend == Backend::Sim) {
            (true, _) => Some(Mark::TimingPending),
            (false, true) => Some(Mark::GpuCasesPending),
            (false, false) => None,
        };
        if let Some(mark) = mark {
            if !marks.contains(&mark) {
                marks.push(mark);
            }
            skipped.push(CaseReport {
                index: case_index as u32,
                label: None,
                outcome: CaseOutcome::Skipped,
                elapsed_us: 0,
            });
            continue;
        }
        planned.push(cases::plan(task, case_index, seed).map_err(|source| GradeError::Plan {
            exercise: exercise.slug.to_string(),
            case_index,
            source,
        })?);
    }
    Ok((planned, (skipped, marks)))
}

type Decided = Result<(Judged, Vec<Diagnostic>), Box<Verdict>>;

/// The backend's own judgement; the inner error is a verdict that no case led to.
async fn decide(
    tools: &Tools,
    exercise: &Exercise,
    task: &KernelTask,
    source: &SourceText,
    cases: &[PlannedCase],
    events: &EventSink,
) -> Result<Decided, GradeError> {
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
        match tools.load(&mut runner, image, task).await? {
            Ok(()) => Ok::<_, GradeError>(Ok((runner, diagnostics))),
            Err((kind, finding)) => Ok(Err(before(kind, finding, diagnostics))),
        }
    };
    // The oracle works while the learner's source compiles.
    let (loaded, expected) = tokio::join!(loaded, tools.oracle.cases(tools, exercise, task, cases));
    let (runner, diagnostics) = match loaded? {
        Ok(loaded) => loaded,
        Err(verdict) => return Ok(Err(verdict)),
    };
    events.stage(Stage::Values);
    let judged = judge(tools, runner, task, cases, &expected?, events).await?;
    Ok(Ok((judged, diagnostics)))
}

/// Runs and compares every case, until one ends the process.
async fn judge(
    tools: &Tools,
    mut runner: Runner,
    task: &KernelTask,
    cases: &[PlannedCase],
    expected: &[Expected],
    events: &EventSink,
) -> Result<Judged, GradeError> {
    let mut judged = Judged::default();
    let mut process_is_gone = false;
    for (case, expected) in cases.iter().zip(expected) {
        let (outcome, elapsed_us) = if process_is_gone {
            (CaseOutcome::NotRun, 0)
        } else {
            match tools.run(&mut runner, case).await? {
                Response::Ran(ran) => {
                    keep_printed(&mut judged.printed, case, &ran);
                    (faults::ended(task, case, expected, &ran)?, ran.elapsed_us)
                }
                Response::Stopped(fault) => {
                    process_is_gone = true;
                    (faults::stopped(case, fault)?, 0)
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

/// The simulator's judgement of visible cases beside a GPU. `None` where it cannot say anything.
async fn explain(
    tools: &Tools,
    pool: &Pool,
    exercise: &Exercise,
    task: &KernelTask,
    source: &SourceText,
    cases: &[PlannedCase],
) -> Result<Option<Judged>, GradeError> {
    let visible: Vec<PlannedCase> = cases.iter().filter(|case| case.visible).cloned().collect();
    let Built::Image { image, .. } = tools.build(source.as_str(), Backend::Sim).await? else {
        return Ok(None);
    };
    let mut runner = pool.take().await?;
    if tools.load(&mut runner, image, task).await?.is_err() {
        return Ok(None);
    }
    let expected = tools.oracle.cases(tools, exercise, task, &visible).await?;
    judge(tools, runner, task, &visible, &expected, &EventSink::default()).await.map(Some)
}

fn join_explanation(judged: &mut Judged, explained: Option<Judged>, marks: &mut Vec<Mark>) {
    let Some(explained) = explained else {
        marks.push(Mark::SimulatorSilent);
        return;
    };
    for report in &mut judged.reports {
        let Some(seen) = explained.reports.iter().find(|seen| seen.index == report.index) else {
            continue;
        };
        let gpu = std::mem::replace(&mut report.outcome, CaseOutcome::NotRun);
        let (outcome, disagree) = merge::merge(gpu, &seen.outcome);
        report.outcome = outcome;
        if disagree && !marks.contains(&Mark::DevicesDisagree) {
            marks.push(Mark::DevicesDisagree);
        }
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

fn keep_printed(printed: &mut Vec<Printed>, case: &PlannedCase, ran: &Ran) {
    let kept: usize = printed.iter().map(|one| one.text.len()).sum();
    let room = PRINTF_CASE_SHOWN_BYTES.min(PRINTF_SUBMISSION_BYTES.saturating_sub(kept));
    if !case.visible || ran.printed_bytes == 0 {
        return;
    }
    let text = diagnostics::clean(&String::from_utf8_lossy(&ran.printed.0), room);
    let dropped_bytes = ran.printed_bytes.saturating_sub(text.len() as u64);
    printed.push(Printed { case_index: case.index, text, dropped_bytes });
}
