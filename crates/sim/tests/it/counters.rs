//! Counters by source line, against values worked out by hand. Lines are those of `testdata/counters.cu`.

use domain::counters::{Counters, GlobalCounters, LineCounters, SharedCounters};
use sim::{Report, Trap};

use crate::{Case, case};

fn counted(mut case: Case) -> (Counters, Report) {
    case.limits.count = true;
    let report = case.run().unwrap_or_else(|trap: Trap| panic!("{trap:?}"));
    (report.counters.clone().expect("it was asked for"), report)
}

fn line(counters: &Counters, line: u32) -> LineCounters {
    *counters.lines.get(&line).unwrap_or_else(|| panic!("line {line} is not in {counters:?}"))
}

fn global(requests: u64, sectors: u64, ideal_sectors: u64, bytes: u64) -> GlobalCounters {
    GlobalCounters { requests, sectors, ideal_sectors, bytes }
}

fn shared(requests: u64, wavefronts: u64, ideal_wavefronts: u64) -> SharedCounters {
    SharedCounters { requests, wavefronts, ideal_wavefronts }
}

fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|at| at as f32).collect()
}

#[test]
fn a_copy_is_coalesced() {
    let (counters, report) =
        counted(case("counters", "copy", 2, 64).buffer("a", &floats(128)).buffer("b", &[0.0_f32; 128]));
    // Four warps load and store 128 bytes each.
    let copied = line(&counters, 4);
    assert_eq!((copied.loads, copied.stores), (global(4, 16, 16, 512), global(4, 16, 16, 512)));
    let total = counters.total();
    assert_eq!(total.warp_instructions, report.warp_instructions);
    assert_eq!(total.thread_instructions, 32 * total.warp_instructions);
    assert_eq!((total.shared, total.atomics, total.barriers, total.branches), (shared(0, 0, 0), 0, 0, 0));
}

#[test]
fn a_partial_warp_asks_for_less() {
    let (counters, _) = counted(case("counters", "copy", 1, 48).buffer("a", &floats(48)).buffer("b", &[0.0_f32; 48]));
    assert_eq!(line(&counters, 4).loads, global(2, 6, 6, 192));
    // 48 of the 64 lanes of two warps.
    assert!((counters.total().lane_efficiency() - 0.75).abs() < 1e-12);
}

#[test]
fn a_stride_of_a_sector_takes_one_for_each_lane() {
    let (counters, _) =
        counted(case("counters", "strided", 1, 32).buffer("a", &floats(256)).buffer("b", &[0.0_f32; 32]));
    let strided = line(&counters, 9);
    assert_eq!((strided.loads, strided.stores), (global(1, 32, 4, 128), global(1, 4, 4, 128)));
}

#[test]
fn a_column_of_a_tile_conflicts_until_it_is_padded() {
    for (kernel, lines, wavefronts) in [("transpose", [14, 15, 16], 1024), ("padded", [21, 22, 23], 32)] {
        let mut case = case("counters", kernel, 1, 32).buffer("a", &floats(1024)).buffer("b", &[0.0_f32; 1024]);
        case.launch.block = [32, 32, 1];
        let (counters, _) = counted(case);
        let [filled, barrier, written] = lines.map(|at| line(&counters, at));
        assert_eq!((filled.loads, filled.shared), (global(32, 128, 128, 4096), shared(32, 32, 32)), "{kernel}");
        assert_eq!(barrier.barriers, 32, "{kernel}: one for each warp");
        assert_eq!((written.stores, written.shared), (global(32, 128, 128, 4096), shared(32, wavefronts, 32)));
    }
}

#[test]
fn lanes_on_one_bin_take_turns() {
    for (bins, conflicts) in [(4, 7), (32, 0), (1, 31)] {
        let bin: Vec<i32> = (0..32).map(|at| at % bins).collect();
        let (counters, _) =
            counted(case("counters", "histogram", 1, 32).buffer("a", &bin).buffer("counts", &[0_i32; 32]));
        let added = line(&counters, 28);
        assert_eq!((added.atomics, added.atomic_conflicts), (1, conflicts), "{bins} bins");
        assert_eq!((added.loads, added.stores), (global(1, 4, 4, 128), global(0, 0, 0, 0)), "atomics are apart");
    }
}

#[test]
fn a_reduction_diverges_once_less_than_a_warp_is_left() {
    let (counters, report) =
        counted(case("counters", "reduce", 1, 64).buffer("a", &floats(64)).buffer("sum", &[0.0_f32]));
    // Six steps, two warps: the branch of 32 sends a whole warp away, those of 16 to 1 half of one or less.
    assert_eq!((line(&counters, 37).branches, line(&counters, 37).divergent_branches), (12, 5));
    assert_eq!((line(&counters, 35).barriers, line(&counters, 40).barriers), (2, 12));
    // Two loads and a store of the first warp in each step.
    assert_eq!((line(&counters, 34).shared, line(&counters, 38).shared), (shared(2, 2, 2), shared(18, 18, 18)));
    assert_eq!((line(&counters, 42).branches, line(&counters, 42).divergent_branches), (2, 1));
    assert_eq!(line(&counters, 43).stores, global(1, 1, 1, 4));
    assert_eq!(counters.total().warp_instructions, report.warp_instructions);
}

#[test]
fn a_collective_counts_when_its_lanes_have_come() {
    let (counters, _) = counted(case("counters", "split", 1, 32).buffer("a", &[1_i32; 32]).value(3_i32));
    assert_eq!((line(&counters, 49).branches, line(&counters, 49).divergent_branches), (1, 1));
    // The comparison and the branch are all lanes', the jump to the other arm is that of 24.
    assert_eq!((line(&counters, 49).warp_instructions, line(&counters, 49).thread_instructions), (3, 88));
    // A test before the loop, and one after each of three rounds.
    assert_eq!((line(&counters, 51).branches, line(&counters, 51).divergent_branches), (4, 0));
    let loop_lanes = line(&counters, 52);
    assert_eq!(loop_lanes.thread_instructions, 8 * loop_lanes.warp_instructions, "only 8 lanes are in it");
    let last = line(&counters, 57);
    assert_eq!((last.loads, last.stores), (global(1, 4, 4, 128), global(1, 4, 4, 128)), "all lanes have met");
    assert_eq!(last.thread_instructions, 32 * last.warp_instructions, "the shuffle counts once");
}

#[test]
fn arithmetic_in_double_is_told() {
    let (counters, _) = counted(case("counters", "doubled", 1, 32).buffer("a", &[1.0_f64; 32]));
    let doubled = line(&counters, 61);
    assert_eq!((doubled.f64_instructions, doubled.loads), (1, global(1, 8, 8, 256)));
}

#[test]
fn nothing_is_counted_unasked() {
    let mut case = case("counters", "copy", 1, 32).buffer("a", &floats(32)).buffer("b", &[0.0_f32; 32]);
    assert!(!sim::Limits::default().count);
    assert_eq!(case.run().expect("it ends").counters, None);
}
