//! A folder becomes a course, in two passes: first everything is read, then the texts are rendered.
//!
//! The second pass needs the first, since `[[links]]` may lead anywhere in the course. A fault of the first
//! pass leaves its lesson or exercise out; a fault of the second (a link that leads nowhere) keeps the page,
//! so that one broken exercise does not take the lessons along that mention it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::id::Slug;

use crate::files::{Entry, EntryKind, Reader};
use crate::folder::{self, ExerciseDraft, Home};
use crate::lesson_file::{self, CourseOrder, FrontMatter, ModuleOrder};
use crate::markdown::{self, Target, Targets, Text};
use crate::{Course, Exercise, Lesson, Module, Rendered};

const COURSE_FILE: &str = "course.toml";
/// Beside it, for people and other programs; not read here.
const BYSTANDERS: [&str; 2] = ["README.md", "ground_truth.json"];
const LESSON_FILE: &str = "lesson.md";

/// See [`Course::load`].
pub(crate) fn course(root: &Path) -> Course {
    let mut loader = Loader { reader: Reader { root: root.to_owned(), faults: vec![] }, homes: BTreeMap::new() };
    let Some(order) = loader.order() else {
        return Course { faults: loader.reader.faults, ..Course::default() };
    };
    let drafts = loader.modules(&order.modules);
    let targets = targets(&drafts);
    let modules = drafts
        .into_iter()
        .map(|(order, lessons)| Module {
            slug: order.slug.clone(),
            title: order.title.clone(),
            lessons: lessons.into_iter().map(|draft| loader.lesson(draft, &targets)).collect(),
        })
        .collect();
    Course { title: order.title, modules, faults: loader.reader.faults }
}

struct LessonDraft {
    slug: Slug,
    module: Slug,
    front_matter: FrontMatter,
    text: Text,
    exercises: Vec<ExerciseDraft>,
}

struct Loader {
    reader: Reader,
    /// Who has a name already: lessons and exercises share one space of names, for `[[links]]`.
    homes: BTreeMap<Slug, PathBuf>,
}

impl Loader {
    fn order(&mut self) -> Option<CourseOrder> {
        let file = Path::new(COURSE_FILE);
        let text = self.reader.text(file)?;
        let (order, faults) = lesson_file::course(file, &text);
        self.reader.faults.extend(faults);
        order
    }

