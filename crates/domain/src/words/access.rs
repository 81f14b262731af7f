//! Words for accesses outside of memory.

use super::{Words, arithmetic, comma_line, hidden, plural, sentence_start, thread, words};
use crate::finding::{Access, Reach, Space};

pub(super) fn out_of_bounds(
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
        return words(title, hidden(line), "Which condition must hold before this line may touch memory?");
    };
    let who = reach.who.map_or("A thread".to_owned(), |who| sentence_start(&thread(&who)));
    let mut explanation = match space {
        Space::Null => format!("{who} followed a pointer that is null."),
        Space::Wild => format!("{who} used an address in none of the arguments."),
        _ => format!(
            "{who} {verb} `{name}[{}]`. It has {} element{}{}.",
            reach.index,
            reach.size,
            plural(reach.size),
            if reach.size > 0 { format!(", so the last index is {}", reach.size - 1) } else { String::new() }
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
