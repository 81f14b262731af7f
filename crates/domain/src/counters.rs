//! What a kernel did, counted by source line, and what a learner can make of it.
//!
//! Rules: simulator design, section 6. All counts are of PTX instructions of the optimised build, not
//! of machine instructions. Nothing here is a time, and nothing here predicts one.

pub mod advice;
pub mod occupancy;
pub mod request;
pub mod resources;

use request::{Atomics, LANES, SECTOR_BYTES, Sectors, Wavefronts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Requests to global memory of one direction (simulator design, section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalCounters {
    /// Executions by a warp with at least one active lane.
    pub requests: u64,
    /// Sectors of 32 bytes, summed over requests.
    pub sectors: u64,
    /// Sectors that packed data would take, summed over requests.
    pub ideal_sectors: u64,
    /// Distinct bytes of each request, summed over requests.
    pub bytes: u64,
}

impl GlobalCounters {
    /// Counts one request.
    pub fn record(&mut self, request: Sectors) {
        let Sectors { requested, ideal, bytes } = request;
        self.merge(&Self { requests: 1, sectors: requested.into(), ideal_sectors: ideal.into(), bytes: bytes.into() });
    }

    /// Adds the counts of the same line elsewhere; counts stop at their maximum.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.requests, other.requests);
        add(&mut self.sectors, other.sectors);
        add(&mut self.ideal_sectors, other.ideal_sectors);
        add(&mut self.bytes, other.bytes);
    }

    /// Sectors of an average request; 4 is full coalescing of 4-byte lanes. 0 without requests.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests).unwrap_or(0.0)
    }

    /// Sectors that packed data would take for an average request. 0 without requests.
    pub fn ideal_sectors_per_request(&self) -> f64 {
        ratio(self.ideal_sectors, self.requests).unwrap_or(0.0)
    }

    /// Share of needed sectors, 0 to 1; one address for all lanes counts as good. 1 without requests.
    pub fn coalescing(&self) -> f64 {
        ratio(self.ideal_sectors, self.sectors).unwrap_or(1.0)
    }

    /// Share of moved bytes that a lane asked for, 0 to 1: bytes / (32 × sectors). Low and harmless
    /// where all lanes read one address. 1 without requests.
    pub fn byte_efficiency(&self) -> f64 {
        ratio(self.bytes, self.sectors.saturating_mul(SECTOR_BYTES)).unwrap_or(1.0)
    }
}

/// Requests to shared memory, loads, stores and atomics together (simulator design, section 6.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCounters {
    /// Executions by a warp with at least one active lane.
    pub requests: u64,
    /// Passes over the banks, summed over requests.
    pub wavefronts: u64,
    /// Passes without conflicts, summed over requests.
    pub ideal_wavefronts: u64,
}

impl SharedCounters {
    /// Counts one request.
    pub fn record(&mut self, request: Wavefronts) {
        let Wavefronts { requested, ideal } = request;
        self.merge(&Self { requests: 1, wavefronts: requested.into(), ideal_wavefronts: ideal.into() });
    }

    /// Adds the counts of the same line elsewhere; counts stop at their maximum.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.requests, other.requests);
        add(&mut self.wavefronts, other.wavefronts);
        add(&mut self.ideal_wavefronts, other.ideal_wavefronts);
    }

    /// The n of "n-way conflict": wavefronts / ideal, 1 without conflicts or requests.
    pub fn conflict_degree(&self) -> f64 {
        ratio(self.wavefronts, self.ideal_wavefronts).unwrap_or(1.0)
    }

    /// Wavefronts beyond the ideal.
    pub fn conflicts(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal_wavefronts)
    }
}

/// All counts of one source line, or of a whole kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LineCounters {
    /// Instructions executed by a warp, whatever its lanes (simulator design, section 3.5).
    pub warp_instructions: u64,
    /// Instructions executed by a thread: active lanes, summed over warp instructions.
    pub thread_instructions: u64,
    /// Loads from global memory; atomics are counted apart.
    pub loads: GlobalCounters,
    /// Stores to global memory.
    pub stores: GlobalCounters,
    /// Requests to shared memory.
    pub shared: SharedCounters,
    /// Requests to local memory, loads and stores.
    pub local_requests: u64,
    /// Executions of conditional branches (simulator design, section 6.3).
    pub branches: u64,
    /// Branches whose active lanes disagreed.
    pub divergent_branches: u64,
    /// Barriers that a warp reached.
    pub barriers: u64,
    /// Atomic requests, to global and shared memory.
    pub atomics: u64,
    /// Turns beyond the first: lanes on the fullest address less one, summed over atomic requests.
    pub atomic_conflicts: u64,
    /// Warp instructions of f64 arithmetic. Conversions do not count: `printf` converts every float.
    pub f64_instructions: u64,
}

impl LineCounters {
    /// Counts one warp instruction with this mask of active lanes.
    pub fn record_instruction(&mut self, active: u32) {
        add(&mut self.warp_instructions, 1);
        add(&mut self.thread_instructions, active.count_ones().into());
    }

