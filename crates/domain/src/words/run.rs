//! Words for what stops a run.

use super::{Words, comma_line, hidden, seconds, sentence_start, thread, words};
use crate::finding::Finding;
use crate::verdict::VerdictKind;

pub(super) fn of_run(kind: VerdictKind, finding: &Finding) -> Words {
    match finding {
        Finding::Unsupported { what, line } => words(
            "The simulator cannot run this",
            format!(
                "It does not know `{what}`{}. No attempt was used.",
                line.map_or(String::new(), |l| format!(", used at or near line {l}"))
            ),
            "Submit it where a GPU grades, or write it another way.",
        ),
        Finding::LaunchResources { reason } => words(
            "The kernel could not start",
            if reason.is_empty() { hidden(None) } else { format!("{reason} So no thread ran.") },
            "What could each block hold less of?",
        ),
        Finding::Misaligned { access_bytes, line, at } => words(
            format!("Misaligned access{}", comma_line(*line)),
            match at {
                Some((who, address)) => format!(
                    "{} made a {access_bytes}-byte access at byte {address}, which is no multiple of {access_bytes}.",
                    who.map_or("A thread".to_owned(), |who| sentence_start(&thread(&who)))
                ),
                None => hidden(*line),
            },
            "Does the length of a row keep every row aligned?",
        ),
        Finding::Illegal { error, line, who } => words(
            if error.is_empty() {
                "Stopped by the device".to_owned()
            } else {
                format!("Stopped by the device: {error}")
            },
            match (line, who) {
                (Some(line), Some(who)) => {
                    format!("{} was at line {line}.", sentence_start(&thread(who)))
                }
                _ => hidden(*line),
            },
            "What must be true at that line?",
        ),
        Finding::BarrierDivergent { .. } | Finding::TimeLimit { .. } => of_waiting(finding),
        Finding::MemoryLimit { reason, line } => words(
            format!("Asked for too much memory{}", comma_line(*line)),
            if reason.is_empty() { hidden(*line) } else { reason.clone() },
            "Is it needed per thread?",
        ),
        _ => words(kind.as_str(), "", ""),
    }
}

fn of_waiting(finding: &Finding) -> Words {
    match finding {
        Finding::BarrierDivergent { line, who, arrived, expected } => words(
            format!("Not every thread reaches the barrier{}", comma_line(*line)),
            match (arrived, expected) {
                (Some(arrived), Some(expected)) => format!(
                    "{arrived} of {expected} threads arrive{}. The rest would wait for ever.",
                    who.map_or(String::new(), |who| format!("; {} does not", thread(&who)))
                ),
                _ => hidden(*line),
            },
            "Can the condition stand inside, and the barrier outside?",
        ),
        Finding::TimeLimit { limit_ms, line, who, warps } => words(
            format!("Did not finish in {}", seconds(*limit_ms)),
            match (line, who) {
                (Some(line), Some(who)) => format!(
                    "At that moment {} at line {line}; one of them holds {}.",
                    match warps {
                        Some(1) | None => "a warp was".to_owned(),
                        Some(count) => format!("{count} warps were"),
                    },
                    thread(who)
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
