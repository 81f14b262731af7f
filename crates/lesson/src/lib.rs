//! Markdown and exercise.toml become a course.
//!
//! A course is a folder: `course.toml` orders modules and lessons, `<module>/<lesson>/lesson.md` is the text,
//! `<module>/<lesson>/<exercise>/` one exercise. `docs/EXERCISE_FORMAT.md` is the reference.
//! Loading never fails as a whole: what is broken is left out and named in [`Course::faults`].
//! This crate runs and compiles nothing, and it knows no exercise by name.
#![forbid(unsafe_code)]

mod fields;
mod files;
mod folder;
mod lesson_file;
mod load;
mod manifest;
mod markdown;
mod sanitise;
mod sources;

use std::fmt;
use std::path::{Path, PathBuf};

use domain::exercise::Task;
use domain::id::Slug;
use domain::verdict::VerdictKind;

/// Everything that a content folder teaches, in the order of `course.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Title of the whole course.
    pub title: String,
    /// Modules in order; one without a lesson that loads is kept, empty.
    pub modules: Vec<Module>,
    /// What is wrong with the folder, in order of discovery; empty of a sound course.
    pub faults: Vec<Fault>,
}

impl Course {
    /// Reads the content folder `root`.
    ///
    /// A broken lesson or exercise is left out and named in `faults`; a link that leads nowhere is named
    /// there too, but its page stays. Where `course.toml` itself cannot be read the course is empty.
    pub fn load(root: &Path) -> Self {
        load::course(root)
    }

    /// The lesson at `/course/{module}/{lesson}`.
    pub fn find_lesson(&self, module: &Slug, lesson: &Slug) -> Option<&Lesson> {
        self.lessons().find(|candidate| candidate.module == *module && candidate.slug == *lesson)
    }

    /// The exercise of this name; names are unique over the course.
    pub fn find_exercise(&self, slug: &Slug) -> Option<&Exercise> {
        self.exercises().find(|candidate| candidate.slug == *slug)
    }

    /// All exercises, in the order of the course.
    pub fn exercises(&self) -> impl Iterator<Item = &Exercise> {
        self.lessons().flat_map(|lesson| &lesson.exercises)
    }

    /// All lessons, in the order of the course.
    pub fn lessons(&self) -> impl Iterator<Item = &Lesson> {
        self.modules.iter().flat_map(|module| &module.lessons)
    }
}

/// A group of lessons.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Folder and address.
    pub slug: Slug,
    /// Title.
    pub title: String,
    /// Lessons in order.
    pub lessons: Vec<Lesson>,
}

/// One lesson: a text and its exercises.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Folder and address; unique over the course, exercises included.
    pub slug: Slug,
    /// The module it belongs to.
    pub module: Slug,
    /// Title; the page's `<h1>`, so `html` begins at `<h2>`.
    pub title: String,
    /// One sentence, plain text.
    pub summary: String,
    /// Minutes of reading, exercises not counted.
    pub minutes: u32,
    /// What the learner can do afterwards, plain text each.
    pub objectives: Vec<String>,
    /// Lessons that come before; each is in the course.
    pub prerequisites: Vec<Slug>,
    /// The text, sanitised.
    pub html: String,
    /// Headings of the text in order.
    pub headings: Vec<Heading>,
    /// Exercises in order.
    pub exercises: Vec<Exercise>,
}

/// A heading of a rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The `id` in the HTML, always beginning with `h-`.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// 2 to 6.
    pub level: u8,
}

/// One exercise with all its texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Exercise {
    /// Folder and address; unique over the course, lessons included.
    pub slug: Slug,
    /// The module it belongs to.
    pub module: Slug,
    /// The lesson it belongs to.
    pub lesson: Slug,
    /// Title.
    pub title: String,
    /// Minutes it takes.
    pub minutes: u32,
    /// 1 to 5.
    pub difficulty: u8,
    /// What is asked.
    pub task: Task,
    /// The task for the learner, sanitised.
    pub statement_html: String,
    /// What the editor opens with.
    pub starter: String,
    /// The oracle.
    pub reference: String,
    /// Must be accepted.
    pub solution: String,
    /// Other answers that must be accepted; ordered by name.
    pub right: Vec<RightFile>,
    /// Each must get one of its verdicts; ordered by name.
    pub wrong: Vec<WrongFile>,
    /// Hints in order.
    pub hints: Vec<Hint>,
    /// Hexadecimal SHA-256 over names and bytes of all files of the folder, whatever order they are read in.
    pub content_hash: String,
    /// Where it was read.
    pub folder: PathBuf,
}

/// A right answer that goes another way than `solution.cu`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightFile {
    /// File name without `.cu`.
    pub name: String,
    /// The source, its header blanked where it has one.
    pub source: String,
}

/// A wrong solution and what it must be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongFile {
    /// File name without `.cu`.
    pub name: String,
    /// The source with its header blanked, so line numbers stay and no verdict can be read from it.
    pub source: String,
    /// Acceptable verdicts, best first; never empty.
    pub expect: Vec<VerdictKind>,
    /// The cause in one sentence.
    pub why: String,
    /// Lines of the fault, from 1; a diagnosis is at the right line if it names one of them. May be empty.
    pub lines: Vec<u32>,
}

/// One hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// `Stage 1`.
    pub title: String,
    /// Verdicts that open it; empty means always.
    pub when: Vec<VerdictKind>,
    /// The text, sanitised.
    pub html: String,
}

/// Something wrong in a content folder, for the person who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// Path relative to the course's folder.
    pub file: PathBuf,
    /// Line, from 1, where one can be named.
    pub line: Option<usize>,
    /// Dotted path of the field, list positions from 1: `case[2].sizes.n`.
    pub field: Option<String>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ": {field}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Markdown as safe HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Sanitised HTML.
    pub html: String,
    /// Its headings in order.
    pub headings: Vec<Heading>,
}

/// Renders Markdown that belongs to no course, such as a preview: `[[links]]` stay plain text.
pub fn render(markdown: &str) -> Rendered {
    markdown::render(markdown, None).rendered
}
