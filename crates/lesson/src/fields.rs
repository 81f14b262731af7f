//! Reading TOML by hand: every fault carries file, line and field, and all of them are found at once.
//!
//! serde's derive stops at the first error and loses the place inside tagged and flattened types, so the
//! values are walked instead. A getter that returns `None` has reported its fault already.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use domain::expression::Expression;
use domain::id::Slug;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Fault;
use crate::files::lines_before;

/// Characters of one title or sentence.
const TEXT_CHARACTERS_MAX: usize = 500;

/// A TOML text that is being read, and what is wrong with it so far.
pub(crate) struct Document<'t> {
    file: PathBuf,
    text: &'t str,
    first_line: usize,
    faults: RefCell<Vec<Fault>>,
}

impl<'t> Document<'t> {
    /// A text whose first character stands in line `first_line` of `file`.
    pub(crate) fn new(file: &Path, text: &'t str, first_line: usize) -> Self {
        Self { file: file.to_owned(), text, first_line, faults: RefCell::default() }
    }

    /// Parses the text; a syntax error is a fault.
    pub(crate) fn parse(&self) -> Option<Spanned<DeTable<'t>>> {
        match DeTable::parse(self.text) {
            Ok(table) => Some(table),
            Err(error) => {
                let line = error.span().map(|span| self.line(span.start));
                let message = format!("this is no TOML: {}", error.message().trim());
                self.report(line, None, message);
                None
            }
        }
    }

    /// Hands the root table to `read`; `None` where anything at all was wrong. The faults come along.
    pub(crate) fn read<T>(self, read: impl FnOnce(Table<'_>) -> Option<T>) -> (Option<T>, Vec<Fault>) {
        let value = self.parse().and_then(|root| {
            read(Table {
                document: &self,
                path: String::new(),
                line: None,
                fields: root.get_ref(),
                taken: BTreeSet::new(),
            })
        });
        let faults = self.faults.into_inner();
        (value.filter(|_| faults.is_empty()), faults)
    }

    fn line(&self, offset: usize) -> usize {
        self.first_line + lines_before(self.text, offset)
    }

    fn report(&self, line: Option<usize>, field: Option<String>, message: String) {
        self.faults.borrow_mut().push(Fault { file: self.file.clone(), line, field, message });
    }
}

/// A table; fields that nobody takes are faults of [`Table::finish`].
pub(crate) struct Table<'d> {
    document: &'d Document<'d>,
    path: String,
    line: Option<usize>,
    fields: &'d DeTable<'d>,
    taken: BTreeSet<&'static str>,
}

/// Where a fault belongs, for checks that need several fields.
#[derive(Clone)]
pub(crate) struct Place<'d> {
    document: &'d Document<'d>,
    path: String,
    line: Option<usize>,
}

impl Place<'_> {
    /// Reports a fault here.
    pub(crate) fn fault(&self, message: impl Into<String>) {
        let field = (!self.path.is_empty()).then(|| self.path.clone());
        self.document.report(self.line, field, message.into());
    }
}

impl<'d> Table<'d> {
    /// The table's own place.
    pub(crate) fn place(&self) -> Place<'d> {
        Place { document: self.document, path: self.path.clone(), line: self.line }
    }

    /// A field that may be absent.
    pub(crate) fn optional(&mut self, name: &'static str) -> Option<Value<'d>> {
        self.taken.insert(name);
        self.fields.get(name).map(|value| self.value(name, value))
    }

    /// A field that must be there.
    pub(crate) fn required(&mut self, name: &'static str) -> Option<Value<'d>> {
        let value = self.optional(name);
        if value.is_none() {
            Place { path: self.path_of(name), ..self.place() }.fault("is missing");
        }
        value
    }

    /// All fields, in the order of the file, where the names are the author's.
    pub(crate) fn entries(&self) -> Vec<(String, Value<'d>)> {
        let mut entries: Vec<_> = self.fields.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
            .into_iter()
            .map(|(key, value)| {
                let name = key.get_ref();
                (name.to_string(), self.value(name, value))
            })
            .collect()
    }

    /// Refuses fields that were not taken. `later` are those that the full format will have.
    pub(crate) fn finish(self, later: &[&str]) {
        for (name, value) in self.entries() {
            if self.taken.contains(name.as_str()) {
                continue;
            }
            if later.contains(&name.as_str()) {
                value.fault("is not available yet; remove it");
                continue;
            }
            let known: Vec<_> = self.taken.iter().copied().collect();
            value.fault(format!("is no field here; the fields here are {}", known.join(", ")));
        }
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn value(&self, name: &str, value: &'d Spanned<DeValue<'d>>) -> Value<'d> {
        Value {
            place: Place {
                document: self.document,
                path: self.path_of(name),
                line: Some(self.document.line(value.span().start)),
            },
            value: value.get_ref(),
        }
    }
}

/// One value with its place.
#[derive(Clone)]
pub(crate) struct Value<'d> {
    /// Where it stands.
    pub(crate) place: Place<'d>,
    value: &'d DeValue<'d>,
}

