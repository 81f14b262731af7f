//! Hidden cases tell verdict and line, never a number.

use domain::verdict::{CaseOutcome, VerdictKind};
use e2e::world::World;

#[tokio::test]
async fn a_hidden_failure_tells_no_number() -> anyhow::Result<()> {
    let world = World::start().await?;
    let (visitor, exercise) = (world.visitor(), world.exercise());
    let domain::exercise::Task::Kernel(task) = &exercise.task;
    // Right for every visible size, wrong for all others, and chatty.
    let visible: Vec<String> = task
        .cases
        .iter()
        .filter(|case| case.visible)
        .filter_map(|case| match case.sizes.first() {
            Some((_, domain::exercise::SizeChoice::Fixed(value))) => Some(value.to_string()),
            _ => None,
        })
        .collect();
    let size = &task.sizes[0].name;
    let test = visible.iter().map(|value| format!("{size} != {value}")).collect::<Vec<_>>().join(" && ");
    let open = exercise.solution.find(") {").map(|at| at + 3).expect("the kernel's body begins");
    let mut source = exercise.solution.clone();
    source.insert_str(
        open,
        &format!("\n    if ({test}) {{ if (threadIdx.x == 0) printf(\"hidden size %d\\n\", {size}); return; }}\n"),
    );
    let submission = visitor.submit(exercise.slug.as_str(), &source).await?;
    let verdict = visitor.verdict(&submission).await?;
    assert_eq!(verdict.kind, VerdictKind::OutputUntouched, "{verdict:?}");
    let hidden: Vec<_> =
        verdict.cases.iter().filter(|case| case.label.is_none() && case.outcome.failure().is_some()).collect();
    assert!(!hidden.is_empty());
    for case in hidden {
        let CaseOutcome::Failed { finding, .. } = &case.outcome else {
            continue;
        };
        assert_eq!(**finding, finding.as_ref().clone().redacted());
    }
    // Nothing that leaves the product carries the size, the printed text or the seed.
    let everything = [
        visitor.get(&format!("/s/{submission}")).await?.text().await?,
        visitor.get(&format!("/s/{submission}/transcript")).await?.text().await?,
        serde_json::to_string(&visitor.events(&submission, 0).await?)?,
    ];
    for text in everything {
        assert!(
            !text.contains("hidden size 4") && !text.contains(&format!("{size} = 31")) && !text.contains("seed"),
            "{text}"
        );
    }
    world.end().await
}
