//! What a GPU and the simulator say of the same case -> one outcome.
//!
//! A GPU shows values and some faults without thread or line. The simulator shows strays, races and barriers by
//! thread and line. So an access fault that only the simulator sees counts, a fault that both see is told in the
//! simulator's words, and where they disagree about values the GPU decides and a person is told.

use domain::verdict::{CaseOutcome, VerdictKind};

/// The two outcomes as one, and whether the devices disagree about values.
pub fn merge(gpu: CaseOutcome, simulator: &CaseOutcome) -> (CaseOutcome, bool) {
    let Some((seen, _)) = simulator.failure() else {
        let disagree = *simulator == CaseOutcome::Agrees && gpu.failure().is_some_and(|(kind, _)| about_values(kind));
        return (gpu, disagree);
    };
    match gpu.failure() {
        // Same or better word: the simulator also knows thread and line.
        Some((kind, _)) if seen <= kind => (simulator.clone(), false),
        // A GPU ends all kinds of strays with one word and no line.
        Some((VerdictKind::Illegal, finding)) if finding.line().is_none() && seen.ends_process() => {
            (simulator.clone(), false)
        }
        Some(_) => (gpu, false),
        None if gpu == CaseOutcome::Agrees && about_accesses(seen) => (simulator.clone(), false),
        None => {
            let disagree = gpu == CaseOutcome::Agrees && about_values(seen);
            (gpu, disagree)
        }
    }
}

/// What is left of a judged case beside an inspection of the same source as it was written: a mistake with memory that
/// only the inspection shows counts, and values are never its business.
pub fn with_inspection(judged: CaseOutcome, inspected: &CaseOutcome) -> CaseOutcome {
    let Some((seen, _)) = inspected.failure().filter(|(seen, _)| about_accesses(*seen)) else { return judged };
    match judged.failure() {
        Some((kind, _)) if kind <= seen => judged,
        None if judged != CaseOutcome::Agrees => judged,
        _ => inspected.clone(),
    }
}

/// Faults that a GPU may not show although they are there.
fn about_accesses(kind: VerdictKind) -> bool {
    kind >= VerdictKind::OobRead && kind <= VerdictKind::UninitRead
}

fn about_values(kind: VerdictKind) -> bool {
    kind >= VerdictKind::InputModified && kind <= VerdictKind::WrongValues
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::finding::Finding;

    fn fails(kind: VerdictKind, line: Option<u32>) -> CaseOutcome {
        CaseOutcome::Failed { kind, finding: Box::new(Finding::Illegal { error: String::new(), line, who: None }) }
    }

    fn check(gpu: &CaseOutcome, simulator: &CaseOutcome, expect: &CaseOutcome, disagree: bool) {
        assert_eq!(merge(gpu.clone(), simulator), (expect.clone(), disagree));
    }

    #[test]
    fn an_inspection_adds_what_the_optimiser_removed() {
        use VerdictKind::{OobRead, TimeLimit, UninitRead, WrongValues};
        let agrees = CaseOutcome::Agrees;
        let unset = fails(UninitRead, Some(8));
        let check = |judged: &CaseOutcome, inspected: &CaseOutcome, expect: &CaseOutcome| {
            assert_eq!(with_inspection(judged.clone(), inspected), *expect, "{judged:?} {inspected:?}");
        };
        check(&agrees, &unset, &unset);
        check(&fails(WrongValues, None), &unset, &unset);
        check(&fails(OobRead, Some(3)), &unset, &fails(OobRead, Some(3)));
        check(&unset, &unset, &unset);
        check(&agrees, &agrees, &agrees);
        for silent in [fails(WrongValues, None), fails(TimeLimit, Some(1)), CaseOutcome::NotRun] {
            check(&agrees, &silent, &agrees);
        }
        check(&CaseOutcome::NotRun, &unset, &CaseOutcome::NotRun);
    }

    #[test]
    fn the_better_word_wins() {
        use VerdictKind::{Illegal, MemoryLimit, OobRead, OobWrite, RaceShared, TimeLimit, WrongValues};
        let agrees = CaseOutcome::Agrees;
        let stray = fails(OobRead, Some(7));
        check(&agrees, &agrees, &agrees, false);
        check(&agrees, &stray, &stray, false);
        check(&agrees, &fails(RaceShared, Some(3)), &fails(RaceShared, Some(3)), false);
        check(&fails(Illegal, None), &stray, &stray, false);
        check(&fails(Illegal, None), &fails(MemoryLimit, Some(6)), &fails(MemoryLimit, Some(6)), false);
        check(&fails(Illegal, Some(2)), &fails(MemoryLimit, Some(6)), &fails(Illegal, Some(2)), false);
        check(&fails(OobWrite, None), &stray, &stray, false);
        check(&fails(TimeLimit, None), &fails(TimeLimit, Some(4)), &fails(TimeLimit, Some(4)), false);
        check(&fails(WrongValues, None), &agrees, &fails(WrongValues, None), true);
        check(&agrees, &fails(WrongValues, None), &agrees, true);
        check(&agrees, &fails(TimeLimit, Some(1)), &agrees, false);
        check(&agrees, &CaseOutcome::NotRun, &agrees, false);
        check(&CaseOutcome::NotRun, &stray, &CaseOutcome::NotRun, false);
    }
}
