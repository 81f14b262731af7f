//! `[[param]]`: the parameters of the kernel and their comparisons.

use domain::exercise::{Compare, Element, Param, Role, ScalarValue};
use domain::expression::Expression;
use domain::limits::PARAMETERS_MAX;

use super::fills;
use crate::fields::{Table, Value};

/// Extents of one shape.
const SHAPE_MAX: usize = 4;
/// A tolerance past this compares nothing any more.
const TOLERANCE_MAX: f64 = 1e3;

const ELEMENTS: &[(&str, Element)] = &[
    ("i8", Element::I8),
    ("u8", Element::U8),
    ("i16", Element::I16),
    ("u16", Element::U16),
    ("i32", Element::I32),
    ("u32", Element::U32),
    ("i64", Element::I64),
    ("u64", Element::U64),
    ("f16", Element::F16),
    ("bf16", Element::Bf16),
    ("f32", Element::F32),
    ("f64", Element::F64),
];

#[derive(Clone, Copy, PartialEq)]
enum RoleWord {
    In,
    Out,
    InOut,
    Scratch,
    Scalar,
}

const ROLES: &[(&str, RoleWord)] = &[
    ("in", RoleWord::In),
    ("out", RoleWord::Out),
    ("inout", RoleWord::InOut),
    ("scratch", RoleWord::Scratch),
    ("scalar", RoleWord::Scalar),
];

/// Reads the list of parameters over the sizes `names`.
pub(super) fn read(value: &Value<'_>, names: &[String]) -> Option<Vec<Param>> {
    let list = value.list()?;
    if list.is_empty() || list.len() > PARAMETERS_MAX {
        value.fault(format!("there must be 1 to {PARAMETERS_MAX} parameters, and there are {}", list.len()));
        return None;
    }
    let read: Vec<_> = list.iter().map(|v| param(v, names)).collect();
    let params: Vec<Param> = read.into_iter().collect::<Option<_>>()?;
    for (position, (param, value)) in params.iter().zip(&list).enumerate() {
        if params[..position].iter().any(|other| other.name == param.name) {
            value.fault(format!("two parameters are named '{}'", param.name));
        }
    }
    let judged = |param: &Param| matches!(param.role, Role::Out { .. } | Role::InOut { .. });
    if !params.iter().any(judged) {
        value.fault("no parameter is out or inout, so nothing could be judged");
    }
    Some(params)
}

fn param(value: &Value<'_>, names: &[String]) -> Option<Param> {
    let mut table = value.table()?;
    let name = table.required("name").and_then(|v| v.identifier());
    let element = table.required("type").and_then(|v| element(&v));
    let word = table.required("role").and_then(|v| v.word(ROLES));
    let role = word.and_then(|word| role(&mut table, word, element, names));
    if word.is_some() {
        table.finish(&["start", "pattern", "generator"]);
    }
    Some(Param { name: name?, element: element?, role: role? })
}

fn element(value: &Value<'_>) -> Option<Element> {
    let text = value.text()?;
    let later = ["struct:", "float", "int"].iter().any(|start| text.starts_with(start));
    if later {
        value.fault(format!("'{text}' is not available yet"));
        return None;
    }
    value.word(ELEMENTS)
}

fn role(table: &mut Table<'_>, word: RoleWord, element: Option<Element>, names: &[String]) -> Option<Role> {
    if word == RoleWord::Scalar {
        let value = table.required("value")?;
        return Some(Role::Scalar { value: scalar_value(&value, element, names)? });
    }
    let shape = table.required("shape").and_then(|v| shape(&v, names));
    let fill = matches!(word, RoleWord::In | RoleWord::InOut)
        .then(|| table.required("fill").and_then(|v| fills::fill(&v, element, names)));
    let compare = matches!(word, RoleWord::Out | RoleWord::InOut)
        .then(|| table.required("compare").and_then(|v| compare(&v, element)));
    let shape = shape?;
    Some(match (fill, compare) {
        (Some(fill), None) => Role::In { shape, fill: fill? },
        (None, Some(compare)) => Role::Out { shape, compare: compare? },
        (Some(fill), Some(compare)) => Role::InOut { shape, fill: fill?, compare: compare? },
        (None, None) => Role::Scratch { shape },
    })
}

/// An expression over the sizes; of a float a number with a fraction too.
fn scalar_value(value: &Value<'_>, element: Option<Element>, names: &[String]) -> Option<ScalarValue> {
    if !value.is_float() {
        return value.expression(names).map(ScalarValue::Whole);
    }
    let (number, element) = (value.number()?, element?);
    if !element.is_float() {
        value.fault(format!("{number} is no value of {}", element.c_name()));
        return None;
    }
    if number.abs() > fills::largest(element) {
        value.fault(format!("{number} does not fit into {}", element.c_name()));
        return None;
    }
    Some(ScalarValue::Fraction(number))
}

fn shape(value: &Value<'_>, names: &[String]) -> Option<Vec<Expression>> {
    let list = value.list()?;
    if list.is_empty() || list.len() > SHAPE_MAX {
        value.fault(format!("must have 1 to {SHAPE_MAX} extents, and has {}", list.len()));
        return None;
    }
    let extents: Vec<_> = list.iter().map(|v| v.expression(names)).collect();
    extents.into_iter().collect()
}

#[derive(Clone, Copy)]
enum CompareWord {
    Exact,
    Close,
}

const COMPARES: &[(&str, CompareWord)] = &[("exact", CompareWord::Exact), ("close", CompareWord::Close)];

fn compare(value: &Value<'_>, element: Option<Element>) -> Option<Compare> {
    if value.is_text() {
        let CompareWord::Exact = value.word(COMPARES)? else {
            value.fault("needs its bounds: { kind = \"close\", abs = …, rel = …, reason = \"…\" }");
            return None;
        };
        return Some(Compare::Exact);
    }
    let mut table = value.table()?;
    let word = table.required("kind").and_then(|v| v.word(COMPARES))?;
    let CompareWord::Close = word else {
        table.finish(&[]);
        return Some(Compare::Exact);
    };
    let place = table.place();
    let abs = table.required("abs").and_then(|v| tolerance(&v));
    let rel = table.required("rel").and_then(|v| tolerance(&v));
    let reason = table.required("reason").and_then(|v| v.text());
    table.finish(&[]);
    let (abs, rel, reason) = (abs?, rel?, reason?);
    if abs == 0.0 && rel == 0.0 {
        place.fault("abs and rel are both 0; write \"exact\"");
        return None;
    }
    if rel >= 1.0 && element.is_some_and(Element::is_float) {
        place.fault("a rel of 1 or more accepts an output of zeros");
        return None;
    }
    Some(Compare::Close { abs, rel, reason })
}

fn tolerance(value: &Value<'_>) -> Option<f64> {
    let number = value.number()?;
    if !(0.0..=TOLERANCE_MAX).contains(&number) {
        value.fault(format!("is {number}; a tolerance is from 0 to {TOLERANCE_MAX}"));
        return None;
    }
    Some(number)
}
