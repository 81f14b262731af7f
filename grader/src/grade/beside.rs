//! What the simulator says beside the judgement: it explains a GPU's, and inspects the source as it was written.

use domain::job::Backend;
use domain::verdict::{CaseOutcome, Mark, VerdictKind};

use super::{EventSink, GradeError, Judged, Submission, judge, plan};
use crate::merge;
use crate::runner::Pool;
use crate::runner::protocol::Look;
use crate::tools::{Built, Tools};

/// The simulator's judgement of visible cases beside a GPU. `None` where it cannot say anything.
pub(super) async fn explain(
    tools: &Tools,
    pool: &Pool,
    submission: &Submission<'_>,
    judged_here: &[usize],
) -> Result<Option<Judged>, GradeError> {
    let built = tools.build(submission.source.as_str(), Backend::Sim).await?;
    on_simulator(tools, (pool, Look::Mistakes), submission, (judged_here, built)).await
}

/// What the simulator finds in visible cases of the source as it was written, before the optimiser. `None` where it
/// cannot say anything.
pub(super) async fn inspect(
    tools: &Tools,
    submission: &Submission<'_>,
    judged_here: &[usize],
) -> Result<Option<Judged>, GradeError> {
    let pool = tools.explainers.as_ref().unwrap_or(&tools.devices);
    let built = tools.build_for_inspection(submission.source.as_str()).await?;
    on_simulator(tools, (pool, Look::Inspection), submission, (judged_here, built)).await
}

async fn on_simulator(
    tools: &Tools,
    (pool, look): (&Pool, Look),
    submission: &Submission<'_>,
    (judged_here, built): (&[usize], Built),
) -> Result<Option<Judged>, GradeError> {
    let Submission { exercise, task, source, .. } = *submission;
    let visible = judged_here.iter().copied().filter(|index| task.cases[*index].visible).collect();
    let Built::Image { image, .. } = built else { return Ok(None) };
    let mut runner = pool.take().await?;
    if tools.load(&mut runner, image, (task, source.as_str())).await?.is_err() {
        return Ok(None);
    }
    let cases = plan(submission, visible).await?;
    let expected = tools.oracle.cases(tools, exercise, task, &cases).await?;
    judge(tools, (runner, look), task, (&cases, &expected), source, &EventSink::default()).await.map(Some)
}

/// Adds what an inspection alone shows; a case that it did not end is marked, since nobody looked there.
pub(super) fn join_inspection(judged: &mut Judged, inspected: Option<Judged>, marks: &mut Vec<Mark>) {
    let mut is_partial = inspected.as_ref().is_none_or(|inspected| inspected.is_partial);
    let Judged { reports, remarks, .. } = inspected.unwrap_or_default();
    judged.remarks.extend(remarks);
    for seen in reports {
        let ended_early = |kind| (VerdictKind::TimeLimit..=VerdictKind::OutputLimit).contains(&kind);
        is_partial |= seen.outcome.failure().is_some_and(|(kind, _)| ended_early(kind));
        if let Some(report) = judged.reports.iter_mut().find(|report| report.index == seen.index) {
            let outcome = std::mem::replace(&mut report.outcome, CaseOutcome::NotRun);
            report.outcome = merge::with_inspection(outcome, &seen.outcome);
        }
    }
    // Where the judged build fails for the same reason, there is nothing to be added.
    let all_agree = judged.reports.iter().all(|report| report.outcome.failure().is_none());
    if is_partial && all_agree {
        marks.push(Mark::InspectionPartial);
    }
}

pub(super) fn join_explanation(judged: &mut Judged, explained: Option<Judged>, marks: &mut Vec<Mark>) {
    let Some(explained) = explained else {
        marks.push(Mark::SimulatorSilent);
        return;
    };
    judged.is_partial |= explained.is_partial;
    judged.remarks.extend(explained.remarks);
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
