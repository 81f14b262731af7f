//! Blocks on several host threads, with the result that one thread would give.
//!
//! The grid is cut into parts of successive blocks. Each part but the first runs on memory of its own, with a detector
//! of its own. Then they are joined in order: where no part wrote what an earlier one touched, or touched what it
//! wrote, the parts saw and left what they would have in turn, and what they wrote is copied. Else that part and all
//! behind it run again, in turn. So nothing depends on how many threads there are, or on which was faster.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{Builder, Scope};
use std::time::Duration;

use crate::count::Counts;
use crate::launch::{Given, Progress, blocks_in_turn};
use crate::memory::Memory;
use crate::op::{Kind, MemorySpace, Op, Order};
use crate::race::{Detector, Part};
use crate::{Limits, Report, Trap, TrapKind};

/// Warp instructions that run first, to learn what a block costs.
const PROBE: u64 = 1 << 14;
/// Warp instructions for which another thread is worth its start and its copy of the memory.
const WORTH: u64 = 1 << 16;
/// How often somebody who waits for another thread asks whether time is up.
const ASK_AFTER: Duration = Duration::from_millis(2);

/// Whether blocks of a program cannot learn of each other but by plain loads and stores.
pub(crate) fn are_apart(ops: &[Op]) -> bool {
    let is_wide = |space: MemorySpace| matches!(space, MemorySpace::Global | MemorySpace::Generic);
    let is_plain = |order: &Order| order.strength.scope.is_none() && order.releases.is_none();
    ops.iter().all(|op| match &op.kind {
        Kind::Load { space, order, .. } | Kind::Store { space, order, .. } => !is_wide(*space) || is_plain(order),
        Kind::Atomic { space, .. } => !is_wide(*space),
        Kind::Print { .. } | Kind::Allocate { .. } | Kind::Free { .. } | Kind::Fence { .. } | Kind::Mbarrier(_) => {
            false
        }
        _ => true,
    })
}

/// What a part did.
struct Done<'m> {
    memory: Memory<'m>,
    part: Part,
    report: Report,
    counts: Option<Box<Counts>>,
    ended: Result<(), Box<Trap>>,
}

/// Runs all blocks, on as many host threads as the limits allow and the work is worth.
pub(crate) fn run_blocks(
    given: Given<'_>,
    blocks: u64,
    (memory, detector): (&mut Memory<'_>, &mut Detector),
    progress: &mut Progress<'_>,
) -> Result<(), Box<Trap>> {
    let mut next = 0;
    if progress.limits.host_threads > 1 && progress.tracer.is_none() && detector.is_on && given.0.blocks_are_apart {
        while next < blocks && progress.report.warp_instructions < PROBE {
            blocks_in_turn(given, next..next + 1, (memory, detector), progress)?;
            next += 1;
        }
        let left = blocks - next;
        let cost = (progress.report.warp_instructions / next.max(1)).saturating_mul(left);
        let parts = (progress.limits.host_threads as u64).min(cost / WORTH).min(left);
        if parts > 1 {
            let ends = (1..=parts).map(|part| next + left * part / parts);
            let ranges: Vec<_> =
                std::iter::once(next).chain(ends.clone()).zip(ends).map(|(from, to)| from..to).collect();
            return in_parts(given, &ranges, (memory, detector), progress);
        }
    }
    blocks_in_turn(given, next..blocks, (memory, detector), progress)
}

/// Runs successive ranges of blocks, each on its own thread; the first on this one.
fn in_parts(
    given: Given<'_>,
    ranges: &[Range<u64>],
    (memory, detector): (&mut Memory<'_>, &mut Detector),
    progress: &mut Progress<'_>,
) -> Result<(), Box<Trap>> {
    let [first, others @ ..] = ranges else { return Ok(()) };
    let (stop, limits) = (AtomicBool::new(false), *progress.limits);
    std::thread::scope(|scope| {
        let parts: Vec<_> = others
            .iter()
            .map(|range| start(scope, given, range.clone(), memory.fork(), (detector.inputs.clone(), limits), &stop))
            .collect();
        let mut ended = blocks_in_turn(given, first.clone(), (memory, detector), progress);
        for (range, part) in others.iter().zip(parts) {
            if ended.is_err() {
                break;
            }
            let done = part.and_then(|part| receive(&part, progress));
            let Some(done) = done.filter(|done| may_join(done, detector, progress)) else {
                stop.store(true, Ordering::Relaxed);
                let rest = range.start..ranges.last().map_or(range.end, |last| last.end);
                ended = blocks_in_turn(given, rest, (memory, detector), progress);
                break;
            };
            detector.join(done.part, |region, line, bytes| memory.take_line(&done.memory, region, line, bytes));
            progress.report.warp_instructions += done.report.warp_instructions;
            if let Some((mine, theirs)) = progress.counts.as_mut().zip(done.counts) {
                mine.merge(&theirs);
            }
            ended = done.ended;
        }
        stop.store(true, Ordering::Relaxed);
        ended
    })
}

/// Starts a part; `None` where there is no thread to be had.
fn start<'scope, 'm: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    given: Given<'scope>,
    range: Range<u64>,
    mut memory: Memory<'m>,
    (inputs, limits): (Vec<bool>, Limits),
    stop: &'scope AtomicBool,
) -> Option<Receiver<Done<'m>>> {
    let (sender, receiver) = sync_channel(1);
    let run = move || {
        let mut detector = Detector::start_part(memory.region_count(), inputs);
        let mut time_is_up = || stop.load(Ordering::Relaxed);
        let mut progress = Progress::new(given.0, &limits, &mut time_is_up);
        let ended = blocks_in_turn(given, range, (&mut memory, &mut detector), &mut progress);
        // Nobody waits where an earlier part has failed.
        let (report, counts) = (progress.report, progress.counts);
        let _ = sender.send(Done { memory, part: detector.into_part(), report, counts, ended });
    };
    Builder::new().spawn_scoped(scope, run).ok()?;
    Some(receiver)
}

/// Waits for a part; `None` where time is up before.
fn receive<'m>(part: &Receiver<Done<'m>>, progress: &mut Progress<'_>) -> Option<Done<'m>> {
    loop {
        match part.recv_timeout(ASK_AFTER) {
            Ok(done) => return Some(done),
            Err(RecvTimeoutError::Timeout) if (progress.time_is_up)() => return None,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Whether a part counts as it ran: no bound was met that holds for all parts together.
fn may_join(done: &Done<'_>, detector: &Detector, progress: &Progress<'_>) -> bool {
    let instructions = progress.report.warp_instructions + done.report.warp_instructions;
    let met_a_bound = done.ended.as_ref().is_err_and(|trap| {
        matches!(trap.kind, TrapKind::TimeUp { .. } | TrapKind::InstructionLimit { .. } | TrapKind::Stack { .. })
    });
    !met_a_bound && instructions <= progress.limits.warp_instructions && detector.may_join(&done.part)
}
