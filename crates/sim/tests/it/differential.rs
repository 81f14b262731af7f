//! What one H200 answered to instructions over vectors of values, and to kernels, is what the simulator gives.
//! `docs/GPU.md` says how the answers are recorded.

use std::collections::HashMap;

#[path = "../../examples/differential/answers.rs"]
mod answers;
#[path = "../../examples/differential/closeness.rs"]
mod closeness;
#[path = "../../examples/differential/kernels.rs"]
mod kernels;
#[path = "../../examples/differential/plan.rs"]
mod plan;
#[path = "../../examples/differential/programs.rs"]
mod programs;
#[path = "../../examples/differential/values.rs"]
mod values;

const ANSWERS: &str = include_str!("../../testdata/differential/answers.txt");

fn known() -> HashMap<&'static str, &'static str> {
    ANSWERS.lines().filter_map(|line| line.split_once(" = ")).collect()
}

/// How many jobs of a kind have an answer, and what is wrong with each that does not agree.
fn disagreeing(is_wanted: impl Fn(&plan::Job) -> bool) -> (usize, Vec<String>) {
    let known = known();
    let (mut count, mut wrong) = (0, vec![]);
    for job in plan::jobs().filter(|job| is_wanted(job)) {
        let Some(answer) = known.get(job.name.as_str()) else {
            wrong.push(format!("{}: has no answer", job.name));
            continue;
        };
        if *answer == answers::REFUSED {
            continue;
        }
        count += 1;
        match job.simulate() {
            Ok(ours) if agree(&job, &ours, answer) => {}
            Ok(_) => wrong.push(job.name.clone()),
            Err(reason) => wrong.push(format!("{}: {reason}", job.name)),
        }
    }
    (count, wrong)
}

/// One half of the instructions, so that two processors share them.
fn half_of_the_instructions_agrees(half: usize) {
    let place = std::cell::Cell::new(0);
    let is_wanted = |job: &plan::Job| {
        place.set(place.get() + 1);
        job.kernel == "k" && place.get() % 2 == half
    };
    let (count, wrong) = disagreeing(is_wanted);
    assert!(count >= 800, "{count} instructions have answers");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn even_instructions_agree_with_a_gpu() {
    half_of_the_instructions_agrees(0);
}

#[test]
fn odd_instructions_agree_with_a_gpu() {
    half_of_the_instructions_agrees(1);
}

#[test]
fn kernels_agree_with_a_gpu() {
    let (count, wrong) = disagreeing(|job| job.kernel != "k");
    assert!(count >= 139, "{count} kernels have answers");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn answers_are_of_what_is_run() {
    let names: std::collections::HashSet<String> = plan::jobs().map(|job| job.name).collect();
    let stale: Vec<&str> = known().into_keys().filter(|name| !names.contains(*name)).collect();
    assert!(stale.is_empty(), "answers to nothing: {stale:?}");
}

#[test]
fn another_result_is_told() {
    let known = known();
    let exact = "add.f32 %r1, %r2, %r3;";
    let approximate = "rcp.approx.f32 %r1, %r2;";
    for name in [exact, approximate, "blocks scan", "functions powers", "doubles exponentials"] {
        let job = plan::jobs().find(|job| job.name == name).unwrap_or_else(|| panic!("{name}"));
        let mut ours = job.simulate().unwrap();
        assert!(agree(&job, &ours, known[name]), "{name}");
        // Of a float the exponent, which is far off, too.
        ours[job.closeness.stride().min(4) - 1] ^= 1;
        ours[6] ^= 0x80;
        assert!(!agree(&job, &ours, known[name]), "{name} with another bit");
    }
}

/// Whether results agree with what was kept.
fn agree(job: &plan::Job, ours: &[u8], kept: &str) -> bool {
    match job.closeness {
        closeness::Closeness::Equal | closeness::Closeness::EqualBinary64 => answers::kept(job, ours) == kept,
        closeness => {
            let theirs: Vec<u64> = kept.split(' ').filter_map(|word| u64::from_str_radix(word, 16).ok()).collect();
            theirs.len() == answers::count(job)
                && (answers::results(job, ours).zip(theirs).enumerate())
                    .all(|(at, (a, b))| closeness.holds(answers::given(job, at), a, b))
        }
    }
}
