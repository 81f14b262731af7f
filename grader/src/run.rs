//! `grader run`: one file against one exercise, or in one launch, for people who like a command line.
//!
//! The visible cases are judged on the simulator, as a submission's are. Then they run once more to be counted, without
//! the search for mistakes, and the assembler is asked for registers; neither changes the verdict. What it does not do:
//! hidden cases, a database, a GPU.

pub mod launch;
pub mod launched;
mod print;

use std::path::Path;
use std::str::FromStr;

use domain::counters::Counters;
use domain::counters::resources::KernelResources;
use domain::exercise::{KernelTask, Task};
use domain::id::Slug;
use domain::job::Backend;
use domain::limits::SOURCE_BYTES_MAX;
use domain::submission::SourceText;
use domain::verdict::{Verdict, VerdictKind};
use lesson::{Course, Exercise};

use crate::cases::{self, PlannedCase};
use crate::grade::{self, GradeError};
use crate::runner::protocol::{Look, Response};
use crate::tools::{Built, Tools};

/// GPUs for which occupancy is told: 8.0 and 9.0.
const CAPABILITIES: [u32; 2] = [80, 90];
/// The file at the root of a course.
const COURSE_FILE: &str = "course.toml";

/// Why a file or a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("{path} cannot be read")]
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is no source.
    #[error("{path} is no source that can be judged: {reason}")]
    NoSource {
        /// Which.
        path: String,
        /// Why.
        reason: String,
    },
    /// The folder is in no course.
    #[error("{path} is in no course: no folder above it holds a {COURSE_FILE}")]
    NoCourse {
        /// Which.
        path: String,
    },
    /// The course has no such exercise.
    #[error("{path} is no exercise of its course{faults}")]
    NoExercise {
        /// Which.
        path: String,
        /// What is wrong with its files, if anything.
        faults: String,
    },
}

/// A file's judgement.
pub struct Ran {
    verdict: Verdict,
    counted: Option<Counted>,
}

/// What is known beside the verdict.
struct Counted {
    counters: Counters,
    /// Visible cases that ended and were counted.
    cases: usize,
    /// Threads of a block and bytes of dynamic shared memory of the last case's first launch.
    launch: Option<(u32, u32)>,
    resources: Vec<KernelResources>,
    wants_f64: bool,
}

impl Ran {
    /// Whether it was accepted.
    pub fn is_right(&self) -> bool {
        self.verdict.kind == VerdictKind::Accepted
    }

    /// Whether the fault is ours, or the simulator's.
    pub fn is_ours(&self) -> bool {
        matches!(self.verdict.kind, VerdictKind::OurFault | VerdictKind::Unsupported)
    }

    /// All of it in words, for a terminal.
    pub fn text(&self, source: &SourceText) -> String {
        print::text(self, source.as_str())
    }
}

/// The source in a file.
///
/// # Errors
/// It cannot be read, or is none.
pub fn source(file: &Path) -> Result<SourceText, InputError> {
    let path = file.display().to_string();
    let unreadable = |source| InputError::Unreadable { path: path.clone(), source };
    let length = std::fs::metadata(file).map_err(unreadable)?.len();
    if length > SOURCE_BYTES_MAX as u64 {
        let reason = format!("it has {length} bytes; {SOURCE_BYTES_MAX} is the most");
        return Err(InputError::NoSource { path, reason });
    }
    let bytes = std::fs::read(file).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned());
    text.and_then(|text| SourceText::try_from(text).map_err(|refused| refused.to_string()))
        .map_err(|reason| InputError::NoSource { path, reason })
}

/// The exercise in a folder of a course.
///
/// # Errors
/// The folder is none, or its files are faulty.
pub fn exercise(folder: &Path) -> Result<Exercise, InputError> {
    let path = folder.display().to_string();
    let whole = folder.canonicalize().map_err(|source| InputError::Unreadable { path: path.clone(), source })?;
    let Some(root) = whole.ancestors().find(|above| above.join(COURSE_FILE).is_file()) else {
        return Err(InputError::NoCourse { path });
    };
    let course = Course::load(root);
    let name = whole.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let found = Slug::from_str(name).ok().and_then(|slug| course.find_exercise(&slug).cloned());
    found.ok_or_else(|| {
        let faults: Vec<_> =
            course.faults.iter().map(ToString::to_string).filter(|fault| fault.contains(name)).collect();
        let faults = if faults.is_empty() { String::new() } else { format!(": {}", faults.join("; ")) };
        InputError::NoExercise { path, faults }
    })
}

