//! The words for every verdict: one title, one explanation, one question.
//!
//! The kernel is the subject, not the learner; facts first; no blame. The same finding always has the
//! same title. Text is plain: pages escape it, terminals print it.

use crate::verdict::{
    Access, CompileLimit, Finding, Mark, Mismatch, OurReason, Reach, Space, Thread, Verdict,
    VerdictKind,
};

/// What a page or a terminal shows of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The headline.
    pub title: String,
    /// One to three sentences of facts.
    pub explanation: String,
    /// What to ask oneself next.
    pub next: String,
}

fn words(
    title: impl Into<String>,
    explanation: impl Into<String>,
    next: impl Into<String>,
) -> Words {
    Words {
        title: title.into(),
        explanation: explanation.into(),
        next: next.into(),
    }
}

/// The words of a verdict.
pub fn of(verdict: &Verdict) -> Words {
    match &verdict.finding {
        Some(finding) => of_finding(verdict.kind, finding),
        None => accepted(verdict),
    }
}

fn accepted(verdict: &Verdict) -> Words {
    let agreed = verdict.agreed();
    let cases = if agreed == 1 {
        "The one case agrees".to_owned()
    } else {
        format!("All {agreed} cases agree")
    };
    if verdict.marks.contains(&Mark::TimingPending) {
        return words(
            "Accepted; timing waits for a GPU",
            format!(
                "{cases}, and no access leaves its buffer. This was judged on: {}.",
                verdict.device
            ),
            "Nothing to do. Go on with the next lesson.",
        );
    }
    words(
        "Accepted",
        format!("{cases}, and no access leaves its buffer."),
        "Go on with the next lesson.",
    )
}

/// The words of one finding, also of a case that is not the first failure.
pub fn of_finding(kind: VerdictKind, finding: &Finding) -> Words {
    match finding {
        Finding::CompileError { .. }
        | Finding::CompileNoKernel { .. }
        | Finding::CompileInclude { .. }
        | Finding::CompileRefused { .. }
        | Finding::CompileLimit { .. }
        | Finding::SignatureMismatch { .. } => of_compile(finding),
        Finding::OutOfBounds {
            access,
            space,
            buffer,
            line,
            at,
        } => out_of_bounds(*access, *space, buffer.as_deref(), *line, at.as_ref()),
        Finding::WriteConst { .. }
        | Finding::Nan { .. }
        | Finding::Untouched { .. }
        | Finding::WrongValues { .. }
        | Finding::OutputFlood { .. } => of_values(finding),
        Finding::OurFault { .. } => of_ours(finding),
        _ => of_run(kind, finding),
    }
}

fn of_compile(finding: &Finding) -> Words {
    match finding {
        Finding::CompileError { line, message } => words(
            format!("Does not compile{}", colon_line(*line)),
            sentence(message),
            "Fix the first message first; later ones often follow from it.",
        ),
        Finding::CompileNoKernel { signature, found } => words(
            "The kernel was not found",
            format!(
                "The grader launches `{signature}` and cannot find it. Found: {}.",
                if found.is_empty() {
                    "no kernel at all".to_owned()
                } else {
                    found.join(", ")
                }
            ),
            "Compare name and arguments with the task, and keep `extern \"C\"`.",
        ),
        Finding::CompileInclude { header, line } => words(
            format!("`{header}` is not available here"),
            "Kernels here are compiled alone, without host headers. The built-in variables, `printf` and the device functions need no include; CUDA's own headers such as <cuda_fp16.h> can be included.",
            format!(
                "Remove {}; what it gave is built in.",
                line.map_or("the include".to_owned(), |l| format!("line {l}"))
            ),
        ),
        Finding::CompileRefused { line } => words(
            "This include is not allowed",
            format!(
                "{} asks for a path outside your files.",
                line.map_or("An include".to_owned(), |l| format!("Line {l}"))
            ),
            "Use CUDA's own headers by their names.",
        ),
        Finding::CompileLimit { limit } => {
            let (title, explanation) = match limit {
                CompileLimit::Time => (
                    "Compiling took too long",
                    "It was stopped after 10 s. Deep templates or very large unrolling can do this.",
                ),
                CompileLimit::Memory => (
                    "Compiling took too much memory",
                    "The compiler was stopped at its limit. Large initialised arrays or deep templates can do this.",
                ),
                CompileLimit::Log => (
                    "The compiler said too much",
                    "Its messages passed 1 MB, so it was stopped.",
                ),
                CompileLimit::Image => (
                    "The compiled program is too large",
                    "The limit is 4 MB. Very large unrolling can do this.",
                ),
            };
            words(
                title,
                explanation,
                "What is unrolled or instantiated most? Try a smaller count.",
            )
        }
        Finding::SignatureMismatch {
            signature,
            difference,
        } => words(
            "The arguments differ from the task's",
            format!("The grader calls `{signature}`. {difference}"),
            "Compare the parameters with the task, one by one.",
        ),
        _ => words("Does not compile", "", ""),
    }
}

