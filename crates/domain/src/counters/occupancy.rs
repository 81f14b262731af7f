//! How many warps of a kernel fit on one multiprocessor, and what would let more in.
//!
//! Rules: simulator design, section 6.5; they agree with `cuda_occupancy.h` of CUDA 13.0 with the
//! largest carve-out of shared memory. The limit on barriers is left out: `__syncthreads` is one, and
//! one never binds.

use serde::{Deserialize, Serialize};

/// Threads of a warp.
const WARP_THREADS: u32 = 32;
/// Threads of a block at most, on every row (CUDA C++ Programming Guide, table of technical specifications).
pub const THREADS_PER_BLOCK_MAX: u32 = 1024;
/// Registers of a thread at most, on every row (`cudaOccRegAllocationMaxPerThread`).
pub const REGISTERS_PER_THREAD_MAX: u32 = 255;
/// Registers of a multiprocessor, on every row.
const REGISTERS: u32 = 65_536;
/// Parts of a multiprocessor, each with its own registers.
const PARTITIONS: u32 = 4;
/// Registers are given to a warp in units of this many.
const REGISTER_UNIT: u32 = 256;
const KB: u32 = 1024;

/// The limits of one compute capability.
struct Row {
    capability: u32,
    warps: u32,
    blocks: u32,
    shared: u32,
    shared_per_block: u32,
    reserved_per_block: u32,
    shared_unit: u32,
}

const fn row(capability: u32, warps: u32, blocks: u32, shared_kb: u32, reserved_kb: u32, shared_unit: u32) -> Row {
    let (shared, reserved_per_block) = (shared_kb * KB, reserved_kb * KB);
    let shared_per_block = shared - reserved_per_block;
    Row { capability, warps, blocks, shared, shared_per_block, reserved_per_block, shared_unit }
}

const ROWS: [Row; 7] = [
    row(75, 32, 16, 64, 0, 256),
    row(80, 64, 32, 164, 1, 128),
    row(86, 48, 16, 100, 1, 128),
    row(89, 48, 24, 100, 1, 128),
    row(90, 64, 32, 228, 1, 128),
    row(100, 64, 32, 228, 1, 128),
    row(120, 48, 24, 100, 1, 128),
];

/// How full one multiprocessor gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Blocks that fit at once; at least 1.
    pub blocks: u32,
    /// Warps of those blocks.
    pub warps: u32,
    /// Warps that a multiprocessor holds at most.
    pub warps_max: u32,
    /// What keeps the next block out.
    pub limit: Limit,
    /// The smallest change of that one resource that lets more warps in, if any does.
    pub next: Option<NextStep>,
}

/// What keeps the next block out. Where several do, the first named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Warps of a multiprocessor.
    Warps,
    /// Blocks of a multiprocessor.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
}

/// "64 → 56 registers gives 9 instead of 8 blocks", as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextStep {
    /// In what `from` and `to` are counted.
    pub unit: StepUnit,
    /// What the kernel has now.
    pub from: u32,
    /// What it would need.
    pub to: u32,
    /// Blocks of a multiprocessor then.
    pub blocks: u32,
    /// Warps of a multiprocessor then.
    pub warps: u32,
}

/// In what a next step is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepUnit {
    /// Threads of a block.
    Threads,
    /// Registers of a thread.
    Registers,
    /// Bytes of shared memory of a block, static and dynamic together.
    SharedBytes,
}

/// Why not one block can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum OccupancyError {
    /// A target that the table lacks.
    #[error("no limits are known for compute capability {capability}")]
    UnknownCapability {
        /// 80 for 8.0.
        capability: u32,
    },
    /// A block without threads.
    #[error("a block needs at least one thread")]
    NoThreads,
    /// More threads than a block may have.
    #[error("{threads} threads per block are more than {max}")]
    TooManyThreads {
        /// Asked for.
        threads: u32,
        /// Allowed.
        max: u32,
    },
    /// More registers than a thread may have.
    #[error("{registers} registers per thread are more than {max}")]
    TooManyRegisters {
        /// Asked for.
        registers: u32,
        /// Allowed.
        max: u32,
    },
    /// The registers of one block are more than a multiprocessor has.
    #[error("{threads} threads with {registers} registers each do not fit on a multiprocessor")]
    RegistersOfBlock {
        /// Threads of a block.
        threads: u32,
        /// Registers of a thread.
        registers: u32,
    },
    /// More shared memory than a block may have.
    #[error("{bytes} bytes of shared memory per block are more than {max}")]
    TooMuchShared {
        /// Asked for, static and dynamic together.
        bytes: u64,
        /// Allowed.
        max: u32,
    },
}

