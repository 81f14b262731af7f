//! Operations on matrices: all 32 lanes come, and each holds a part.

use super::memory::event;
use super::taint::{Mark, join};
use super::{LANES, Lanes, Shared, Step, Stop, Target, Warp};
use crate::exec::matrix;
use crate::memory::Access;
use crate::op::matrix::{Matrix, Role, Stored, Tile};
use crate::op::{Address, Order, Slot, Source, Width};
use crate::trap::TrapKind;

const ALL: u32 = u32::MAX;
/// Bytes to which a matrix of `wmma` and each of its rows are aligned.
const ROW_ALIGN: u64 = 16;

impl Warp {
    /// One operation by the lanes that came together; fewer than 32 are a fault (section 9.7.14.1).
    pub(super) fn matrix(&mut self, op: &Matrix, came: u32, pc: usize, shared: &mut Shared<'_, '_>) -> Step {
        match came {
            0 => return Ok(()),
            ALL => {}
            _ => {
                let kind =
                    TrapKind::BarrierDivergence { arrived: u64::from(came.count_ones()), expected: LANES as u64 };
                return Err(Stop::boxed(kind, pc, came.trailing_zeros() as usize));
            }
        }
        match op {
            Matrix::Load { tile, to, from, room } => self.load_tile(*tile, to, *from, *room, pc, shared),
            Matrix::Store { tile, from, to, room } => self.store_tile(*tile, from, *to, *room, pc, shared),
            Matrix::Multiply { tiles, from, to, clamps } => {
                self.multiply(tiles, from, to, *clamps, shared);
                Ok(())
            }
            Matrix::LoadRows { to, from, room } => self.load_rows(to, *from, *room, pc, shared),
            Matrix::StoreRows { from, to, room } => self.store_rows(from, *to, *room, pc, shared),
            Matrix::Transpose { to, a } => {
                let held = self.values(*a, shared);
                let mark = self.mark_of(&[*a]);
                let out = std::array::from_fn(|lane| transposed(lane, |row, column| half(&held, row, column)));
                self.set(*to, ALL, &out);
                self.mark(&[to.slot], mark);
                Ok(())
            }
        }
    }

    /// The mark of all lanes, where one of them holds something that nobody wrote.
    fn mark_of(&self, sources: &[Source]) -> Mark {
        let mark = join(sources.iter().map(|source| self.taint.of(*source)));
        (if mark.0 == 0 { 0 } else { ALL }, mark.1)
    }

    fn mark(&mut self, slots: &[Slot], mark: Mark) {
        if self.taint.any {
            for slot in slots {
                self.taint.set(*slot, ALL, mark);
            }
        }
    }

    /// `mma` and `wmma.mma` (sections 9.7.14.4.4 and 9.7.14.5.14).
    fn multiply(
        &mut self,
        tiles: &[Tile; 4],
        from: &[Vec<Source>; 3],
        to: &[Target],
        clamps: bool,
        shared: &Shared<'_, '_>,
    ) {
        let [a, b, mut sum] = std::array::from_fn(|at| self.gather(tiles[at], &from[at], shared));
        let is_double = tiles[0].number.bytes() == 8;
        matrix::multiply(&a, &b, &mut sum, tiles[0].columns, is_double);
        let marks = from.each_ref().map(|sources| self.mark_of(sources));
        let tile = tiles[3];
        for (register, target) in to.iter().enumerate() {
            let out = std::array::from_fn(|lane| {
                (0..tile.number.per_register()).fold(0, |word, element| {
                    let (row, column) = tile.place(lane, register, element);
                    let value = sum.get(row * tile.columns + column).copied().unwrap_or(0.0);
                    word | matrix::written(tile.number, value, element, clamps)
                })
            });
            self.set(*target, ALL, &out);
            self.mark(&[target.slot], join(marks));
        }
    }

