//! The lines that a finding names.

use super::{Finding, Related, RelatedKind, Space, Waiting};

impl Finding {
    /// The line in the learner's source, where one is known.
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::CompileError { line, .. }
            | Self::CompileNoKernel { line, .. }
            | Self::CompileInclude { line, .. }
            | Self::CompileRefused { line }
            | Self::Unsupported { line, .. }
            | Self::OutOfBounds { line, .. }
            | Self::Misaligned { line, .. }
            | Self::Illegal { line, .. }
            | Self::BarrierDivergent { line, .. }
            | Self::TimeLimit { line, .. }
            | Self::Race { line, .. }
            | Self::AbsentLane { line, .. }
            | Self::Uninitialised { line, .. }
            | Self::WriteConst { line, .. }
            | Self::MemoryLimit { line, .. } => *line,
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
        match self {
            Self::CompileError { line, .. }
            | Self::CompileNoKernel { line, .. }
            | Self::CompileInclude { line, .. }
            | Self::CompileRefused { line }
            | Self::Unsupported { line, .. }
            | Self::OutOfBounds { line, .. }
            | Self::Misaligned { line, .. }
            | Self::Illegal { line, .. }
            | Self::BarrierDivergent { line, .. }
            | Self::TimeLimit { line, .. }
            | Self::Uninitialised { line, .. }
            | Self::AbsentLane { line, .. }
            | Self::WriteConst { line, .. }
            | Self::MemoryLimit { line, .. } => change(line),
            Self::Race { line, other_line, .. } => {
                change(line);
                change(other_line);
            }
            _ => {}
        }
    }
}
