//! Operations of whole warps, and threads of one warp that wait for each other.

use crate::case;

#[test]
fn lanes_exchange_and_vote() {
    let numbers: Vec<i32> = (0..64).map(|index| index * 7 % 23).collect();
    let out = case("warp", "sums", 1, 64).buffer("in", &numbers).buffer("out", &[0_i32; 64 * 6]).result::<i32>(1);
    let over = numbers.iter().filter(|value| **value > 10).count() as i32;
    for (thread, row) in out.chunks(6).enumerate() {
        let warp = &numbers[thread / 32 * 32..][..32];
        let lane = thread % 32;
        let ballot = warp.iter().enumerate().fold(0_u32, |mask, (at, value)| mask | u32::from(*value > 10) << at);
        // Out of a segment of 8 lanes a lane keeps its own value.
        let expect = [warp.iter().sum(), warp[..=lane].iter().sum(), ballot as i32, 1, warp[lane ^ 5], over + 1000];
        assert_eq!(row, expect, "thread {thread}");
    }
}

#[test]
fn lanes_find_equal_values() {
    let numbers: Vec<i32> = (0..32).map(|index| index % 5).collect();
    let mut matched = case("warp", "matched", 1, 32)
        .buffer("in", &numbers)
        .buffer("out", &[0_i32; 32 * 4])
        .buffer("d", &[0.0_f64; 32]);
    let out = matched.result::<i32>(1);
    for (lane, row) in out.chunks(4).enumerate() {
        let same = (0..32).filter(|other| other % 5 == lane % 5).fold(0_u32, |mask, other| mask | 1 << other);
        assert_eq!(row, [same as i32, numbers.iter().sum(), 4, -1], "lane {lane}");
    }
    let shifted: Vec<u8> =
        (0..32_usize).flat_map(|lane| f64::from(numbers[(lane + 1).min(31)]).to_le_bytes()).collect();
    assert_eq!(matched.buffers[2].bytes, shifted);
}

#[test]
fn locks_inside_one_warp_are_released() {
    for kernel in ["lock", "spin"] {
        let mut lock = case("warp", kernel, 2, 64).buffer("lock", &[0_i32]).buffer("counter", &[0_i32]);
        assert_eq!(lock.result::<i32>(1), [128], "{kernel}");
    }
}

#[test]
fn nested_loops_leave_in_any_order() {
    let mut nested = case("warp", "nested", 1, 64).buffer("out", &[0_i32; 64]).value(40_i32);
    let expect = |t: i32| {
        let mut sum = 0;
        for i in 0..40 {
            if i == t {
                continue;
            }
            if i > t + 5 {
                break;
            }
            for k in 0..i {
                if (k ^ t) % 3 == 0 {
                    continue;
                }
                sum += k;
                if sum > 100 {
                    return -sum;
                }
            }
        }
        sum
    };
    assert_eq!(nested.result::<i32>(0), (0..64).map(expect).collect::<Vec<_>>());
}

#[test]
fn structs_constants_and_local_arrays_are_memory() {
    let mut table = 0.5_f32.to_le_bytes().to_vec();
    table.extend([10, 20, 30, 40_i32].iter().flat_map(|value| value.to_le_bytes()));
    let out = case("warp", "by_value", 1, 6).raw(table).buffer("out", &[0.0_f32; 6]).value(3_i32).result::<f32>(0);
    let expect: Vec<f32> = (0..6)
        .map(|t| {
            let slot = (0..8).find(|k| k * 3 % 8 == (t + 3) % 8).unwrap();
            let offset = [10.0, 20.0, 30.0, 40.0][(3 + t) % 4];
            0.5 * offset + [0.25, 0.5, 0.25][t % 3] + slot as f32 + 3.0
        })
        .collect();
    assert_eq!(out, expect);
}

#[test]
fn storing_before_an_early_return_is_no_divergence() {
    // tile[t] = t; if (t >= 40) return; __syncthreads(); out[t] = tile[63 - t];
    let text = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n\
        .reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.shared .align 4 .b8 tile[256];\n\
        ld.param.u64 %rd1, [k_param_0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n\
        mov.u32 %r3, tile;\nadd.s32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\nsetp.gt.s32 %p1, %r1, 39;\n\
        @%p1 bra $done;\nbar.sync 0;\nsub.s32 %r5, 252, %r2;\nadd.s32 %r5, %r3, %r5;\nld.shared.u32 %r5, [%r5];\n\
        mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd2, %rd3;\nst.global.u32 [%rd3], %r5;\n$done:\nret;\n}";
    let program = sim::Program::decode(text, "k").unwrap();
    let mut buffers = [sim::Buffer { name: "out".into(), element_bytes: 4, bytes: vec![0; 256], ..Default::default() }];
    let launch = sim::Launch { grid: [1; 3], block: [64, 1, 1], shared_bytes: 0 };
    let limits = sim::Limits {
        warp_instructions: 10_000,
        printf_bytes: 0,
        detect: true,
        host_threads: 1,
        ..sim::Limits::default()
    };
    sim::run(&program, &launch, &[sim::Argument::Buffer(0)], &mut buffers, &limits, &mut || false).unwrap();
    assert_eq!(buffers[0].bytes[..4], 63_u32.to_le_bytes());
}

#[test]
fn cooperative_groups_of_half_a_warp_sum() {
    let out = case("groups", "groups", 1, 64).buffer("o", &[0_i32; 100]).result::<i32>(0);
    assert_eq!(out[..4], [120, 376, 632, 888]);
    assert_eq!(out[99], 32);
}

#[test]
fn module_variables_keep_their_values_between_launches() {
    let text = ".version 9.0\n.target sm_80\n.address_size 64\n.global .u32 count;\n\
        .visible .entry k(.param .u64 k_param_0) {\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n\
        ld.param.u64 %rd1, [k_param_0];\ncvta.to.global.u64 %rd2, %rd1;\n\
        atom.global.add.u32 %r1, [count], 5;\nst.global.u32 [%rd2], %r1;\nret;\n}";
    let program = sim::Program::decode(text, "k").unwrap();
    let mut variables = sim::Variables::new(&program);
    let launch = sim::Launch { grid: [1; 3], block: [1; 3], shared_bytes: 0 };
    let limits = sim::Limits {
        warp_instructions: 1000,
        printf_bytes: 0,
        detect: true,
        host_threads: 1,
        ..sim::Limits::default()
    };
    for expect in [0_u32, 5, 10] {
        let mut out = [sim::Buffer { name: "out".into(), element_bytes: 4, bytes: vec![0; 4], ..Default::default() }];
        let arguments = [sim::Argument::Buffer(0)];
        sim::run_with(&program, &mut variables, &launch, &arguments, &mut out, &limits, &mut || false).unwrap();
        assert_eq!(out[0].bytes, expect.to_le_bytes());
    }
}
