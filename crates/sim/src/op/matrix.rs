//! Matrices whose parts lie in the registers of all lanes of a warp (PTX ISA 9.0, section 9.7.14).

use super::{Address, LANES, MemorySpace, Slot, Source, Target};

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S32,
}

impl Number {
    /// By its word in an opcode.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "tf32" => Self::Tf32,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "s8" => Self::S8,
            "u8" => Self::U8,
            "s32" => Self::S32,
            _ => return None,
        })
    }

    /// Bytes of one element.
    pub fn bytes(self) -> usize {
        match self {
            Self::S8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 | Self::F32 | Self::S32 => 4,
            Self::F64 => 8,
        }
    }

    /// Elements in one register.
    pub fn per_register(self) -> usize {
        (4 / self.bytes()).max(1)
    }
}

/// A factor, or the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    A,
    B,
    Sum,
}

/// A matrix and its layout in registers. It is that of `mma.sync`, for `wmma` too, whose own is nobody's business.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub role: Role,
    pub rows: usize,
    pub columns: usize,
    pub number: Number,
}

impl Tile {
    /// Registers that hold it; where an instruction names more, they repeat.
    pub fn registers(&self) -> usize {
        (self.rows * self.columns / (LANES * self.number.per_register())).max(1)
    }

    /// Row and column of an element of a register (sections 9.7.14.5.1 to 9.7.14.5.10): groups of four lanes share a
    /// row of `a`, a column of `b` and a row of the sum, and lanes of a group hold neighbours.
    pub fn place(&self, lane: usize, register: usize, element: usize) -> (usize, usize) {
        let (group, member) = (lane / 4, lane % 4);
        let per = self.number.per_register();
        let (register, blocks) = (register % self.registers(), self.rows / 8);
        match self.role {
            Role::A => (8 * (register % blocks) + group, register / blocks * 4 * per + member * per + element),
            Role::B => {
                let chunks = (self.rows / (4 * per)).max(1);
                (register % chunks * 4 * per + member * per + element, 8 * (register / chunks) + group)
            }
            Role::Sum => {
                let (pair, which) = if per == 2 { (register, element) } else { (register / 2, register % 2) };
                (8 * (pair % blocks) + group, 8 * (pair / blocks) + 2 * member + which)
            }
        }
    }
}

/// A matrix in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub space: MemorySpace,
    pub address: Address,
    /// Elements from one row to the next, or column; `None` where they follow each other.
    pub stride: Option<Source>,
    pub by_column: bool,
}

/// An operation of a whole warp.
#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    /// `wmma.load`; the room is for addresses and a value.
    Load { tile: Tile, to: Vec<Target>, from: Stored, room: [Slot; 2] },
    /// `wmma.store`
    Store { tile: Tile, from: Vec<Source>, to: Stored, room: [Slot; 2] },
    /// `mma` and `wmma.mma`: `d = a * b + c`; sums of integers that clamp.
    Multiply { tiles: [Tile; 4], from: [Vec<Source>; 3], to: Vec<Target>, clamps: bool },
    /// `ldmatrix` of 8 x 8 elements of 16 bits, each row of which one lane names.
    LoadRows { to: Vec<Target>, from: Stored, room: [Slot; 4] },
    /// `stmatrix`
    StoreRows { from: Vec<Source>, to: Stored, room: [Slot; 4] },
    /// `movmatrix`
    Transpose { to: Target, a: Source },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_place() {
        for (role, rows, columns, number, registers) in [
            (Role::A, 16, 16, Number::F16, 4),
            (Role::A, 32, 16, Number::F16, 8),
            (Role::A, 8, 16, Number::Bf16, 2),
            (Role::A, 16, 8, Number::Tf32, 4),
            (Role::A, 16, 32, Number::S8, 4),
            (Role::A, 8, 16, Number::U8, 1),
            (Role::A, 8, 4, Number::F64, 1),
            (Role::B, 16, 8, Number::F16, 2),
            (Role::B, 16, 32, Number::F16, 8),
            (Role::B, 8, 16, Number::Tf32, 4),
            (Role::B, 32, 8, Number::S8, 2),
            (Role::B, 16, 32, Number::S8, 4),
            (Role::B, 4, 8, Number::F64, 1),
            (Role::Sum, 16, 8, Number::F32, 4),
            (Role::Sum, 16, 16, Number::F32, 8),
            (Role::Sum, 32, 8, Number::F16, 4),
            (Role::Sum, 8, 32, Number::S32, 8),
            (Role::Sum, 8, 8, Number::F64, 2),
        ] {
            let tile = Tile { role, rows, columns, number };
            assert_eq!(tile.registers(), registers, "{tile:?}");
            let mut seen = vec![false; rows * columns];
            for lane in 0..LANES {
                for (register, element) in
                    (0..registers).flat_map(|at| (0..number.per_register()).map(move |element| (at, element)))
                {
                    let (row, column) = tile.place(lane, register, element);
                    assert!(!std::mem::replace(&mut seen[row * columns + column], true), "{tile:?}");
                }
            }
        }
        // Examples of the ISA: m16n8k16 of f16, a5 and b3 of lane 6, c2 of lane 6.
        let tile = |role, rows, columns, number| Tile { role, rows, columns, number };
        assert_eq!(tile(Role::A, 16, 16, Number::F16).place(6, 2, 1), (1, 13));
        assert_eq!(tile(Role::B, 16, 8, Number::F16).place(6, 1, 1), (13, 1));
        assert_eq!(tile(Role::Sum, 16, 8, Number::F32).place(6, 2, 0), (9, 4));
    }
}
