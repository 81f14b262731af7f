//! `mma`, `wmma`, `ldmatrix`, `stmatrix` and `movmatrix` (PTX ISA 9.0, section 9.7.14). Sparse, sub-byte and block-scaled
//! forms and those of one kind of GPU are refused.

use ptx::ast::Instruction;

use super::{DecodeError, Decoder, malformed};
use crate::op::matrix::{Matrix, Number, Role, Stored, Tile};
use crate::op::{Kind, MemorySpace, Slot, Source, Target};

/// Rows, columns, and what is summed over.
type Shape = [usize; 3];

impl Decoder<'_> {
    pub(super) fn matrix(&mut self, instruction: &Instruction) -> Result<Kind, DecodeError> {
        let words: Vec<&str> = instruction.words.iter().map(String::as_str).collect();
        let matrix = match words[..] {
            ["mma", "sync", "aligned", ref rest @ ..] => self.multiplied(instruction, rest, false)?,
            ["wmma", "mma", "sync", "aligned", ref rest @ ..] => self.multiplied(instruction, rest, true)?,
            ["wmma", verb @ ("load" | "store"), part, "sync", "aligned", layout @ ("row" | "col"), ref rest @ ..] => {
                self.wmma_memory(instruction, (verb == "load", part), layout == "col", rest)?
            }
            ["ldmatrix" | "stmatrix", "sync", "aligned", "m8n8", count, ref rest @ ..] => {
                self.rows(instruction, count, rest)?
            }
            ["movmatrix", "sync", "aligned", "m8n8", "trans", "b16"] => {
                Matrix::Transpose { to: self.target(instruction, 0)?, a: self.source(instruction, 1)? }
            }
            _ => return Err(self.unsupported(instruction)),
        };
        Ok(Kind::Matrix(Box::new(matrix)))
    }

    fn matrix_room<const COUNT: usize>(&mut self) -> [Slot; COUNT] {
        std::array::from_fn(|at| self.names.step_register(at))
    }

    /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c`
    fn multiplied(&mut self, instruction: &Instruction, words: &[&str], is_wmma: bool) -> Result<Matrix, DecodeError> {
        let shape = words.iter().find_map(|word| shape(word));
        let layouts: Vec<&str> = words.iter().copied().filter(|word| matches!(*word, "row" | "col")).collect();
        let numbers: Vec<Number> = words.iter().filter_map(|word| Number::of(word)).collect();
        let clamps = words.contains(&"satfinite");
        let is_known = |word: &&str| matches!(*word, "row" | "col" | "satfinite" | "rn") || Number::of(word).is_some();
        let unknown = words.iter().filter(|word| !is_known(word) && self::shape(word).is_none()).count();
        let (Some(shape), 0) = (shape, unknown) else {
            return Err(self.unsupported(instruction));
        };
        let [d, a, b, c] = match numbers[..] {
            [d, a, b, c] => [d, a, b, c],
            [d, c] if is_wmma => [d, Number::F16, Number::F16, c],
            _ => return Err(self.unsupported(instruction)),
        };
        let layouts_fit = if is_wmma { layouts.len() == 2 } else { layouts == ["row", "col"] };
        if !layouts_fit || !is_allowed(shape, is_wmma, [d, a, b, c]) {
            return Err(self.unsupported(instruction));
        }
        let tiles =
            [tile(Role::A, shape, a), tile(Role::B, shape, b), tile(Role::Sum, shape, c), tile(Role::Sum, shape, d)];
        let from = [
            self.fragment(instruction, 1, tiles[0])?,
            self.fragment(instruction, 2, tiles[1])?,
            self.fragment(instruction, 3, tiles[2])?,
        ];
        Ok(Matrix::Multiply { tiles, from, to: self.fragment_target(instruction, 0, tiles[3])?, clamps })
    }

    fn fragment(&mut self, instruction: &Instruction, at: usize, tile: Tile) -> Result<Vec<Source>, DecodeError> {
        let sources = self.sources(instruction, at)?;
        if sources.is_empty() || !sources.len().is_multiple_of(tile.registers()) {
            return Err(malformed(instruction, "a matrix has another number of registers"));
        }
        Ok(sources)
    }

    fn fragment_target(
        &mut self,
        instruction: &Instruction,
        at: usize,
        tile: Tile,
    ) -> Result<Vec<Target>, DecodeError> {
        let targets: Option<Vec<Target>> = self.targets(instruction, at)?.into_iter().collect();
        targets
            .filter(|targets| !targets.is_empty() && targets.len().is_multiple_of(tile.registers()))
            .ok_or_else(|| malformed(instruction, "a matrix has another number of registers"))
    }

    /// `wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 r, [p], stride`, and `wmma.store.d`.
    fn wmma_memory(
        &mut self,
        instruction: &Instruction,
        (loads, part): (bool, &str),
        by_column: bool,
        words: &[&str],
    ) -> Result<Matrix, DecodeError> {
        let (shape_word, space_word, number) = match *words {
            [shape, number] => (shape, "", number),
            [shape, space, number] => (shape, space, number),
            _ => return Err(self.unsupported(instruction)),
        };
        let role = match (loads, part) {
            (true, "a") => Role::A,
            (true, "b") => Role::B,
            (true, "c") | (false, "d") => Role::Sum,
            _ => return Err(self.unsupported(instruction)),
        };
        let (Some(shape), Some(number), Some(space)) = (shape(shape_word), Number::of(number), space(space_word))
        else {
            return Err(self.unsupported(instruction));
        };
        let fits = match role {
            Role::Sum => is_wmma_sum(shape, number),
            _ => is_factor(shape, true, number),
        };
        if !fits {
            return Err(self.unsupported(instruction));
        }
        let tile = tile(role, shape, number);
        let stride = if instruction.operands.len() > 2 { Some(self.source(instruction, 2)?) } else { None };
        let address = self.address(instruction, usize::from(loads))?;
        let stored = Stored { space, address, stride, by_column };
        let room = self.matrix_room();
        if loads {
            return Ok(Matrix::Load { tile, to: self.fragment_target(instruction, 0, tile)?, from: stored, room });
        }
        Ok(Matrix::Store { tile, from: self.fragment(instruction, 1, tile)?, to: stored, room })
    }

    /// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 r, [p]`, and `stmatrix`.
    fn rows(&mut self, instruction: &Instruction, count: &str, words: &[&str]) -> Result<Matrix, DecodeError> {
        let (by_column, words) = match *words {
            ["trans", ref rest @ ..] => (true, rest),
            _ => (false, words),
        };
        let (space_word, count) = match (words, count) {
            (["b16"], "x1" | "x2" | "x4") => ("", count),
            ([space, "b16"], "x1" | "x2" | "x4") => (*space, count),
            _ => return Err(self.unsupported(instruction)),
        };
        let Some(space) = space(space_word).filter(|space| *space != MemorySpace::Global) else {
            return Err(self.unsupported(instruction));
        };
        let count = count[1..].parse::<usize>().unwrap_or(1);
        let loads = instruction.words[0] == "ldmatrix";
        let stored = Stored { space, address: self.address(instruction, usize::from(loads))?, stride: None, by_column };
        let room = self.matrix_room();
        let wrong = || malformed(instruction, "there is one register for each matrix");
        if loads {
            let to: Option<Vec<Target>> = self.targets(instruction, 0)?.into_iter().collect();
            let to = to.filter(|to| to.len() == count).ok_or_else(wrong)?;
            return Ok(Matrix::LoadRows { to, from: stored, room });
        }
        let from = self.sources(instruction, 1)?;
        if from.len() != count {
            return Err(wrong());
        }
        Ok(Matrix::StoreRows { from, to: stored, room })
    }
}