impl<'d> Value<'d> {
    /// Reports a fault here.
    pub(crate) fn fault(&self, message: impl Into<String>) {
        self.place.fault(message);
    }

    fn wanted(&self, what: &str) {
        self.fault(format!("must be {what}, and this is of type {}", self.value.type_str()));
    }

    /// Whether it is written between quotes.
    pub(crate) fn is_text(&self) -> bool {
        self.value.is_str()
    }

    /// Whether it is written with a point or an exponent.
    pub(crate) fn is_float(&self) -> bool {
        self.value.is_float()
    }

    /// Whether it is a table.
    pub(crate) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// A text that says something.
    pub(crate) fn text(&self) -> Option<String> {
        let Some(text) = self.value.as_str() else {
            self.wanted("a text between quotes");
            return None;
        };
        let text = text.trim();
        if text.is_empty() {
            self.fault("must not be empty");
            return None;
        }
        if text.chars().count() > TEXT_CHARACTERS_MAX {
            self.fault(format!("is longer than {TEXT_CHARACTERS_MAX} characters; shorten it"));
            return None;
        }
        Some(text.to_owned())
    }

    /// A whole number within `range`.
    pub(crate) fn integer(&self, range: RangeInclusive<i64>) -> Option<i64> {
        let Some(integer) = self.value.as_integer() else {
            self.wanted("a whole number");
            return None;
        };
        match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) if range.contains(&number) => Some(number),
            Ok(number) => {
                self.fault(outside(number, &range));
                None
            }
            Err(_) => {
                self.fault("is a number past 64 bits");
                None
            }
        }
    }

    /// A finite number, whole or not.
    pub(crate) fn number(&self) -> Option<f64> {
        let text = match self.value {
            DeValue::Float(float) => float.as_str(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            _ => {
                self.wanted("a number");
                return None;
            }
        };
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        if number.is_none() {
            self.fault("must be a finite number");
        }
        number
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        let value = self.value.as_bool();
        if value.is_none() {
            self.wanted("true or false");
        }
        value
    }

    /// The members of a list, positions from 1 in their paths.
    pub(crate) fn list(&self) -> Option<Vec<Value<'d>>> {
        let Some(array) = self.value.as_array() else {
            self.wanted("a list");
            return None;
        };
        let member = |(position, value): (usize, &'d Spanned<DeValue<'d>>)| Value {
            place: Place {
                document: self.place.document,
                path: format!("{}[{}]", self.place.path, position + 1),
                line: Some(self.place.document.line(value.span().start)),
            },
            value: value.get_ref(),
        };
        Some(array.iter().enumerate().map(member).collect())
    }

    /// A list of texts.
    pub(crate) fn texts(&self) -> Option<Vec<String>> {
        self.list()?.iter().map(Value::text).collect()
    }

    /// A table.
    pub(crate) fn table(&self) -> Option<Table<'d>> {
        let Some(table) = self.value.as_table() else {
            self.wanted("a table");
            return None;
        };
        Some(Table {
            document: self.place.document,
            path: self.place.path.clone(),
            line: self.place.line,
            fields: table,
            taken: BTreeSet::new(),
        })
    }

    /// The name of a folder.
    pub(crate) fn slug(&self) -> Option<Slug> {
        let slug = self.text()?.parse();
        slug.inspect_err(|reason| self.fault(format!("{reason}"))).ok()
    }

    /// A C identifier.
    pub(crate) fn identifier(&self) -> Option<String> {
        let text = self.text()?;
        if is_identifier(&text) {
            return Some(text);
        }
        self.fault(format!("'{text}' is no name in C: letters, digits and '_', no digit first"));
        None
    }

    /// One of `words`, each with what it means.
    pub(crate) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let text = self.text()?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.fault(format!("'{text}' is not known; choose one of {}", known.join(", ")));
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// An expression over `names`; a bare whole number is one too.
    pub(crate) fn expression(&self, names: &[String]) -> Option<Expression> {
        let text = if self.value.is_integer() { self.integer(i64::MIN..=i64::MAX)?.to_string() } else { self.text()? };
        let expression = Expression::parse(&text).inspect_err(|reason| self.fault(reason.to_string())).ok()?;
        let unknown = expression.names().into_iter().find(|name| !names.iter().any(|known| known == name));
        if let Some(name) = unknown {
            self.fault(format!(
                "uses '{name}', which is no size of this exercise; the sizes are: {}",
                names.join(", ")
            ));
            return None;
        }
        Some(expression)
    }
}

/// Whether `text` can name something in C.
pub(crate) fn is_identifier(text: &str) -> bool {
    let starts = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.len() <= 64
        && text.bytes().next().is_some_and(starts)
        && text.bytes().all(|byte| starts(byte) || byte.is_ascii_digit())
}

fn outside(number: i64, range: &RangeInclusive<i64>) -> String {
    let (low, high) = (range.start(), range.end());
    if *high == i64::MAX {
        format!("is {number}; it must be at least {low}")
    } else {
        format!("is {number}; it must be from {low} to {high}")
    }
}
