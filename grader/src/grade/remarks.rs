//! What a learner should know and does not fail by: threads that store the same value to one place.

use domain::exercise::KernelTask;
use domain::finding::{Finding, Missing};
use domain::verdict::{Diagnostic, Severity};
use domain::words;

use crate::runner::protocol::Noted;

/// Different remarks of one submission.
const REMARKS_MAX: usize = 8;

/// Takes remarks out of what was noted in a case, unless the exercise fails them.
pub(crate) fn take(noted: &mut Vec<Noted>, task: &KernelTask) -> Vec<Noted> {
    let is_remark = |noted: &Noted| matches!(noted.finding, Finding::Race { missing: Missing::SameValue, .. });
    if task.strict_races { vec![] } else { noted.extract_if(.., |noted| is_remark(noted)).collect() }
}

/// Remarks as warnings beside the compiler's, each line once.
pub(crate) fn tell(remarks: Vec<Noted>, last_line: u32, diagnostics: &mut Vec<Diagnostic>) {
    let mut told: Vec<Option<u32>> = vec![];
    for Noted { kind, finding } in remarks {
        let finding = finding.within(last_line);
        let line = finding.line();
        if told.contains(&line) || told.len() == REMARKS_MAX {
            continue;
        }
        told.push(line);
        let words = words::of_finding(kind, &finding);
        let message = format!("{}. {} {}", words.title, words.explanation, words.next);
        diagnostics.push(Diagnostic { severity: Severity::Warning, line, message });
    }
}
