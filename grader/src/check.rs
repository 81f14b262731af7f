//! `grader check`: proves every exercise without Postgres.
//!
//! The starter compiles and is refused, the solution is accepted, every wrong file gets a verdict of its header,
//! and outputs that hold zeros, ones, the first input or the marker are refused. What it does not do: judge prose.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::exercise::{KernelTask, Role, Task};
use domain::submission::SourceText;
use domain::verdict::{CaseOutcome, Verdict, VerdictKind};
use domain::words;
use futures::{StreamExt, stream};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lesson::{Course, Exercise};
use serde::Serialize;

use crate::cases::{self, PlannedCase};
use crate::faults;
use crate::grade::{self, EventSink, GradeError};
use crate::inputs;
use crate::runner::protocol::{Bytes, Left, Ran};
use crate::tools::Tools;

/// Hidden cases of a check follow from this seed, so that two checks of one folder say the same.
const CHECK_SEED: i64 = 0x5eed;

/// One thing that was proved or not.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Exercise.
    pub exercise: String,
    /// What was judged: a file, or an output pattern.
    pub subject: String,
    /// What it had to get.
    pub wanted: String,
    /// What it got.
    pub got: String,
    /// Why, in words.
    pub explanation: String,
    /// Whether that is right.
    pub ok: bool,
}

/// The whole check.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// GPU name or `simulator`.
    pub device: String,
    /// Faults of files, each with file, line and field.
    pub faults: Vec<String>,
    /// What was judged, in order.
    pub rows: Vec<Row>,
}

impl Report {
    /// Whether everything holds.
    pub fn ok(&self) -> bool {
        self.faults.is_empty() && self.rows.iter().all(|row| row.ok) && !self.rows.is_empty()
    }
}

/// What a row of the check judges.
enum Subject<'a> {
    Starter,
    Solution,
    Wrong(&'a lesson::WrongFile),
}

/// Checks every exercise below `root`.
///
/// # Errors
/// The grader cannot work; the content may be fine.
pub async fn check(root: &Path, tools: &Tools, progress: bool) -> Result<Report, GradeError> {
    let course = Course::load(root);
    let subjects: Vec<(&Exercise, Subject)> = course.exercises().flat_map(subjects).collect();
    let bar = ProgressBar::with_draw_target(
        Some(subjects.len() as u64),
        if progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
    )
    .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}").expect("the template is right"));
    let done = AtomicUsize::new(0);
    let parallel = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, 8);
    let judged: Vec<Result<Row, GradeError>> = stream::iter(subjects)
        .map(|(exercise, subject)| {
            let (bar, done) = (&bar, &done);
            async move {
                let row = judge(tools, exercise, &subject).await;
                if let Ok(row) = &row {
                    bar.set_message(format!("{} {}", row.exercise, row.subject));
                }
                bar.set_position(done.fetch_add(1, Ordering::Relaxed) as u64 + 1);
                row
            }
        })
        .buffered(parallel)
        .collect()
        .await;
    bar.finish_and_clear();
    let mut rows = judged.into_iter().collect::<Result<Vec<_>, _>>()?;
    for exercise in course.exercises() {
        rows.extend(judge_patterns(tools, exercise).await?);
    }
    Ok(Report { device: tools.device.clone(), faults: course.faults.iter().map(ToString::to_string).collect(), rows })
}

fn subjects(exercise: &Exercise) -> impl Iterator<Item = (&Exercise, Subject<'_>)> {
    let wrong = exercise.wrong.iter().map(Subject::Wrong);
    [Subject::Starter, Subject::Solution].into_iter().chain(wrong).map(move |subject| (exercise, subject))
}

async fn judge(tools: &Tools, exercise: &Exercise, subject: &Subject<'_>) -> Result<Row, GradeError> {
    let (name, source) = match subject {
        Subject::Starter => ("starter.cu".to_owned(), &exercise.starter),
        Subject::Solution => ("solution.cu".to_owned(), &exercise.solution),
        Subject::Wrong(file) => (format!("wrong/{}", file.name), &file.source),
    };
    let row = |wanted: String, got: &str, explanation: String, ok| Row {
        exercise: exercise.slug.to_string(),
        subject: name.clone(),
        wanted,
        got: got.to_owned(),
        explanation,
        ok,
    };
    let source = match SourceText::try_from(source.clone()) {
        Ok(source) => source,
        Err(refused) => {
            return Ok(row("a source".to_owned(), "rejected", refused.to_string(), false));
        }
    };
    let verdict = grade::grade(tools, exercise, &source, CHECK_SEED, 1, &EventSink::default()).await?;
    let kind = verdict.kind;
    let (wanted, ok) = match subject {
        Subject::Starter => ("compiles and is refused".to_owned(), is_refused_starter(kind)),
        Subject::Solution => ("accepted".to_owned(), kind == VerdictKind::Accepted),
        Subject::Wrong(file) => {
            let words: Vec<_> = file.expect.iter().map(|kind| kind.as_str()).collect();
            (words.join(" or "), file.expect.contains(&kind))
        }
    };
    Ok(row(wanted, kind.as_str(), explain(&verdict), ok))
}