    /// Counts one atomic request; to shared memory, its wavefronts count besides.
    pub fn record_atomics(&mut self, request: Atomics) {
        add(&mut self.atomics, 1);
        add(&mut self.atomic_conflicts, request.conflicts().into());
    }

    /// Adds the counts of the same line elsewhere; counts stop at their maximum.
    pub fn merge(&mut self, other: &Self) {
        self.loads.merge(&other.loads);
        self.stores.merge(&other.stores);
        self.shared.merge(&other.shared);
        add(&mut self.warp_instructions, other.warp_instructions);
        add(&mut self.thread_instructions, other.thread_instructions);
        add(&mut self.local_requests, other.local_requests);
        add(&mut self.branches, other.branches);
        add(&mut self.divergent_branches, other.divergent_branches);
        add(&mut self.barriers, other.barriers);
        add(&mut self.atomics, other.atomics);
        add(&mut self.atomic_conflicts, other.atomic_conflicts);
        add(&mut self.f64_instructions, other.f64_instructions);
    }

    /// Share of lanes that were active, 0 to 1 (simulator design, section 6.3). 1 without instructions.
    pub fn lane_efficiency(&self) -> f64 {
        ratio(self.thread_instructions, self.warp_instructions.saturating_mul(LANES as u64)).unwrap_or(1.0)
    }

    /// Share of branches whose lanes agreed, 0 to 1 (simulator design, section 6.3). 1 without branches.
    pub fn branch_efficiency(&self) -> f64 {
        1.0 - ratio(self.divergent_branches, self.branches).unwrap_or(0.0)
    }

    /// Lanes on the fullest address of an average atomic request. 1 without atomics.
    pub fn atomic_degree(&self) -> f64 {
        1.0 + ratio(self.atomic_conflicts, self.atomics).unwrap_or(0.0)
    }

    /// Sectors of loads and stores.
    pub fn global_sectors(&self) -> u64 {
        self.loads.sectors.saturating_add(self.stores.sectors)
    }
}

/// The counts of one launch by source line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Line in the learner's source, from 1; 0 holds instructions that no line owns.
    pub lines: BTreeMap<u32, LineCounters>,
}

impl Counters {
    /// The counts of one line, to be added to.
    pub fn line_mut(&mut self, line: u32) -> &mut LineCounters {
        self.lines.entry(line).or_default()
    }

    /// Adds another launch, or another part of this one.
    pub fn merge(&mut self, other: &Self) {
        for (&line, counters) in &other.lines {
            self.line_mut(line).merge(counters);
        }
    }

    /// The sum over all lines.
    pub fn total(&self) -> LineCounters {
        let mut total = LineCounters::default();
        self.lines.values().for_each(|line| total.merge(line));
        total
    }
}

fn add(count: &mut u64, more: u64) {
    *count = count.saturating_add(more);
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_nothing_are_good() {
        let nothing = LineCounters::default();
        let ratios = [
            (nothing.lane_efficiency(), 1.0),
            (nothing.branch_efficiency(), 1.0),
            (nothing.atomic_degree(), 1.0),
            (nothing.loads.sectors_per_request(), 0.0),
            (nothing.loads.ideal_sectors_per_request(), 0.0),
            (nothing.loads.coalescing(), 1.0),
            (nothing.loads.byte_efficiency(), 1.0),
            (nothing.shared.conflict_degree(), 1.0),
        ];
        for (index, (found, expected)) in ratios.into_iter().enumerate() {
            assert!((found - expected).abs() < 1e-12, "ratio {index} is {found}");
        }
    }

    #[test]
    fn counts_add_up_and_travel() {
        let mut counters = Counters::default();
        let addresses: [u64; LANES] = std::array::from_fn(|lane| 4096 + lane as u64 * 128);
        for (line, active) in [(3, u32::MAX), (3, 0xffff), (7, 1)] {
            let of_line = counters.line_mut(line);
            of_line.record_instruction(active);
            of_line.loads.record(request::sectors(&addresses, active, 4));
            of_line.shared.record(request::wavefronts(&addresses, active, 4));
            of_line.record_atomics(request::atomics(&[64; LANES], active));
        }
        let total = counters.total();
        assert_eq!((total.warp_instructions, total.thread_instructions), (3, 49));
        assert_eq!(total.loads, GlobalCounters { requests: 3, sectors: 49, ideal_sectors: 7, bytes: 196 });
        assert_eq!(total.shared, SharedCounters { requests: 3, wavefronts: 49, ideal_wavefronts: 3 });
        assert_eq!((total.atomics, total.atomic_conflicts), (3, 46));
        let text = serde_json::to_string(&counters).unwrap();
        assert_eq!(serde_json::from_str::<Counters>(&text).unwrap(), counters);
        let mut twice = counters.clone();
        twice.merge(&counters);
        assert_eq!(twice.lines[&3].thread_instructions, 96);
        assert!((total.lane_efficiency() - 49.0 / 96.0).abs() < 1e-12);
    }

    #[test]
    fn counts_stop_at_their_maximum() {
        let full = LineCounters { branches: u64::MAX, ..LineCounters::default() };
        let mut twice = full;
        twice.merge(&full);
        assert_eq!(twice, full);
    }
}
