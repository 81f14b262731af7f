//! kill -9 anywhere: a submission answered with success is judged exactly once.

use std::time::Duration;

use domain::event::GradeEvent;
use domain::verdict::VerdictKind;
use e2e::cluster::Cluster;
use e2e::world::{World, wrong_source};

/// Until a grader has begun start number `start`.
async fn await_start(
    world: &World,
    visitor: &e2e::visitor::Visitor,
    submission: &str,
    start: i32,
) -> anyhow::Result<()> {
    for _ in 0..600 {
        let transcript = visitor.get(&format!("/s/{submission}/transcript")).await?.text().await?;
        let transcript: domain::transcript::Transcript = serde_json::from_str(&transcript)?;
        if transcript.start >= start {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    anyhow::bail!("start {start} never came (grader {:?})", world.grader_id())
}

fn finished(events: &[(i32, GradeEvent)]) -> usize {
    events.iter().filter(|(_, event)| event.is_final()).count()
}

#[tokio::test]
async fn a_killed_grader_costs_nothing() -> anyhow::Result<()> {
    let mut world = World::start().await?;
    let visitor = world.visitor();
    let (slug, endless) = (world.exercise().slug.to_string(), wrong_source(world.exercise(), "time-limit"));
    let submission = visitor.submit(&slug, &endless).await?;
    await_start(&world, &visitor, &submission, 1).await?;
    world.kill_grader()?;
    world.start_grader()?;
    let verdict = visitor.verdict(&submission).await?;
    assert_eq!(verdict.kind, VerdictKind::TimeLimit);
    let events = visitor.events(&submission, 0).await?;
    assert_eq!(finished(&events), 1);
    assert!(events.iter().any(|(_, event)| matches!(event, GradeEvent::Started { start: 2, .. })));
    world.end().await
}

#[tokio::test]
async fn the_third_start_that_kills_a_grader_is_our_fault() -> anyhow::Result<()> {
    let mut world = World::start().await?;
    let visitor = world.visitor();
    let (slug, endless) = (world.exercise().slug.to_string(), wrong_source(world.exercise(), "time-limit"));
    let submission = visitor.submit(&slug, &endless).await?;
    for start in 1..=3 {
        await_start(&world, &visitor, &submission, start).await?;
        world.kill_grader()?;
        world.start_grader()?;
    }
    let verdict = visitor.verdict(&submission).await?;
    assert_eq!(verdict.kind, VerdictKind::OurFault);
    assert_eq!(finished(&visitor.events(&submission, 0).await?), 1);
    // The queue moves on.
    let solution = world.exercise().solution.clone();
    assert_eq!(visitor.judge(&slug, &solution).await?.kind, VerdictKind::Accepted);
    world.end().await
}

#[tokio::test]
async fn a_killed_server_loses_no_submission() -> anyhow::Result<()> {
    let mut world = World::start().await?;
    let visitor = world.visitor();
    let (slug, solution) = (world.exercise().slug.to_string(), world.exercise().solution.clone());
    let submission = visitor.submit(&slug, &solution).await?;
    world.kill_server()?;
    world.start_server().await?;
    assert_eq!(visitor.verdict(&submission).await?.kind, VerdictKind::Accepted);
    assert_eq!(finished(&visitor.events(&submission, 0).await?), 1);
    world.end().await
}

#[tokio::test]
async fn a_killed_database_loses_no_submission() -> anyhow::Result<()> {
    let mut cluster = Cluster::start().await?;
    let url = cluster.url();
    let world = World::start_on(&url).await?;
    let visitor = world.visitor();
    let (slug, solution) = (world.exercise().slug.to_string(), world.exercise().solution.clone());
    let endless = wrong_source(world.exercise(), "time-limit");
    let running = visitor.submit(&slug, &endless).await?;
    await_start(&world, &visitor, &running, 1).await?;
    let waiting = visitor.submit(&slug, &solution).await?;
    cluster.crash_and_restart().await?;
    assert_eq!(visitor.verdict(&running).await?.kind, VerdictKind::TimeLimit);
    assert_eq!(visitor.verdict(&waiting).await?.kind, VerdictKind::Accepted);
    assert_eq!(finished(&visitor.events(&running, 0).await?), 1);
    world.end().await
}
