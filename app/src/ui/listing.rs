//! Source with line numbers, colours and marks, for pages that show and do not edit.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::ui::highlight::words;
use crate::ui::icon::Icon;
use crate::ui::text::marked;

/// A note under one line.
#[derive(Clone, Debug)]
pub struct Note {
    /// Line, from 1.
    pub line: u32,
    /// What it is about.
    pub icon: Icon,
    /// One sentence, code between backticks.
    pub text: String,
    /// Whether it is only a warning.
    pub is_warning: bool,
}

/// Lines with their notes. Where `with_ids`, each can be linked to as `#line-N`.
pub fn listing(source: &str, notes: &[Note], with_ids: bool) -> AnyView {
    let mut by_line: BTreeMap<u32, Vec<&Note>> = BTreeMap::new();
    for note in notes {
        by_line.entry(note.line).or_default().push(note);
    }
    let lines: Vec<_> = split_lines(source)
        .into_iter()
        .zip(1_u32..)
        .map(|(words, number)| {
            let notes = by_line.remove(&number).unwrap_or_default();
            line(&words, number, &notes, with_ids)
        })
        .collect();
    lines.into_any()
}

/// The coloured words of each line; a comment over many lines is cut at their ends.
fn split_lines(source: &str) -> Vec<Vec<(Option<&'static str>, String)>> {
    let mut lines = vec![vec![]];
    for (class, word) in words(source) {
        for (index, part) in word.split('\n').enumerate() {
            if index > 0 {
                lines.push(vec![]);
            }
            let part = part.trim_end_matches('\r');
            if let Some(line) = lines.last_mut()
                && !part.is_empty()
            {
                line.push((class, part.to_owned()));
            }
        }
    }
    if lines.len() > 1 && lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn line(words: &[(Option<&'static str>, String)], number: u32, notes: &[&Note], with_ids: bool) -> AnyView {
    let class = match notes {
        [] => "l",
        notes if notes.iter().all(|note| note.is_warning) => "l warnl",
        _ => "l bad",
    };
    let words: Vec<_> = words
        .iter()
        .map(|(class, word)| match class {
            Some(class) => view! { <span class=*class>{word.clone()}</span> }.into_any(),
            None => word.clone().into_any(),
        })
        .collect();
    let id = with_ids.then(|| format!("line-{number}"));
    let icon = notes.first().map(|note| note.icon.view());
    let lenses: Vec<_> = notes
        .iter()
        .map(|note| {
            let class = if note.is_warning { "lens warning" } else { "lens" };
            view! { <div class=class>{note.icon.view()}<span>{marked(&note.text)}</span></div> }
        })
        .collect();
    view! {
        <div class=class id=id>
            <span class="m">{icon}</span><span class="g">{number}</span><span>{words}</span>
        </div>
        {lenses}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_the_compiler_counts_them() {
        let count = |text: &str| split_lines(text).len();
        assert_eq!(count("a"), 1);
        assert_eq!(count("a\n"), 1);
        assert_eq!(count("a\r\n\r\nb\r\n"), 3);
        assert_eq!(count("/* a\n b */\nc"), 3);
    }
}
