//! The lines that a finding names.

use super::{Finding, Related, RelatedKind, Space, Waiting};

/// Every finding that has a line in the learner's source.
macro_rules! with_line {
    ($line:ident) => {
        Finding::CompileError { line: $line, .. }
            | Finding::CompileNoKernel { line: $line, .. }
            | Finding::CompileInclude { line: $line, .. }
            | Finding::CompileRefused { line: $line }
            | Finding::Unsupported { line: $line, .. }
            | Finding::OutOfBounds { line: $line, .. }
            | Finding::Misaligned { line: $line, .. }
            | Finding::Illegal { line: $line, .. }
            | Finding::BarrierDivergent { line: $line, .. }
            | Finding::TimeLimit { line: $line, .. }
            | Finding::Race { line: $line, .. }
            | Finding::AbsentLane { line: $line, .. }
            | Finding::Uninitialised { line: $line, .. }
            | Finding::WriteConst { line: $line, .. }
            | Finding::MemoryLimit { line: $line, .. }
    };
}

impl Finding {
    /// The line in the learner's source, where one is known.
    pub fn line(&self) -> Option<u32> {
        match self {
            with_line!(line) => *line,
            _ => None,
        }
    }

    /// All lines that the finding names: two of a race.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        let other = if let Self::Race { other_line, .. } = self { *other_line } else { None };
        self.line().into_iter().chain(other).chain(self.related().iter().map(|related| related.line))
    }

    /// Other lines that it concerns.
    pub fn related(&self) -> &[Related] {
        match self {
            Self::OutOfBounds { related, .. } | Self::Race { related, .. } | Self::Uninitialised { related, .. } => {
                related
            }
            _ => &[],
        }
    }

    pub(super) fn related_mut(&mut self) -> Option<&mut Vec<Related>> {
        match self {
            Self::OutOfBounds { related, .. } | Self::Race { related, .. } | Self::Uninitialised { related, .. } => {
                Some(related)
            }
            _ => None,
        }
    }

    /// Where threads wait, of a finding that is about waiting.
    pub(super) fn waiting_mut(&mut self) -> Option<&mut Vec<Waiting>> {
        match self {
            Self::BarrierDivergent { waiting, .. } | Self::TimeLimit { waiting, .. } => Some(waiting),
            _ => None,
        }
    }

    /// The same with the line where its shared array is declared, found in the source by name.
    #[must_use]
    pub fn with_declaration(mut self, source: &str) -> Self {
        let name = match &self {
            Self::OutOfBounds { space: Space::Shared, buffer: Some(buffer), at: Some(_), .. }
            | Self::Race { space: Space::Shared, buffer, at: Some(_), .. }
            | Self::Uninitialised { space: Some(Space::Shared), buffer: Some(buffer), at: Some(_), .. } => {
                buffer.clone()
            }
            _ => return self,
        };
        let declares = |line: &str| {
            let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            line.contains("__shared__") && words.into_iter().any(|word| word == name)
        };
        if let (Some(at), Some(related)) = (source.lines().position(declares), self.related_mut()) {
            related.insert(0, Related { line: at as u32 + 1, what: RelatedKind::Declaration });
        }
        self
    }

    /// The same without lines that the source does not have: `#line` can name any, and so carry numbers out.
    #[must_use]
    pub fn within(mut self, last_line: u32) -> Self {
        self.each_line(|line| *line = line.filter(|line| *line <= last_line));
        if let Some(related) = self.related_mut() {
            related.retain(|related| related.line <= last_line);
        }
        for waiting in self.waiting_mut().into_iter().flatten() {
            waiting.line = waiting.line.filter(|line| *line <= last_line);
        }
        self
    }

    fn each_line(&mut self, change: impl Fn(&mut Option<u32>)) {
        if let Self::Race { other_line, .. } = self {
            change(other_line);
        }
        if let with_line!(line) = self {
            change(line);
        }
    }
}
