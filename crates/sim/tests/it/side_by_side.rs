//! Blocks on several host threads: whatever their number, the same comes out.

use sim::{Argument, Buffer, Launch, Limits, Program, Report, Role, Trap};

const HEAD: &str = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .u64 \
                    k_param_1) {\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<4>;\nld.param.u64 %rd1, \
                    [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n\
                    mad.lo.s32 %r3, %r1, 64, %r2;\nmul.wide.s32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd2, %rd3;\n";
/// Work that makes a block worth a thread of its own.
const LOOP: &str = "mov.u32 %r4, 0;\nL:\nadd.s32 %r4, %r4, 1;\nmad.lo.s32 %r5, %r5, 3, %r4;\nsetp.lt.s32 %p1, %r4, \
                    900;\n@%p1 bra L;\n";
const BLOCKS: u32 = 200;

/// Runs `body` in 200 blocks of 64 threads over an input and an output of an element for each thread.
fn run(body: &str, host_threads: usize) -> (Vec<u8>, Vec<u64>, Result<Report, Trap>) {
    let program = Program::decode(&format!("{HEAD}{LOOP}{body}\nret;\n}}"), "k").expect("it decodes");
    let count = BLOCKS as usize * 64;
    let bytes: Vec<u8> = (0..count as u32).flat_map(u32::to_le_bytes).collect();
    let input = Buffer { name: "a".into(), element_bytes: 4, bytes: bytes.clone(), ..Buffer::default() };
    let output = Buffer { name: "b".into(), role: Role::Output, ..input.clone() };
    let mut buffers = [input, output];
    let launch = Launch { grid: [BLOCKS, 1, 1], block: [64, 1, 1], shared_bytes: 0 };
    let limits = Limits {
        warp_instructions: 10_000_000,
        printf_bytes: 0,
        detect: true,
        host_threads,
        count: true,
        ..Limits::default()
    };
    let arguments = [Argument::Buffer(0), Argument::Buffer(1)];
    let ended = sim::run(&program, &launch, &arguments, &mut buffers, &limits, &mut || false).map_err(|trap| *trap);
    let [input, output] = buffers;
    ([input.bytes, output.bytes].concat(), output.written, ended)
}

/// What one thread gives, after comparing it with what two and three give.
fn same(body: &str) -> (Vec<u8>, Result<Report, Trap>) {
    let (bytes, written, ended) = run(body, 1);
    for host_threads in [2, 3] {
        let (other_bytes, other_written, other) = run(body, host_threads);
        assert!(bytes == other_bytes, "{host_threads} threads leave something else: {body}");
        assert!(written == other_written, "{host_threads} threads mark something else: {body}");
        let found = |ended: &Result<Report, Trap>| match ended {
            Ok(report) => format!("{report:?}"),
            Err(trap) => format!("{trap:?}"),
        };
        assert_eq!(found(&ended), found(&other), "{host_threads} threads: {body}");
    }
    (bytes, ended)
}

#[test]
fn independent_blocks() {
    let (bytes, ended) = same("st.global.u32 [%rd4], %r5;");
    assert!(ended.expect("it ends").found.is_empty());
    let at = |thread: usize| u32::from_le_bytes(bytes[(12_800 + thread) * 4..][..4].try_into().expect("4 bytes"));
    assert_eq!(at(0), at(12_799), "every thread computes the same");
    assert_ne!(at(0), 0);
    // Bytes of one line, written by different blocks.
    let (_, ended) = same(
        "shl.b32 %r6, %r2, 1;\nmad.lo.s32 %r7, %r6, 100, %r1;\ncvt.s64.s32 %rd5, %r7;\nadd.s64 %rd6, %rd2, %rd5;\nst.global.u8 [%rd6], %r4;",
    );
    assert!(ended.expect("it ends").found.is_empty());
    // Two threads of a block store to each other word, which is a race of theirs alone.
    let (_, ended) =
        same("shr.u32 %r6, %r3, 1;\nmul.wide.s32 %rd5, %r6, 8;\nadd.s64 %rd6, %rd2, %rd5;\nst.global.u32 [%rd6], %r2;");
    assert!(!ended.expect("it ends").found.is_empty());
}

#[test]
fn blocks_that_write_what_others_read() {
    // The last block writes the first element; all read it.
    let body = "ld.global.u32 %r6, [%rd1];\nadd.s32 %r6, %r6, %r3;\nst.global.u32 [%rd4], %r6;\nsetp.ne.s32 %p2, %r3, 12799;\n@%p2 bra E;\nst.global.u32 [%rd1], 77;\nE:";
    let (_, ended) = same(body);
    assert!(!ended.expect("it ends").found.is_empty(), "that is a race");
    // The first block writes it, so all others read what it wrote.
    let (_, ended) = same(&body.replace("12799", "0"));
    assert!(!ended.expect("it ends").found.is_empty(), "that is a race");
    // All write one place, each something else.
    let (_, ended) = same("st.global.u32 [%rd2], %r3;");
    assert!(!ended.expect("it ends").found.is_empty(), "that is a race");
}

#[test]
fn a_fault_in_a_late_block_leaves_what_was_done_before() {
    for thread in [100, 7000, 12_000] {
        let body = format!(
            "st.global.u32 [%rd4], %r5;\nsetp.ne.s32 %p2, %r3, {thread};\n@%p2 bra E;\nst.global.u32 [%rd4+1000000], 1;\nE:"
        );
        let (bytes, ended) = same(&body);
        assert_eq!(ended.expect_err("a fault").block, [thread / 64, 0, 0]);
        let last = &bytes[(12_800 + 12_799) * 4..][..4];
        assert_eq!(last, 12_799_u32.to_le_bytes(), "blocks behind the fault did not run");
    }
}
