//! What a learner can make of the counts: at most three sentences, the dearest first.
//!
//! Rules: simulator design, sections 6.1 to 6.5. A rule looks at structural counts alone: it never
//! says how much time something takes, and it is silent where little would be saved.

use super::occupancy::{Occupancy, StepUnit};
use super::resources::KernelResources;
use super::{Counters, GlobalCounters, LineCounters, ratio};
use serde::{Deserialize, Serialize};

/// Sentences at most.
pub const ADVICE_MAX: usize = 3;
/// Sectors of a line above this many times the ideal are worth a word (section 6.1).
pub const SECTOR_RATIO_MIN: f64 = 1.5;
/// And only where the line has this share of all sectors (section 6.1).
pub const SECTOR_SHARE_MIN: f64 = 0.1;
/// Wavefronts of a line from this many times the ideal are worth a word (section 6.2).
pub const CONFLICT_DEGREE_MIN: f64 = 1.5;
/// And only where its conflicts have this share of all wavefronts (section 6.2: ignore small ones).
pub const CONFLICT_SHARE_MIN: f64 = 0.1;
/// Share of a line's branches that diverge from which it is worth a word: the warp at the end of the
/// data, or the last steps of a reduction, stay below (section 6.3).
pub const DIVERGENCE_SHARE_MIN: f64 = 0.25;
/// One divergent branch is the warp at the end of the data (section 6.3).
pub const DIVERGENT_BRANCHES_MIN: u64 = 2;
/// Divergence that leaves more of the kernel's lanes active than this costs little (section 6.3).
pub const LANE_EFFICIENCY_MAX: f64 = 0.9;
/// Lanes of a warp on one address from which an atomic is worth a word (section 6.1).
pub const ATOMIC_DEGREE_MIN: f64 = 4.0;
/// And only where its turns have this share of all warp instructions and turns.
pub const ATOMIC_SHARE_MIN: f64 = 0.1;
/// Share of a line's instructions that are f64 from which it is worth a word: the slow path of `sinf`
/// has one such instruction among dozens (section 6.4; section 0, fact 5).
pub const F64_SHARE_MIN: f64 = 0.05;
/// Bytes of spill stores and loads, together, that are worth a word: eight registers.
pub const SPILL_BYTES_MIN: u64 = 32;
/// Occupancy from which more would hardly help (section 6.5).
pub const OCCUPANCY_MAX: f64 = 0.5;
/// Warp instructions for each sector below which a kernel is memory-bound: an H100 issues about this
/// many while its memory moves one sector for each multiprocessor.
pub const MEMORY_BOUND_INSTRUCTIONS_MAX: f64 = 8.0;

/// One thing to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// Line in the learner's source; none where it is about the whole kernel.
    pub line: Option<u32>,
    /// One sentence of plain English; code stands between backticks.
    pub sentence: String,
}

/// What advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdviceKind {
    /// Loads from global memory of scattered sectors.
    ScatteredLoads,
    /// Stores to global memory of scattered sectors.
    ScatteredStores,
    /// Lanes that meet in a bank of shared memory.
    BankConflicts,
    /// Lanes of a warp that take both sides of a branch.
    Divergence,
    /// Lanes of a warp whose atomics meet at one address.
    Atomics,
    /// Arithmetic in f64 in a kernel for f32.
    DoublePrecision,
    /// Registers that the assembler keeps in local memory.
    Spills,
    /// Few warps at once in a memory-bound kernel.
    Occupancy,
}

/// What is known about a kernel beside its counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setting<'a> {
    /// The kernel is meant to compute in f64: a parameter or the task names `double`.
    pub wants_f64: bool,
    /// The assembler's report, where it ran.
    pub resources: Option<&'a KernelResources>,
    /// The occupancy of this launch, where it is known.
    pub occupancy: Option<&'a Occupancy>,
}

/// The best advice first, by the turns that it could save: sectors, wavefronts, warp instructions.
/// What is about the whole kernel comes last. Empty where nothing is wrong.
pub fn advice(counters: &Counters, setting: &Setting<'_>) -> Vec<Advice> {
    let total = counters.total();
    let mut found: Vec<(f64, Advice)> = Vec::new();
    // Nobody could find the line of what has none.
    for (&line, of_line) in counters.lines.iter().filter(|&(&line, _)| line != 0) {
        let scattered = [
            scattered(line, &of_line.loads, &total, AdviceKind::ScatteredLoads, "read"),
            scattered(line, &of_line.stores, &total, AdviceKind::ScatteredStores, "write"),
        ];
        found.extend(scattered.into_iter().flatten());
        found.extend(bank_conflicts(line, of_line, &total));
        found.extend(divergence(line, of_line, &total));
        found.extend(atomics(line, of_line, &total));
        found.extend(double_precision(line, of_line).filter(|_| !setting.wants_f64));
    }
    found.sort_by(|(cost, one), (other_cost, other)| {
        other_cost.total_cmp(cost).then_with(|| (one.line, one.kind).cmp(&(other.line, other.kind)))
    });
    let of_kernel = [setting.resources.and_then(spills), setting.occupancy.and_then(|now| occupancy(now, &total))];
    found.into_iter().map(|(_, advice)| advice).chain(of_kernel.into_iter().flatten()).take(ADVICE_MAX).collect()
}

