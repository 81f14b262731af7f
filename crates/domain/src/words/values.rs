//! Words for values that do not agree.

use super::{Words, hidden, owner, plural, short, words};
use crate::finding::Finding;

pub(super) fn of_values(finding: &Finding) -> Words {
    match finding {
        Finding::WriteConst { buffer, index, line } => words(
            format!("Writes to the input `{buffer}`{}", super::comma_line(*line)),
            match index {
                Some(index) => format!("`{buffer}` is an input and was stored to at index {index}."),
                None => format!("`{buffer}` is an input and was stored to, in a hidden case."),
            },
            "Where should the result go?",
        ),
        Finding::Nan { buffer, at } => match at {
            Some(m) => words(
                format!("Not a number at `{buffer}[{}]`", m.index),
                format!("Expected {}, got {}. {} of {} elements differ.", m.expected, m.got, m.count, m.size),
                "Which operation has no answer for this input?",
            ),
            None => words(
                format!("Not a number in `{buffer}`"),
                hidden(None),
                "Which operation has no answer for some input?",
            ),
        },
        Finding::Untouched { .. } | Finding::WrongValues { .. } => of_mismatch(finding),
        Finding::OutputFlood { .. } => words(
            "Printed more than we keep",
            "A case may print 1 MiB. The first 16 384 characters of visible cases are kept.",
            "Print from one thread: `if (threadIdx.x == 0)`.",
        ),
        _ => words("", "", ""),
    }
}

fn of_mismatch(finding: &Finding) -> Words {
    match finding {
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
                format!("Work out `{buffer}[{}]` by hand: which inputs does it need?", m.index),
            ),
            None => {
                words(format!("Wrong values in `{buffer}`"), hidden(None), "Which sizes do the visible cases not have?")
            }
        },
        _ => words("", "", ""),
    }
}
