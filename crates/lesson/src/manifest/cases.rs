//! `[[case]]`: sizes, who may see them, and where they run.

use domain::exercise::{Case, Fill, Param, Role, SizeBounds, SizeChoice};
use domain::limits::CASES_MAX;

use super::fills;
use crate::fields::Value;

const DEVICES: &[(&str, bool)] = &[("any", false), ("gpu", true)];

/// Reads the list of cases; `params` is `None` where they are faulty themselves.
pub(super) fn read(value: &Value<'_>, bounds: &[SizeBounds], params: Option<&[Param]>) -> Option<Vec<Case>> {
    let list = value.list()?;
    if list.is_empty() || list.len() > CASES_MAX {
        value.fault(format!("there must be 1 to {CASES_MAX} cases, and there are {}", list.len()));
        return None;
    }
    let read: Vec<_> = list.iter().map(|v| case(v, bounds, params)).collect();
    let cases: Vec<Case> = read.into_iter().collect::<Option<_>>()?;
    if !cases.iter().any(|case| case.visible && !case.gpu_only) {
        value.fault("no case is visible on every device, so a learner could not see why a kernel fails; set visible = true in a small one");
    }
    Some(cases)
}

fn case(value: &Value<'_>, bounds: &[SizeBounds], params: Option<&[Param]>) -> Option<Case> {
    let mut table = value.table()?;
    let sizes = if bounds.is_empty() {
        table.optional("sizes").map_or(Some(vec![]), |v| sizes(&v, bounds))
    } else {
        table.required("sizes").and_then(|v| sizes(&v, bounds))
    };
    let visible = super::flag(&mut table, "visible");
    let timed_value = table.optional("timed");
    let timed = timed_value.as_ref().map_or(Some(false), Value::boolean);
    let gpu_only = table.optional("device").map_or(Some(false), |v| v.word(DEVICES));
    let fill = match table.optional("fill") {
        Some(value) => fill(&value, bounds, params).map(Some),
        None => Some(None),
    };
    table.finish(&["launch", "values", "seed", "counters", "name"]);
    if let (Some(value), Some(true), Some(false)) = (timed_value, timed, gpu_only) {
        value.fault("a simulator has no time to measure; add device = \"gpu\"");
    }
    Some(Case { sizes: sizes?, visible: visible?, fill: fill?, gpu_only: gpu_only?, timed: timed? })
}

fn fill(value: &Value<'_>, bounds: &[SizeBounds], params: Option<&[Param]>) -> Option<Fill> {
    let names: Vec<_> = bounds.iter().map(|size| size.name.clone()).collect();
    let fill = fills::fill(value, None, &names)?;
    for param in params.unwrap_or_default() {
        let filled = matches!(param.role, Role::In { .. } | Role::InOut { .. });
        if filled && let Err(message) = fills::fits(&fill, param.element) {
            value.fault(format!("parameter '{}': {message}", param.name));
            return None;
        }
    }
    Some(fill)
}

fn sizes(value: &Value<'_>, bounds: &[SizeBounds]) -> Option<Vec<(String, SizeChoice)>> {
    let entries = value.table()?.entries();
    let mut sound = true;
    for (name, value) in &entries {
        if !bounds.iter().any(|size| size.name == *name) {
            let known: Vec<_> = bounds.iter().map(|size| size.name.as_str()).collect();
            value.fault(format!("is no size of this exercise; the sizes are: {}", known.join(", ")));
            sound = false;
        }
    }
    let mut sizes = Vec::new();
    for size in bounds {
        let Some((_, value)) = entries.iter().find(|(name, _)| *name == size.name) else {
            value.fault(format!("size '{}' is missing", size.name));
            sound = false;
            continue;
        };
        match choice(value, size) {
            Some(choice) => sizes.push((size.name.clone(), choice)),
            None => sound = false,
        }
    }
    sound.then_some(sizes)
}

fn choice(value: &Value<'_>, size: &SizeBounds) -> Option<SizeChoice> {
    if !value.is_text() {
        return value.integer(size.min..=size.max).map(SizeChoice::Fixed);
    }
    let text = value.text()?;
    let Some((lo, hi)) = random(&text) else {
        value.fault(format!("'{text}' is neither a whole number nor \"random(LOW, HIGH)\""));
        return None;
    };
    if lo > hi {
        value.fault(format!("random({lo}, {hi}) is empty: the lower number comes first"));
        return None;
    }
    if lo < size.min || hi > size.max {
        value.fault(format!("random({lo}, {hi}) leaves the bounds of '{}', {} to {}", size.name, size.min, size.max));
        return None;
    }
    Some(SizeChoice::Random { lo, hi })
}

fn random(text: &str) -> Option<(i64, i64)> {
    let inner = text.strip_prefix("random")?.trim_start();
    let inner = inner.strip_prefix('(')?.strip_suffix(')')?;
    let (lo, hi) = inner.split_once(',')?;
    let number = |text: &str| text.trim().replace('_', "").parse().ok();
    Some((number(lo)?, number(hi)?))
}