impl Occupancy {
    /// Occupancy of a launch. `capability` is 80 for 8.0; both sizes of shared memory are bytes of one
    /// block, without what the driver reserves.
    pub fn of(
        capability: u32,
        threads_per_block: u32,
        registers_per_thread: u32,
        static_shared: u32,
        dynamic_shared: u32,
    ) -> Result<Self, OccupancyError> {
        let row = ROWS.iter().find(|row| row.capability == capability);
        let row = row.ok_or(OccupancyError::UnknownCapability { capability })?;
        let bytes = u64::from(static_shared) + u64::from(dynamic_shared);
        let launch = Launch::within(row, threads_per_block, registers_per_thread, bytes)?;
        let (limit, blocks) = launch.blocks(row);
        if blocks == 0 {
            let (threads, registers) = (threads_per_block, registers_per_thread);
            return Err(OccupancyError::RegistersOfBlock { threads, registers });
        }
        let warps = blocks * launch.warps();
        let next = if warps < row.warps { launch.next_step(row, limit, warps) } else { None };
        Ok(Self { blocks, warps, warps_max: row.warps, limit, next })
    }

    /// Theoretical occupancy, above 0 to 1.
    pub fn share(&self) -> f64 {
        if self.warps_max == 0 { 0.0 } else { f64::from(self.warps) / f64::from(self.warps_max) }
    }
}

/// A launch within the limits of one block.
#[derive(Clone, Copy)]
struct Launch {
    threads: u32,
    registers: u32,
    shared: u32,
}

impl Launch {
    fn within(row: &Row, threads: u32, registers: u32, bytes: u64) -> Result<Self, OccupancyError> {
        if threads == 0 {
            return Err(OccupancyError::NoThreads);
        }
        if threads > THREADS_PER_BLOCK_MAX {
            return Err(OccupancyError::TooManyThreads { threads, max: THREADS_PER_BLOCK_MAX });
        }
        if registers > REGISTERS_PER_THREAD_MAX {
            return Err(OccupancyError::TooManyRegisters { registers, max: REGISTERS_PER_THREAD_MAX });
        }
        match u32::try_from(bytes) {
            Ok(shared) if shared <= row.shared_per_block => Ok(Self { threads, registers, shared }),
            _ => Err(OccupancyError::TooMuchShared { bytes, max: row.shared_per_block }),
        }
    }

    fn warps(&self) -> u32 {
        self.threads.div_ceil(WARP_THREADS)
    }

    /// The tightest limit and its blocks.
    fn blocks(&self, row: &Row) -> (Limit, u32) {
        let by_warps = row.warps / self.warps();
        let per_warp = (self.registers * WARP_THREADS).next_multiple_of(REGISTER_UNIT);
        let by_registers = (REGISTERS / PARTITIONS)
            .checked_div(per_warp)
            .map_or(u32::MAX, |warps| warps.saturating_mul(PARTITIONS) / self.warps());
        let per_block = (self.shared + row.reserved_per_block).next_multiple_of(row.shared_unit);
        let by_shared = row.shared.checked_div(per_block).unwrap_or(u32::MAX);
        let others = [(Limit::Blocks, row.blocks), (Limit::Registers, by_registers), (Limit::Shared, by_shared)];
        let tighter = |tightest: (Limit, u32), other: (Limit, u32)| if other.1 < tightest.1 { other } else { tightest };
        others.into_iter().fold((Limit::Warps, by_warps), tighter)
    }

