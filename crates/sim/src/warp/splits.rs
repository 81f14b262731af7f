//! Which split runs next, and where splits become one again.

use std::cmp::Reverse;

use super::{Wait, Warp};

/// Warp instructions after which another split gets its turn.
const QUANTUM: u64 = 1024;

impl Warp {
    /// Whether a split has something to do.
    pub fn may_go(&self) -> bool {
        self.splits.iter().any(|split| split.wait == Wait::Nothing)
    }

    /// The next split: of those in the deepest calls the one furthest behind, but after a quantum the one that has waited longest.
    pub(super) fn choose(&mut self, held: &mut Option<(u64, usize)>) -> Option<usize> {
        if let [only] = &self.splits[..]
            && only.mask != 0
        {
            return (only.wait == Wait::Nothing).then_some(0);
        }
        self.merge();
        let runnable = || self.splits.iter().enumerate().filter(|(_, split)| split.wait == Wait::Nothing);
        let behind = runnable().min_by_key(|(_, split)| (Reverse(split.depth), split.pc)).map(|(at, _)| at)?;
        let (since, _) = *held.get_or_insert((self.executed, behind));
        if self.executed - since < QUANTUM {
            return Some(behind);
        }
        let oldest = runnable().min_by_key(|(_, split)| split.last_run).map(|(at, _)| at)?;
        if self.executed - since >= 2 * QUANTUM {
            *held = None;
        }
        Some(oldest)
    }

    /// Splits at one place become one. Who waited for lanes looks again whenever others arrive.
    pub(super) fn merge(&mut self) {
        self.splits.retain(|split| split.mask != 0);
        let mut at = 0;
        while at < self.splits.len() {
            let mut other = at + 1;
            while other < self.splits.len() {
                let same_wait = self.splits[at].wait == self.splits[other].wait
                    || matches!(
                        (self.splits[at].wait, self.splits[other].wait),
                        (Wait::Nothing, Wait::Lanes) | (Wait::Lanes, Wait::Nothing)
                    );
                let (one, two) = (&self.splits[at], &self.splits[other]);
                if one.pc == two.pc && one.frame == two.frame && same_wait {
                    let merged = self.splits.swap_remove(other);
                    self.splits[at].mask |= merged.mask;
                    if self.splits[at].wait == Wait::Lanes || merged.wait == Wait::Lanes {
                        self.splits[at].wait = Wait::Nothing;
                    }
                } else {
                    other += 1;
                }
            }
            at += 1;
        }
    }
}