/// `m16n8k16`
fn shape(word: &str) -> Option<Shape> {
    let (rows, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (columns, inner) = rest.split_once('k')?;
    Some([rows.parse().ok()?, columns.parse().ok()?, inner.parse().ok()?])
}

fn space(word: &str) -> Option<MemorySpace> {
    match word {
        "" => Some(MemorySpace::Generic),
        "global" => Some(MemorySpace::Global),
        "shared" | "shared::cta" => Some(MemorySpace::Shared),
        _ => None,
    }
}

fn tile(role: Role, [rows, columns, inner]: Shape, number: Number) -> Tile {
    match role {
        Role::A => Tile { role, rows, columns: inner, number },
        Role::B => Tile { role, rows: inner, columns, number },
        Role::Sum => Tile { role, rows, columns, number },
    }
}

/// Whether there are factors of such numbers and shape (tables of sections 9.7.14.2 and 9.7.14.3).
fn is_factor(shape: Shape, is_wmma: bool, number: Number) -> bool {
    let wide = [[16, 16, 16], [32, 8, 16], [8, 32, 16]];
    match (number, is_wmma) {
        (Number::F16 | Number::Bf16 | Number::S8 | Number::U8, true) => wide.contains(&shape),
        (Number::Tf32, true) => shape == [16, 16, 8],
        (Number::F64, _) => shape == [8, 8, 4],
        (Number::F16 | Number::Bf16, false) => [[16, 8, 8], [16, 8, 16]].contains(&shape),
        (Number::Tf32, false) => [[16, 8, 4], [16, 8, 8]].contains(&shape),
        (Number::S8 | Number::U8, false) => [[8, 8, 16], [16, 8, 16], [16, 8, 32]].contains(&shape),
        (Number::F32 | Number::S32, _) => false,
    }
}

fn is_wmma_sum(shape: Shape, number: Number) -> bool {
    match number {
        Number::F16 | Number::S32 => is_factor(shape, true, Number::S8),
        Number::F32 => is_factor(shape, true, Number::F16) || is_factor(shape, true, Number::Tf32),
        Number::F64 => is_factor(shape, true, Number::F64),
        _ => false,
    }
}

/// Whether a product of these types and shape exists.
fn is_allowed(shape: Shape, is_wmma: bool, [d, a, b, c]: [Number; 4]) -> bool {
    let is_half_sum = |number| matches!(number, Number::F16 | Number::F32);
    let types = match (a, b) {
        (Number::F16, Number::F16) => is_half_sum(c) && is_half_sum(d),
        (Number::Bf16, Number::Bf16) | (Number::Tf32, Number::Tf32) => c == Number::F32 && d == Number::F32,
        (Number::F64, Number::F64) => c == Number::F64 && d == Number::F64,
        (Number::S8 | Number::U8, Number::S8 | Number::U8) => c == Number::S32 && d == Number::S32,
        _ => false,
    };
    types && is_factor(shape, is_wmma, a)
}