    fn next_step(&self, row: &Row, limit: Limit, warps: u32) -> Option<NextStep> {
        let fits_more = |launch: &Self| launch.blocks(row).1 * launch.warps() > warps;
        let with_warps = |warps: u32| Self { threads: warps * WARP_THREADS, ..*self };
        let largest = THREADS_PER_BLOCK_MAX / WARP_THREADS;
        let better = match limit {
            Limit::Warps => (1..self.warps()).rev().map(with_warps).find(fits_more),
            Limit::Blocks => (self.warps() + 1..=largest).map(with_warps).find(fits_more),
            Limit::Registers => (1..self.registers).rev().map(|registers| Self { registers, ..*self }).find(fits_more),
            Limit::Shared => {
                let per_block = row.shared / (self.blocks(row).1 + 1) / row.shared_unit * row.shared_unit;
                let shared = per_block.checked_sub(row.reserved_per_block);
                shared.map(|shared| Self { shared, ..*self }).filter(fits_more)
            }
        }?;
        let (unit, from, to) = match limit {
            Limit::Warps | Limit::Blocks => (StepUnit::Threads, self.threads, better.threads),
            Limit::Registers => (StepUnit::Registers, self.registers, better.registers),
            Limit::Shared => (StepUnit::SharedBytes, self.shared, better.shared),
        };
        let blocks = better.blocks(row).1;
        Some(NextStep { unit, from, to, blocks, warps: blocks * better.warps() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPABILITIES: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];

    /// Blocks by capability for threads, registers, static and dynamic bytes, as
    /// `cudaOccMaxActiveBlocksPerMultiprocessor` of CUDA 13.0 gives them; 0 is a launch that fails.
    const OF_CUDA: [([u32; 4], [u32; 7]); 17] = [
        ([32, 16, 0, 0], [16, 32, 16, 24, 32, 32, 24]),
        ([256, 32, 0, 0], [4, 8, 6, 6, 8, 8, 6]),
        ([256, 64, 0, 0], [4, 4, 4, 4, 4, 4, 4]),
        ([256, 56, 0, 0], [4, 4, 4, 4, 4, 4, 4]),
        ([1024, 64, 0, 0], [1, 1, 1, 1, 1, 1, 1]),
        ([1024, 65, 0, 0], [0, 0, 0, 0, 0, 0, 0]),
        ([128, 255, 0, 0], [2, 2, 2, 2, 2, 2, 2]),
        ([96, 40, 0, 0], [10, 16, 16, 16, 16, 16, 16]),
        ([128, 32, 49_152, 0], [1, 3, 2, 2, 4, 4, 2]),
        ([256, 32, 16_384, 17_000], [1, 4, 2, 2, 6, 6, 2]),
        ([64, 24, 0, 65_536], [1, 2, 1, 1, 3, 3, 1]),
        ([1, 1, 1, 0], [16, 32, 16, 24, 32, 32, 24]),
        ([768, 80, 1000, 0], [1, 1, 1, 1, 1, 1, 1]),
        ([928, 72, 0, 0], [0, 0, 0, 0, 0, 0, 0]),
        ([160, 168, 0, 0], [2, 2, 2, 2, 2, 2, 2]),
        ([256, 32, 0, 99 * KB], [0, 1, 1, 1, 2, 2, 1]),
        ([256, 32, 0, 163 * KB], [0, 1, 0, 0, 1, 1, 0]),
    ];

    #[test]
    fn blocks_are_those_of_cuda() {
        for ([threads, registers, of_source, of_launch], expected) in OF_CUDA {
            for (capability, expected) in CAPABILITIES.into_iter().zip(expected) {
                let found = Occupancy::of(capability, threads, registers, of_source, of_launch);
                let blocks = found.map_or(0, |occupancy| occupancy.blocks);
                assert_eq!(blocks, expected, "{threads} threads, {registers} registers on {capability}: {found:?}");
            }
        }
    }

    #[test]
    fn limits_and_next_steps_by_hand() {
        let check = |[capability, threads, registers, shared]: [u32; 4], limit, warps, next: Option<NextStep>| {
            let found = Occupancy::of(capability, threads, registers, shared, 0).unwrap();
            assert_eq!((found.limit, found.warps, found.next), (limit, warps, next), "{threads} on {capability}");
        };
        let step = |unit, [from, to, blocks, warps]: [u32; 4]| Some(NextStep { unit, from, to, blocks, warps });
        check([80, 224, 64, 0], Limit::Registers, 28, step(StepUnit::Registers, [64, 56, 5, 35]));
        check([80, 256, 64, 0], Limit::Registers, 32, step(StepUnit::Registers, [64, 48, 5, 40]));
        check([80, 128, 32, 49_152], Limit::Shared, 12, step(StepUnit::SharedBytes, [49_152, 40_960, 4, 16]));
        check([86, 32, 16, 0], Limit::Blocks, 16, step(StepUnit::Threads, [32, 64, 16, 32]));
        check([86, 1024, 16, 0], Limit::Warps, 32, step(StepUnit::Threads, [1024, 768, 2, 48]));
        check([75, 256, 64, 0], Limit::Warps, 32, None);
        // Registers and shared memory both stop at two blocks: one alone changes nothing.
        check([86, 256, 96, 40_000], Limit::Registers, 16, None);
    }

    #[test]
    fn limits_hold_at_the_bound_and_past_it() {
        for (row, kb) in ROWS.iter().zip([64, 163, 99, 99, 227, 227, 99]) {
            let max = kb * KB;
            assert_eq!(Occupancy::of(row.capability, 32, 32, max, 0).unwrap().blocks, 1);
            let past = Err(OccupancyError::TooMuchShared { bytes: u64::from(max) + 1, max });
            assert_eq!(Occupancy::of(row.capability, 32, 32, max, 1), past);
            assert!(Occupancy::of(row.capability, 1024, 64, 0, 0).is_ok());
            let past = Err(OccupancyError::RegistersOfBlock { threads: 1024, registers: 65 });
            assert_eq!(Occupancy::of(row.capability, 1024, 65, 0, 0), past);
            let past = Err(OccupancyError::TooManyThreads { threads: 1025, max: 1024 });
            assert_eq!(Occupancy::of(row.capability, 1025, 32, 0, 0), past);
            assert!(Occupancy::of(row.capability, 32, 255, 0, 0).is_ok());
            let past = Err(OccupancyError::TooManyRegisters { registers: 256, max: 255 });
            assert_eq!(Occupancy::of(row.capability, 32, 256, 0, 0), past);
            assert_eq!(Occupancy::of(row.capability, 0, 32, 0, 0), Err(OccupancyError::NoThreads));
            assert!(Occupancy::of(row.capability, 1, 1, u32::MAX, u32::MAX).is_err());
            let full = Occupancy::of(row.capability, 256, 0, 0, 0).unwrap();
            assert!((full.share() - 1.0).abs() < 1e-12 && full.next.is_none());
        }
        let unknown = Err(OccupancyError::UnknownCapability { capability: 35 });
        assert_eq!(Occupancy::of(35, 32, 32, 0, 0), unknown);
    }
}
