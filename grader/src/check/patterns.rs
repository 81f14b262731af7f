//! Outputs that nobody computed: zeros, ones, the first input, the marker. A case must tell them from a right answer.

use domain::exercise::{KernelTask, Role, Task};
use domain::verdict::CaseOutcome;
use lesson::Exercise;

use super::{CHECK_SEED, OUR_FAULT, Row, explain_error};
use crate::cases::{self, PlannedCase};
use crate::faults;
use crate::grade::GradeError;
use crate::inputs;
use crate::runner::protocol::{Bytes, Left, Ran};
use crate::tools::Tools;

/// Outputs that nobody computed, compared as if a kernel had left them.
pub(super) async fn judge(tools: &Tools, exercise: &Exercise) -> Result<Vec<Row>, GradeError> {
    let Task::Kernel(task) = &exercise.task;
    let mut planned = vec![];
    for (case_index, _) in task.cases.iter().enumerate().filter(|(_, case)| !case.gpu_only && !case.timed) {
        planned.push(cases::plan(task, case_index, CHECK_SEED).map_err(|source| GradeError::Plan {
            exercise: exercise.slug.to_string(),
            case_index,
            source,
        })?);
    }
    let expected = tools.oracle.cases(tools, exercise, task, &planned).await?;
    let patterns = [
        ("all zeros", Pattern::Zeros),
        ("all ones", Pattern::Ones),
        ("copy of the first input", Pattern::FirstInput),
        ("untouched", Pattern::Untouched),
    ];
    let mut rows = vec![];
    for (name, pattern) in patterns {
        let mut got = None;
        for (case, expected) in planned.iter().zip(&expected) {
            let left = Ran {
                buffers: leave(task, case, pattern),
                guard_damage: vec![],
                noted: vec![],
                printed: Bytes::default(),
                printed_bytes: 0,
                elapsed_us: 0,
                detection_is_partial: false,
                counters: None,
            };
            if let CaseOutcome::Failed { kind, .. } = faults::ended(task, case, expected, &left)? {
                got = Some((kind, case.label()));
                break;
            }
        }
        rows.push(Row {
            exercise: exercise.slug.to_string(),
            subject: name.to_owned(),
            wanted: "refused".to_owned(),
            got: got.as_ref().map_or("accepted", |(kind, _)| kind.as_str()).to_owned(),
            explanation: got
                .as_ref()
                .map_or("No case tells it from a right answer: add one.".to_owned(), |(_, label)| {
                    format!("By the case {label}.")
                }),
            ok: got.is_some(),
            diagnosis: None,
        });
    }
    Ok(rows)
}

/// The row of an exercise whose patterns could not be judged.
pub(super) fn failed(exercise: &Exercise, error: &GradeError) -> Row {
    Row {
        exercise: exercise.slug.to_string(),
        subject: "outputs that nobody computed".to_owned(),
        wanted: "refused".to_owned(),
        got: OUR_FAULT.to_owned(),
        explanation: explain_error(error),
        ok: false,
        diagnosis: None,
    }
}

#[derive(Clone, Copy)]
enum Pattern {
    Zeros,
    Ones,
    FirstInput,
    Untouched,
}

/// All buffers as a kernel of this pattern would leave them: inputs stand, outputs hold the pattern.
fn leave(task: &KernelTask, case: &PlannedCase, pattern: Pattern) -> Vec<Left> {
    let first_input =
        case.params.iter().position(|param| matches!(task.params[*param].role, Role::In { .. } | Role::InOut { .. }));
    let fill = |at: usize| {
        let param = &task.params[case.params[at]];
        let sent = &case.run.buffers[at].bytes.0;
        if !matches!(param.role, Role::Out { .. } | Role::InOut { .. }) {
            return sent.clone();
        }
        let count = sent.len() / param.element.bytes() as usize;
        let mut one = vec![];
        inputs::push_integer(&mut one, param.element, 1);
        match (pattern, first_input) {
            (Pattern::Zeros, _) => vec![0; sent.len()],
            (Pattern::Ones, _) => one.repeat(count),
            (Pattern::FirstInput, Some(first)) => {
                let mut copy = case.run.buffers[first].bytes.0.clone();
                copy.resize(sent.len(), 0);
                copy
            }
            (Pattern::FirstInput, None) | (Pattern::Untouched, _) => sent.clone(),
        }
    };
    (0..case.run.buffers.len()).map(|at| Left::Changed(Bytes(fill(at)))).collect()
}
