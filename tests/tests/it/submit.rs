//! From a source to a verdict and back to the page.

use domain::event::GradeEvent;
use domain::finding::Finding;
use domain::verdict::VerdictKind;
use e2e::world::{World, wrong_source};

#[tokio::test]
async fn a_guest_gets_true_verdicts_and_keeps_them() -> anyhow::Result<()> {
    let world = World::start().await?;
    let (visitor, exercise) = (world.visitor(), world.exercise());
    let slug = exercise.slug.as_str();

    let accepted = visitor.judge(slug, &exercise.solution).await?;
    assert_eq!(accepted.kind, VerdictKind::Accepted, "{accepted:?}");
    assert_eq!(accepted.device, "simulator");
    let starter = visitor.judge(slug, &exercise.starter).await?;
    assert_eq!(starter.kind, VerdictKind::OutputUntouched);

    let stray = visitor.submit(slug, &wrong_source(exercise, "oob-read")).await?;
    let verdict = visitor.verdict(&stray).await?;
    let Some(Finding::OutOfBounds { line: Some(line), at: Some(reach), buffer: Some(buffer), .. }) = &verdict.finding
    else {
        panic!("{verdict:?}")
    };
    let page = visitor.get(&format!("/s/{stray}")).await?.text().await?;
    assert!(page.contains(&format!("line {line}")) && page.contains(&format!("{buffer}[{}]", reach.index)), "{page}");
    // A plain reload shows the same, and the workspace knows the newest source.
    let workspace = visitor.get(&format!("/x/{slug}")).await?.text().await?;
    assert!(workspace.contains(&format!("/s/{stray}")));

    // Somebody else sees nothing of it, and cannot tell it from what never was.
    let stranger = world.visitor();
    stranger.get(&format!("/x/{slug}")).await?;
    let never = "/s/00000000-0000-7000-8000-000000000000";
    for tail in ["", "/events", "/transcript"] {
        let foreign = stranger.get(&format!("/s/{stray}{tail}")).await?;
        let unknown = stranger.get(&format!("{never}{tail}")).await?;
        assert_eq!((foreign.status(), unknown.status()), (404.try_into()?, 404.try_into()?));
        let plain =
            |text: String| text.split("nonce").map(|part| part.get(30..).unwrap_or("").to_owned()).collect::<String>();
        assert_eq!(plain(foreign.text().await?), plain(unknown.text().await?));
    }
    world.end().await
}

#[tokio::test]
async fn a_stream_resumes_after_the_last_number() -> anyhow::Result<()> {
    let world = World::start().await?;
    let (visitor, exercise) = (world.visitor(), world.exercise());
    let submission = visitor.submit(exercise.slug.as_str(), &exercise.solution).await?;
    let all = visitor.events(&submission, 0).await?;
    assert!(all.iter().map(|(seq, _)| *seq).eq(1..=all.len() as i32), "numbers are dense");
    assert!(matches!(all.last(), Some((_, GradeEvent::Finished { .. }))));
    let middle = all[all.len() / 2].0;
    let rest = visitor.events(&submission, middle).await?;
    assert_eq!(rest, all[middle as usize..]);
    world.end().await
}

#[tokio::test]
async fn the_next_submission_works_after_an_endless_one() -> anyhow::Result<()> {
    let world = World::start().await?;
    let (visitor, exercise) = (world.visitor(), world.exercise());
    let slug = exercise.slug.as_str();
    let endless = visitor.submit(slug, &wrong_source(exercise, "time-limit")).await?;
    let honest = visitor.judge(slug, &exercise.solution).await?;
    assert_eq!(honest.kind, VerdictKind::Accepted);
    let verdict = visitor.verdict(&endless).await?;
    assert_eq!(verdict.kind, VerdictKind::TimeLimit);
    assert!(verdict.finding.and_then(|finding| finding.line()).is_some(), "the line of the loop is named");
    world.end().await
}

#[tokio::test]
async fn a_file_of_the_machine_is_never_told() -> anyhow::Result<()> {
    let world = World::start().await?;
    let (visitor, exercise) = (world.visitor(), world.exercise());
    let signature = "extern \"C\" __global__ void k() {}";
    let includes = [
        "#include \"/etc/passwd\"",
        "#include </proc/self/environ>",
        "#include \"../../../../etc/hostname\"",
        "%:include \"/etc/passwd\"",
        "#define F \"/etc/passwd\"\n#include F",
        "#include \"/dev/fd/3\"",
        "#if __has_include(\"/etc/passwd\")\n#error it is there\n#endif\n#error not there",
    ];
    for include in includes {
        let visitor = if includes[0] == include { visitor.clone() } else { world.visitor() };
        let verdict = visitor.judge(exercise.slug.as_str(), &format!("{include}\n{signature}")).await?;
        let text = serde_json::to_string(&verdict)?;
        assert_eq!(verdict.kind, VerdictKind::CompileError, "{include}: {text}");
        for secret in ["root:", "PATH=", "it is there"] {
            assert!(!text.contains(secret), "{include}: {text}");
        }
    }
    world.end().await
}