fn out_of_bounds(
    access: Access,
    space: Space,
    buffer: Option<&str>,
    line: Option<u32>,
    at: Option<&Reach>,
) -> Words {
    let name = buffer.unwrap_or("a buffer");
    let before = at.is_some_and(|reach| reach.index < 0);
    let title = match (space, access) {
        (Space::Null, _) => format!("Null pointer{}", comma_line(line)),
        (Space::Wild, _) => format!("Address in nobody's memory{}", comma_line(line)),
        (Space::Shared, _) => format!("Outside the shared array `{name}`{}", comma_line(line)),
        (Space::Local, _) => format!("Outside the local array `{name}`{}", comma_line(line)),
        (Space::Global, _) if before => format!("Before the start of `{name}`{}", comma_line(line)),
        (Space::Global, Access::Write) => format!("Past the end of `{name}`{}", comma_line(line)),
        (Space::Global, Access::Read) => {
            format!("Reads past the end of `{name}`{}", comma_line(line))
        }
    };
    let verb = match access {
        Access::Read => "read",
        Access::Write => "wrote",
    };
    let Some(reach) = at else {
        return words(
            title,
            hidden(line),
            "Which condition must hold before this line may touch memory?",
        );
    };
    let who = reach
        .who
        .map_or("A thread".to_owned(), |who| sentence_start(&thread(&who)));
    let mut explanation = match space {
        Space::Null => format!("{who} followed a pointer that is null."),
        Space::Wild => format!("{who} used an address in none of the arguments."),
        _ => format!(
            "{who} {verb} `{name}[{}]`. It has {} element{}{}.",
            reach.index,
            reach.size,
            plural(reach.size),
            if reach.size > 0 {
                format!(", so the last index is {}", reach.size - 1)
            } else {
                String::new()
            }
        ),
    };
    if let Some(arithmetic) = reach.who.and_then(|who| arithmetic(&who, reach.index)) {
        explanation.push_str(&format!(" {arithmetic}."));
    }
    if reach.threads > 1 {
        explanation.push_str(&format!(" {} threads do this.", reach.threads));
    }
    let next = if before {
        "Which thread has no left neighbour?".to_owned()
    } else if space == Space::Global && reach.launched > reach.size {
        format!(
            "{} threads are launched for {} element{}. What should the others do?",
            reach.launched,
            reach.size,
            plural(reach.size)
        )
    } else {
        "Which condition must hold before this line may touch memory?".to_owned()
    };
    words(title, explanation, next)
}

fn of_run(kind: VerdictKind, finding: &Finding) -> Words {
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
            if reason.is_empty() {
                hidden(None)
            } else {
                format!("{reason} So no thread ran.")
            },
            "What could each block hold less of?",
        ),
        Finding::Misaligned {
            access_bytes,
            line,
            at,
        } => words(
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
        Finding::BarrierDivergent {
            line,
            who,
            arrived,
            expected,
        } => words(
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
        Finding::TimeLimit {
            limit_ms,
            line,
            who,
            warps,
        } => words(
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
        Finding::MemoryLimit { reason, line } => words(
            format!("Asked for too much memory{}", comma_line(*line)),
            if reason.is_empty() {
                hidden(*line)
            } else {
                reason.clone()
            },
            "Is it needed per thread?",
        ),
        _ => words(kind.as_str(), "", ""),
    }
}

fn of_values(finding: &Finding) -> Words {
    match finding {
        Finding::WriteConst { buffer, index } => words(
            format!("Writes to the input `{buffer}`"),
            match index {
                Some(index) => format!("`{buffer}` is an input and was changed at index {index}."),
                None => format!("`{buffer}` is an input and was changed, in a hidden case."),
            },
            "Where should the result go?",
        ),
        Finding::Nan { buffer, at } => match at {
            Some(m) => words(
                format!("Not a number at `{buffer}[{}]`", m.index),
                format!(
                    "Expected {}, got {}. {} of {} elements differ.",
                    m.expected, m.got, m.count, m.size
                ),
                "Which operation has no answer for this input?",
            ),
            None => words(
                format!("Not a number in `{buffer}`"),
                hidden(None),
                "Which operation has no answer for some input?",
            ),
        },
        Finding::Untouched { buffer, at } => match at {
            Some(m) => words(
                format!("Part of `{buffer}` was never written"),
                format!(
                    "{} of {} element{} still hold{} our marker; the first is `{buffer}[{}]`.{}",
                    m.count,
                    m.size,
                    plural(m.size),
                    if m.count == 1 { "s" } else { "" },
                    m.index,
                    owner(m)
                ),
                "Which threads own these elements?",
            ),
            None => words(
                format!("Part of `{buffer}` was never written"),
                hidden(None),
                "Which threads own the elements that are left?",
            ),
        },
        Finding::WrongValues { buffer, at } => match at {
            Some(m) => words(
                format!("Wrong from `{buffer}[{}]` on", m.index),
                format!(
                    "Expected {}, got {}{}. {} of {} element{} differ{}.{}",
                    m.expected,
                    m.got,
                    m.difference.map_or(String::new(), |d| format!(
                        "; off by {}, allowed {}",
                        short(d),
                        short(m.allowed)
                    )),
                    m.count,
                    m.size,
                    plural(m.size),
                    if m.count == 1 { "s" } else { "" },
                    owner(m)
                ),
                format!(
                    "Work out `{buffer}[{}]` by hand: which inputs does it need?",
                    m.index
                ),
            ),
            None => words(
                format!("Wrong values in `{buffer}`"),
                hidden(None),
                "Which sizes do the visible cases not have?",
            ),
        },
        Finding::OutputFlood { .. } => words(
            "Printed more than we keep",
            "A case may print 1 MiB. The first 16 384 characters of visible cases are kept.",
            "Print from one thread: `if (threadIdx.x == 0)`.",
        ),
        _ => words("", "", ""),
    }
}

fn of_ours(finding: &Finding) -> Words {
    let Finding::OurFault { reference, reason } = finding else {
        return words("", "", "");
    };
    match reason {
        OurReason::GaveUp => words(
            "Our fault: we could not grade this",
            format!("Three starts failed. Your attempt is given back; reference {reference}."),
            "Submit again when you like.",
        ),
        OurReason::Content => words(
            "Our fault: the task is broken",
            format!(
                "The reference solution fails here as well. Your attempt is given back; reference {reference}."
            ),
            "Go on with the next exercise.",
        ),
        OurReason::UnknownExercise => words(
            "Our fault: the task is gone",
            format!(
                "The grader does not know this exercise any more. Your attempt is given back; reference {reference}."
            ),
            "Go back to the course.",
        ),
    }
}

/// `thread (1, 0, 0) of block (7, 0, 0)`.
pub fn thread(who: &Thread) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
    format!(
        "thread {} of block {}",
        triple(who.thread),
        triple(who.block)
    )
}

