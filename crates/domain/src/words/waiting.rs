//! Words for kernels that do not end: a barrier that some never reach, a deadlock, a loop.

use super::{Words, comma_line, hidden, plural, seconds, sentence, thread, words};
use crate::finding::{Finding, Waiting, WaitsFor, is_deadlock};

/// Groups of threads that are told of.
const TOLD_MAX: usize = 3;

pub(super) fn of_waiting(finding: &Finding) -> Words {
    match finding {
        Finding::BarrierDivergent { line, who, arrived, expected, waiting } => {
            let elsewhere: Vec<&Waiting> =
                waiting.iter().filter(|waiting| waiting.what != WaitsFor::Barrier || waiting.line != *line).collect();
            words(
                format!("Not every thread reaches the barrier{}", comma_line(*line)),
                match (arrived, expected) {
                    (Some(arrived), Some(expected)) if elsewhere.is_empty() => format!(
                        "{arrived} of {expected} threads arrive{}. The rest would wait for ever.",
                        who.map_or(String::new(), |who| format!("; {} does not", thread(&who)))
                    ),
                    (Some(arrived), Some(expected)) => format!(
                        "A deadlock: {arrived} of {expected} threads arrive. Meanwhile {}",
                        sentence(&places(&elsewhere))
                    ),
                    _ => hidden(*line),
                },
                "Can the condition stand inside, and the barrier outside?",
            )
        }
        Finding::TimeLimit { limit_ms, line, waiting, .. } if is_deadlock(waiting) => words(
            format!("Deadlock{}", comma_line(*line)),
            format!(
                "{} So nobody of the block can change what they wait for; it was stopped after {}.",
                sentence(&places(&waiting.iter().collect::<Vec<_>>())),
                seconds(*limit_ms)
            ),
            next_of(waiting),
        ),
        Finding::TimeLimit { limit_ms, line, who, warps, waiting } => words(
            format!("Did not finish in {}", seconds(*limit_ms)),
            match (line, who) {
                (Some(line), Some(who)) => format!(
                    "At that moment {} at line {line}, with {}.{}",
                    match warps {
                        Some(1) | None => "a warp was".to_owned(),
                        Some(count) => format!("{count} warps were"),
                    },
                    thread(who),
                    beside(waiting)
                ),
                (Some(line), None) => format!("At that moment it was at line {line}."),
                _ => "It was stopped there.".to_owned(),
            },
            line.map_or("What must change for the loop to end?".to_owned(), |line| {
                format!("Can the condition at line {line} ever become false?")
            }),
        ),
        _ => words("", "", ""),
    }
}

/// Who waits while others run.
fn beside(waiting: &[Waiting]) -> String {
    let others: Vec<&Waiting> = waiting.iter().filter(|waiting| waiting.what != WaitsFor::Nothing).collect();
    if others.is_empty() { String::new() } else { format!(" {}", sentence(&places(&others))) }
}

/// `31 threads wait at line 9 for lock[0], which holds 1; 1 thread waits at line 12 at a barrier`.
fn places(waiting: &[&Waiting]) -> String {
    let one = |waiting: &&Waiting| {
        let line = waiting.line.map_or(String::new(), |line| format!(" at line {line}"));
        let what = match &waiting.what {
            WaitsFor::Barrier => " at a barrier".to_owned(),
            WaitsFor::Lanes => " for other lanes of their warp".to_owned(),
            WaitsFor::Nothing => String::new(),
            WaitsFor::Memory { buffer, index, holds, .. } => {
                format!(" for `{}[{index}]`, which holds {holds}", buffer.as_deref().unwrap_or("memory"))
            }
        };
        let (count, verb) = (waiting.threads, if waiting.what == WaitsFor::Nothing { "run" } else { "wait" });
        let verb = if count == 1 { format!("{verb}s") } else { verb.to_owned() };
        format!("{count} thread{} {verb}{line}{what}", plural(count))
    };
    waiting.iter().take(TOLD_MAX).map(one).collect::<Vec<_>>().join("; ")
}

/// The question after a deadlock.
fn next_of(waiting: &[Waiting]) -> String {
    let memory = waiting.iter().find_map(|waiting| match &waiting.what {
        WaitsFor::Memory { buffer, index, .. } => Some(format!("{}[{index}]", buffer.as_deref().unwrap_or("memory"))),
        _ => None,
    });
    match memory {
        Some(place) => format!("Who should store to `{place}`, and what keeps it from coming there?"),
        None => "Which threads should come there, and what keeps them?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Space, Thread};
    use crate::verdict::VerdictKind;

    fn waiting(line: u32, threads: u64, what: WaitsFor) -> Waiting {
        let who = Thread { block: [0; 3], thread: [0; 3], block_size: [64, 1, 1] };
        Waiting { line: Some(line), threads, who, what }
    }

    fn lock() -> WaitsFor {
        WaitsFor::Memory { space: Space::Global, buffer: Some("lock".into()), index: 0, holds: 1 }
    }

    fn told(waiting: Vec<Waiting>) -> Words {
        let finding = Finding::TimeLimit { limit_ms: 2000, line: Some(9), who: None, warps: Some(1), waiting };
        super::super::of_finding(VerdictKind::TimeLimit, &finding)
    }

    #[test]
    fn a_deadlock_says_who_waits_where_and_for_what() {
        let words = told(vec![waiting(9, 63, lock()), waiting(12, 1, WaitsFor::Barrier)]);
        assert_eq!(words.title, "Deadlock, line 9");
        assert_eq!(
            words.explanation,
            "63 threads wait at line 9 for `lock[0]`, which holds 1; 1 thread waits at line 12 at a barrier. \
             So nobody of the block can change what they wait for; it was stopped after 2 s."
        );
        assert_eq!(words.next, "Who should store to `lock[0]`, and what keeps it from coming there?");
    }

    #[test]
    fn who_runs_makes_it_no_deadlock() {
        let words = told(vec![waiting(20, 1, WaitsFor::Nothing), waiting(9, 63, lock())]);
        assert_eq!(words.title, "Did not finish in 2 s");
    }

    #[test]
    fn a_barrier_says_what_the_others_wait_for() {
        let finding = Finding::BarrierDivergent {
            line: Some(5),
            who: None,
            arrived: Some(32),
            expected: Some(64),
            waiting: vec![waiting(5, 32, WaitsFor::Barrier), waiting(9, 32, WaitsFor::Lanes)],
        };
        let words = super::super::of_finding(VerdictKind::BarrierDivergence, &finding);
        assert_eq!(
            words.explanation,
            "A deadlock: 32 of 64 threads arrive. Meanwhile 32 threads wait at line 9 for other lanes of their warp."
        );
    }
}
