//! Operations of several lanes: they wait until every named live lane has come.

use super::{Kind, LANES, Shared, Source, Split, Stop, Vote, VoteTarget, Wait, Warp, lanes};
use crate::op::Shuffle;
use crate::trap::TrapKind;

impl Warp {
    /// Whether all live lanes that the collective names are in this split; parks it otherwise.
    pub(super) fn all_came(
        &mut self,
        at: usize,
        active: u32,
        named: Source,
        shared: &Shared<'_, '_>,
    ) -> Result<bool, Stop> {
        let lane = active.trailing_zeros() as usize;
        let named = self.value(named, lane, shared) as u32;
        let Split { mask, pc, .. } = self.splits[at];
        if active & !named != 0 {
            let lane = (active & !named).trailing_zeros() as usize;
            let kind = TrapKind::BarrierDivergence {
                arrived: u64::from((active & named).count_ones()),
                expected: u64::from(active.count_ones()),
            };
            return Err(Stop { kind, pc, lane });
        }
        if named & self.live() & !active == 0 {
            return Ok(true);
        }
        if mask == active {
            self.splits[at].wait = Wait::Lanes;
        } else {
            // Lanes whose guard is false do not take part; they go on.
            let last_run = self.splits[at].last_run;
            self.splits[at].mask = mask & !active;
            self.splits[at].pc = pc + 1;
            self.splits.push(Split { mask: active, pc, wait: Wait::Lanes, last_run });
        }
        Ok(false)
    }

    pub(super) fn collective(&mut self, kind: &Kind, active: u32, shared: &Shared<'_, '_>) {
        match kind {
            Kind::Shuffle { .. } => self.shuffle(kind, active, shared),
            Kind::Vote { .. } => self.vote(kind, active),
            Kind::Match { .. } => self.matched(kind, active, shared),
            Kind::Reduce { .. } => self.reduced(kind, active, shared),
            _ => {}
        }
    }

    fn shuffle(&mut self, kind: &Kind, active: u32, shared: &Shared<'_, '_>) {
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
fn source_lane(mode: Shuffle, lane: usize, b: u64, c: u64) -> (usize, bool) {
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
