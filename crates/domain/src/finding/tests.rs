//! Redaction and lines.

use super::*;

#[test]
fn lines_outside_the_source_are_dropped() {
    let race = |line, other_line| Finding::Race {
        space: Space::Shared,
        buffer: "s".into(),
        missing: Missing::Barrier,
        line,
        other_line,
        at: None,
        related: vec![],
    };
    for (given, expect) in [
        (race(Some(3), Some(4)), vec![3, 4]),
        (race(Some(3), Some(11)), vec![3]),
        (race(Some(900_001), Some(4)), vec![4]),
        (Finding::CompileRefused { line: Some(10) }, vec![10]),
        (Finding::CompileRefused { line: Some(11) }, vec![]),
    ] {
        assert_eq!(given.within(10).lines().collect::<Vec<_>>(), expect);
    }
}

#[test]
fn a_hidden_case_tells_no_number() {
    let who = Some(Thread { block: [31_337, 0, 0], thread: [31_337, 0, 0], block_size: [31_337, 1, 1] });
    let mismatch = || {
        Some(Mismatch {
            index: 31_337,
            expected: "31337".into(),
            got: "31337".into(),
            difference: Some(31_337.0),
            allowed: 31_337.0,
            count: 31_337,
            size: 31_337,
            who,
        })
    };
    let out = || "out".to_owned();
    let thread = Thread { block: [31_337, 0, 0], thread: [31_337, 0, 0], block_size: [31_337, 1, 1] };
    let related = vec![Related { line: 31_337, what: RelatedKind::Condition }];
    let side = RaceSide { who: thread, access: Access::Write, atomic: false };
    let reach = Reach { who, index: 31_337, size: 31_337, threads: 31_337, launched: 31_337 };
    let what = WaitsFor::Memory { space: Space::Global, buffer: Some(out()), index: 31_337, holds: 31_337 };
    let waiting = vec![Waiting { line: Some(7), threads: 31_337, who: thread, what }];
    let findings = [
        Finding::OutOfBounds {
            access: Access::Read,
            space: Space::Global,
            buffer: Some(out()),
            line: Some(7),
            at: Some(reach),
            related: related.clone(),
        },
        Finding::Misaligned { access_bytes: 31_337, line: Some(7), at: Some((who, 31_337)) },
        Finding::Illegal { error: "31337".into(), line: Some(7), who },
        Finding::BarrierDivergent {
            line: Some(7),
            who,
            arrived: Some(31_337),
            expected: Some(31_337),
            waiting: waiting.clone(),
        },
        Finding::TimeLimit { limit_ms: 2000, line: Some(7), who, warps: Some(31_337), waiting },
        Finding::MemoryLimit { reason: "31337".into(), line: Some(7) },
        Finding::LaunchResources { reason: "31337".into() },
        Finding::OutputFlood { bytes: 31_337 },
        Finding::Race {
            space: Space::Global,
            buffer: out(),
            missing: Missing::Barrier,
            line: Some(7),
            other_line: Some(8),
            at: Some(RaceFacts { index: 31_337, size: 31_337, later: side, earlier: side }),
            related: related.clone(),
        },
        Finding::AbsentLane { line: Some(7), who },
        Finding::Uninitialised {
            space: Some(Space::Shared),
            buffer: Some(out()),
            line: Some(7),
            at: who.map(|who| (who, 31_337)),
            related,
        },
        Finding::WriteConst { buffer: out(), index: Some(31_337), line: Some(7) },
        Finding::Nan { buffer: out(), at: mismatch() },
        Finding::Untouched { buffer: out(), at: mismatch() },
        Finding::WrongValues { buffer: out(), at: mismatch() },
    ];
    for finding in findings {
        let text = serde_json::to_string(&finding.redacted()).unwrap();
        assert!(!text.contains("31337"), "{text}");
    }
}
