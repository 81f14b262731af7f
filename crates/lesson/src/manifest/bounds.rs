//! What every case comes to in numbers: bytes, threads, scalars. Checked at the ends of random sizes.

use std::collections::BTreeSet;

use domain::exercise::{Case, KernelTask, Launch, Role, ScalarValue, SizeChoice};
use domain::expression::Sizes;
use domain::limits::CASE_BYTES_MAX;

use super::fills;
use crate::fields::Value;

// CUDA C++ Programming Guide 13.0, appendix "Compute Capabilities", technical specifications: the values
// that hold from compute capability 7.5 on.
const GRID_MAX: [i64; 3] = [0x7fff_ffff, 65_535, 65_535];
const BLOCK_MAX: [i64; 3] = [1024, 1024, 64];
const BLOCK_THREADS_MAX: i64 = 1024;
/// Shared memory of one block on the largest device, 227 KiB.
const SHARED_BYTES_MAX: i64 = 227 << 10;

/// Reports every case that cannot run; what all of them share, such as too large a block, only once.
pub(super) fn check(task: &KernelTask, places: &[Value<'_>]) {
    let mut told = BTreeSet::new();
    for (case, place) in task.cases.iter().zip(places) {
        for sizes in ends(case) {
            let Err(message) = check_sizes(task, case, &sizes) else {
                continue;
            };
            if told.insert(message.clone()) {
                place.fault(format!("{}{message}", at(&sizes)));
            }
            break;
        }
    }
}

fn at(sizes: &Sizes) -> String {
    if sizes.is_empty() {
        return String::new();
    }
    let values: Vec<_> = sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    format!("with {} ", values.join(", "))
}

/// The sizes with every random one at its lower end, then at its upper end.
fn ends(case: &Case) -> [Sizes; 2] {
    let end = |upper: bool| {
        case.sizes
            .iter()
            .map(|(name, choice)| {
                let value = match choice {
                    SizeChoice::Fixed(value) => *value,
                    SizeChoice::Random { hi, .. } if upper => *hi,
                    SizeChoice::Random { lo, .. } => *lo,
                };
                (name.clone(), value)
            })
            .collect()
    };
    [end(false), end(true)]
}

fn check_sizes(task: &KernelTask, case: &Case, sizes: &Sizes) -> Result<(), String> {
    let mut case_bytes: u64 = 0;
    for param in &task.params {
        let name = &param.name;
        if let Role::Scalar { value: ScalarValue::Whole(value) } = &param.role {
            let value = value.value(sizes).map_err(|error| error.to_string())?;
            let (lo, hi) = fills::range(param.element);
            if !(lo..=hi).contains(&i128::from(value)) {
                let element = param.element.c_name();
                return Err(format!("scalar '{name}' is {value}, which does not fit into {element}"));
            }
        }
        for extent in param.shape().unwrap_or_default() {
            let value = extent.value(sizes).map_err(|error| error.to_string())?;
            if value < 1 {
                return Err(format!("extent '{extent}' of '{name}' is {value}; a buffer has at least one element"));
            }
        }
        let elements = param.element_count(sizes).map_err(|error| error.to_string())?.unwrap_or(0);
        if let Role::In { fill, .. } | Role::InOut { fill, .. } = &param.role {
            fills::fits_case(case.fill.as_ref().unwrap_or(fill), param.element, elements, sizes)
                .map_err(|message| format!("'{name}' cannot be filled: {message}"))?;
        }
        let bytes = elements.saturating_mul(u64::from(param.element.bytes()));
        case_bytes = case_bytes.saturating_add(bytes);
    }
    if case_bytes > CASE_BYTES_MAX {
        return Err(format!("the buffers take {case_bytes} bytes, and a case has {CASE_BYTES_MAX}; make it smaller"));
    }
    for launch in &task.launches {
        check_launch(launch, sizes)?;
    }
    if let Some(target) = &task.target {
        for (expression, what) in [(&target.bytes, "bytes"), (&target.flops, "flops")] {
            let value = expression.value(sizes).map_err(|error| error.to_string())?;
            if value < 0 {
                return Err(format!("the target has {value} {what}"));
            }
        }
    }
    Ok(())
}

fn check_launch(launch: &Launch, sizes: &Sizes) -> Result<(), String> {
    let values = |extents: &[domain::expression::Expression; 3]| {
        let mut values = [0; 3];
        for (value, extent) in values.iter_mut().zip(extents) {
            *value = extent.value(sizes).map_err(|error| error.to_string())?;
        }
        Ok::<_, String>(values)
    };
    let (grid, block) = (values(&launch.grid)?, values(&launch.block)?);
    for (what, extents, max) in [("grid", grid, GRID_MAX), ("block", block, BLOCK_MAX)] {
        for axis in 0..3 {
            if !(1..=max[axis]).contains(&extents[axis]) {
                let letter = ["x", "y", "z"][axis];
                return Err(format!("the {what} has {} along {letter}; it must be 1 to {}", extents[axis], max[axis]));
            }
        }
    }
    let threads: i64 = block.iter().product();
    if threads > BLOCK_THREADS_MAX {
        return Err(format!("a block has {threads} threads; it must be at most {BLOCK_THREADS_MAX}"));
    }
    let shared = launch.shared_bytes.value(sizes).map_err(|error| error.to_string())?;
    if !(0..=SHARED_BYTES_MAX).contains(&shared) {
        return Err(format!("shared_bytes is {shared}; it must be 0 to {SHARED_BYTES_MAX}"));
    }
    Ok(())
}
