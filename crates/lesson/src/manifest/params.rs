//! `[[param]]`: the parameters of the kernel, their fills and comparisons.

use domain::exercise::{Compare, Element, Fill, Param, Role};
use domain::expression::Expression;
use domain::limits::PARAMETERS_MAX;

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
    let later = ["f16", "bf16"].contains(&text.as_str())
        || text.starts_with("struct:")
        || text.starts_with("float")
        || text.starts_with("int");
    if later {
        value.fault(format!("'{text}' is not available yet"));
        return None;
    }
    value.word(ELEMENTS)
}

fn role(table: &mut Table<'_>, word: RoleWord, element: Option<Element>, names: &[String]) -> Option<Role> {
    if word == RoleWord::Scalar {
        let value = table.required("value")?.expression(names)?;
        return Some(Role::Scalar { value });
    }
    let shape = table.required("shape").and_then(|v| shape(&v, names));
    let fill =
        matches!(word, RoleWord::In | RoleWord::InOut).then(|| table.required("fill").and_then(|v| fill(&v, element)));
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
enum FillWord {
    Ramp,
    Uniform,
    Ints,
    Constant,
}

const FILLS: &[(&str, FillWord)] = &[
    ("ramp", FillWord::Ramp),
    ("uniform", FillWord::Uniform),
    ("ints", FillWord::Ints),
    ("constant", FillWord::Constant),
];

/// A fill as a table, or as the word `"ramp"`; checked against `element` where that is known.
pub(super) fn fill(value: &Value<'_>, element: Option<Element>) -> Option<Fill> {
    let fill = if value.is_text() {
        let FillWord::Ramp = value.word(FILLS)? else {
            value.fault("needs its numbers: { kind = \"…\", … }");
            return None;
        };
        Fill::Ramp
    } else {
        let mut table = value.table()?;
        let fill = fill_table(&mut table);
        if fill.is_some() {
            table.finish(&[]);
        }
        fill?
    };
    if let Some(element) = element
        && let Err(message) = fits(&fill, element)
    {
        value.fault(message);
        return None;
    }
    Some(fill)
}

fn fill_table(table: &mut Table<'_>) -> Option<Fill> {
    let place = table.place();
    let fill = match table.required("kind")?.word(FILLS)? {
        FillWord::Ramp => Fill::Ramp,
        FillWord::Uniform => {
            let lo = table.required("lo").and_then(|v| v.number());
            let hi = table.required("hi").and_then(|v| v.number());
            let (lo, hi) = (lo?, hi?);
            if lo >= hi {
                place.fault(format!("lo {lo} must be less than hi {hi}"));
                return None;
            }
            Fill::Uniform { lo, hi }
        }
        FillWord::Ints => {
            let any = i64::MIN..=i64::MAX;
            let lo = table.required("lo").and_then(|v| v.integer(any.clone()));
            let hi = table.required("hi").and_then(|v| v.integer(any));
            let (lo, hi) = (lo?, hi?);
            if lo > hi {
                place.fault(format!("lo {lo} must not be more than hi {hi}"));
                return None;
            }
            Fill::Ints { lo, hi }
        }
        FillWord::Constant => Fill::Constant { value: table.required("value")?.number()? },
    };
    Some(fill)
}

/// Whether every value of `fill` is a value of `element`.
pub(super) fn fits(fill: &Fill, element: Element) -> Result<(), String> {
    let name = element.c_name();
    let (lo, hi) = range(element);
    match fill {
        Fill::Uniform { .. } if !element.is_float() => {
            Err(format!("uniform makes fractions, and the elements are {name}; use ints"))
        }
        Fill::Uniform { lo, hi } if element == Element::F32 && !(in_f32(*lo) && in_f32(*hi)) => {
            Err("the numbers do not fit into float".to_owned())
        }
        Fill::Constant { value } if element == Element::F32 && !in_f32(*value) => {
            Err("the number does not fit into float".to_owned())
        }
        Fill::Constant { value }
            if !element.is_float() && (value.fract() != 0.0 || *value < lo as f64 || *value > hi as f64) =>
        {
            Err(format!("{value} is no value of {name}"))
        }
        Fill::Ints { lo: low, hi: high } if !element.is_float() => {
            if i128::from(*low) < lo || i128::from(*high) > hi {
                return Err(format!("{low} to {high} does not fit into {name}"));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn in_f32(value: f64) -> bool {
    (value as f32).is_finite()
}

/// The values of an integer type; of a float those that every scalar may have.
pub(super) fn range(element: Element) -> (i128, i128) {
    let bits = element.bytes() * 8;
    match element {
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => {
            (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
        }
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => (0, (1_i128 << bits) - 1),
        Element::F32 | Element::F64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
    }
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
