//! The fold of all events of one submission: what both the served page and the live one draw.

use serde::{Deserialize, Serialize};

use crate::event::{GradeEvent, Stage};
use crate::verdict::{CaseOutcome, CaseReport, Diagnostic, Mark, Verdict, VerdictKind};

/// How one station looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StationState {
    /// Not reached.
    Ahead,
    /// Working now.
    Working,
    /// Done and good.
    Passed,
    /// Done and not good.
    Failed,
    /// Will not happen.
    Skipped,
    /// We failed.
    Ours,
}

/// What is known of a submission so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// Number of the last event that was applied; events up to it are ignored.
    pub last_seq: i32,
    /// Which start of which grader this is; 0 before the first.
    pub start: i32,
    /// Where it works.
    pub stage: Option<Stage>,
    /// Cases announced.
    pub case_count: u32,
    /// Cases that ended.
    pub cases: Vec<CaseReport>,
    /// The compiler's messages.
    pub diagnostics: Vec<Diagnostic>,
    /// GPU name or `simulator`.
    pub device: String,
    /// The end.
    pub verdict: Option<Verdict>,
}

impl Transcript {
    /// Applies event number `seq`. Numbers at or below the last one change nothing, so a stream may repeat itself.
    pub fn apply(&mut self, seq: i32, event: &GradeEvent) {
        if seq <= self.last_seq || self.verdict.is_some() {
            return;
        }
        self.last_seq = seq;
        match event {
            GradeEvent::Queued => self.stage = Some(Stage::Queue),
            GradeEvent::Started { start, case_count, device } => {
                *self = Self {
                    last_seq: seq,
                    start: *start,
                    stage: Some(Stage::Queue),
                    case_count: *case_count,
                    device: device.clone(),
                    ..Self::default()
                };
            }
            GradeEvent::Stage { stage } => self.stage = Some(*stage),
            GradeEvent::Compiled { diagnostics } => self.diagnostics.clone_from(diagnostics),
            GradeEvent::CaseDone { case } => self.cases.push(case.clone()),
            GradeEvent::Finished { verdict } => {
                self.cases.clone_from(&verdict.cases);
                if !verdict.diagnostics.is_empty() {
                    self.diagnostics.clone_from(&verdict.diagnostics);
                }
                self.device.clone_from(&verdict.device);
                self.stage = None;
                self.verdict = Some((**verdict).clone());
            }
        }
    }

    /// How a station looks now.
    pub fn station(&self, stage: Stage) -> StationState {
        if let Some(verdict) = &self.verdict {
            return station_of_verdict(verdict, stage);
        }
        match self.stage {
            Some(current) if stage < current => StationState::Passed,
            Some(current) if stage == current => StationState::Working,
            _ => StationState::Ahead,
        }
    }

    /// A few words under a station.
    pub fn station_note(&self, stage: Stage) -> String {
        let state = self.station(stage);
        match (stage, state) {
            (_, StationState::Skipped) => "skipped".to_owned(),
            (_, StationState::Ahead) => String::new(),
            (_, StationState::Ours) => "our fault".to_owned(),
            (Stage::Queue, StationState::Working) => "waiting".to_owned(),
            (Stage::Queue, _) => "done".to_owned(),
            (Stage::Compile, StationState::Working) => "compiling".to_owned(),
            (Stage::Compile, StationState::Failed) => "stopped".to_owned(),
            (Stage::Compile, _) => "done".to_owned(),
            (Stage::Values, StationState::Working) => {
                format!("case {} of {}", (self.cases.len() + 1).min(self.case_count as usize), self.case_count)
            }
            (Stage::Values, _) => {
                let judged = self.cases.iter().filter(|case| case.outcome != CaseOutcome::Skipped).count();
                let agreed = self.cases.iter().filter(|case| case.outcome == CaseOutcome::Agrees).count();
                format!("{agreed} of {judged}")
            }
            (Stage::Memory, StationState::Working) => "checking accesses".to_owned(),
            (Stage::Memory, StationState::Passed) => "clean".to_owned(),
            (Stage::Memory, StationState::Failed) => "1 finding".to_owned(),
            (Stage::Timing, StationState::Working) => "measuring".to_owned(),
            (Stage::Timing, _) => "done".to_owned(),
        }
    }
}