fn of_line(line: u32, kind: AdviceKind, cost: u64, sentence: String) -> (f64, Advice) {
    (cost as f64, Advice { kind, line: Some(line), sentence })
}

fn scattered(
    line: u32,
    requests: &GlobalCounters,
    total: &LineCounters,
    kind: AdviceKind,
    verb: &str,
) -> Option<(f64, Advice)> {
    let sectors = ratio(requests.sectors, requests.ideal_sectors)?;
    let share = ratio(requests.sectors, total.global_sectors())?;
    (sectors > SECTOR_RATIO_MIN && share >= SECTOR_SHARE_MIN).then(|| {
        let (now, ideal) = (amount(requests.sectors_per_request()), amount(requests.ideal_sectors_per_request()));
        let sentence = format!(
            "Line {line} {verb}s {now} sectors for each request where {ideal} would do: neighbouring threads should \
             {verb} neighbouring elements."
        );
        of_line(line, kind, requests.sectors.saturating_sub(requests.ideal_sectors), sentence)
    })
}

fn bank_conflicts(line: u32, of: &LineCounters, total: &LineCounters) -> Option<(f64, Advice)> {
    let share = ratio(of.shared.conflicts(), total.shared.wavefronts)?;
    (of.shared.conflict_degree() >= CONFLICT_DEGREE_MIN && share >= CONFLICT_SHARE_MIN).then(|| {
        let per_request = |count| amount(ratio(count, of.shared.requests).unwrap_or(0.0));
        let (now, ideal) = (per_request(of.shared.wavefronts), per_request(of.shared.ideal_wavefronts));
        let sentence = format!(
            "Line {line} takes {now} passes through shared memory for each request where {ideal} would do: pad each \
             row by one element, so that a column lies in different banks."
        );
        of_line(line, AdviceKind::BankConflicts, of.shared.conflicts(), sentence)
    })
}

fn divergence(line: u32, of: &LineCounters, total: &LineCounters) -> Option<(f64, Advice)> {
    let share = ratio(of.divergent_branches, of.branches)?;
    let is_costly = of.divergent_branches >= DIVERGENT_BRANCHES_MIN && total.lane_efficiency() < LANE_EFFICIENCY_MAX;
    (share >= DIVERGENCE_SHARE_MIN && is_costly).then(|| {
        // The idle lanes of the kernel, as whole warp instructions, are shared out among divergent branches.
        let idle = (1.0 - total.lane_efficiency()) * total.warp_instructions as f64;
        let cost = idle * ratio(of.divergent_branches, total.divergent_branches).unwrap_or(0.0);
        let sentence = format!(
            "Line {line} splits the warp in {} of {} branches: let all 32 threads of a warp take the same side, for \
             example with a condition on `threadIdx.x / 32`.",
            of.divergent_branches, of.branches
        );
        of_line(line, AdviceKind::Divergence, cost as u64, sentence)
    })
}

fn atomics(line: u32, of: &LineCounters, total: &LineCounters) -> Option<(f64, Advice)> {
    let share = ratio(of.atomic_conflicts, total.warp_instructions.saturating_add(total.atomic_conflicts))?;
    (of.atomic_degree() >= ATOMIC_DEGREE_MIN && share >= ATOMIC_SHARE_MIN).then(|| {
        let sentence = format!(
            "Line {line} sends {:.0} threads of a warp to one address, one after the other: combine within the block \
             first, then use one atomic.",
            of.atomic_degree()
        );
        of_line(line, AdviceKind::Atomics, of.atomic_conflicts, sentence)
    })
}

fn double_precision(line: u32, of: &LineCounters) -> Option<(f64, Advice)> {
    let share = ratio(of.f64_instructions, of.warp_instructions)?;
    (share >= F64_SHARE_MIN).then(|| {
        let sentence = format!(
            "Line {line} computes in `double` in a kernel for `float`: a number like `2.0` is a `double`, so write \
             `2.0f`."
        );
        of_line(line, AdviceKind::DoublePrecision, of.f64_instructions, sentence)
    })
}

fn spills(resources: &KernelResources) -> Option<Advice> {
    let (stores, loads) = (resources.spill_store_bytes, resources.spill_load_bytes);
    (u64::from(stores) + u64::from(loads) >= SPILL_BYTES_MIN).then(|| {
        let sentence = format!(
            "Registers ran out, so the compiler keeps values in local memory ({stores} bytes of stores, {loads} of \
             loads): use fewer values at the same time."
        );
        Advice { kind: AdviceKind::Spills, line: None, sentence }
    })
}

