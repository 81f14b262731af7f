//! `grader check`: proves every exercise without Postgres.
//!
//! The starter compiles and is refused, the solution and every right file are accepted, every wrong file gets a
//! verdict of its header, and outputs that hold zeros, ones, the first input or the marker are refused. How often the
//! best diagnosis is made, at the right line, is counted and fails nothing. What it does not do: judge prose.

mod diagnoses;
mod patterns;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::submission::SourceText;
use domain::verdict::{Verdict, VerdictKind};
use domain::words;
use futures::{StreamExt, stream};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lesson::{Course, Exercise};
use serde::Serialize;

pub use self::diagnoses::{Diagnoses, Diagnosis};
use crate::grade::{self, EventSink, GradeError};
use crate::tools::Tools;

/// Hidden cases of a check follow from this seed, so that two checks of one folder say the same.
const CHECK_SEED: i64 = 0x5eed;
/// What a row got that we could not judge.
const OUR_FAULT: &str = "our-fault";

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
    /// Of a wrong file: whether the first-named diagnosis was made, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<Diagnosis>,
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
    /// How good the diagnoses of wrong files are.
    pub diagnoses: Diagnoses,
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
    Right(&'a lesson::RightFile),
    Wrong(&'a lesson::WrongFile),
}

impl Subject<'_> {
    /// The file in the exercise's folder; `.cu` of those in folders is left out.
    fn name(&self) -> String {
        match self {
            Self::Starter => "starter.cu".to_owned(),
            Self::Solution => "solution.cu".to_owned(),
            Self::Right(file) => format!("right/{}", file.name),
            Self::Wrong(file) => format!("wrong/{}", file.name),
        }
    }

    fn source<'s>(&'s self, exercise: &'s Exercise) -> &'s str {
        match self {
            Self::Starter => &exercise.starter,
            Self::Solution => &exercise.solution,
            Self::Right(file) => &file.source,
            Self::Wrong(file) => &file.source,
        }
    }

    fn wanted(&self) -> String {
        match self {
            Self::Starter => "compiles and is refused".to_owned(),
            Self::Solution | Self::Right(_) => "accepted".to_owned(),
            Self::Wrong(file) => {
                let words: Vec<_> = file.expect.iter().map(|kind| kind.as_str()).collect();
                words.join(" or ")
            }
        }
    }

    fn may_get(&self, kind: VerdictKind) -> bool {
        match self {
            Self::Starter => is_refused_starter(kind),
            Self::Solution | Self::Right(_) => kind == VerdictKind::Accepted,
            Self::Wrong(file) => file.expect.contains(&kind),
        }
    }
}

/// Checks every exercise below `root`. A file that could not be judged is a failed row like any other.
///
/// # Errors
/// The grader cannot work: not one file could be judged.
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
    let judged: Vec<(Row, Option<GradeError>)> = stream::iter(subjects)
        .map(|(exercise, subject)| {
            let (bar, done) = (&bar, &done);
            async move {
                let judged = judge(tools, exercise, &subject).await;
                bar.set_message(format!("{} {}", exercise.slug, subject.name()));
                bar.set_position(done.fetch_add(1, Ordering::Relaxed) as u64 + 1);
                match judged {
                    Ok(row) => (row, None),
                    Err(error) => (row(exercise, &subject, OUR_FAULT, explain_error(&error), None), Some(error)),
                }
            }
        })
        .buffered(parallel)
        .collect()
        .await;
    bar.finish_and_clear();
    let (mut rows, errors): (Vec<Row>, Vec<_>) = judged.into_iter().unzip();
    let failed = errors.iter().filter(|error| error.is_some()).count();
    if failed == rows.len()
        && let Some(error) = errors.into_iter().flatten().next()
    {
        return Err(error);
    }
    for exercise in course.exercises() {
        rows.extend(
            patterns::judge(tools, exercise).await.unwrap_or_else(|error| vec![patterns::failed(exercise, &error)]),
        );
    }
    let diagnoses = Diagnoses::count(&rows);
    rows.extend(diagnoses.row());
    let faults = course.faults.iter().map(ToString::to_string).collect();
    Ok(Report { device: tools.device.clone(), faults, rows, diagnoses })
}

fn subjects(exercise: &Exercise) -> impl Iterator<Item = (&Exercise, Subject<'_>)> {
    let right = exercise.right.iter().map(Subject::Right);
    let wrong = exercise.wrong.iter().map(Subject::Wrong);
    let named = [Subject::Starter, Subject::Solution];
    named.into_iter().chain(right).chain(wrong).map(move |subject| (exercise, subject))
}

async fn judge(tools: &Tools, exercise: &Exercise, subject: &Subject<'_>) -> Result<Row, GradeError> {
    let source = match SourceText::try_from(subject.source(exercise).to_owned()) {
        Ok(source) => source,
        Err(refused) => return Ok(row(exercise, subject, "rejected", refused.to_string(), None)),
    };
    let verdict = grade::grade(tools, exercise, &source, CHECK_SEED, 1, &EventSink::default()).await?;
    Ok(row(exercise, subject, verdict.kind.as_str(), explain(&verdict), Some(&verdict)))
}

/// A row about a file; without a verdict nothing is right.
fn row(exercise: &Exercise, subject: &Subject<'_>, got: &str, explanation: String, verdict: Option<&Verdict>) -> Row {
    Row {
        exercise: exercise.slug.to_string(),
        subject: subject.name(),
        wanted: subject.wanted(),
        got: got.to_owned(),
        explanation,
        ok: verdict.is_some_and(|verdict| subject.may_get(verdict.kind)),
        diagnosis: match subject {
            Subject::Wrong(file) => Some(Diagnosis::of(file, got, verdict)),
            _ => None,
        },
    }
}

/// Why we could not judge, with every cause.
fn explain_error(error: &GradeError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
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
