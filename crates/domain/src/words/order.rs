//! Words for what has no order: races, and reads of what nobody wrote.

use super::{Words, comma_line, hidden, sentence_start, thread, words};
use crate::finding::{Access, Finding, Missing, RaceSide, Related, RelatedKind, Space, Thread};

/// Adds what stands at other lines, each in one sentence.
pub(super) fn with_related(mut words: Words, related: &[Related], line: Option<u32>, buffer: Option<&str>) -> Words {
    let name = buffer.map_or("It".to_owned(), |buffer| format!("`{buffer}`"));
    let mut told = vec![];
    // What wrapped is told also where it is the line itself.
    let is_news = |related: &&Related| Some(related.line) != line || related.what == RelatedKind::Overflow;
    for Related { line: at, what } in related.iter().filter(is_news) {
        // One line is told once, by what is most of it.
        if told.contains(at) {
            continue;
        }
        told.push(*at);
        words.explanation.push_str(&match what {
            RelatedKind::Declaration => format!(" {name} is declared at line {at}."),
            RelatedKind::Condition => format!(" The condition at line {at} leads there."),
            RelatedKind::Store => format!(" {name} is stored to at line {at}."),
            RelatedKind::Left => format!(" Threads of the block had ended at line {at} before."),
            RelatedKind::Overflow => format!(
                " At line {at} the index did not fit into 32 bits and wrapped: one of its factors must be wider, such as `size_t`."
            ),
            RelatedKind::BlockBarrier => format!(" The barrier at line {at} waits for one block only."),
        });
    }
    words
}

pub(super) fn of_order(finding: &Finding) -> Words {
    match finding {
        Finding::Race { line, buffer, related, .. } => {
            with_related(of_race(finding), related, *line, Some(buffer.as_str()))
        }
        Finding::Uninitialised { line, buffer, related, .. } => {
            with_related(of_race(finding), related, *line, buffer.as_deref())
        }
        Finding::AbsentLane { line, who } => words(
            format!("A shuffle reads a lane that is not there{}", comma_line(*line)),
            match who {
                Some(who) => format!(
                    "{} used a value from a lane of its warp that takes no part in the shuffle: it has ended, or is elsewhere.",
                    sentence_start(&thread(who))
                ),
                None => hidden(*line),
            },
            "Which lanes are still there at this line, and does the mask name only those?",
        ),
        _ => words("", "", ""),
    }
}

fn of_race(finding: &Finding) -> Words {
    match finding {
        Finding::Race { space, buffer, missing, line, other_line, at, .. } => {
            let place = match at {
                Some(at) => format!("`{buffer}[{}]`", at.index),
                None => format!("`{buffer}`"),
            };
            let explanation = match at {
                Some(at) => format!(
                    "{}, and {}{}.{}",
                    sentence_start(&side(&at.later, *line, &place)),
                    side(&at.earlier, *other_line, "the same place"),
                    if *missing == Missing::Coherence { "" } else { ", with nothing in between that orders them" },
                    space_note(*space, *missing)
                ),
                None => hidden(*line),
            };
            words(race_title(*missing, *line, *other_line, buffer), explanation, next(*missing))
        }
        Finding::Uninitialised { space: None, buffer, line, at, .. } => {
            of_variable(buffer.as_deref(), *line, at.as_ref().map(|(who, _)| who))
        }
        Finding::Uninitialised { space, buffer, line, at, .. } => {
            let what = buffer.as_ref().map_or("a variable".to_owned(), |buffer| match at {
                Some((_, index)) => format!("`{buffer}[{index}]`"),
                None => format!("`{buffer}`"),
            });
            let explanation = match at {
                Some((who, _)) => format!(
                    "{} used {what} before anything was stored there.{}",
                    sentence_start(&thread(who)),
                    if *space == Some(Space::Shared) {
                        " Shared memory holds what earlier blocks left, or nothing at all."
                    } else {
                        ""
                    }
                ),
                None => hidden(*line),
            };
            words(
                format!("Reads what nobody wrote{}", comma_line(*line)),
                explanation,
                "Which thread should have stored it, and was it before this line?",
            )
        }
        _ => words("", "", ""),
    }
}

/// A variable of a thread.
fn of_variable(name: Option<&str>, line: Option<u32>, who: Option<&Thread>) -> Words {
    let variable = name.map_or("a variable".to_owned(), |name| format!("`{name}`"));
    let place = line.map_or(String::new(), |line| format!(" at line {line}"));
    let explanation = match who {
        Some(who) => format!("{} used {variable} before it had a value.", sentence_start(&thread(who))),
        None => format!("{} is used{place} before it has a value.", sentence_start(&variable)),
    };
    words(
        format!("Uses {variable} before it has a value{}", comma_line(line)),
        format!("{explanation} What it holds then is chance."),
        "What should it start from?",
    )
}

fn race_title(missing: Missing, line: Option<u32>, other: Option<u32>, buffer: &str) -> String {
    let lines = match (line, other) {
        (Some(a), Some(b)) if a != b => format!(", lines {} and {}", a.min(b), a.max(b)),
        (line, _) => comma_line(line),
    };
    match missing {
        Missing::OneWriter => format!("Several threads store different values to one place of `{buffer}`{lines}"),
        Missing::SameValue => format!("Several threads store the same value to one place of `{buffer}`{lines}"),
        _ => format!("Two threads race for `{buffer}`{lines}"),
    }
}

