//! How inputs are filled, and whether a fill makes values of the type.
//!
//! What follows from the text alone is checked where it is read; what depends on sizes is checked for each case.

use domain::exercise::{Element, Fill};
use domain::expression::{Expression, Sizes};

use crate::fields::{Place, Table, Value};

/// A near-normal number stays within so many standard deviations.
const NORMAL_REACH: f64 = 6.0;

#[derive(Clone, Copy)]
enum FillWord {
    Ramp,
    Uniform,
    Normal,
    Ints,
    Constant,
    Zeros,
    Permutation,
    Offsets,
}

const FILLS: &[(&str, FillWord)] = &[
    ("ramp", FillWord::Ramp),
    ("uniform", FillWord::Uniform),
    ("normal", FillWord::Normal),
    ("ints", FillWord::Ints),
    ("constant", FillWord::Constant),
    ("zeros", FillWord::Zeros),
    ("permutation", FillWord::Permutation),
    ("offsets", FillWord::Offsets),
];

/// A fill as a table, or as a word where it needs no numbers; checked against `element` where that is known.
pub(super) fn fill(value: &Value<'_>, element: Option<Element>, names: &[String]) -> Option<Fill> {
    let fill = if value.is_text() {
        match value.word(FILLS)? {
            FillWord::Ramp => Fill::Ramp { start: 0, step: 1 },
            FillWord::Zeros => Fill::Constant { value: 0.0 },
            FillWord::Normal => Fill::Normal { mean: 0.0, sd: 1.0 },
            FillWord::Permutation => Fill::Permutation,
            _ => {
                value.fault("needs its numbers: { kind = \"…\", … }");
                return None;
            }
        }
    } else {
        let mut table = value.table()?;
        let fill = fill_table(&mut table, names);
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

fn fill_table(table: &mut Table<'_>, names: &[String]) -> Option<Fill> {
    let place = table.place();
    let fill = match table.required("kind")?.word(FILLS)? {
        FillWord::Ramp => {
            let start = table.optional("start").map_or(Some(0), |v| v.integer(i64::MIN..=i64::MAX));
            let step = table.optional("step").map_or(Some(1), |v| v.integer(i64::MIN..=i64::MAX));
            Fill::Ramp { start: start?, step: step? }
        }
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
        FillWord::Normal => normal(table, &place)?,
        FillWord::Ints => {
            let lo = table.required("lo").and_then(|v| whole(&v, names));
            let hi = table.required("hi").and_then(|v| whole(&v, names));
            Fill::Ints { lo: lo?, hi: hi? }
        }
        FillWord::Constant => Fill::Constant { value: table.required("value")?.number()? },
        FillWord::Zeros => Fill::Constant { value: 0.0 },
        FillWord::Permutation => Fill::Permutation,
        FillWord::Offsets => Fill::Offsets { total: table.required("total").and_then(|v| whole(&v, names))? },
    };
    Some(fill)
}

fn normal(table: &mut Table<'_>, place: &Place<'_>) -> Option<Fill> {
    let mean = table.optional("mean").map_or(Some(0.0), |v| v.number());
    let sd = table.optional("sd").map_or(Some(1.0), |v| v.number());
    let (mean, sd) = (mean?, sd?);
    if sd <= 0.0 {
        place.fault(format!("sd is {sd}; a standard deviation is more than 0"));
        return None;
    }
    Some(Fill::Normal { mean, sd })
}

/// A whole number, or an expression between quotes.
fn whole(value: &Value<'_>, names: &[String]) -> Option<Expression> {
    if value.is_text() {
        return value.expression(names);
    }
    value.integer(i64::MIN..=i64::MAX).map(Expression::from)
}

/// Whether every value of `fill` is a value of `element`, as far as that follows without sizes.
pub(super) fn fits(fill: &Fill, element: Element) -> Result<(), String> {
    let name = element.c_name();
    match fill {
        Fill::Uniform { .. } | Fill::Normal { .. } if !element.is_float() => {
            Err(format!("uniform and normal make fractions, and the elements are {name}; use ints"))
        }
        Fill::Uniform { lo, hi } => reach(lo.abs().max(hi.abs()), element),
        Fill::Normal { mean, sd } => reach(mean.abs() + NORMAL_REACH * sd, element),
        Fill::Constant { value } if element.is_float() => reach(value.abs(), element),
        Fill::Constant { value } => {
            let (lo, hi) = range(element);
            if value.fract() != 0.0 || *value < lo as f64 || *value > hi as f64 {
                return Err(format!("{value} is no value of {name}"));
            }
            Ok(())
        }
        Fill::Ints { lo, hi } => match (lo.constant(), hi.constant()) {
            (Some(lo), Some(hi)) => ints(lo, hi, element),
            _ => Ok(()),
        },
        Fill::Offsets { .. } if element.is_float() => Err(format!("offsets are whole, and the elements are {name}")),
        Fill::Offsets { .. } | Fill::Permutation | Fill::Ramp { .. } => Ok(()),
    }
}

/// Whether `fill` makes `count` values of `element` with these sizes; what [`fits`] says is not repeated.
pub(super) fn fits_case(fill: &Fill, element: Element, count: u64, sizes: &Sizes) -> Result<(), String> {
    let name = element.c_name();
    let value = |expression: &Expression| expression.value(sizes).map_err(|error| error.to_string());
    match fill {
        Fill::Ramp { start, step } if element.is_float() => {
            let last = *start as f64 + *step as f64 * count.saturating_sub(1) as f64;
            reach(last.abs().max((*start as f64).abs()), element)
        }
        Fill::Ints { lo, hi } => ints(value(lo)?, value(hi)?, element),
        Fill::Permutation if i128::from(count) - 1 > exact_max(element) => {
            Err(format!("a permutation of {count} elements does not fit into {name}"))
        }
        Fill::Offsets { total } => {
            let total = value(total)?;
            if count < 2 {
                return Err(format!("offsets need at least 2 elements, and there are {count}"));
            }
            if total < 0 || i128::from(total) > range(element).1 {
                return Err(format!("the total of offsets is {total}, which does not fit into {name}"));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn ints(lo: i64, hi: i64, element: Element) -> Result<(), String> {
    if lo > hi {
        return Err(format!("lo {lo} must not be more than hi {hi}"));
    }
    let (low, high) = if element.is_float() {
        let largest = largest(element) as i128;
        (-largest, largest)
    } else {
        range(element)
    };
    if i128::from(lo) < low || i128::from(hi) > high {
        return Err(format!("{lo} to {hi} does not fit into {}", element.c_name()));
    }
    Ok(())
}

fn reach(magnitude: f64, element: Element) -> Result<(), String> {
    if magnitude <= largest(element) {
        return Ok(());
    }
    Err(format!("{magnitude} does not fit into {}", element.c_name()))
}

/// The largest finite number of a float type.
pub(super) fn largest(element: Element) -> f64 {
    match element {
        Element::F16 => 65_504.0,
        Element::Bf16 => f64::from(f32::from_bits(0x7f7f_0000)),
        Element::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

/// Whole numbers from 0 to this one are all values of the type.
fn exact_max(element: Element) -> i128 {
    match element {
        Element::Bf16 => 1 << 8,
        Element::F16 => 1 << 11,
        Element::F32 => 1 << 24,
        Element::F64 => 1 << 53,
        _ => range(element).1,
    }
}

/// The values of an integer type; of a float those that every scalar may have.
pub(super) fn range(element: Element) -> (i128, i128) {
    let bits = element.bytes() * 8;
    match element {
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => {
            (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
        }
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => (0, (1_i128 << bits) - 1),
        Element::F16 => (-65_504, 65_504),
        Element::Bf16 | Element::F32 | Element::F64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
    }
}