fn occupancy(now: &Occupancy, total: &LineCounters) -> Option<Advice> {
    let instructions = ratio(total.warp_instructions, total.global_sectors())?;
    (instructions < MEMORY_BOUND_INSTRUCTIONS_MAX && now.share() < OCCUPANCY_MAX).then(|| {
        let next = now.next.map_or_else(
            || "try blocks that need fewer registers and less shared memory".to_owned(),
            |step| {
                let unit = match step.unit {
                    StepUnit::Threads => "threads per block",
                    StepUnit::Registers => "registers per thread",
                    StepUnit::SharedBytes => "bytes of shared memory per block",
                };
                format!("{} instead of {} {unit} would let {} in", step.to, step.from, step.warps)
            },
        );
        let sentence = format!(
            "Only {} of {} warps fit on a multiprocessor, too few to keep its memory busy: {next}.",
            now.warps, now.warps_max
        );
        Advice { kind: AdviceKind::Occupancy, line: None, sentence }
    })
}

/// One decimal, and none where it would be 0.
fn amount(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::SharedCounters;

    fn global(requests: u64, sectors: u64, ideal_sectors: u64) -> GlobalCounters {
        GlobalCounters { requests, sectors, ideal_sectors, bytes: ideal_sectors * 32 }
    }

    /// 100 warp instructions with all lanes active.
    fn busy() -> LineCounters {
        LineCounters { warp_instructions: 100, thread_instructions: 3200, ..LineCounters::default() }
    }

    fn shared(requests: u64, wavefronts: u64) -> LineCounters {
        LineCounters { shared: SharedCounters { requests, wavefronts, ideal_wavefronts: requests }, ..busy() }
    }

    fn branches(branches: u64, divergent_branches: u64, thread_instructions: u64) -> LineCounters {
        LineCounters { thread_instructions, branches, divergent_branches, ..busy() }
    }

    fn check_in(setting: &Setting<'_>, lines: &[(u32, LineCounters)], expected: &[&str]) {
        let counters = Counters { lines: lines.iter().copied().collect() };
        let found: Vec<String> = advice(&counters, setting).into_iter().map(|advice| advice.sentence).collect();
        assert_eq!(found, expected);
    }

    fn check(lines: &[(u32, LineCounters)], expected: &[&str]) {
        check_in(&Setting::default(), lines, expected);
    }

    #[test]
    fn scattered_requests_are_named() {
        let column = LineCounters { loads: global(100, 3200, 400), ..busy() };
        let reads = "Line 7 reads 32 sectors for each request where 4 would do: neighbouring threads should read \
                     neighbouring elements.";
        check(&[(7, column)], &[reads]);
        let stores = LineCounters { stores: global(8, 76, 32), ..busy() };
        let writes = "Line 9 writes 9.5 sectors for each request where 4 would do: neighbouring threads should write \
                      neighbouring elements.";
        check(&[(9, stores)], &[writes]);
        // A base off by 4 bytes, exactly the threshold, a small part of the traffic, no line.
        check(&[(7, LineCounters { loads: global(100, 500, 400), ..busy() })], &[]);
        check(&[(7, LineCounters { loads: global(100, 600, 400), ..busy() })], &[]);
        check(&[(7, column), (8, LineCounters { loads: global(8000, 32_000, 32_000), ..busy() })], &[]);
        check(&[(0, column)], &[]);
    }

    #[test]
    fn bank_conflicts_are_named() {
        let sentence = "Line 8 takes 32 passes through shared memory for each request where 1 would do: pad each row \
                        by one element, so that a column lies in different banks.";
        check(&[(8, shared(10, 320))], &[sentence]);
        check(&[(8, shared(10, 14))], &[]);
        // One extra wavefront of 300.
        check(&[(8, shared(1, 2)), (9, shared(298, 298))], &[]);
    }

    #[test]
    fn divergence_is_named() {
        let sentence = "Line 6 splits the warp in 30 of 32 branches: let all 32 threads of a warp take the same \
                        side, for example with a condition on `threadIdx.x / 32`.";
        check(&[(6, branches(32, 30, 1600))], &[sentence]);
        // The last warp of the data, few of many, and lanes that are busy all the same.
        check(&[(6, branches(4, 1, 1600))], &[]);
        check(&[(6, branches(32, 7, 1600))], &[]);
        check(&[(6, branches(32, 30, 3000))], &[]);
    }

    #[test]
    fn meeting_atomics_are_named() {
        let on_one = |atomics, atomic_conflicts| LineCounters { atomics, atomic_conflicts, ..busy() };
        let sentence = "Line 5 sends 32 threads of a warp to one address, one after the other: combine within the \
                        block first, then use one atomic.";
        check(&[(5, on_one(10, 310))], &[sentence]);
        check(&[(5, on_one(10, 20))], &[]);
        check(&[(5, on_one(10, 0))], &[]);
        check(&[(5, on_one(1, 10)), (6, busy())], &[]);
    }

    #[test]
    fn doubles_are_named_where_nobody_wants_them() {
        let line = LineCounters { f64_instructions: 10, ..busy() };
        let sentence = "Line 4 computes in `double` in a kernel for `float`: a number like `2.0` is a `double`, so \
                        write `2.0f`.";
        check(&[(4, line)], &[sentence]);
        check(&[(4, LineCounters { f64_instructions: 4, ..busy() })], &[]);
        check_in(&Setting { wants_f64: true, ..Setting::default() }, &[(4, line)], &[]);
    }

    #[test]
    fn spills_are_named() {
        let check_bytes = |spill_store_bytes, spill_load_bytes, expected: &[&str]| {
            let resources = KernelResources { spill_store_bytes, spill_load_bytes, ..KernelResources::default() };
            check_in(&Setting { resources: Some(&resources), ..Setting::default() }, &[(3, busy())], expected);
        };
        let sentence = "Registers ran out, so the compiler keeps values in local memory (536 bytes of stores, 560 of \
                        loads): use fewer values at the same time.";
        check_bytes(536, 560, &[sentence]);
        check_bytes(16, 15, &[]);
        check_bytes(0, 0, &[]);
    }

    #[test]
    fn occupancy_is_named_where_memory_binds() {
        let check_launch = |[capability, threads, registers, bytes]: [u32; 4], sectors, expected: &[&str]| {
            let occupancy = Occupancy::of(capability, threads, registers, bytes, 0).unwrap();
            let line = LineCounters { loads: global(10, sectors, sectors), ..busy() };
            check_in(&Setting { occupancy: Some(&occupancy), ..Setting::default() }, &[(3, line)], expected);
        };
        let start = "Only 28 of 64 warps fit on a multiprocessor, too few to keep its memory busy:";
        let registers = format!("{start} 56 instead of 64 registers per thread would let 35 in.");
        check_launch([80, 224, 64, 0], 40, &[&registers]);
        let start = "Only 16 of 48 warps fit on a multiprocessor, too few to keep its memory busy:";
        let threads = format!("{start} 64 instead of 32 threads per block would let 32 in.");
        check_launch([86, 32, 16, 0], 40, &[&threads]);
        let both = format!("{start} try blocks that need fewer registers and less shared memory.");
        check_launch([86, 256, 96, 40_000], 40, &[&both]);
        // Few sectors, none at all, and half of the warps.
        check_launch([80, 224, 64, 0], 10, &[]);
        check_launch([80, 224, 64, 0], 0, &[]);
        check_launch([80, 256, 64, 0], 40, &[]);
    }

    #[test]
    fn the_dearest_three_come_first() {
        let resources = KernelResources { spill_store_bytes: 64, ..KernelResources::default() };
        let setting = Setting { resources: Some(&resources), ..Setting::default() };
        let mut lines = vec![(8, shared(10, 320)), (4, LineCounters { f64_instructions: 20, ..busy() })];
        let kinds = |lines: &[(u32, LineCounters)]| -> Vec<(AdviceKind, Option<u32>)> {
            let counters = Counters { lines: lines.iter().copied().collect() };
            advice(&counters, &setting).into_iter().map(|advice| (advice.kind, advice.line)).collect()
        };
        let (bank, double) = ((AdviceKind::BankConflicts, Some(8)), (AdviceKind::DoublePrecision, Some(4)));
        assert_eq!(kinds(&lines), [bank, double, (AdviceKind::Spills, None)]);
        lines.push((7, LineCounters { loads: global(100, 3200, 400), ..busy() }));
        assert_eq!(kinds(&lines), [(AdviceKind::ScatteredLoads, Some(7)), bank, double]);
    }

    #[test]
    fn clean_and_absurd_counts_are_met_with_calm() {
        check(&[], &[]);
        let clean = LineCounters { loads: global(10, 40, 40), stores: global(10, 40, 40), barriers: 4, ..shared(8, 8) };
        check(&[(3, clean), (4, branches(32, 1, 3100))], &[]);
        let full = u64::MAX;
        let absurd =
            LineCounters { divergent_branches: full, branches: 1, atomics: 1, atomic_conflicts: full, ..busy() };
        let requests = GlobalCounters { requests: 1, sectors: full, ideal_sectors: 1, bytes: full };
        let counters = Counters { lines: [(1, LineCounters { loads: requests, ..absurd })].into() };
        assert_eq!(advice(&counters, &Setting::default()).len(), 2);
    }
}
