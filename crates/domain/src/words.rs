//! The words for every verdict: one title, one explanation, one question.
//!
//! The kernel is the subject, not the learner; facts first; no blame. The same finding always has the
//! same title. Text is plain: pages escape it, terminals print it.

use crate::finding::{Finding, Mismatch, OurReason, Thread};
use crate::verdict::{Mark, Verdict, VerdictKind};

mod access;
mod compile;
mod order;
mod run;
mod values;
mod waiting;

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

fn words(title: impl Into<String>, explanation: impl Into<String>, next: impl Into<String>) -> Words {
    Words { title: title.into(), explanation: explanation.into(), next: next.into() }
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
    let cases = if agreed == 1 { "The one case agrees".to_owned() } else { format!("All {agreed} cases agree") };
    if verdict.marks.contains(&Mark::TimingPending) {
        return words(
            "Accepted; timing waits for a GPU",
            format!("{cases}, and no access leaves its buffer. This was judged on: {}.", verdict.device),
            "Nothing to do. Go on with the next lesson.",
        );
    }
    words("Accepted", format!("{cases}, and no access leaves its buffer."), "Go on with the next lesson.")
}

/// What is to be said beside a verdict, a sentence each. What waits for a GPU is news only where all else is done.
pub fn marks(verdict: &Verdict) -> impl Iterator<Item = &'static str> {
    let is_news =
        |mark: &&Mark| verdict.finding.is_none() || !matches!(mark, Mark::TimingPending | Mark::GpuCasesPending);
    verdict.marks.iter().filter(is_news).map(|mark| mark_words(*mark))
}

fn mark_words(mark: Mark) -> &'static str {
    match mark {
        Mark::TimingPending => "Timed cases wait for a grader that measures.",
        Mark::GpuCasesPending => "The largest case runs only where a GPU is; it was not judged here.",
        Mark::SimulatorSilent => "The simulator cannot run this kernel, so the GPU judged alone.",
        Mark::DetectionPartial => "A case touches more memory than races are looked for in, so some may be missed.",
        Mark::InspectionPartial => {
            "Mistakes that the optimiser removes, such as variables that were never set, were not looked for in all cases."
        }
        Mark::DevicesDisagree => "The simulator and the GPU disagree here. The GPU decides.",
    }
}

/// The words of one finding, also of a case that is not the first failure.
pub fn of_finding(kind: VerdictKind, finding: &Finding) -> Words {
    match finding {
        Finding::CompileError { .. }
        | Finding::CompileNoKernel { .. }
        | Finding::CompileInclude { .. }
        | Finding::CompileRefused { .. }
        | Finding::CompileLimit { .. }
        | Finding::SignatureMismatch { .. } => compile::of_compile(finding),
        Finding::OutOfBounds { access, space, buffer, line, at, related } => {
            let words = access::out_of_bounds(*access, *space, buffer.as_deref(), *line, at.as_ref());
            order::with_related(words, related, *line, buffer.as_deref())
        }
        Finding::WriteConst { .. }
        | Finding::Nan { .. }
        | Finding::Untouched { .. }
        | Finding::WrongValues { .. }
        | Finding::OutputFlood { .. } => values::of_values(finding),
        Finding::OurFault { .. } => of_ours(finding),
        Finding::Race { .. } | Finding::Uninitialised { .. } | Finding::AbsentLane { .. } => order::of_order(finding),
        _ => run::of_run(kind, finding),
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
            format!("The reference solution fails here as well. Your attempt is given back; reference {reference}."),
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
    format!("thread {} of block {}", triple(who.thread), triple(who.block))
}

/// `3 × 256 + 232 = 1000`, where that is how the index came about.
fn arithmetic(who: &Thread, index: i64) -> Option<String> {
    let [block, thread, size] = [who.block[0], who.thread[0], who.block_size[0]].map(i64::from);
    let flat = who.block[1..] == [0, 0] && who.thread[1..] == [0, 0] && who.block_size[1..] == [1, 1];
    (flat && block * size + thread == index).then(|| format!("{block} × {size} + {thread} = {index}"))
}

fn owner(mismatch: &Mismatch) -> String {
    let Some(who) = mismatch.who else {
        return String::new();
    };
    let sum = arithmetic(&who, mismatch.index as i64).map_or(String::new(), |sum| format!(": {sum}"));
    format!(" With one thread per element, it belongs to {}{sum}.", thread(&who))
}

fn sentence_start(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn sentence(text: &str) -> String {
    let text = sentence_start(text.trim());
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
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
    if milliseconds.is_multiple_of(1000) { format!("{} s", milliseconds / 1000) } else { format!("{milliseconds} ms") }
}

/// Four significant digits, without an exponent where that reads well.
fn short(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&value.abs()) {
        let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Access, Reach, Space};

    #[test]
    fn out_of_bounds_can_be_checked_by_hand() {
        let who = Thread { block: [7, 0, 0], thread: [104, 0, 0], block_size: [128, 1, 1] };
        let finding = Finding::OutOfBounds {
            access: Access::Read,
            space: Space::Global,
            buffer: Some("a".into()),
            line: Some(7),
            at: Some(Reach { who: Some(who), index: 1000, size: 1000, threads: 24, launched: 1024 }),
            related: vec![],
        };
        let words = of_finding(VerdictKind::OobRead, &finding);
        assert_eq!(words.title, "Reads past the end of `a`, line 7");
        assert_eq!(
            words.explanation,
            "Thread (104, 0, 0) of block (7, 0, 0) read `a[1000]`. It has 1000 elements, so the last index is 999. \
             7 × 128 + 104 = 1000. 24 threads do this."
        );
        assert_eq!(words.next, "1024 threads are launched for 1000 elements. What should the others do?");
        let hidden = of_finding(VerdictKind::OobRead, &finding.redacted());
        assert_eq!(hidden.explanation, "It happens at or near line 7, in a hidden case.");
    }

    #[test]
    fn numbers_are_short() {
        for (value, expect) in [(0.0, "0"), (0.1705, "0.1705"), (6.1e-7, "6.100e-7"), (1000.0, "1000"), (12.5, "12.5")]
        {
            assert_eq!(short(value), expect);
        }
    }
}
