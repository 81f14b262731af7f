//! Reading a content folder: bounded, UTF-8, and without following links.
//!
//! Names that begin with '.' or end with '~' belong to editors and systems; they are passed over.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use domain::limits::CONTENT_FILE_BYTES_MAX;

use crate::Fault;

/// Entries of one folder.
const FOLDER_ENTRIES_MAX: usize = 1000;

/// The course's folder, and what is wrong in it so far.
pub(crate) struct Reader {
    /// The course's folder.
    pub(crate) root: PathBuf,
    /// In order of discovery.
    pub(crate) faults: Vec<Fault>,
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: String,
    /// Its path relative to the course's folder.
    pub(crate) path: PathBuf,
    /// File or folder.
    pub(crate) kind: EntryKind,
}

impl Reader {
    /// Reports a fault of a whole file or folder.
    pub(crate) fn fault(&mut self, file: &Path, message: impl Into<String>) {
        self.fault_at(file, None, message);
    }

    /// Reports a fault at a line.
    pub(crate) fn fault_at(&mut self, file: &Path, line: Option<usize>, message: impl Into<String>) {
        self.faults.push(Fault { file: file.to_owned(), line, field: None, message: message.into() });
    }

    /// The entries of a folder by name; links, sockets and names that are no UTF-8 are faults.
    pub(crate) fn list(&mut self, folder: &Path) -> Option<Vec<Entry>> {
        let items = match fs::read_dir(self.root.join(folder)) {
            Ok(items) => items,
            Err(error) => {
                self.fault(folder, format!("the folder cannot be read: {error}"));
                return None;
            }
        };
        let mut entries = Vec::new();
        for item in items.take(FOLDER_ENTRIES_MAX + 1) {
            let found = item.and_then(|item| Ok((item.file_name(), item.file_type()?)));
            let (name, file_type) = match found {
                Ok(found) => found,
                Err(error) => {
                    self.fault(folder, format!("the folder cannot be read: {error}"));
                    return None;
                }
            };
            let path = folder.join(&name);
            let Some(name) = name.to_str().map(str::to_owned) else {
                self.fault(&path, "the name is not UTF-8; rename it");
                continue;
            };
            if name.starts_with('.') || name.ends_with('~') {
                continue;
            }
            let kind = if file_type.is_file() {
                EntryKind::File
            } else if file_type.is_dir() {
                EntryKind::Folder
            } else {
                self.fault(&path, "links and special files are not followed; put the file itself here");
                continue;
            };
            entries.push(Entry { name, path, kind });
        }
        if entries.len() > FOLDER_ENTRIES_MAX {
            self.fault(folder, format!("holds more than {FOLDER_ENTRIES_MAX} entries"));
            return None;
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Some(entries)
    }

    /// The text of a file; anything that is no bounded UTF-8 file is a fault.
    pub(crate) fn text(&mut self, file: &Path) -> Option<String> {
        match self.try_text(file) {
            Ok(text) => Some(text),
            Err((line, message)) => {
                self.fault_at(file, line, message);
                None
            }
        }
    }

    fn try_text(&self, file: &Path) -> Result<String, (Option<usize>, String)> {
        let path = self.root.join(file);
        let cannot = |error: std::io::Error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                (None, "the file is missing".to_owned())
            } else {
                (None, format!("the file cannot be read: {error}"))
            }
        };
        let metadata = fs::symlink_metadata(&path).map_err(cannot)?;
        if !metadata.is_file() {
            let message = "this must be a file of its own, no link and no folder";
            return Err((None, message.to_owned()));
        }
        let mut bytes = Vec::new();
        fs::File::open(&path)
            .and_then(|opened| opened.take(CONTENT_FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
            .map_err(cannot)?;
        if bytes.len() as u64 > CONTENT_FILE_BYTES_MAX {
            let message = format!("the file is larger than {CONTENT_FILE_BYTES_MAX} bytes");
            return Err((None, message));
        }
        String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + String::from_utf8_lossy(valid).matches('\n').count();
            let message = "this line is not UTF-8; save the file as UTF-8";
            (Some(line), message.to_owned())
        })
    }
}

/// Line breaks of `text` before the byte `offset`.
pub(crate) fn lines_before(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count()
}
