//! Registers of which some bytes were written and others were not, as when a structure is copied with its padding.
//!
//! What an operation makes of such a register counts as written where it does not depend on the other bytes. That is
//! found by trying: the operation runs with several contents of them.

use super::{Mark, Taint, join};
use crate::op::{Kind, LANES, Lanes, Source, Target};
use crate::race::{Spot, Unwritten};
use crate::warp::{Shared, Warp, lanes};

/// Nothing of a register was written.
pub(super) const ALL: u8 = u8::MAX;

/// Contents that are tried: zeros, ones, and what is a large number of either sign as an integer and as a float.
const TRIED: [u64; 5] = [0, u64::MAX, 0x7e7e_7e7e_7e7e_7e7e, 0xfefe_fefe_fefe_fefe, 0x5555_5555_5555_5555];

/// The lowest bytes, one bit each.
fn low(bytes: u32) -> u32 {
    u32::MAX.checked_shr(32 - bytes).unwrap_or(0)
}

/// The bits of these bytes.
fn bits(bytes: u8) -> u64 {
    (0..8).filter(|at| bytes >> at & 1 == 1).fold(0, |bits, at| bits | 0xff << (8 * at))
}

/// The bytes that hold one of these bits.
fn bytes(bits: u64) -> u8 {
    bits.to_le_bytes().iter().enumerate().fold(0, |bytes, (at, byte)| bytes | u8::from(*byte != 0) << at)
}

impl Taint {
    /// Number of a read, with the bytes that nobody wrote of what it gave.
    pub(super) fn origin(&mut self, read: Unwritten, bytes: u8) -> u32 {
        let is_known = |(known, parts): (&Unwritten, &u8)| {
            (known.pc, known.is_register, *parts) == (read.pc, read.is_register, bytes)
        };
        let known = self.reads.iter().zip(&self.parts).position(is_known);
        self.has_parts |= bytes != ALL;
        known.unwrap_or_else(|| {
            self.reads.push(read);
            self.parts.push(bytes);
            self.reads.len() - 1
        }) as u32
    }

    /// The bytes of a register of so many that nobody wrote.
    fn part(&self, mark: Mark) -> u8 {
        if mark.0 == 0 { 0 } else { self.parts.get(mark.1 as usize).copied().unwrap_or(ALL) }
    }

    /// The mark of a register of which nobody wrote these bytes.
    fn with_part(&mut self, mark: Mark, bytes: u8) -> Mark {
        match self.read(mark) {
            Some(read) if bytes != 0 => (mark.0, self.origin(read, bytes)),
            _ => (0, 0),
        }
    }
}

impl Warp {
    /// Lanes that store something which nobody wrote, and which bytes of it.
    pub(in crate::warp) fn unwritten_of(&self, from: &[Source], width: u32) -> (u32, u32) {
        let (mut mask, mut bytes) = (0, 0);
        if self.taint.any {
            for (at, source) in from.iter().enumerate() {
                let mark = self.taint.of(*source);
                let part = u32::from(self.taint.part(mark)) & low(width);
                if part != 0 {
                    (mask, bytes) = (mask | mark.0, bytes | part << (at as u32 * width));
                }
            }
        }
        (mask, bytes)
    }

    /// The lanes of `unwritten` loaded something that nobody wrote: these bytes of a vector.
    #[cold]
    pub(in crate::warp) fn taint_parts(
        &mut self,
        (to, width): (&[Option<Target>], u32),
        (active, unwritten): (u32, u32),
        (pc, spot, offset): (usize, Spot, u64),
        unwritten_bytes: u32,
        shared: &Shared<'_, '_>,
    ) {
        let who = shared.clocks.who(self.index * LANES + unwritten.trailing_zeros() as usize);
        self.taint.any = true;
        for (at, target) in to.iter().enumerate() {
            let from = at as u32 * width;
            let part = unwritten_bytes >> from & low(width);
            let Some(target) = target.filter(|_| part != 0) else { continue };
            let place = Some((spot, offset + u64::from(from), width));
            let bytes = if part == low(width) { ALL } else { part as u8 };
            let origin = self.taint.origin(Unwritten { pc, who, at: place, is_register: false }, bytes);
            self.taint.set(target.slot, active, (unwritten, origin));
        }
    }

