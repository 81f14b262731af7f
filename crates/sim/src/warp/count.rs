//! What an operation is about to ask for, counted before it runs.

use domain::counters::LineCounters;
use domain::counters::request::{atomics, sectors, wavefronts};

use super::{Kind, LANES, Lanes, Shared, Warp, lanes};
use crate::count::Counts;
use crate::memory::{GLOBAL_BASE, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::op::copy::{Copying, Filled};
use crate::op::{Address, MemorySpace};

/// What is asked of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Load,
    Store,
    Atomic,
}

impl Warp {
    /// Counts one execution. What waits for other lanes is counted when they have come, since it runs again then.
    pub(super) fn count(
        &self,
        kind: &Kind,
        (mask, active): (u32, u32),
        pc: usize,
        shared: &Shared<'_, '_>,
        counts: &mut Counts,
    ) {
        if kind.is_collective() {
            return;
        }
        // Who stays at a branch has decided so; elsewhere a false condition leaves a lane idle.
        counts.instruction(pc, if matches!(kind, Kind::Branch { .. }) { mask } else { active });
        let Some(line) = counts.requests(pc) else { return };
        match kind {
            Kind::Branch { .. } if shared.program.ops[pc].guard.is_some() => {
                line.branches += 1;
                line.divergent_branches += u64::from(active != 0 && active != mask);
            }
            Kind::Barrier { .. } => line.barriers += u64::from(active != 0),
            Kind::Load { space, width, to, from, .. } if !shared.program.marks[pc].is_constant => {
                let bytes = width.bytes * to.len() as u32;
                self.count_request(Ask::Load, *space, *from, bytes, active, shared, line);
            }
            Kind::Store { space, width, from, to, .. } => {
                let bytes = width.bytes * from.len() as u32;
                self.count_request(Ask::Store, *space, *to, bytes, active, shared, line);
            }
            Kind::Atomic { space, bytes, at, .. } => {
                self.count_request(Ask::Atomic, *space, *at, *bytes, active, shared, line);
            }
            Kind::Copying(copying) => self.count_copy(copying, active, shared, line),
            _ => {}
        }
    }

    /// A copy loads what it does not fill with zeros, and stores all of it.
    fn count_copy(&self, copying: &Copying, active: u32, shared: &Shared<'_, '_>, line: &mut LineCounters) {
        let Copying::Start { to, from, bytes, filled } = copying else { return };
        let loads = match filled {
            Filled::All => active,
            Filled::Unless(predicate) => active & !self.predicate(*predicate),
            Filled::Bytes(source) => lanes(active)
                .filter(|lane| self.value(*source, *lane, shared) != 0)
                .fold(0, |loads, lane| loads | 1 << lane),
        };
        self.count_request(Ask::Load, MemorySpace::Global, *from, *bytes, loads, shared, line);
        self.count_request(Ask::Store, MemorySpace::Shared, *to, *bytes, active, shared, line);
    }

    #[expect(clippy::too_many_arguments, reason = "one access has so many sides, and a struct would be used once")]
    fn count_request(
        &self,
        ask: Ask,
        space: MemorySpace,
        at: Address,
        bytes: u32,
        active: u32,
        shared: &Shared<'_, '_>,
        line: &mut LineCounters,
    ) {
        if active == 0 {
            return;
        }
        let addresses = self.addresses(at, shared);
        let [global, in_shared, local] = by_space(space, &addresses, active);
        if global != 0 {
            match ask {
                Ask::Load => line.loads.record(sectors(&addresses, global, bytes)),
                Ask::Store => line.stores.record(sectors(&addresses, global, bytes)),
                Ask::Atomic => line.record_atomics(atomics(&addresses, global)),
            }
        }
        if in_shared != 0 {
            line.shared.record(wavefronts(&addresses, in_shared, bytes));
            if ask == Ask::Atomic {
                line.record_atomics(atomics(&addresses, in_shared));
            }
        }
        line.local_requests += u64::from(local != 0);
    }
}

/// The lanes that ask global, shared and local memory; a generic address says which by where it lies. Parameters are
/// none of these.
fn by_space(space: MemorySpace, addresses: &Lanes, active: u32) -> [u32; 3] {
    match space {
        MemorySpace::Global => [active, 0, 0],
        MemorySpace::Shared => [0, active, 0],
        MemorySpace::Local => [0, 0, active],
        MemorySpace::Generic => {
            let within = |from: u64, to: u64| {
                let is_within = |lane: &usize| (from..to).contains(&addresses[*lane]);
                (0..LANES).filter(is_within).fold(0, |mask, lane| mask | 1 << lane) & active
            };
            [within(GLOBAL_BASE, u64::MAX), within(SHARED_WINDOW, LOCAL_WINDOW), within(LOCAL_WINDOW, PARAM_WINDOW)]
        }
    }
}
