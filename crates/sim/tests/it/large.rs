//! 64 MiB of buffers with all checks on: in 1 GiB, and where that does not suffice, with a note.

use sim::{Argument, Buffer, Launch, Limits, Program, Role};

/// Stores its own number to an element for each of 2^24 threads, either in order or scattered.
fn run(scattered: bool) -> sim::Report {
    let multiplier = if scattered { 1_000_003 } else { 1 };
    let text = format!(
        ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0) {{\n.reg .b32 %r<8>;\n\
         .reg .b64 %rd<8>;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.s32 \
         %r3, %r1, 1024, %r2;\nmul.lo.s32 %r4, %r3, {multiplier};\nand.b32 %r4, %r4, 16777215;\nmul.wide.u32 %rd2, %r4, \
         4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;\nret;\n}}"
    );
    let program = Program::decode(&text, "k").expect("it decodes");
    let bytes = vec![0; 64 << 20];
    let mut buffers = [Buffer { name: "out".into(), element_bytes: 4, bytes, role: Role::Output, ..Buffer::default() }];
    let launch = Launch { grid: [1 << 14, 1, 1], block: [1024, 1, 1], shared_bytes: 0 };
    let limits = Limits { warp_instructions: u64::MAX, detect: true, host_threads: 2, ..Limits::default() };
    let report = sim::run(&program, &launch, &[Argument::Buffer(0)], &mut buffers, &limits, &mut || false);
    let words = buffers[0].bytes.as_chunks::<4>().0;
    for thread in [0_u32, 1, 1025, (1 << 24) - 1] {
        let at = (thread.wrapping_mul(multiplier) & 0xff_ffff) as usize;
        assert_eq!(u32::from_le_bytes(words[at]), thread);
    }
    report.expect("it ends")
}

/// The most memory that this process ever had, in bytes; each test runs in a process of its own.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let row = status.lines().find_map(|row| row.strip_prefix("VmHWM:")).expect("it is there");
    row.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

#[test]
fn stores_in_order_are_looked_at_to_the_end() {
    let report = run(false);
    assert!(report.found.is_empty() && !report.detection_is_partial);
    assert!(most_memory() < 1 << 30, "{} MiB", most_memory() >> 20);
}

#[test]
fn scattered_stores_use_the_shadow_up_and_the_report_says_so() {
    let report = run(true);
    assert!(report.found.is_empty() && report.detection_is_partial);
    assert!(most_memory() < 1 << 30, "{} MiB", most_memory() >> 20);
}