/// `3 × 256 + 232 = 1000`, where that is how the index came about.
fn arithmetic(who: &Thread, index: i64) -> Option<String> {
    let [block, thread, size] = [who.block[0], who.thread[0], who.block_size[0]].map(i64::from);
    let flat =
        who.block[1..] == [0, 0] && who.thread[1..] == [0, 0] && who.block_size[1..] == [1, 1];
    (flat && block * size + thread == index)
        .then(|| format!("{block} × {size} + {thread} = {index}"))
}

fn owner(mismatch: &Mismatch) -> String {
    let Some(who) = mismatch.who else {
        return String::new();
    };
    let sum =
        arithmetic(&who, mismatch.index as i64).map_or(String::new(), |sum| format!(": {sum}"));
    format!(
        " With one thread per element, it belongs to {}{sum}.",
        thread(&who)
    )
}

fn sentence_start(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn sentence(text: &str) -> String {
    let text = sentence_start(text.trim());
    if text.ends_with(['.', '!', '?']) {
        text
    } else {
        format!("{text}.")
    }
}

fn hidden(line: Option<u32>) -> String {
    match line {
        Some(line) => format!("It happens at or near line {line}, in a hidden case."),
        None => "It happens in a hidden case, so its numbers are not shown.".to_owned(),
    }
}

fn comma_line(line: Option<u32>) -> String {
    line.map_or(String::new(), |line| format!(", line {line}"))
}

fn colon_line(line: Option<u32>) -> String {
    line.map_or(String::new(), |line| format!(": line {line}"))
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn seconds(milliseconds: u64) -> String {
    if milliseconds.is_multiple_of(1000) {
        format!("{} s", milliseconds / 1000)
    } else {
        format!("{milliseconds} ms")
    }
}

/// Four significant digits, without an exponent where that reads well.
fn short(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&value.abs()) {
        let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_bounds_can_be_checked_by_hand() {
        let who = Thread {
            block: [7, 0, 0],
            thread: [104, 0, 0],
            block_size: [128, 1, 1],
        };
        let finding = Finding::OutOfBounds {
            access: Access::Read,
            space: Space::Global,
            buffer: Some("a".into()),
            line: Some(7),
            at: Some(Reach {
                who: Some(who),
                index: 1000,
                size: 1000,
                threads: 24,
                launched: 1024,
            }),
        };
        let words = of_finding(VerdictKind::OobRead, &finding);
        assert_eq!(words.title, "Reads past the end of `a`, line 7");
        assert_eq!(
            words.explanation,
            "Thread (104, 0, 0) of block (7, 0, 0) read `a[1000]`. It has 1000 elements, so the last index is 999. \
             7 × 128 + 104 = 1000. 24 threads do this."
        );
        assert_eq!(
            words.next,
            "1024 threads are launched for 1000 elements. What should the others do?"
        );
        let hidden = of_finding(VerdictKind::OobRead, &finding.redacted());
        assert_eq!(
            hidden.explanation,
            "It happens at or near line 7, in a hidden case."
        );
    }

    #[test]
    fn numbers_are_short() {
        for (value, expect) in [
            (0.0, "0"),
            (0.1705, "0.1705"),
            (6.1e-7, "6.100e-7"),
            (1000.0, "1000"),
            (12.5, "12.5"),
        ] {
            assert_eq!(short(value), expect);
        }
    }
}
