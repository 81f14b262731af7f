//! What a learner hands in, and where it stands.

use serde::{Deserialize, Serialize};

use crate::limits::SOURCE_BYTES_MAX;

/// A source within the limits: 1 to [`SOURCE_BYTES_MAX`] bytes of UTF-8, without NUL, not only blanks.
///
/// A byte order mark in front is dropped; line ends stay as they were typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SourceText(String);

/// Why a text is refused before a submission exists. Each says what to do, and has an HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceRefused {
    /// Over [`SOURCE_BYTES_MAX`]: 413.
    #[error("The source is {bytes} bytes; the limit is {SOURCE_BYTES_MAX}. Shorten it and send it again.")]
    TooLarge {
        /// Bytes received.
        bytes: usize,
    },
    /// 400.
    #[error("There is no source to judge. Write a kernel, then submit it.")]
    Empty,
    /// 400.
    #[error("The source holds a NUL byte (at byte {at}). Remove it and send it again.")]
    Nul {
        /// Offset of the first NUL.
        at: usize,
    },
    /// 400.
    #[error("The source is not valid UTF-8 (at byte {at}). Save it as UTF-8 and send it again.")]
    NotUtf8 {
        /// Offset of the first bad byte.
        at: usize,
    },
}

impl SourceRefused {
    /// The HTTP status of this refusal.
    pub fn status(self) -> u16 {
        match self {
            Self::TooLarge { .. } => 413,
            Self::Empty | Self::Nul { .. } | Self::NotUtf8 { .. } => 400,
        }
    }
}

impl SourceText {
    /// Checks raw bytes as they came from a request.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SourceRefused> {
        if bytes.len() > SOURCE_BYTES_MAX {
            return Err(SourceRefused::TooLarge { bytes: bytes.len() });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| SourceRefused::NotUtf8 { at: error.valid_up_to() })?;
        if let Some(at) = text.find('\0') {
            return Err(SourceRefused::Nul { at });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(SourceRefused::Empty);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SourceText {
    type Error = SourceRefused;
    fn try_from(text: String) -> Result<Self, SourceRefused> {
        Self::from_bytes(text.as_bytes())
    }
}

impl From<SourceText> for String {
    fn from(source: SourceText) -> String {
        source.0
    }
}

/// Where a submission stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits for a grader.
    Queued,
    /// A grader works on it.
    Running,
    /// Has its final verdict.
    Finished,
}

impl Status {
    /// All, in order of life.
    pub const ALL: [Self; 3] = [Self::Queued, Self::Running, Self::Finished];

    /// The word used in the database and in addresses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Finished => "finished",
        }
    }

    /// Reads [`Self::as_str`] back.
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: Result<&str, SourceRefused>) {
        let got = SourceText::from_bytes(bytes);
        assert_eq!(got.as_ref().map(SourceText::as_str).map_err(|e| *e), expect);
    }

    #[test]
    fn a_source_is_text_within_its_bounds() {
        check(b"x", Ok("x"));
        check("\u{feff}x\r\n".as_bytes(), Ok("x\r\n"));
        let full = vec![b'x'; SOURCE_BYTES_MAX];
        assert!(SourceText::from_bytes(&full).is_ok());
        let over = vec![b'x'; SOURCE_BYTES_MAX + 1];
        check(&over, Err(SourceRefused::TooLarge { bytes: SOURCE_BYTES_MAX + 1 }));
        check(b"", Err(SourceRefused::Empty));
        check(b" \n\t", Err(SourceRefused::Empty));
        check(b"a\0b", Err(SourceRefused::Nul { at: 1 }));
        check(b"a\xffb", Err(SourceRefused::NotUtf8 { at: 1 }));
        check(b"\xed\xa0\x80", Err(SourceRefused::NotUtf8 { at: 0 }));
    }
}
