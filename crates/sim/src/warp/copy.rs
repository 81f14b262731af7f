//! Copies under way. A copy happens when its thread waits for it, so what is read before that is the old content; where
//! it started, its target counts as not written, so such a read is found.

use std::collections::VecDeque;

use super::memory::event;
use super::{LANES, Shared, Step, Stop, Warp, lanes};
use crate::memory::Access;
use crate::op::copy::{BarrierAction, BarrierOp, Copying, Filled};
use crate::op::{Address, MemorySpace, Order, Source};
use crate::race::Event;

/// Groups, and copies of one group, of one thread; above that the oldest come early, as they may on a GPU.
const GROUPS_MAX: usize = 64;
const COPIES_MAX: usize = 1024;

/// One copy of one thread.
#[derive(Clone, Copy)]
struct Pending {
    to: u64,
    from: u64,
    bytes: u32,
    /// Bytes that come from the source.
    filled: u32,
    pc: usize,
    /// Whether nobody wrote what is copied.
    is_nothing: bool,
}

/// What one thread has under way.
#[derive(Default)]
struct Thread {
    open: Vec<Pending>,
    groups: VecDeque<Vec<Pending>>,
}

/// What the threads of a warp have under way.
#[derive(Default)]
pub(super) struct Copies {
    threads: [Thread; LANES],
}

impl Warp {
    fn under_way(&mut self, lane: usize) -> &mut Thread {
        &mut self.copies.get_or_insert_default().threads[lane]
    }

    pub(super) fn copying(&mut self, copying: &Copying, active: u32, pc: usize, shared: &mut Shared<'_, '_>) -> Step {
        match copying {
            Copying::Start { to, from, bytes, filled } => {
                self.start_copies((*to, *from), (*bytes, *filled), active, pc, shared)
            }
            Copying::Commit => {
                for lane in lanes(active) {
                    let thread = self.under_way(lane);
                    let group = std::mem::take(&mut thread.open);
                    thread.groups.push_back(group);
                    if thread.groups.len() > GROUPS_MAX {
                        self.finish_groups(lane, GROUPS_MAX, shared)?;
                    }
                }
                Ok(())
            }
            Copying::WaitGroup(most) => lanes(active).try_for_each(|lane| self.finish_groups(lane, *most, shared)),
            Copying::WaitAll => lanes(active).try_for_each(|lane| self.finish_all(lane, shared)),
            Copying::Arrive { at, expected } => {
                lanes(active).try_for_each(|lane| self.finish_all(lane, shared))?;
                if *expected {
                    let (count, bytes) = (Source::Constant(1), Source::Constant(0));
                    let action = BarrierAction::Arrive { count, bytes, drops: false, state: None };
                    self.mbarrier(&BarrierOp { at: *at, action, releases: true }, active, pc, shared)?;
                }
                Ok(())
            }
        }
    }

    /// Checks a copy of each lane and notes it.
    fn start_copies(
        &mut self,
        (to, from): (Address, Address),
        (bytes, filled): (u32, Filled),
        active: u32,
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        let (to, from) = (self.addresses(to, shared), self.addresses(from, shared));
        self.note_store(active, pc);
        for lane in lanes(active) {
            let thread = self.index * LANES + lane;
            let from_source = match filled {
                Filled::All => bytes,
                Filled::Bytes(source) => self.value(source, lane, shared).min(u64::from(bytes)) as u32,
                Filled::Unless(predicate) => bytes * (!self.predicate(predicate) >> lane & 1),
            };
            let mut copy =
                Pending { to: to[lane], from: from[lane], bytes, filled: from_source, pc, is_nothing: false };
            for (at, part) in parts(from_source) {
                let address = from[lane].wrapping_add(u64::from(at));
                let space = MemorySpace::Global;
                let mut access = Access { space, address, bytes: part, write: false, thread };
                // The source is aligned to the whole copy, however little of it is read.
                if from[lane] & u64::from(bytes - 1) != 0 {
                    access = Access { address: from[lane], bytes, ..access };
                }
                match shared.memory.load_at(access) {
                    Ok((_, Some(spot), offset)) => {
                        let event = event(pc, part, false, Order::WEAK);
                        copy.is_nothing |= self.note_one((spot, offset), lane, &event, false, shared);
                    }
                    Ok(_) => {}
                    Err(kind) => return Err(self.fault(kind, access, &[access.address; LANES], 1 << lane, pc, shared)),
                }
            }
            let access = Access { space: MemorySpace::Shared, address: to[lane], bytes, write: true, thread };
            match shared.memory.access(access) {
                Ok((_, Some(spot), offset)) => {
                    let event = Event { carries_nothing: 1 << lane, ..event(pc, bytes, true, Order::WEAK) };
                    self.note_one((spot, offset), lane, &event, false, shared);
                }
                Ok(_) => {}
                Err(kind) => return Err(self.fault(kind, access, &to, active, pc, shared)),
            }
            let open = &mut self.under_way(lane).open;
            open.push(copy);
            if open.len() > COPIES_MAX {
                self.finish_all(lane, shared)?;
            }
        }
        Ok(())
    }

    /// Lets the oldest groups of a thread come until `most` are under way.
    fn finish_groups(&mut self, lane: usize, most: usize, shared: &mut Shared<'_, '_>) -> Step {
        while self.copies.as_ref().is_some_and(|copies| copies.threads[lane].groups.len() > most)
            && let Some(group) = self.under_way(lane).groups.pop_front()
        {
            group.into_iter().try_for_each(|copy| self.finish(copy, lane, shared))?;
        }
        Ok(())
    }

    fn finish_all(&mut self, lane: usize, shared: &mut Shared<'_, '_>) -> Step {
        self.finish_groups(lane, 0, shared)?;
        let open =
            self.copies.as_mut().map(|copies| std::mem::take(&mut copies.threads[lane].open)).unwrap_or_default();
        open.into_iter().try_for_each(|copy| self.finish(copy, lane, shared))
    }

    fn finish(&mut self, copy: Pending, lane: usize, shared: &mut Shared<'_, '_>) -> Step {
        let thread = self.index * LANES + lane;
        let Pending { bytes, pc, .. } = copy;
        let stop = |kind| Stop::boxed(kind, pc, lane);
        let mut content = [0_u8; 16];
        for (at, part) in parts(copy.filled) {
            let address = copy.from.wrapping_add(u64::from(at));
            let access = Access { space: MemorySpace::Global, address, bytes: part, write: false, thread };
            let data = shared.memory.load(access).map_err(stop)?;
            content[at as usize..][..part as usize].copy_from_slice(data);
        }
        let access = Access { space: MemorySpace::Shared, address: copy.to, bytes, write: true, thread };
        let (data, spot, offset) = shared.memory.access(access).map_err(stop)?;
        let content = &content[..bytes as usize];
        let is_same = *data == *content;
        data.copy_from_slice(content);
        if let Some(spot) = spot {
            let nothing = u32::from(copy.is_nothing) << lane;
            let event = Event { carries_nothing: nothing, ..event(pc, bytes, true, Order::WEAK) };
            self.note_one((spot, offset), lane, &event, is_same, shared);
        }
        Ok(())
    }
}

/// Aligned parts of so many bytes.
fn parts(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let left = bytes - at;
        let part = 1 << left.checked_ilog2()?;
        at += part;
        Some((at - part, part))
    })
}
