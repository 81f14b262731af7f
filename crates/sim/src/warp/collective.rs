//! Operations of several lanes: they wait until every named live lane has come.

use super::{Kind, LANES, Shared, Source, Split, Stop, Vote, VoteTarget, Wait, Warp, lanes};
use crate::op::Shuffle;
use crate::trap::TrapKind;

impl Warp {
    /// The active lanes whose collective is complete: all live lanes that it names have come with the same mask.
    /// Others are parked. Tiles of one warp name themselves, so lanes at one place may have different masks.
    pub(super) fn arrived(
        &mut self,
        at: usize,
        active: u32,
        named: Source,
        shared: &Shared<'_, '_>,
    ) -> Result<u32, Box<Stop>> {
        let Split { mask, pc, .. } = self.splits[at];
        let (mut rest, mut ready) = (active, 0);
        while rest != 0 {
            let (group, named) = self.group(rest, named, shared);
            if group & !named != 0 {
                let lane = (group & !named).trailing_zeros() as usize;
                let kind = TrapKind::BarrierDivergence {
                    arrived: u64::from((group & named).count_ones()),
                    expected: u64::from(group.count_ones()),
                };
                return Err(Stop::boxed(kind, pc, lane));
            }
            if named & self.live() & !group == 0 {
                ready |= group;
            }
            rest &= !group;
        }
        let parked = active & !ready;
        if parked == mask {
            self.splits[at].wait = Wait::Lanes;
        } else if parked != 0 {
            let other = Split { mask: parked, wait: Wait::Lanes, ..self.splits[at] };
            self.splits[at].mask = mask & !parked;
            self.splits.push(other);
        }
        Ok(ready)
    }

    /// The lanes that have the first lane's mask, and that mask.
    pub(super) fn group(&self, lanes_left: u32, named: Source, shared: &Shared<'_, '_>) -> (u32, u32) {
        let first = self.value(named, lanes_left.trailing_zeros() as usize, shared);
        let group = match named {
            Source::Constant(_) => lanes_left,
            _ => lanes(lanes_left)
                .filter(|lane| self.value(named, *lane, shared) == first)
                .fold(0, |group, lane| group | 1 << lane),
        };
        (group, first as u32)
    }

    pub(super) fn collective(&mut self, kind: &Kind, active: u32, pc: usize, shared: &Shared<'_, '_>) {
        match kind {
            Kind::Shuffle { .. } => self.shuffle(kind, active, pc, shared),
            Kind::Vote { .. } => self.vote(kind, active),
            Kind::Match { .. } => self.matched(kind, active, shared),
            Kind::Reduce { .. } => self.reduced(kind, active, shared),
            _ => {}
        }
    }

    fn shuffle(&mut self, kind: &Kind, active: u32, pc: usize, shared: &Shared<'_, '_>) {
        let Kind::Shuffle { mode, to, in_range, a, b, c, .. } = kind else { return };
        let (a, b, c) = (self.values(*a, shared), self.values(*b, shared), self.values(*c, shared));
        let from: [(usize, bool); LANES] = std::array::from_fn(|lane| source_lane(*mode, lane, b[lane], c[lane]));
        // A source lane that takes no part gives no defined value; ours is its own.
        self.set(
            *to,
            active,
            &std::array::from_fn(|lane| {
                let (source, ok) = from[lane];
                if ok { a[source] } else { a[lane] }
            }),
        );
        let absent = lanes(active).filter(|lane| from[*lane].1 && active >> from[*lane].0 & 1 == 0);
        let absent = absent.fold(0, |mask, lane| mask | 1 << lane);
        if absent != 0 && shared.detector.is_on {
            self.taint(std::iter::once(to.slot), (active, absent), pc, None, shared);
        }
        if let Some(slot) = in_range {
            let mask = lanes(active).filter(|lane| from[*lane].1).fold(0, |mask, lane| mask | 1 << lane);
            self.set_predicate(*slot, active, mask);
        }
    }

    fn vote(&mut self, kind: &Kind, active: u32) {
        let Kind::Vote { mode, to, a, .. } = kind else { return };
        let voted = self.predicate(*a) & active;
        let result = match mode {
            Vote::All => voted == active,
            Vote::Any => voted != 0,
            Vote::Uniform => voted == active || voted == 0,
            Vote::Ballot => false,
        };
        match to {
            VoteTarget::Register(to) => self.set(*to, active, &[u64::from(voted); LANES]),
            VoteTarget::Predicate(slot) => self.set_predicate(*slot, active, if result { u32::MAX } else { 0 }),
        }
    }

    fn matched(&mut self, kind: &Kind, active: u32, shared: &Shared<'_, '_>) {
        let Kind::Match { all, to, agreed, a, bits, .. } = kind else { return };
        let a = self.values(*a, shared).map(|a| a & (u64::MAX >> (64 - bits)));
        let same = |lane: usize| {
            lanes(active).filter(|other| a[*other] == a[lane]).fold(0_u32, |mask, other| mask | 1 << other)
        };
        let mut out = [0; LANES];
        for lane in lanes(active) {
            let same = same(lane);
            out[lane] = if !all || same == active { u64::from(same) } else { 0 };
        }
        self.set(*to, active, &out);
        if let Some(slot) = agreed {
            let mask = lanes(active).filter(|lane| out[*lane] != 0).fold(0, |mask, lane| mask | 1 << lane);
            self.set_predicate(*slot, active, mask);
        }
    }

    fn reduced(&mut self, kind: &Kind, active: u32, shared: &Shared<'_, '_>) {
        let Kind::Reduce { f, to, a, .. } = kind else { return };
        let a = self.values(*a, shared);
        if let Some(value) = lanes(active).map(|lane| a[lane]).reduce(|x, y| f(x, y, 0)) {
            self.set(*to, active, &[value; LANES]);
        }
    }
}

/// Where a lane reads from, and whether that is in range (PTX ISA 9.0, shfl.sync).
pub(super) fn source_lane(mode: Shuffle, lane: usize, b: u64, c: u64) -> (usize, bool) {
    let (lane, b) = (lane as i64, (b & 31) as i64);
    let (clamp, segment) = ((c & 31) as i64, (c >> 8 & 31) as i64);
    let most = (lane & segment) | (clamp & !segment);
    let least = lane & segment;
    let (source, ok) = match mode {
        Shuffle::Up => (lane - b, lane - b >= most),
        Shuffle::Down => (lane + b, lane + b <= most),
        Shuffle::Butterfly => (lane ^ b, lane ^ b <= most),
        Shuffle::Index => {
            let source = least | (b & !segment);
            (source, source <= most)
        }
    };
    (source.clamp(0, 31) as usize, ok)
}