    /// A matrix row by row.
    fn gather(&self, tile: Tile, from: &[Source], shared: &Shared<'_, '_>) -> Vec<f64> {
        let mut out = vec![0.0; tile.rows * tile.columns];
        for (register, source) in from.iter().take(tile.registers()).enumerate() {
            let values = self.values(*source, shared);
            for (lane, value) in values.iter().enumerate() {
                for element in 0..tile.number.per_register() {
                    let (row, column) = tile.place(lane, register, element);
                    if let Some(place) = out.get_mut(row * tile.columns + column) {
                        *place = matrix::read(tile.number, *value, element);
                    }
                }
            }
        }
        out
    }

    /// Where the elements of a register lie, one for each lane, once the alignment is checked.
    fn places(
        &self,
        (tile, stored): (Tile, Stored),
        (register, element): (usize, usize),
        shared: &Shared<'_, '_>,
    ) -> Lanes {
        let base = self.addresses(stored.address, shared);
        let stride = self.stride(tile, stored, shared);
        std::array::from_fn(|lane| {
            let (row, column) = tile.place(lane, register, element);
            let (major, minor) = if stored.by_column { (column, row) } else { (row, column) };
            let at = (major as u64).wrapping_mul(stride[lane]).wrapping_add(minor as u64);
            base[lane].wrapping_add(at.wrapping_mul(tile.number.bytes() as u64))
        })
    }

    fn stride(&self, tile: Tile, stored: Stored, shared: &Shared<'_, '_>) -> Lanes {
        match stored.stride {
            Some(stride) => self.values(stride, shared).map(|stride| stride & 0xffff_ffff),
            None => [if stored.by_column { tile.rows } else { tile.columns } as u64; LANES],
        }
    }

    /// The start of the matrix and of its second row are aligned (section 9.7.14.4.2).
    fn check_alignment(
        &mut self,
        (tile, stored, write): (Tile, Stored, bool),
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        self.use_of(stored.address.base, ALL, shared);
        let base = self.addresses(stored.address, shared)[0];
        let row = self.stride(tile, stored, shared)[0].wrapping_mul(tile.number.bytes() as u64);
        for address in [base, base.wrapping_add(row)] {
            if !address.is_multiple_of(ROW_ALIGN) {
                let (bytes, thread) = (ROW_ALIGN as u32, self.index * LANES);
                let access = Access { space: stored.space, address, bytes, write, thread };
                if let Err(kind) = shared.memory.access(access) {
                    return Err(Stop::boxed(kind, pc, 0));
                }
            }
        }
        Ok(())
    }

    /// `wmma.load` (section 9.7.14.4.2), a register after the other.
    fn load_tile(
        &mut self,
        tile: Tile,
        to: &[Target],
        from: Stored,
        [at, value]: [Slot; 2],
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        self.check_alignment((tile, from, false), pc, shared)?;
        let (width, parts) = access_width(tile, from);
        // A target may be the register of the address.
        let mut loaded = vec![];
        for register in 0..tile.registers() {
            let (mut out, mut mark) = ([0; LANES], (0, 0));
            for part in 0..parts {
                self.registers[at] = self.places((tile, from), (register, part), shared);
                self.mark(&[value], (0, 0));
                let event = event(pc, width.bytes, false, Order::WEAK);
                let part_to = [Some(Target { slot: value, mask: u64::MAX })];
                self.load((from.space, width), &part_to, address_in(at), ALL, &event, shared)?;
                for (out, value) in out.iter_mut().zip(&self.registers[value]) {
                    *out |= value << (8 * width.bytes as usize * part);
                }
                mark = join([mark, self.mark_of(&[Source::Register(value)])]);
            }
            loaded.push((out, mark));
        }
        for (target, (out, mark)) in to.iter().zip(loaded.iter().cycle()) {
            self.set(*target, ALL, out);
            self.mark(&[target.slot], *mark);
        }
        Ok(())
    }

