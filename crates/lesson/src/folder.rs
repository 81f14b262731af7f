//! One exercise's folder: which files it has, what they say, and the hash over them.

use std::path::Path;

use domain::exercise::Task;
use domain::id::Slug;
use domain::limits::SOURCE_BYTES_MAX;
use sha2::{Digest, Sha256};

use crate::fields::Document;
use crate::files::{Entry, EntryKind, Reader};
use crate::manifest::{self, Manifest};
use crate::markdown::Text;
use crate::sources::{self, HintText};
use crate::{Exercise, Hint, RightFile, WrongFile};

/// Wrong files of one exercise, and right ones.
const SOURCES_MAX: usize = 100;
/// Names at the top of a folder; `hints.md` alone may be absent.
const MANIFEST: &str = "exercise.toml";
const STATEMENT: &str = "statement.md";
const HINTS: &str = "hints.md";
const STARTER: &str = "starter.cu";
const REFERENCE: &str = "reference.cu";
const SOLUTION: &str = "solution.cu";
const RIGHT: &str = "right";
const WRONG: &str = "wrong";
/// Ends the name of a file that holds the header of a wrong file.
const HEADER_END: &str = ".cu.expect";

/// An exercise whose texts are not rendered yet, since their links need the whole course.
pub(crate) struct ExerciseDraft {
    /// Everything but the HTML.
    pub(crate) exercise: Exercise,
    /// `statement.md`.
    pub(crate) statement: Text,
    /// The sections of `hints.md`, as many as `exercise.hints`.
    pub(crate) hints: Vec<Text>,
}

/// Where an exercise stands.
pub(crate) struct Home<'a> {
    /// Its module.
    pub(crate) module: &'a Slug,
    /// Its lesson.
    pub(crate) lesson: &'a Slug,
    /// Its folder's name.
    pub(crate) slug: Slug,
}

/// Reads the exercise in `folder`, relative to the course's; `None` where a fault was reported.
pub(crate) fn read(reader: &mut Reader, folder: &Path, home: Home<'_>) -> Option<ExerciseDraft> {
    let faults_before = reader.faults.len();
    let entries = reader.list(folder)?;
    refuse_strays(reader, &entries);
    let mut hash = FolderHash::default();

    let manifest = read_manifest(reader, &folder.join(MANIFEST), &mut hash);
    let entry = manifest.as_ref().map(|manifest| manifest.task.entry.clone());
    let statement = reader.text(&folder.join(STATEMENT)).inspect(|text| hash.add(STATEMENT, text));
    let mut source = |name: &str| {
        let file = folder.join(name);
        let text = reader.text(&file)?;
        hash.add(name, &text);
        check_source(reader, &file, &text, entry.as_deref());
        Some(text)
    };
    let (starter, reference, solution) = (source(STARTER), source(REFERENCE), source(SOLUTION));
    let hints = if entries.iter().any(|entry| entry.name == HINTS) {
        hints(reader, &folder.join(HINTS), &mut hash)
    } else {
        vec![]
    };
    let right = if entries.iter().any(|entry| entry.name == RIGHT) {
        right_files(reader, &folder.join(RIGHT), &mut hash)
    } else {
        Some(vec![])
    };
    let wrong = wrong_files(reader, &folder.join(WRONG), &mut hash);
    if reader.faults.len() > faults_before {
        return None;
    }
    let manifest = manifest?;
    let statement = Text { file: folder.join(STATEMENT), first_line: 1, markdown: statement? };
    let exercise = Exercise {
        slug: home.slug,
        module: home.module.clone(),
        lesson: home.lesson.clone(),
        title: manifest.title,
        minutes: manifest.minutes,
        difficulty: manifest.difficulty,
        task: Task::Kernel(manifest.task),
        statement_html: String::new(),
        starter: starter?,
        reference: reference?,
        solution: solution?,
        right: right?,
        wrong: wrong?,
        hints: hints.iter().map(empty_hint).collect(),
        content_hash: hash.finish(),
        folder: reader.root.join(folder),
    };
    let hints_file = folder.join(HINTS);
    let text = |hint: HintText| Text { file: hints_file.clone(), first_line: hint.first_line, markdown: hint.markdown };
    Some(ExerciseDraft { exercise, statement, hints: hints.into_iter().map(text).collect() })
}

fn read_manifest(reader: &mut Reader, file: &Path, hash: &mut FolderHash) -> Option<Manifest> {
    let text = reader.text(file)?;
    hash.add(MANIFEST, &text);
    let (manifest, faults) = manifest::read_document(Document::new(file, &text, 1));
    reader.faults.extend(faults);
    manifest
}

fn empty_hint(hint: &HintText) -> Hint {
    Hint { title: hint.title.clone(), when: hint.when.clone(), html: String::new() }
}