    /// Follows marks of parts through one operation; false where others are to be followed.
    pub(super) fn spread_parts(&mut self, kind: &Kind, active: u32, shared: &Shared<'_, '_>) -> bool {
        match kind {
            Kind::Pack { to, parts, bits } => {
                let bytes = bits / 8;
                let marks: Vec<Mark> = parts.iter().map(|part| self.taint.of(*part)).collect();
                let held = marks.iter().enumerate().fold(0, |held, (at, mark)| {
                    held | (u32::from(self.taint.part(*mark)) & low(bytes)) << (at as u32 * bytes)
                });
                let is_all = held == low(bytes * parts.len() as u32);
                let mark = self.taint.with_part(join(marks), if is_all { ALL } else { held as u8 });
                self.taint.set(to.slot, active, mark);
            }
            Kind::Unpack { to, a, bits } => {
                let mark = self.taint.of(*a);
                let part = u32::from(self.taint.part(mark));
                for (at, target) in to.iter().enumerate().filter_map(|(at, target)| Some((at as u32, (*target)?))) {
                    let held = part >> (at * bits / 8) & low(bits / 8);
                    let held = if held == low(bits / 8) { ALL } else { held as u8 };
                    let mark = self.taint.with_part(mark, held);
                    self.taint.set(target.slot, active, mark);
                }
            }
            _ if !self.taint.has_parts => return false,
            Kind::Copy { to, a } => return self.try_parts(*to, &[*a], active, shared, |[a], out| *out = *a),
            Kind::Map1 { f, to, a } => return self.try_parts(*to, &[*a], active, shared, |[a], out| f(a, out)),
            Kind::Map2 { f, to, a, b } => {
                return self.try_parts(*to, &[*a, *b], active, shared, |[a, b], out| f(a, b, out));
            }
            Kind::Map3 { f, to, a, b, c } => {
                return self.try_parts(*to, &[*a, *b, *c], active, shared, |[a, b, c], out| f(a, b, c, out));
            }
            _ => return false,
        }
        true
    }

    /// Marks of a result, where all that nobody wrote of the operands are parts; else false.
    fn try_parts<const N: usize>(
        &mut self,
        to: Target,
        sources: &[Source; N],
        active: u32,
        shared: &Shared<'_, '_>,
        f: impl Fn(&[Lanes; N], &mut Lanes),
    ) -> bool {
        let marks = sources.map(|source| self.taint.of(source));
        let mark = join(marks);
        let parts = marks.map(|mark| self.taint.part(mark));
        if mark.0 & active == 0 || parts.contains(&ALL) {
            return false;
        }
        let values = sources.map(|source| self.values(source, shared));
        let mut results = TRIED.map(|tried| {
            let mut operands = values;
            for (operand, (part, mark)) in operands.iter_mut().zip(parts.iter().zip(marks)) {
                let unwritten = bits(*part);
                lanes(mark.0).for_each(|lane| operand[lane] = operand[lane] & !unwritten | tried & unwritten);
            }
            let mut out = [0; LANES];
            f(&operands, &mut out);
            out
        });
        let first = results[0];
        let differing = results.iter_mut().fold(0, |bits, out| {
            lanes(mark.0 & active).fold(bits, |bits, lane| bits | (out[lane] ^ first[lane]) & to.mask)
        });
        let mark = self.taint.with_part(mark, bytes(differing));
        self.taint.set(to.slot, active, mark);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_bits_fit_together() {
        assert_eq!((low(0), low(1), low(8), low(32)), (0, 1, 0xff, u32::MAX));
        assert_eq!(bits(0b101), 0xff_00ff);
        assert_eq!(bytes(0x0100_0000_0000_0080), 0b1000_0001);
        assert!((0..=u8::MAX).all(|set| bytes(bits(set)) == set));
    }
}