    /// `wmma.store` (section 9.7.14.4.3).
    fn store_tile(
        &mut self,
        tile: Tile,
        from: &[Source],
        to: Stored,
        [at, value]: [Slot; 2],
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        self.check_alignment((tile, to, true), pc, shared)?;
        let (width, parts) = access_width(tile, to);
        for (register, source) in from.iter().take(tile.registers()).enumerate() {
            let values = self.values(*source, shared);
            for part in 0..parts {
                self.registers[at] = self.places((tile, to), (register, part), shared);
                self.registers[value] = values.map(|value| value >> (8 * width.bytes as usize * part));
                let mark = self.mark_of(&[*source]);
                self.mark(&[value], mark);
                let event = event(pc, width.bytes, true, Order::WEAK);
                self.store((to.space, width), &[Source::Register(value)], address_in(at), ALL, &event, shared)?;
            }
        }
        Ok(())
    }

    /// `ldmatrix` (section 9.7.14.5.15): lanes 8i to 8i + 7 name the rows of matrix i, and lane t gets a word of row t / 4.
    fn load_rows(
        &mut self,
        to: &[Target],
        from: Stored,
        room: [Slot; 4],
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        self.use_of(from.address.base, rows_mask(to.len()), shared);
        self.mark(&room, (0, 0));
        let words = room.map(|slot| Some(Target { slot, mask: u64::MAX }));
        let width = Width { bytes: 4, signed: false };
        let event = event(pc, 16, false, Order::WEAK);
        self.load((from.space, width), &words, from.address, rows_mask(to.len()), &event, shared)?;
        let mark = self.mark_of(&room.map(Source::Register));
        let rows = room.map(|slot| self.registers[slot]);
        for (index, target) in to.iter().enumerate() {
            let row_half =
                |row: usize, column: usize| rows[column / 2][8 * index + row] >> (16 * (column % 2)) & 0xffff;
            let out = std::array::from_fn(|lane| {
                if from.by_column { transposed(lane, row_half) } else { rows[lane % 4][8 * index + lane / 4] }
            });
            self.set(*target, ALL, &out);
            self.mark(&[target.slot], mark);
        }
        Ok(())
    }

    /// `stmatrix` (section 9.7.14.5.16).
    fn store_rows(
        &mut self,
        from: &[Source],
        to: Stored,
        room: [Slot; 4],
        pc: usize,
        shared: &mut Shared<'_, '_>,
    ) -> Step {
        self.use_of(to.address.base, rows_mask(from.len()), shared);
        let mark = self.mark_of(from);
        self.mark(&room, mark);
        for (index, source) in from.iter().enumerate() {
            let held = self.values(*source, shared);
            for (word, slot) in room.iter().enumerate() {
                for row in 0..8 {
                    self.registers[*slot][8 * index + row] = if to.by_column {
                        half(&held, 2 * word, row) | half(&held, 2 * word + 1, row) << 16
                    } else {
                        held[4 * row + word]
                    };
                }
            }
        }
        let width = Width { bytes: 4, signed: false };
        let event = event(pc, 16, true, Order::WEAK);
        let words = room.map(Source::Register);
        self.store((to.space, width), &words, to.address, rows_mask(from.len()), &event, shared)
    }
}

/// The element of an 8 x 8 matrix that lanes hold, two of a row each.
fn half(held: &Lanes, row: usize, column: usize) -> u64 {
    held[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff
}

/// What a lane holds of the transposed matrix.
fn transposed(lane: usize, element: impl Fn(usize, usize) -> u64) -> u64 {
    let (row, column) = (lane / 4, 2 * (lane % 4));
    element(column, row) | element(column + 1, row) << 16
}

fn rows_mask(matrices: usize) -> u32 {
    u32::MAX >> (LANES.saturating_sub(8 * matrices) as u32).min(31)
}

fn address_in(slot: Slot) -> Address {
    Address { base: Source::Register(slot), offset: 0 }
}

/// Width of one access, and how many make a register: one, where its elements are neighbours in memory.
fn access_width(tile: Tile, stored: Stored) -> (Width, usize) {
    let (bytes, per) = (tile.number.bytes() as u32, tile.number.per_register());
    let neighbours = stored.by_column == (tile.role == Role::B);
    if neighbours {
        (Width { bytes: bytes * per as u32, signed: false }, 1)
    } else {
        (Width { bytes, signed: false }, per)
    }
}