fn refuse_strays(reader: &mut Reader, entries: &[Entry]) {
    const FILES: [&str; 6] = [MANIFEST, STATEMENT, STARTER, REFERENCE, SOLUTION, HINTS];
    for entry in entries {
        let known = match entry.kind {
            EntryKind::File => FILES.contains(&entry.name.as_str()),
            EntryKind::Folder => [RIGHT, WRONG].contains(&entry.name.as_str()),
        };
        if !known {
            reader.fault(
                &entry.path,
                format!(
                    "does not belong to an exercise; the files are {} and the folders are {RIGHT} and {WRONG}",
                    FILES.join(", ")
                ),
            );
        }
    }
}

fn check_source(reader: &mut Reader, file: &Path, text: &str, entry: Option<&str>) {
    if text.len() > SOURCE_BYTES_MAX {
        reader.fault(file, format!("is larger than {SOURCE_BYTES_MAX} bytes, the limit of a submission"));
    }
    if let Some(entry) = entry
        && !text.contains(entry)
    {
        reader.fault(file, format!("has no kernel '{entry}', which the exercise launches"));
    }
}

fn hints(reader: &mut Reader, file: &Path, hash: &mut FolderHash) -> Vec<HintText> {
    let Some(text) = reader.text(file) else {
        return vec![];
    };
    hash.add(HINTS, &text);
    let (hints, faults) = sources::hints(&text);
    for (line, message) in faults {
        reader.fault_at(file, Some(line), message);
    }
    hints
}

fn right_files(reader: &mut Reader, folder: &Path, hash: &mut FolderHash) -> Option<Vec<RightFile>> {
    let entries = reader.list(folder)?;
    if entries.is_empty() || entries.len() > SOURCES_MAX {
        reader.fault(folder, format!("holds 1 to {SOURCES_MAX} right files; remove the folder if there are none"));
        return None;
    }
    let mut right = Vec::new();
    for entry in entries {
        let Some((stem, text)) = source_file(reader, RIGHT, &entry, hash) else {
            continue;
        };
        match sources::right_file(&stem, &text) {
            Ok(file) => right.push(file),
            Err((line, message)) => reader.fault_at(&entry.path, Some(line), message),
        }
    }
    Some(right)
}

fn wrong_files(reader: &mut Reader, folder: &Path, hash: &mut FolderHash) -> Option<Vec<WrongFile>> {
    let is_header = |entry: &Entry| entry.kind == EntryKind::File && entry.name.ends_with(HEADER_END);
    let (headers, entries): (Vec<_>, Vec<_>) = reader.list(folder)?.into_iter().partition(is_header);
    if entries.is_empty() || entries.len() > SOURCES_MAX {
        reader.fault(
            folder,
            format!("an exercise ships 1 to {SOURCES_MAX} wrong files; write the mistake that most learners make"),
        );
        return None;
    }
    for header in &headers {
        let source = header.name.trim_end_matches(".expect");
        if !entries.iter().any(|entry| entry.name == source) {
            reader.fault(&header.path, format!("is the header of '{source}', which is not here"));
        }
    }
    let mut wrong = Vec::new();
    for entry in entries {
        let Some((stem, text)) = source_file(reader, WRONG, &entry, hash) else {
            continue;
        };
        let beside = headers.iter().find(|header| header.name.strip_suffix(HEADER_END) == Some(&stem));
        let read = match beside {
            Some(header) => {
                let Some(header_text) = reader.text(&header.path) else {
                    continue;
                };
                hash.add(&format!("{WRONG}/{}", header.name), &header_text);
                sources::wrong_file_beside(&stem, &text, &header_text)
            }
            None => sources::wrong_file(&stem, &text),
        };
        match read {
            Ok(file) => wrong.push(file),
            Err((line, message)) => reader.fault_at(&beside.unwrap_or(&entry).path, Some(line), message),
        }
    }
    Some(wrong)
}

/// Name without its end, and text, of a file in the folder `kind`.
fn source_file(reader: &mut Reader, kind: &str, entry: &Entry, hash: &mut FolderHash) -> Option<(String, String)> {
    let stem = entry.name.strip_suffix(".cu").filter(|_| entry.kind == EntryKind::File);
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let Some(stem) = stem.filter(|stem| !stem.is_empty() && stem.bytes().all(plain)) else {
        reader.fault(&entry.path, format!("a {kind} file is named with a-z, 0-9 and '_', and ends with .cu"));
        return None;
    };
    let text = reader.text(&entry.path)?;
    hash.add(&format!("{kind}/{}", entry.name), &text);
    check_source(reader, &entry.path, &text, None);
    Some((stem.to_owned(), text))
}

/// Hash of a folder: pairs of name and text, sorted by name, each with its length so that none can pose as another.
#[derive(Default)]
struct FolderHash(Vec<(String, [u8; 32])>);

impl FolderHash {
    fn add(&mut self, name: &str, text: &str) {
        let digest = Sha256::digest(text.as_bytes());
        self.0.push((name.to_owned(), digest.into()));
    }

    fn finish(mut self) -> String {
        use std::fmt::Write as _;
        self.0.sort();
        let mut hash = Sha256::new();
        for (name, digest) in &self.0 {
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
            hash.update(digest);
        }
        let mut text = String::with_capacity(64);
        for byte in hash.finalize() {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}
