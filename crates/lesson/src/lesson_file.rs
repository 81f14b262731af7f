//! `course.toml` and the front matter of `lesson.md`.

use std::path::Path;

use domain::id::Slug;

use crate::Fault;
use crate::fields::{Document, Table, Value};
use crate::manifest::MINUTES_MAX;
use crate::markdown::Text;

/// The one version of the folder's layout there is.
const FORMAT_VERSION: i64 = 1;
/// The line before and after the front matter.
const FRONT_MATTER: &str = "+++";

/// What `course.toml` says.
#[derive(Debug)]
pub(crate) struct CourseOrder {
    /// Title of the course.
    pub(crate) title: String,
    /// Modules in order.
    pub(crate) modules: Vec<ModuleOrder>,
}

/// One `[[module]]`.
#[derive(Debug)]
pub(crate) struct ModuleOrder {
    /// Its folder.
    pub(crate) slug: Slug,
    /// Its title.
    pub(crate) title: String,
    /// Its lessons in order.
    pub(crate) lessons: Vec<Slug>,
}

/// Reads `course.toml`. Unlike a manifest it is used as far as it goes.
pub(crate) fn course(file: &Path, text: &str) -> (Option<CourseOrder>, Vec<Fault>) {
    Document::new(file, text, 1).read(|mut root| {
        let version = root.required("format_version").and_then(|v| v.integer(1..=FORMAT_VERSION));
        let title = root.required("title").and_then(|v| v.text());
        let modules = root.required("module").and_then(|v| modules(&v));
        root.finish(&["track"]);
        version?;
        Some(CourseOrder { title: title?, modules: modules? })
    })
}

fn modules(value: &Value<'_>) -> Option<Vec<ModuleOrder>> {
    let list = value.list()?;
    let read: Vec<_> = list.iter().map(module).collect();
    let modules: Vec<ModuleOrder> = read.into_iter().collect::<Option<_>>()?;
    for (position, (module, value)) in modules.iter().zip(&list).enumerate() {
        if modules[..position].iter().any(|other| other.slug == module.slug) {
            value.fault(format!("module '{}' is listed twice", module.slug));
        }
    }
    Some(modules)
}

fn module(value: &Value<'_>) -> Option<ModuleOrder> {
    let mut table = value.table()?;
    let slug = table.required("slug").and_then(|v| v.slug());
    let title = table.required("title").and_then(|v| v.text());
    let lessons = table.required("lessons").and_then(|v| slugs(&v));
    table.finish(&[]);
    Some(ModuleOrder { slug: slug?, title: title?, lessons: lessons? })
}

/// A list of names, none twice.
fn slugs(value: &Value<'_>) -> Option<Vec<Slug>> {
    let list = value.list()?;
    let read: Vec<_> = list.iter().map(Value::slug).collect();
    let slugs: Vec<Slug> = read.into_iter().collect::<Option<_>>()?;
    for (position, (slug, value)) in slugs.iter().zip(&list).enumerate() {
        if slugs[..position].contains(slug) {
            value.fault(format!("'{slug}' is listed twice"));
        }
    }
    Some(slugs)
}

/// What the front matter of a lesson says.
#[derive(Debug, PartialEq)]
pub(crate) struct FrontMatter {
    /// Title.
    pub(crate) title: String,
    /// One sentence.
    pub(crate) summary: String,
    /// Minutes of reading.
    pub(crate) minutes: u32,
    /// What the learner can do afterwards.
    pub(crate) objectives: Vec<String>,
    /// Lessons that come before.
    pub(crate) prerequisites: Vec<Slug>,
    /// Exercises that come first, in order; the others follow.
    pub(crate) exercises: Vec<Slug>,
}

/// Splits `lesson.md` into front matter and text.
pub(crate) fn lesson(file: &Path, text: &str) -> (Option<(FrontMatter, Text)>, Vec<Fault>) {
    let Some((head, first_line, body)) = split(text) else {
        let fault = Fault {
            file: file.to_owned(),
            line: Some(1),
            field: None,
            message: format!(
                "a lesson begins with its front matter: a line {FRONT_MATTER}, TOML, a line {FRONT_MATTER}"
            ),
        };
        return (None, vec![fault]);
    };
    let (front_matter, faults) = Document::new(file, head, 2).read(front_matter);
    let text = Text { file: file.to_owned(), first_line, markdown: body.to_owned() };
    (front_matter.map(|front_matter| (front_matter, text)), faults)
}

/// Front matter, line of the first line after it, and the rest.
fn split(text: &str) -> Option<(&str, usize, &str)> {
    let mut offset = 0;
    let mut start = None;
    for (position, line) in text.split_inclusive('\n').enumerate() {
        let is_mark = line.trim_end() == FRONT_MATTER;
        match start {
            None if is_mark => start = Some(offset + line.len()),
            None => return None,
            Some(start) if is_mark => {
                let body = &text[offset + line.len()..];
                return Some((&text[start..offset], position + 2, body));
            }
            Some(_) => {}
        }
        offset += line.len();
    }
    None
}

fn front_matter(mut root: Table<'_>) -> Option<FrontMatter> {
    let title = root.required("title").and_then(|v| v.text());
    let summary = root.required("summary").and_then(|v| v.text());
    let minutes = root.required("minutes").and_then(|v| v.integer(1..=MINUTES_MAX));
    let objectives_value = root.required("objectives");
    let objectives = objectives_value.as_ref().and_then(Value::texts);
    let prerequisites = root.optional("prerequisites").map_or(Some(vec![]), |v| slugs(&v));
    let exercises = root.optional("exercises").map_or(Some(vec![]), |v| slugs(&v));
    root.finish(&["track", "stage"]);
    if let (Some(value), Some([])) = (objectives_value, objectives.as_deref()) {
        value.fault("says nothing; name what the learner can do afterwards");
    }
    Some(FrontMatter {
        title: title?,
        summary: summary?,
        minutes: minutes? as u32,
        objectives: objectives?,
        prerequisites: prerequisites?,
        exercises: exercises?,
    })
}