fn station_of_verdict(verdict: &Verdict, stage: Stage) -> StationState {
    use StationState::{Failed, Ours, Passed, Skipped};
    let kind = verdict.kind;
    let failed_at = match kind {
        VerdictKind::Accepted => None,
        VerdictKind::OurFault => return if stage == Stage::Queue { Passed } else { Ours },
        VerdictKind::CompileError | VerdictKind::SignatureMismatch | VerdictKind::CompileLimit => Some(Stage::Compile),
        VerdictKind::OobRead
        | VerdictKind::OobWrite
        | VerdictKind::OobShared
        | VerdictKind::Misaligned
        | VerdictKind::Illegal
        | VerdictKind::BarrierDivergence
        | VerdictKind::RaceShared
        | VerdictKind::RaceGlobal
        | VerdictKind::UninitRead => Some(Stage::Memory),
        _ => Some(Stage::Values),
    };
    let all_agree = verdict.cases.iter().all(|case| matches!(case.outcome, CaseOutcome::Agrees | CaseOutcome::Skipped));
    match (stage, failed_at) {
        (Stage::Timing, None) if verdict.marks.contains(&Mark::TimingPending) => Skipped,
        (_, None) => Passed,
        (Stage::Values, Some(Stage::Memory)) => {
            if all_agree {
                Passed
            } else {
                Failed
            }
        }
        // Accesses are only called clean where nothing stopped the kernel on its way.
        (Stage::Memory, Some(Stage::Values)) if kind.ends_process() || kind <= VerdictKind::LaunchError => Skipped,
        (Stage::Memory, Some(Stage::Values)) => Passed,
        (stage, Some(at)) if stage < at => Passed,
        (stage, Some(at)) if stage == at => Failed,
        _ => Skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> Vec<GradeEvent> {
        let case = CaseReport { index: 0, label: Some("n = 1".into()), outcome: CaseOutcome::Agrees, elapsed_us: 5 };
        let verdict = Verdict {
            kind: VerdictKind::Accepted,
            finding: None,
            cases: vec![case.clone()],
            diagnostics: vec![],
            marks: vec![Mark::TimingPending],
            printed: vec![],
            device: "simulator".into(),
        };
        vec![
            GradeEvent::Queued,
            GradeEvent::Started { start: 1, case_count: 1, device: "simulator".into() },
            GradeEvent::Stage { stage: Stage::Compile },
            GradeEvent::Started { start: 2, case_count: 1, device: "simulator".into() },
            GradeEvent::Stage { stage: Stage::Values },
            GradeEvent::CaseDone { case },
            GradeEvent::Finished { verdict: Box::new(verdict) },
        ]
    }

    #[test]
    fn the_fold_does_not_depend_on_batches_or_repeats() {
        let numbered: Vec<_> = (1..).zip(events()).collect();
        let mut once = Transcript::default();
        for (seq, event) in &numbered {
            once.apply(*seq, event);
        }
        for cut in 0..=numbered.len() {
            let mut again = Transcript::default();
            for (seq, event) in numbered[..cut].iter().chain(&numbered) {
                again.apply(*seq, event);
            }
            assert_eq!(again, once);
        }
        assert_eq!(once.start, 2);
        assert_eq!(once.cases.len(), 1);
    }

    #[test]
    fn stations_follow_the_verdict() {
        let mut transcript = Transcript::default();
        for (seq, event) in (1..).zip(events()) {
            transcript.apply(seq, &event);
            if seq == 5 {
                assert_eq!(transcript.station(Stage::Compile), StationState::Passed);
                assert_eq!(transcript.station(Stage::Values), StationState::Working);
                assert_eq!(transcript.station_note(Stage::Values), "case 1 of 1");
                assert_eq!(transcript.station(Stage::Memory), StationState::Ahead);
            }
        }
        assert_eq!(transcript.station(Stage::Values), StationState::Passed);
        assert_eq!(transcript.station(Stage::Timing), StationState::Skipped);
        let verdict = transcript.verdict.as_mut().unwrap();
        verdict.kind = VerdictKind::CompileError;
        assert_eq!(transcript.station(Stage::Compile), StationState::Failed);
        assert_eq!(transcript.station(Stage::Values), StationState::Skipped);
    }
}