    fn modules<'a>(&mut self, orders: &'a [ModuleOrder]) -> Vec<(&'a ModuleOrder, Vec<LessonDraft>)> {
        let entries = self.reader.list(Path::new("")).unwrap_or_default();
        let slugs: Vec<_> = orders.iter().map(|order| order.slug.clone()).collect();
        let files = [&[COURSE_FILE][..], &BYSTANDERS].concat();
        let folders = self.listed_folders(&entries, &slugs, &files, "a [[module]]");
        let mut modules = Vec::new();
        for order in orders {
            let lessons = match folders.get(&order.slug) {
                Some(folder) => self.lessons(order, folder),
                None => vec![],
            };
            modules.push((order, lessons));
        }
        modules
    }

    fn lessons(&mut self, order: &ModuleOrder, folder: &Path) -> Vec<LessonDraft> {
        let entries = self.reader.list(folder).unwrap_or_default();
        let what = format!("a lesson of module '{}'", order.slug);
        let folders = self.listed_folders(&entries, &order.lessons, &[], &what);
        let mut lessons = Vec::new();
        for slug in &order.lessons {
            if let Some(folder) = folders.get(slug) {
                lessons.extend(self.lesson_draft(&order.slug, slug, folder));
            }
        }
        lessons
    }

    /// Folders that `course.toml` lists and that exist; a difference either way is a fault.
    fn listed_folders(
        &mut self,
        entries: &[Entry],
        listed: &[Slug],
        files: &[&str],
        what: &str,
    ) -> BTreeMap<Slug, PathBuf> {
        let mut folders = BTreeMap::new();
        for entry in entries {
            let slug = listed.iter().find(|slug| slug.as_str() == entry.name);
            match (entry.kind, slug) {
                (EntryKind::Folder, Some(slug)) => {
                    folders.insert(slug.clone(), entry.path.clone());
                }
                (EntryKind::Folder, None) => {
                    self.reader.fault(&entry.path, format!("is not listed; add it to {COURSE_FILE} as {what}"));
                }
                (EntryKind::File, _) if files.contains(&entry.name.as_str()) => {}
                (EntryKind::File, _) => self.reader.fault(&entry.path, "does not belong here; remove it"),
            }
        }
        for slug in listed {
            if !folders.contains_key(slug) {
                self.reader.fault(
                    Path::new(COURSE_FILE),
                    format!("'{slug}' is listed as {what}, but there is no such folder"),
                );
            }
        }
        folders
    }

    fn lesson_draft(&mut self, module: &Slug, slug: &Slug, folder: &Path) -> Option<LessonDraft> {
        let is_free = self.claim(slug, folder);
        let entries = self.reader.list(folder)?;
        let file = folder.join(LESSON_FILE);
        let parsed = self.reader.text(&file).and_then(|text| {
            let (parsed, faults) = lesson_file::lesson(&file, &text);
            self.reader.faults.extend(faults);
            parsed
        });
        let mut exercises = Vec::new();
        for entry in &entries {
            if entry.kind == EntryKind::Folder {
                exercises.extend(self.exercise_draft(module, slug, entry));
            } else if entry.name != LESSON_FILE {
                self.reader.fault(
                    &entry.path,
                    format!("does not belong to a lesson; its file is {LESSON_FILE}, and each exercise is a folder"),
                );
            }
        }
        let (front_matter, text) = parsed?;
        for wanted in &front_matter.exercises {
            if !entries.iter().any(|entry| entry.name == wanted.as_str()) {
                let message = format!("exercises lists '{wanted}', but there is no such folder");
                self.reader.fault(&file, message);
            }
        }
        sort(&mut exercises, &front_matter.exercises);
        is_free.then(|| LessonDraft { slug: slug.clone(), module: module.clone(), front_matter, text, exercises })
    }

    fn exercise_draft(&mut self, module: &Slug, lesson: &Slug, entry: &Entry) -> Option<ExerciseDraft> {
        let slug: Slug = match entry.name.parse() {
            Ok(slug) => slug,
            Err(reason) => {
                self.reader.fault(&entry.path, format!("{reason}"));
                return None;
            }
        };
        let is_free = self.claim(&slug, &entry.path);
        let home = Home { module, lesson, slug };
        folder::read(&mut self.reader, &entry.path, home).filter(|_| is_free)
    }

    /// Takes a name; a fault and `false` where somebody has it.
    fn claim(&mut self, slug: &Slug, folder: &Path) -> bool {
        if let Some(other) = self.homes.get(slug) {
            let message =
                format!("the name '{slug}' is taken by {}; names are unique over the course", other.display());
            self.reader.fault(folder, message);
            return false;
        }
        self.homes.insert(slug.clone(), folder.to_owned());
        true
    }

    fn lesson(&mut self, draft: LessonDraft, targets: &Targets) -> Lesson {
        let Rendered { html, headings } = self.render(&draft.text, targets);
        let FrontMatter { title, summary, minutes, objectives, mut prerequisites, .. } = draft.front_matter;
        prerequisites.retain(|slug| {
            let is_lesson = targets.get(slug).is_some_and(|target| target.is_lesson);
            if !is_lesson {
                let message = format!("prerequisites lists '{slug}', which is no lesson here");
                self.reader.fault(&draft.text.file, message);
            }
            is_lesson
        });
        let exercises = draft.exercises.into_iter().map(|exercise| self.exercise(exercise, targets)).collect();
        Lesson {
            slug: draft.slug,
            module: draft.module,
            title,
            summary,
            minutes,
            objectives,
            prerequisites,
            html,
            headings,
            exercises,
        }
    }

    fn exercise(&mut self, draft: ExerciseDraft, targets: &Targets) -> Exercise {
        let mut exercise = draft.exercise;
        exercise.statement_html = self.render(&draft.statement, targets).html;
        for (hint, text) in exercise.hints.iter_mut().zip(&draft.hints) {
            hint.html = self.render(text, targets).html;
        }
        exercise
    }

    fn render(&mut self, text: &Text, targets: &Targets) -> Rendered {
        let output = markdown::render(&text.markdown, Some(targets));
        for (line, message) in output.faults {
            let line = text.first_line + line - 1;
            self.reader.fault_at(&text.file, Some(line), message);
        }
        output.rendered
    }
}

/// Those that the lesson lists, in its order; then the others, easy ones first.
fn sort(exercises: &mut [ExerciseDraft], listed: &[Slug]) {
    exercises.sort_by_key(|draft| {
        let exercise = &draft.exercise;
        let position = listed.iter().position(|slug| *slug == exercise.slug);
        (position.unwrap_or(usize::MAX), exercise.difficulty, exercise.slug.clone())
    });
}

fn targets(modules: &[(&ModuleOrder, Vec<LessonDraft>)]) -> Targets {
    let mut targets = Targets::new();
    for lesson in modules.iter().flat_map(|(_, lessons)| lessons) {
        targets.insert(
            lesson.slug.clone(),
            Target {
                address: format!("/course/{}/{}", lesson.module, lesson.slug),
                title: lesson.front_matter.title.clone(),
                is_lesson: true,
            },
        );
        for ExerciseDraft { exercise, .. } in &lesson.exercises {
            targets.insert(
                exercise.slug.clone(),
                Target { address: format!("/x/{}", exercise.slug), title: exercise.title.clone(), is_lesson: false },
            );
        }
    }
    targets
}

#[cfg(test)]
mod tests;
