//! `exercise.toml`: what an exercise asks, checked before anything is compiled.
//!
//! Every rule here is a row of the test table below and a line of docs/EXERCISE_FORMAT.md.

mod bounds;
mod cases;
mod fills;
mod params;

use domain::exercise::{KernelTask, Launch, SizeBounds, Target};
use domain::expression::Expression;
use domain::limits::RUN_MILLISECONDS_MAX;

use crate::fields::{Document, Table, Value, is_identifier};

/// The one version of the format there is.
const FORMAT: i64 = 1;
/// Milliseconds of one case where the exercise says nothing.
const RUN_MILLISECONDS_DEFAULT: i64 = 2000;
/// Minutes that an exercise or lesson may claim to take.
pub(crate) const MINUTES_MAX: i64 = 600;
/// Launches of one case.
const LAUNCHES_MAX: usize = 64;

/// The manifest without the folder's other files.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// Title.
    pub(crate) title: String,
    /// Minutes it takes.
    pub(crate) minutes: u32,
    /// 1 to 5.
    pub(crate) difficulty: u8,
    /// What is asked.
    pub(crate) task: KernelTask,
}

/// Reads a manifest; `None` where the document has reported a fault.
pub(crate) fn read(mut root: Table<'_>) -> Option<Manifest> {
    let format = root.required("format").and_then(|v| v.integer(1..=FORMAT));
    let title = root.required("title").and_then(|v| v.text());
    let kind = root.required("kind").and_then(|v| kind(&v));
    let minutes = root.required("minutes").and_then(|v| v.integer(1..=MINUTES_MAX));
    let difficulty = root.required("difficulty").and_then(|v| v.integer(1..=5));
    let entry = root.required("entry").and_then(|v| v.identifier());
    let sizes = match root.optional("sizes") {
        Some(value) => sizes(&value),
        None => Some(vec![]),
    };
    // Without the sizes every expression would be a fault of its own.
    let bounds = sizes?;
    let names: Vec<_> = bounds.iter().map(|size| size.name.clone()).collect();

    let params = root.required("param").and_then(|v| params::read(&v, &names));
    let launches = root.required("launch").and_then(|v| launches(&v, &names, entry.as_deref()));
    let cases = root.required("case").and_then(|v| cases::read(&v, &bounds, params.as_deref()));
    let run_ms = match root.optional("limits") {
        Some(value) => run_ms(&value),
        None => Some(RUN_MILLISECONDS_DEFAULT),
    };
    let target = match root.optional("target") {
        Some(value) => target(&value, &names).map(Some),
        None => Some(None),
    };
    let strict_races = flag(&mut root, "strict_races");
    let case_values = root.optional("case");
    root.finish(&["reference", "counters", "headers"]);

    let ((), ()) = (format.map(|_| ())?, kind?);
    let task = KernelTask {
        entry: entry?,
        sizes: bounds,
        params: params?,
        launches: launches?,
        cases: cases?,
        run_ms: run_ms? as u64,
        strict_races: strict_races?,
        target: target?,
    };
    bounds::check(&task, &case_values?.list()?);
    Some(Manifest { title: title?, minutes: minutes? as u32, difficulty: difficulty? as u8, task })
}

/// Reads `document` as a manifest, with its faults.
pub(crate) fn read_document(document: Document<'_>) -> (Option<Manifest>, Vec<crate::Fault>) {
    document.read(read)
}

fn flag(table: &mut Table<'_>, name: &'static str) -> Option<bool> {
    table.optional(name).map_or(Some(false), |value| value.boolean())
}

fn kind(value: &Value<'_>) -> Option<()> {
    let text = value.text()?;
    match text.as_str() {
        "kernel" => Some(()),
        "answer" | "program" => {
            value.fault(format!("'{text}' is not available yet; the kind here is kernel"));
            None
        }
        _ => {
            value.fault(format!("'{text}' is not known; the kind here is kernel"));
            None
        }
    }
}

fn sizes(value: &Value<'_>) -> Option<Vec<SizeBounds>> {
    let mut bounds = Vec::new();
    let mut sound = true;
    for (name, value) in value.table()?.entries() {
        match size_bounds(&name, &value) {
            Some(size) => bounds.push(size),
            None => sound = false,
        }
    }
    sound.then_some(bounds)
}

