//! What the simulator found, in the product's words.

use domain::finding::{
    self, Access, Finding, RaceFacts, RaceSide, Related, RelatedKind, Space, Thread, Waiting, WaitsFor,
};
use domain::verdict::VerdictKind;
use sim::{Found, FoundKind};

use crate::runner::protocol::Noted;

/// Findings of one launch with blocks of this size.
pub fn noted(found: Vec<Found>, block_size: [u32; 3]) -> Vec<Noted> {
    found.into_iter().map(|found| note(found, block_size)).collect()
}

fn note(found: Found, block_size: [u32; 3]) -> Noted {
    let line = found.line;
    let who = Thread { block: found.block, thread: found.thread, block_size };
    match found.kind {
        FoundKind::Race { at, later, earlier, missing } => {
            let space = space(at.space);
            let kind = if space == Space::Shared { VerdictKind::RaceShared } else { VerdictKind::RaceGlobal };
            let facts = RaceFacts {
                index: at.index,
                size: at.size,
                later: side(&later, block_size),
                earlier: side(&earlier, block_size),
            };
            let finding = Finding::Race {
                space,
                buffer: at.buffer.unwrap_or_default(),
                missing: self::missing(missing),
                line: later.line,
                other_line: earlier.line,
                at: Some(facts),
                related: related(&found.related),
            };
            Noted { kind, finding }
        }
        FoundKind::Uninitialised { at } => {
            let index = at.as_ref().map_or(0, |at| at.index);
            let space = at.as_ref().map(|at| self::space(at.space));
            let buffer = at.and_then(|at| at.buffer);
            let related = related(&found.related);
            let finding = Finding::Uninitialised { space, buffer, line, at: Some((who, index)), related };
            Noted { kind: VerdictKind::UninitRead, finding }
        }
        FoundKind::AbsentLane => {
            Noted { kind: VerdictKind::BarrierDivergence, finding: Finding::AbsentLane { line, who: Some(who) } }
        }
        FoundKind::WroteInput { at } => {
            let (buffer, index) = (at.buffer.unwrap_or_default(), u64::try_from(at.index).ok());
            Noted { kind: VerdictKind::InputModified, finding: Finding::WriteConst { buffer, index, line } }
        }
    }
}

/// The simulator's related lines in the product's words.
pub fn related(related: &[(sim::Related, u32)]) -> Vec<Related> {
    let kind = |what| match what {
        sim::Related::Condition => RelatedKind::Condition,
        sim::Related::Store => RelatedKind::Store,
        sim::Related::Left => RelatedKind::Left,
        sim::Related::BlockBarrier => RelatedKind::BlockBarrier,
        sim::Related::Overflow => RelatedKind::Overflow,
    };
    related.iter().map(|(what, line)| Related { line: *line, what: kind(*what) }).collect()
}

/// Where threads of one block wait, in the product's words.
pub fn waiting(waiting: Vec<sim::Waiting>, block: [u32; 3], block_size: [u32; 3]) -> Vec<Waiting> {
    let one = |waiting: sim::Waiting| Waiting {
        line: waiting.line,
        threads: waiting.threads,
        who: Thread { block, thread: waiting.thread, block_size },
        what: match waiting.what {
            sim::WaitsFor::Barrier => WaitsFor::Barrier,
            sim::WaitsFor::Lanes => WaitsFor::Lanes,
            sim::WaitsFor::Nothing => WaitsFor::Nothing,
            sim::WaitsFor::Memory { at, holds } => {
                WaitsFor::Memory { space: space(at.space), buffer: at.buffer, index: at.index, holds }
            }
        },
    };
    waiting.into_iter().map(one).collect()
}

fn side(side: &sim::Side, block_size: [u32; 3]) -> RaceSide {
    RaceSide {
        who: Thread { block: side.block, thread: side.thread, block_size },
        access: if side.write { Access::Write } else { Access::Read },
        atomic: side.atomic,
    }
}

fn missing(missing: sim::Missing) -> finding::Missing {
    match missing {
        sim::Missing::Barrier => finding::Missing::Barrier,
        sim::Missing::WarpSync => finding::Missing::WarpSync,
        sim::Missing::OneWriter => finding::Missing::OneWriter,
        sim::Missing::SameValue => finding::Missing::SameValue,
        sim::Missing::BlockOrder => finding::Missing::BlockOrder,
        sim::Missing::Atomic => finding::Missing::Atomic,
        sim::Missing::WiderScope => finding::Missing::WiderScope,
        sim::Missing::Coherence => finding::Missing::Coherence,
    }
}

/// The simulator's memories in the product's words.
pub fn space(space: sim::Space) -> Space {
    match space {
        sim::Space::Global => Space::Global,
        sim::Space::Shared => Space::Shared,
        sim::Space::Local => Space::Local,
        sim::Space::Null => Space::Null,
        sim::Space::Wild => Space::Wild,
    }
}