/// Judges the visible cases, and counts what they do.
///
/// # Errors
/// We cannot judge.
pub async fn run(tools: &Tools, exercise: &Exercise, source: &SourceText) -> Result<Ran, GradeError> {
    let verdict = grade::grade_visible(tools, exercise, source).await?;
    let Task::Kernel(task) = &exercise.task;
    let visible = task.cases.iter().enumerate();
    let visible = visible.filter(|(_, case)| case.visible && !case.timed && !case.gpu_only);
    let cases = visible.map(|(case_index, _)| {
        let refused = |source| GradeError::Plan { exercise: exercise.slug.to_string(), case_index, source };
        cases::plan(task, case_index, 0).map_err(refused)
    });
    let counted = count(tools, task, source, cases).await?;
    Ok(Ran { verdict, counted })
}

/// Counts every case that ends; `None` where the source is not run at all.
async fn count(
    tools: &Tools,
    task: &KernelTask,
    source: &SourceText,
    planned: impl Iterator<Item = Result<PlannedCase, GradeError>>,
) -> Result<Option<Counted>, GradeError> {
    let Built::Image { image, .. } = tools.build(source.as_str(), Backend::Sim).await? else { return Ok(None) };
    let mut runner = tools.devices.take().await?;
    if tools.load(&mut runner, image, (task, source.as_str())).await?.is_err() {
        return Ok(None);
    }
    let (mut counters, mut cases, mut launch) = (Counters::default(), 0, None);
    for planned in planned {
        let planned = planned?;
        let Response::Ran(ran) = tools.run(&mut runner, &planned, Look::Counters).await? else { break };
        if let Some(counted) = &ran.counters {
            counters.merge(counted);
            cases += 1;
            launch = planned.run.launches.first().map(|first| (first.block.iter().product(), first.shared_bytes));
        }
    }
    let mut resources = vec![];
    for capability in CAPABILITIES {
        let of_kernel = tools.resources(source.as_str(), capability).await?.into_iter();
        let named = of_kernel.filter(|kernel| kernel.name == task.entry);
        resources.extend(named.map(|kernel| KernelResources { capability: Some(capability), ..kernel }));
    }
    let wants_f64 = task.signature().contains("double");
    Ok(Some(Counted { counters, cases, launch, resources, wants_f64 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this repository.
    fn here(path: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
    }

    #[test]
    fn a_folder_of_a_course_is_an_exercise() {
        let found = exercise(&here("lessons/threads/indexing-1d/vector-add")).expect("it is one");
        assert_eq!(found.slug.to_string(), "vector-add");
        assert!(matches!(exercise(&here("lessons/threads/indexing-1d")), Err(InputError::NoExercise { .. })));
        assert!(matches!(exercise(&here("lessons/no-such-folder")), Err(InputError::Unreadable { .. })));
        let outside = tempfile::tempdir().expect("a folder");
        let refused = exercise(outside.path()).expect_err("no course").to_string();
        assert!(refused.ends_with("is in no course: no folder above it holds a course.toml"), "{refused}");
    }

    #[test]
    fn a_file_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("kernel.cu");
        let refusal = |content: &[u8]| {
            std::fs::write(&file, content).expect("it is written");
            source(&file).map(|_| ()).map_err(|error| error.to_string())
        };
        assert!(refusal(b"\xff\xfe").expect_err("no text").ends_with("it is not UTF-8"));
        assert!(refusal(b"  \n").is_err(), "only blanks");
        assert_eq!(refusal(&vec![b'/'; SOURCE_BYTES_MAX]), Ok(()), "the most that there may be");
        let refused = refusal(&vec![b'/'; SOURCE_BYTES_MAX + 1]).expect_err("one more");
        assert!(refused.ends_with(&format!("{SOURCE_BYTES_MAX} is the most")), "{refused}");
        assert!(matches!(source(&folder.path().join("none.cu")), Err(InputError::Unreadable { .. })));
    }
}
