//! A case of a manifest and a seed -> sizes, buffers and launches, ready for a device.

use std::sync::Arc;

use domain::exercise::{Fill, KernelTask, Role, ScalarValue, SizeChoice};
use domain::expression::{Expression, ExpressionError, Sizes};
use domain::limits::CASE_BYTES_MAX;

use crate::inputs;
use crate::runner::protocol::{Argument, Buffer, BufferRole, Bytes, Launch, Run};

/// One case with all its values.
#[derive(Clone, Debug)]
pub struct PlannedCase {
    /// Position in the exercise, from 0.
    pub index: u32,
    /// Whether its numbers may be shown.
    pub visible: bool,
    /// Value of each size.
    pub sizes: Sizes,
    /// What a device gets.
    pub run: Arc<Run>,
    /// The parameter that each buffer belongs to, as an index into the exercise's.
    pub params: Vec<usize>,
}

/// Why a manifest gives no case: a fault of its author that loading could not see.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// An expression.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// A number outside what a device takes.
    #[error("{what} is {value}, which no device takes")]
    Range {
        /// Which number.
        what: String,
        /// Its value.
        value: i64,
    },
    /// Too much memory.
    #[error("the buffers of one case take {bytes} bytes; the limit is {CASE_BYTES_MAX}")]
    TooLarge {
        /// Bytes of the buffers up to the one that is too much.
        bytes: u64,
    },
}

impl PlannedCase {
    /// The sizes in words: `n = 1000`.
    pub fn label(&self) -> String {
        let sizes: Vec<_> = self.sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        sizes.join(", ")
    }
}

/// Plans case `index`. Visible cases have the same inputs for everybody; hidden ones follow from `seed`.
pub fn plan(task: &KernelTask, index: usize, seed: i64) -> Result<PlannedCase, PlanError> {
    let case = &task.cases[index];
    let case_seed =
        if case.visible { inputs::mix(index as u64) } else { inputs::mix(inputs::mix(seed as u64) ^ index as u64) };
    let sizes: Sizes = case
        .sizes
        .iter()
        .enumerate()
        .map(|(position, (name, choice))| (name.clone(), size(choice, inputs::mix(case_seed ^ !(position as u64)))))
        .collect();
    let (buffers, arguments, params) = buffers(task, case.fill.as_ref(), &sizes, case_seed)?;
    let launches = launches(task, &sizes)?;
    let run_ms = task.run_ms.min(domain::limits::RUN_MILLISECONDS_MAX);
    Ok(PlannedCase {
        index: index as u32,
        visible: case.visible,
        sizes,
        run: Arc::new(Run { buffers, arguments, launches, run_ms }),
        params,
    })
}

fn size(choice: &SizeChoice, random: u64) -> i64 {
    match choice {
        SizeChoice::Fixed(value) => *value,
        SizeChoice::Random { lo, hi } => lo + (random % ((hi - lo) as u64 + 1)) as i64,
    }
}

type Filled = (Vec<Buffer>, Vec<Argument>, Vec<usize>);

fn buffers(task: &KernelTask, case_fill: Option<&Fill>, sizes: &Sizes, seed: u64) -> Result<Filled, PlanError> {
    let (mut buffers, mut arguments, mut params) = (vec![], vec![], vec![]);
    let mut total: u64 = 0;
    for (index, param) in task.params.iter().enumerate() {
        let Some(count) = param.element_count(sizes)? else {
            let Role::Scalar { value } = &param.role else { unreachable!("only scalars have no shape") };
            let mut bytes = vec![];
            match value {
                ScalarValue::Whole(value) => inputs::push_integer(&mut bytes, param.element, value.value(sizes)?),
                ScalarValue::Fraction(value) => inputs::push_number(&mut bytes, param.element, *value),
            }
            arguments.push(Argument::Value(bytes));
            continue;
        };
        total = total.saturating_add(count.saturating_mul(u64::from(param.element.bytes())));
        if total > CASE_BYTES_MAX {
            return Err(PlanError::TooLarge { bytes: total });
        }
        let bytes = match &param.role {
            Role::In { fill, .. } | Role::InOut { fill, .. } => {
                inputs::fill(case_fill.unwrap_or(fill), param.element, count, sizes, seed, index)?
            }
            Role::Out { .. } | Role::Scratch { .. } => inputs::poison(param.element).repeat(count as usize),
            Role::Scalar { .. } => unreachable!("scalars have no elements"),
        };
        arguments.push(Argument::Buffer(buffers.len() as u32));
        let role = match &param.role {
            Role::In { .. } => BufferRole::Input,
            Role::InOut { .. } => BufferRole::InOut,
            Role::Out { .. } => BufferRole::Output,
            Role::Scratch { .. } | Role::Scalar { .. } => BufferRole::Scratch,
        };
        let (name, element_bytes) = (param.name.clone(), param.element.bytes());
        buffers.push(Buffer { name, element_bytes, role, bytes: Bytes(bytes) });
        params.push(index);
    }
    Ok((buffers, arguments, params))
}

fn launches(task: &KernelTask, sizes: &Sizes) -> Result<Vec<Launch>, PlanError> {
    let mut launches = vec![];
    for launch in &task.launches {
        let number = |expression: &Expression| -> Result<u32, PlanError> {
            let value = expression.value(sizes)?;
            u32::try_from(value).map_err(|_| PlanError::Range { what: expression.to_string(), value })
        };
        let triple = |extents: &[Expression; 3]| -> Result<[u32; 3], PlanError> {
            Ok([number(&extents[0])?, number(&extents[1])?, number(&extents[2])?])
        };
        let (grid, block) = (triple(&launch.grid)?, triple(&launch.block)?);
        // Nothing to do is nothing to launch: a grid of 0 would be an error of the driver, not of the kernel.
        if !grid.contains(&0) {
            launches.push(Launch { kernel: 0, grid, block, shared_bytes: number(&launch.shared_bytes)? });
        }
    }
    Ok(launches)
}

/// The (offset, size) that the exercise's parameters have in the kernel's parameter space: natural alignment.
pub fn parameter_layout(task: &KernelTask) -> Vec<(u32, u32)> {
    let mut at = 0_u32;
    task.params
        .iter()
        .map(|param| {
            let size = param.parameter_bytes();
            let offset = at.next_multiple_of(size);
            at = offset + size;
            (offset, size)
        })
        .collect()
}
