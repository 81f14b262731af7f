//! What one H200 answered to instructions over vectors of values, and to kernels, is what the simulator gives.
//! `docs/GPU.md` says how the answers are recorded.

use std::collections::HashMap;

#[path = "../../examples/differential/answers.rs"]
mod answers;
#[path = "../../examples/differential/closeness.rs"]
mod closeness;
#[path = "../../examples/differential/plan.rs"]
mod plan;

const ANSWERS: &str = include_str!("../../testdata/differential/answers.txt");

/// Names of all jobs of a kind that do not agree.
fn disagreeing(is_wanted: impl Fn(&plan::Job) -> bool) -> (usize, Vec<String>) {
    let known: HashMap<&str, &str> = ANSWERS.lines().filter_map(|line| line.split_once(" = ")).collect();
    let (mut count, mut wrong) = (0, vec![]);
    for job in plan::jobs().iter().filter(|job| is_wanted(job)) {
        // What the GPU's assembler refuses has no answer.
        let Some(answer) = known.get(job.name.as_str()) else { continue };
        count += 1;
        match job.simulate() {
            Ok(ours) if answers::agree(job, &ours, answer) => {}
            Ok(_) => wrong.push(job.name.clone()),
            Err(reason) => wrong.push(format!("{}: {reason}", job.name)),
        }
    }
    (count, wrong)
}

#[test]
fn instructions_agree_with_a_gpu() {
    let (count, wrong) = disagreeing(|job| job.kernel == "k");
    assert!(count >= 600, "{count} instructions have answers");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn kernels_agree_with_a_gpu() {
    let (count, wrong) = disagreeing(|job| job.kernel != "k");
    assert!(count >= 70, "{count} kernels have answers");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
