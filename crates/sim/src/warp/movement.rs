//! Values between lanes and memory, for all lanes of an access at once.

use super::{LANES, Lanes, lanes};
use crate::op::Width;
use crate::race::Shape;

/// Where the elements of an access lie: the variable's bytes, the lanes' addresses and the address of its first byte.
pub(super) struct Elements<'a> {
    pub addresses: &'a Lanes,
    /// Address of the variable's first byte, less the offset of the element in a vector.
    pub start: u64,
    pub shape: Shape,
    pub active: u32,
    pub width: Width,
    /// Elements of the vector that each lane accesses.
    pub parts: usize,
}

impl Elements<'_> {
    #[inline]
    fn offset(&self, lane: usize) -> usize {
        self.addresses[lane].wrapping_sub(self.start) as usize
    }

    /// What the active lanes load, cut by `mask`; all of it lies in `data`.
    #[inline]
    pub fn load(&self, data: &[u8], mask: u64, out: &mut Lanes) {
        match (self.width.bytes, self.width.signed) {
            (1, false) => self.gather(data, mask, out, |bytes| u8::from_le_bytes(bytes).into()),
            (1, true) => self.gather(data, mask, out, |bytes| i8::from_le_bytes(bytes) as u64),
            (2, false) => self.gather(data, mask, out, |bytes| u16::from_le_bytes(bytes).into()),
            (2, true) => self.gather(data, mask, out, |bytes| i16::from_le_bytes(bytes) as u64),
            (4, false) => self.gather(data, mask, out, |bytes| u32::from_le_bytes(bytes).into()),
            (4, true) => self.gather(data, mask, out, |bytes| i32::from_le_bytes(bytes) as u64),
            _ => self.gather(data, mask, out, u64::from_le_bytes),
        }
    }

    #[inline]
    fn gather<const BYTES: usize>(
        &self,
        data: &[u8],
        mask: u64,
        out: &mut Lanes,
        value: impl Fn([u8; BYTES]) -> u64 + Copy,
    ) {
        match self.shape {
            Shape::Row if self.parts == 1 => {
                let row = data.get(self.offset(0)..).unwrap_or_default().as_chunks::<BYTES>().0;
                for (out, bytes) in out.iter_mut().zip(row) {
                    *out = value(*bytes) & mask;
                }
            }
            Shape::Same => {
                if let Some(bytes) = data.get(self.offset(0)..).and_then(|rest| rest.first_chunk()) {
                    out.fill(value(*bytes) & mask);
                }
            }
            Shape::HalfRows if self.parts == 1 => {
                let (low, high) = out.split_at_mut(LANES / 2);
                for (half, from) in [(low, 0), (high, LANES / 2)] {
                    let row = data.get(self.offset(from)..).unwrap_or_default().as_chunks::<BYTES>().0;
                    for (out, bytes) in half.iter_mut().zip(row) {
                        *out = value(*bytes) & mask;
                    }
                }
            }
            Shape::HalvesSame => {
                let (low, high) = out.split_at_mut(LANES / 2);
                for (half, from) in [(low, 0), (high, LANES / 2)] {
                    if let Some(bytes) = data.get(self.offset(from)..).and_then(|rest| rest.first_chunk()) {
                        half.fill(value(*bytes) & mask);
                    }
                }
            }
            _ => {
                // Accesses are aligned, and variables are more so.
                let all = data.as_chunks::<BYTES>().0;
                let one = |lane: usize| all.get(self.offset(lane) / BYTES).map_or(0, |bytes| value(*bytes) & mask);
                if self.active == u32::MAX {
                    for (lane, out) in out.iter_mut().enumerate() {
                        *out = one(lane);
                    }
                } else {
                    lanes(self.active).for_each(|lane| out[lane] = one(lane));
                }
            }
        }
    }

    /// Stores the active lanes' values; gives the lanes whose store changes nothing.
    #[inline]
    pub fn store(&self, data: &mut [u8], values: &Lanes) -> u32 {
        match self.width.bytes {
            1 => self.scatter(data, values, |value| [value as u8]),
            2 => self.scatter(data, values, |value| (value as u16).to_le_bytes()),
            4 => self.scatter(data, values, |value| (value as u32).to_le_bytes()),
            _ => self.scatter(data, values, u64::to_le_bytes),
        }
    }

    #[inline]
    fn scatter<const BYTES: usize>(
        &self,
        data: &mut [u8],
        values: &Lanes,
        bytes_of: impl Fn(u64) -> [u8; BYTES] + Copy,
    ) -> u32 {
        let mut same = 0;
        if self.shape == Shape::Row && self.parts == 1 {
            let row = data.get_mut(self.offset(0)..).unwrap_or_default().as_chunks_mut::<BYTES>().0;
            for (lane, (bytes, value)) in row.iter_mut().zip(values).enumerate() {
                let new = bytes_of(*value);
                same |= u32::from(*bytes == new) << lane;
                *bytes = new;
            }
            return same;
        }
        for lane in lanes(self.active) {
            if let Some(bytes) = data.get_mut(self.offset(lane)..).and_then(|rest| rest.first_chunk_mut()) {
                let new = bytes_of(values[lane]);
                same |= u32::from(*bytes == new) << lane;
                *bytes = new;
            }
        }
        same
    }
}

/// A little-endian value of up to 8 bytes.
pub(super) fn read(bytes: &[u8], signed: bool) -> u64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let value = u64::from_le_bytes(wide);
    let unused = 64 - 8 * bytes.len() as u32;
    if signed && unused < 64 { ((value << unused) as i64 >> unused) as u64 } else { value }
}
