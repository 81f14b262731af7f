//! Words for what stops a run.

use super::{Words, comma_line, hidden, sentence_start, thread, words};
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
                format!("Stopped by the device: {}", error.trim_end_matches('.'))
            },
            match (line, who) {
                (Some(line), Some(who)) => {
                    format!("{} was at line {line}.", sentence_start(&thread(who)))
                }
                _ => hidden(*line),
            },
            "What must be true at that line?",
        ),
        Finding::BarrierDivergent { .. } | Finding::TimeLimit { .. } => super::waiting::of_waiting(finding),
        Finding::MemoryLimit { reason, line } => words(
            format!("Asked for too much memory{}", comma_line(*line)),
            if reason.is_empty() { hidden(*line) } else { reason.clone() },
            "Is it needed per thread?",
        ),
        _ => words(kind.as_str(), "", ""),
    }
}