fn side(side: &RaceSide, line: Option<u32>, place: &str) -> String {
    let verb = match (side.access, side.atomic) {
        (_, true) => "updates",
        (Access::Read, false) => "reads",
        (Access::Write, false) => "writes",
    };
    let at = line.map_or(String::new(), |line| format!(" at line {line}"));
    format!("{} {verb} {place}{at}", thread(&side.who))
}

fn space_note(space: Space, missing: Missing) -> &'static str {
    match (missing, space) {
        (Missing::WarpSync, _) => " Lanes of one warp need not run in step.",
        (Missing::BlockOrder | Missing::Atomic, _) => " Blocks run in any order, also at the same time.",
        (Missing::SameValue, _) => " That does no harm on today's GPUs, but the language leaves it undefined.",
        (Missing::WiderScope, _) => " The atomic is meant for one block only.",
        (Missing::Coherence, _) => {
            " `__ldg` and pointers that are `const` and `__restrict__` are for what nobody stores to while the kernel runs."
        }
        _ => "",
    }
}

fn next(missing: Missing) -> &'static str {
    match missing {
        Missing::Barrier => "Where must all threads of the block have arrived: is a `__syncthreads()` missing?",
        Missing::WarpSync => "Is a `__syncwarp()` missing between the two lines?",
        Missing::SameValue => "Can one thread store it?",
        Missing::OneWriter => "Which one thread should store it, or should it be an atomic?",
        Missing::BlockOrder => {
            "Can each block have a place of its own, or an atomic with a `__threadfence()` order them?"
        }
        Missing::Atomic => "Must the other access be atomic too, or come after a `__threadfence()`?",
        Missing::WiderScope => "Which atomic reaches all blocks?",
        Missing::Coherence => "Can the read do without `__ldg`, or the pointer without `__restrict__`?",
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::{Access, Finding, Missing, RaceFacts, RaceSide, Related, RelatedKind, Space, Thread};
    use crate::verdict::VerdictKind;
    use crate::words::of_finding;

    fn thread(x: u32) -> Thread {
        Thread { block: [0; 3], thread: [x, 0, 0], block_size: [256, 1, 1] }
    }

    #[test]
    fn a_race_names_both_sides_and_what_is_missing() {
        let later = RaceSide { who: thread(40), access: Access::Read, atomic: false };
        let earlier = RaceSide { who: thread(3), access: Access::Write, atomic: false };
        let finding = Finding::Race {
            space: Space::Shared,
            buffer: "tile".into(),
            missing: Missing::Barrier,
            line: Some(9),
            other_line: Some(7),
            at: Some(RaceFacts { index: 3, size: 256, later, earlier }),
            related: vec![Related { line: 4, what: RelatedKind::Declaration }],
        };
        let words = of_finding(VerdictKind::RaceShared, &finding);
        assert_eq!(words.title, "Two threads race for `tile`, lines 7 and 9");
        assert_eq!(
            words.explanation,
            "Thread (40, 0, 0) of block (0, 0, 0) reads `tile[3]` at line 9, and thread (3, 0, 0) of block (0, 0, 0) \
             writes the same place at line 7, with nothing in between that orders them. `tile` is declared at line 4."
        );
        assert!(words.next.contains("__syncthreads()"));
        let hidden = of_finding(VerdictKind::RaceShared, &finding.redacted());
        assert!(!hidden.explanation.contains("40") && hidden.title.contains("lines 7 and 9"), "{hidden:?}");
    }

    #[test]
    fn a_read_of_constant_data_lacks_no_order() {
        let later = RaceSide { who: thread(40), access: Access::Read, atomic: false };
        let earlier = RaceSide { who: thread(3), access: Access::Write, atomic: false };
        let finding = Finding::Race {
            space: Space::Global,
            buffer: "partial".into(),
            missing: Missing::Coherence,
            line: Some(9),
            other_line: Some(7),
            at: Some(RaceFacts { index: 3, size: 256, later, earlier }),
            related: vec![],
        };
        let words = of_finding(VerdictKind::RaceGlobal, &finding);
        assert_eq!(
            words.explanation,
            "Thread (40, 0, 0) of block (0, 0, 0) reads `partial[3]` at line 9, and thread (3, 0, 0) of block \
             (0, 0, 0) writes the same place at line 7. `__ldg` and pointers that are `const` and `__restrict__` are \
             for what nobody stores to while the kernel runs."
        );
    }

    #[test]
    fn an_unwritten_read_names_what_was_read() {
        let finding = Finding::Uninitialised {
            space: Some(Space::Shared),
            buffer: Some("part".into()),
            line: Some(8),
            at: Some((thread(5), 261)),
            related: vec![Related { line: 6, what: RelatedKind::Store }],
        };
        let words = of_finding(VerdictKind::UninitRead, &finding);
        assert_eq!(words.title, "Reads what nobody wrote, line 8");
        assert!(
            words.explanation.starts_with("Thread (5, 0, 0) of block (0, 0, 0) used `part[261]` before"),
            "{words:?}"
        );
        assert!(words.explanation.ends_with("`part` is stored to at line 6."), "{words:?}");
    }
}
