//! Variables without a value, by name.
//!
//! Where a path is straight, the compiler folds what a variable without a value gives into a constant, in every build:
//! then no run can show the read, and the case only has wrong values. But the compiler has said which variable it is.

use domain::finding::Finding;
use domain::verdict::{CaseOutcome, CaseReport, Diagnostic, VerdictKind};

/// The variable that a message of NVRTC calls unset (its warning 549).
fn name(diagnostic: &Diagnostic) -> Option<&str> {
    diagnostic.message.strip_prefix("variable \"")?.strip_suffix("\" is used before its value is set")
}

/// Explains failed cases by a variable that the compiler calls unset, and names it where only its line was known.
pub(super) fn explain(reports: &mut [CaseReport], diagnostics: &[Diagnostic]) {
    let unset = diagnostics.iter().filter_map(|diagnostic| Some((diagnostic.line?, name(diagnostic)?)));
    let Some((first_line, first)) = unset.clone().next() else { return };
    for report in reports {
        let CaseOutcome::Failed { kind, finding } = &mut report.outcome else { continue };
        match &mut **finding {
            Finding::Uninitialised { space: None, buffer: buffer @ None, line: Some(line), .. } => {
                *buffer = unset.clone().find(|(at, _)| at == line).map(|(_, name)| name.to_owned());
            }
            _ if (VerdictKind::Nan..=VerdictKind::WrongValues).contains(kind) => {
                *kind = VerdictKind::UninitRead;
                let (buffer, line) = (Some(first.to_owned()), Some(first_line));
                **finding = Finding::Uninitialised { space: None, buffer, line, at: None, related: vec![] };
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::finding::Space;
    use domain::verdict::Severity;

    use super::*;

    fn report(kind: VerdictKind, finding: Finding) -> CaseReport {
        let outcome = CaseOutcome::Failed { kind, finding: Box::new(finding) };
        CaseReport { index: 0, label: None, outcome, elapsed_us: 0 }
    }

    fn warning(line: u32, message: &str) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, line: Some(line), message: message.to_owned() }
    }

    fn unset(space: Option<Space>, buffer: Option<&str>, line: u32) -> Finding {
        let buffer = buffer.map(str::to_owned);
        Finding::Uninitialised { space, buffer, line: Some(line), at: None, related: vec![] }
    }

    fn explained(kind: VerdictKind, finding: Finding, message: &str) -> (VerdictKind, Finding) {
        let mut reports = [report(kind, finding)];
        explain(&mut reports, &[warning(3, "unused"), warning(5, message)]);
        let (kind, finding) = reports[0].outcome.failure().expect("it stays a failure");
        (kind, finding.clone())
    }

    const SAID: &str = "variable \"sum\" is used before its value is set";

    #[test]
    fn values_are_explained_by_what_the_compiler_said() {
        let nan = || Finding::Nan { buffer: "c".into(), at: None };
        let named = (VerdictKind::UninitRead, unset(None, Some("sum"), 5));
        assert_eq!(explained(VerdictKind::Nan, nan(), SAID), named);
        assert_eq!(explained(VerdictKind::Nan, nan(), "it is slow"), (VerdictKind::Nan, nan()));
        let race = || Finding::AbsentLane { line: Some(9), who: None };
        let kind = VerdictKind::BarrierDivergence;
        assert_eq!(explained(kind, race(), SAID), (kind, race()), "another cause stays");
    }

    #[test]
    fn a_register_gets_its_name_and_memory_keeps_its_own() {
        let kind = VerdictKind::UninitRead;
        assert_eq!(explained(kind, unset(None, None, 5), SAID).1, unset(None, Some("sum"), 5));
        assert_eq!(explained(kind, unset(None, None, 6), SAID).1, unset(None, None, 6), "another line");
        let shared = || unset(Some(Space::Shared), Some("tile"), 5);
        assert_eq!(explained(kind, shared(), SAID).1, shared());
    }
}
