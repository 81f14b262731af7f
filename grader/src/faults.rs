//! What a device reports -> how a case ended.

use domain::exercise::KernelTask;
use domain::finding::{Access, Finding, Reach, Space};
use domain::verdict::{CaseOutcome, VerdictKind};

use crate::cases::PlannedCase;
use crate::compare;
use crate::grade::GradeError;
use crate::runner::protocol::{Fault, Ran, Stopped};

/// A finding as the outcome of a case; a hidden case tells nothing but kind and line.
pub fn failed(case: &PlannedCase, kind: VerdictKind, finding: Finding) -> CaseOutcome {
    let finding = if case.visible { finding } else { finding.redacted() };
    CaseOutcome::Failed { kind, finding: Box::new(finding) }
}

/// A stopped run.
///
/// # Errors
/// The device itself is of no use.
pub fn stopped(case: &PlannedCase, stopped: Stopped) -> Result<CaseOutcome, GradeError> {
    let (kind, finding) = match stopped.fault {
        Fault::Known { kind, finding } => (kind, finding),
        Fault::Flood { bytes } => (VerdictKind::OutputLimit, Finding::OutputFlood { bytes }),
        Fault::Time { line, who, warps, waiting } => {
            (VerdictKind::TimeLimit, Finding::TimeLimit { limit_ms: case.run.run_ms, line, who, warps, waiting })
        }
        Fault::Device { reason } => return Err(GradeError::Device { reason }),
    };
    // What was noticed before may be what led there.
    let first = stopped.noted.into_iter().filter(|noted| noted.kind < kind).min_by_key(|noted| noted.kind);
    let (kind, finding) = first.map_or((kind, finding), |noted| (noted.kind, noted.finding));
    Ok(failed(case, kind, finding))
}

/// A run that ended: guards first, then every buffer against the oracle, the failure of highest precedence wins.
///
/// # Errors
/// The runner returned other buffers than it got.
pub fn ended(
    task: &KernelTask,
    case: &PlannedCase,
    expected: &[Vec<u8>],
    ran: &Ran,
) -> Result<CaseOutcome, GradeError> {
    let sizes_match = ran.buffers.len() == case.run.buffers.len()
        && ran
            .buffers
            .iter()
            .zip(&case.run.buffers)
            .all(|(got, sent)| got.bytes(&sent.bytes.0).len() == sent.bytes.0.len());
    if !sizes_match {
        return Err(GradeError::Device { reason: "a runner returned buffers of other sizes".to_owned() });
    }
    let mut worst: Option<(VerdictKind, Finding)> = None;
    let mut note = |found: Option<(VerdictKind, Finding)>| {
        if let Some(found) = found
            && worst.as_ref().is_none_or(|(kind, _)| found.0 < *kind)
        {
            worst = Some(found);
        }
    };
    for noted in &ran.noted {
        note(Some((noted.kind, noted.finding.clone())));
    }
    for (buffer, offset) in &ran.guard_damage {
        note(guard_damage(case, *buffer as usize, *offset));
    }
    for (at, (left, sent)) in ran.buffers.iter().zip(&case.run.buffers).enumerate() {
        let (sent, actual) = (sent.bytes.0.as_slice(), left.bytes(&sent.bytes.0));
        let param = &task.params[case.params[at]];
        let elements = (actual.len() / param.element.bytes() as usize) as u64;
        let owner = |index| compare::owner(&task.launches, &case.sizes, elements, index);
        note(compare::judge(param, sent, &expected[at], actual, owner));
    }
    Ok(worst.map_or(CaseOutcome::Agrees, |(kind, finding)| failed(case, kind, finding)))
}

/// A guard zone changed: somebody wrote beside the buffer. Only the simulator knows who.
fn guard_damage(case: &PlannedCase, buffer: usize, offset: i64) -> Option<(VerdictKind, Finding)> {
    let buffer = case.run.buffers.get(buffer)?;
    let width = i64::from(buffer.element_bytes);
    let launched = case.run.launches.iter().map(|launch| count(launch.grid) * count(launch.block)).max().unwrap_or(0);
    let reach = Reach {
        who: None,
        index: offset.div_euclid(width),
        size: buffer.bytes.0.len() as u64 / u64::from(buffer.element_bytes),
        threads: 1,
        launched,
    };
    let finding = Finding::OutOfBounds {
        access: Access::Write,
        space: Space::Global,
        buffer: Some(buffer.name.clone()),
        line: None,
        at: Some(reach),
        related: vec![],
    };
    Some((VerdictKind::OobWrite, finding))
}

/// Product of three extents.
pub fn count([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) * u64::from(y) * u64::from(z)
}