fn size_bounds(name: &str, value: &Value<'_>) -> Option<SizeBounds> {
    if !is_identifier(name) || ["min", "max", "ceil_div", "random"].contains(&name) {
        value.fault("cannot be used in expressions; take letters, digits and '_' and no function's name");
        return None;
    }
    let mut table = value.table()?;
    let place = table.place();
    let min = table.required("min").and_then(|v| v.integer(i64::MIN..=i64::MAX));
    let max = table.required("max").and_then(|v| v.integer(i64::MIN..=i64::MAX));
    table.finish(&[]);
    let (min, max) = (min?, max?);
    if min > max {
        place.fault(format!("min {min} is larger than max {max}"));
        return None;
    }
    Some(SizeBounds { name: name.to_owned(), min, max })
}

fn launches(value: &Value<'_>, names: &[String], entry: Option<&str>) -> Option<Vec<Launch>> {
    let list = value.list()?;
    if list.is_empty() || list.len() > LAUNCHES_MAX {
        value.fault(format!("there must be 1 to {LAUNCHES_MAX} launches, and there are {}", list.len()));
        return None;
    }
    let launches: Vec<_> = list.iter().map(|v| launch(v, names, entry)).collect();
    launches.into_iter().collect()
}

fn launch(value: &Value<'_>, names: &[String], entry: Option<&str>) -> Option<Launch> {
    let mut table = value.table()?;
    let kernel_value = table.required("kernel");
    let kernel = kernel_value.as_ref().and_then(Value::identifier);
    let grid = table.required("grid").and_then(|v| extents(&v, names));
    let block = table.required("block").and_then(|v| extents(&v, names));
    let shared_bytes = match table.optional("shared_bytes") {
        Some(value) => value.expression(names),
        None => Some(constant(0)),
    };
    if let Some(value) = table.optional("learner_may_change") {
        // A table is what the full format takes here, so it gets the same answer as `true`.
        if value.is_table() || value.boolean() == Some(true) {
            value.fault("only false is available yet: the launch is the exercise's");
        }
    }
    table.finish(&["when", "repeat", "step", "stream", "swap", "clear", "until"]);
    if let (Some(value), Some(kernel), Some(entry)) = (kernel_value, &kernel, entry)
        && kernel != entry
    {
        value.fault(format!("'{kernel}' is no entry of this exercise; the entry is '{entry}'"));
    }
    Some(Launch { kernel: kernel?, grid: grid?, block: block?, shared_bytes: shared_bytes? })
}

/// One to three extents, the rest filled up with 1.
fn extents(value: &Value<'_>, names: &[String]) -> Option<[Expression; 3]> {
    let list = value.list()?;
    if list.is_empty() || list.len() > 3 {
        value.fault(format!("must have one to three entries (x, y, z), and has {}", list.len()));
        return None;
    }
    let mut extents = [constant(1), constant(1), constant(1)];
    let given: Vec<_> = list.iter().map(|v| v.expression(names)).collect();
    for (extent, expression) in extents.iter_mut().zip(given) {
        *extent = expression?;
    }
    Some(extents)
}

fn run_ms(value: &Value<'_>) -> Option<i64> {
    let mut table = value.table()?;
    let run_ms = match table.optional("run_ms") {
        Some(value) => value.integer(1..=RUN_MILLISECONDS_MAX as i64),
        None => Some(RUN_MILLISECONDS_DEFAULT),
    };
    table.finish(&["memory_bytes", "output_bytes"]);
    run_ms
}

fn target(value: &Value<'_>, names: &[String]) -> Option<Target> {
    let mut table = value.table()?;
    let place = table.place();
    let bytes = table.optional("bytes").map(|v| v.expression(names));
    let flops = table.optional("flops").map(|v| v.expression(names));
    let fraction = table.required("fast_fraction").and_then(|v| {
        let fraction = v.number()?;
        let sound = fraction > 0.0 && fraction <= 1.0;
        if !sound {
            v.fault("is a share of the roofline: more than 0, at most 1");
        }
        sound.then_some(fraction)
    });
    table.finish(&["counters"]);
    if bytes.is_none() && flops.is_none() {
        place.fault("needs bytes or flops, or there is no roofline to reach");
        return None;
    }
    let or_zero = |field: Option<Option<Expression>>| field.unwrap_or_else(|| Some(constant(0)));
    Some(Target { bytes: or_zero(bytes)?, flops: or_zero(flops)?, fast_fraction: fraction? })
}

fn constant(value: u32) -> Expression {
    Expression::parse(&value.to_string()).expect("digits are an expression")
}

#[cfg(test)]
mod tests;
