//! The 64 bits of an mbarrier, in a layout of ours (PTX ISA 9.0, section 9.7.13.15.1): arrivals that are pending,
//! arrivals of each phase, bytes under way, the parity of the phase, and a mark that tells it from other values.

use crate::op::Unary;

/// Arrivals that an mbarrier may expect.
pub(crate) const COUNT_MAX: u64 = (1 << 20) - 1;
/// The mark: an object that was set up.
const MARK: u64 = 0b10;
/// Zero bytes under way; fewer may be, where they come before they are expected.
const NO_BYTES: i64 = 1 << 20;

/// Pending arrivals of a state.
pub(crate) const PENDING: Unary = each!(|a| a & COUNT_MAX);

/// An mbarrier, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Barrier {
    pub pending: u64,
    pub expected: u64,
    pub bytes: i64,
    pub parity: bool,
}

impl Barrier {
    /// A new one; `None` of a count out of range.
    pub fn new(count: u64) -> Option<Self> {
        (1..=COUNT_MAX).contains(&count).then_some(Self { pending: count, expected: count, bytes: 0, parity: false })
    }

    /// Of its bits; `None` if it was not set up.
    pub fn of(bits: u64) -> Option<Self> {
        (bits >> 62 == MARK).then_some(Self {
            pending: bits & COUNT_MAX,
            expected: bits >> 20 & COUNT_MAX,
            bytes: (bits >> 40 & 0x1f_ffff) as i64 - NO_BYTES,
            parity: bits >> 61 & 1 == 1,
        })
    }

    pub fn bits(self) -> u64 {
        let bytes = (self.bytes + NO_BYTES) as u64 & 0x1f_ffff;
        MARK << 62 | u64::from(self.parity) << 61 | bytes << 40 | self.expected << 20 | self.pending
    }

    /// Whether the phase that a state was taken in, or that has this parity, is over.
    pub fn is_over(self, state: u64, is_parity: bool) -> bool {
        let parity = if is_parity { state & 1 == 1 } else { state >> 61 & 1 == 1 };
        self.parity != parity
    }

    /// After some arrivals, which may leave for good; `None` where they are more than are pending.
    pub fn arrived(mut self, count: u64, drops: bool) -> Option<Self> {
        self.pending = self.pending.checked_sub(count).filter(|_| count != 0)?;
        if drops {
            self.expected = self.expected.saturating_sub(count);
        }
        Some(self.settled())
    }

    /// After bytes that are expected (more) or that came (fewer); `None` out of range.
    pub fn with_bytes(mut self, more: i64) -> Option<Self> {
        self.bytes = self.bytes.checked_add(more).filter(|bytes| bytes.abs() < NO_BYTES)?;
        Some(self)
    }

    /// The next phase, if this one is complete.
    pub fn settled(self) -> Self {
        if self.pending == 0 && self.bytes == 0 {
            Self { pending: self.expected, parity: !self.parity, ..self }
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other() {
        let new = Barrier::new(2).unwrap();
        assert_eq!(Barrier::of(new.bits()), Some(new));
        let state = new.bits();
        let one = new.arrived(1, false).unwrap();
        assert!(!one.is_over(state, false) && one.is_over(1, true));
        let over = one.arrived(1, false).unwrap();
        assert!(over.is_over(state, false) && over.is_over(0, true) && !over.is_over(1, true));
        assert_eq!((over.pending, over.parity), (2, true));
        let waits = over.with_bytes(64).unwrap().arrived(2, true).unwrap();
        assert_eq!((waits.pending, waits.expected, waits.parity), (0, 0, true));
        assert!(!waits.with_bytes(-64).unwrap().settled().parity);
        assert_eq!(Barrier::of(Barrier { bytes: -5, ..waits }.bits()).unwrap().bytes, -5);
        assert!(waits.arrived(1, false).is_none() && Barrier::new(0).is_none() && Barrier::of(u64::MAX).is_none());
    }
}