fn is_refused_starter(kind: VerdictKind) -> bool {
    !matches!(
        kind,
        VerdictKind::Accepted
            | VerdictKind::CompileError
            | VerdictKind::SignatureMismatch
            | VerdictKind::CompileLimit
            | VerdictKind::Unsupported
            | VerdictKind::OurFault
    )
}

fn explain(verdict: &Verdict) -> String {
    let words = words::of(verdict);
    format!("{}. {}", words.title, words.explanation)
}

/// Outputs that nobody computed, compared as if a kernel had left them.
async fn judge_patterns(tools: &Tools, exercise: &Exercise) -> Result<Vec<Row>, GradeError> {
    let Task::Kernel(task) = &exercise.task;
    let mut planned = vec![];
    for (case_index, case) in task.cases.iter().enumerate().filter(|(_, case)| !case.gpu_only && !case.timed) {
        let _ = case;
        planned.push(cases::plan(task, case_index, CHECK_SEED).map_err(|source| GradeError::Plan {
            exercise: exercise.slug.to_string(),
            case_index,
            source,
        })?);
    }
    let expected = tools.oracle.cases(tools, exercise, task, &planned).await?;
    let patterns = [
        ("all zeros", Pattern::Zeros),
        ("all ones", Pattern::Ones),
        ("copy of the first input", Pattern::FirstInput),
        ("untouched", Pattern::Untouched),
    ];
    let mut rows = vec![];
    for (name, pattern) in patterns {
        let mut got = None;
        for (case, expected) in planned.iter().zip(&expected) {
            let left = Ran {
                buffers: leave(task, case, pattern),
                guard_damage: vec![],
                printed: Bytes::default(),
                printed_bytes: 0,
                elapsed_us: 0,
            };
            if let CaseOutcome::Failed { kind, .. } = faults::ended(task, case, expected, &left)? {
                got = Some((kind, case.label()));
                break;
            }
        }
        rows.push(Row {
            exercise: exercise.slug.to_string(),
            subject: name.to_owned(),
            wanted: "refused".to_owned(),
            got: got.as_ref().map_or("accepted", |(kind, _)| kind.as_str()).to_owned(),
            explanation: got
                .as_ref()
                .map_or("No case tells it from a right answer: add one.".to_owned(), |(_, label)| {
                    format!("By the case {label}.")
                }),
            ok: got.is_some(),
        });
    }
    Ok(rows)
}

#[derive(Clone, Copy)]
enum Pattern {
    Zeros,
    Ones,
    FirstInput,
    Untouched,
}

/// All buffers as a kernel of this pattern would leave them: inputs stand, outputs hold the pattern.
fn leave(task: &KernelTask, case: &PlannedCase, pattern: Pattern) -> Vec<Left> {
    let first_input =
        case.params.iter().position(|param| matches!(task.params[*param].role, Role::In { .. } | Role::InOut { .. }));
    let fill = |at: usize| {
        let param = &task.params[case.params[at]];
        let sent = &case.run.buffers[at].bytes.0;
        if !matches!(param.role, Role::Out { .. } | Role::InOut { .. }) {
            return sent.clone();
        }
        let count = sent.len() / param.element.bytes() as usize;
        let mut one = vec![];
        inputs::push_integer(&mut one, param.element, 1);
        match (pattern, first_input) {
            (Pattern::Zeros, _) => vec![0; sent.len()],
            (Pattern::Ones, _) => one.repeat(count),
            (Pattern::FirstInput, Some(first)) => {
                let mut copy = case.run.buffers[first].bytes.0.clone();
                copy.resize(sent.len(), 0);
                copy
            }
            (Pattern::FirstInput, None) | (Pattern::Untouched, _) => sent.clone(),
        }
    };
    (0..case.run.buffers.len()).map(|at| Left::Changed(Bytes(fill(at)))).collect()
}
