//! Texts that mean harm: each ends in a typed error with a line, or in what a GPU gives, in bounded time and memory.

use sim::{Argument, Buffer, DecodeError, Launch, Limits, Program, Report, Trap, TrapKind};

/// A text with this body over one buffer `out` of 64 words; registers `%r`, `%rd`, `%f`, `%p` are there.
fn text(before: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_80\n.address_size 64\n{before}\n.visible .entry k(.param .u64 k_param_0) {{\n.reg .b32 \
         %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<20>;\n.reg .pred %p<8>;\n.loc 1 7 5\nld.param.u64 %rd1, \
         [k_param_0];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n.file 1 \"kernel.cu\"\n"
    )
}

fn run_on(text: &str, grid: [u32; 3], threads: u32) -> Result<(Report, Vec<u32>), Trap> {
    let program = Program::decode(text, "k").unwrap_or_else(|error| panic!("{error}: {text}"));
    let launch = Launch { grid, block: [threads, 1, 1], shared_bytes: 0 };
    let limits = Limits { warp_instructions: 300_000, printf_bytes: 4096, detect: true, ..Limits::default() };
    let out = Buffer { name: "out".into(), element_bytes: 4, bytes: vec![0; 256], ..Buffer::default() };
    let mut buffers = [out];
    let report = sim::run(&program, &launch, &[Argument::Buffer(0)], &mut buffers, &limits, &mut || false);
    let words = buffers[0].bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    report.map(|report| (report, words)).map_err(|trap| *trap)
}

fn fault(body: &str, threads: u32) -> Trap {
    run_on(&text("", body), [1, 1, 1], threads).expect_err(body)
}

#[test]
fn loops_without_end_meet_the_instruction_budget() {
    for body in ["L:\nbra L;", "A:\nbra B;\nB:\nbra A;", "setp.eq.s32 %p1, %r1, 0;\nL:\n@%p1 bra L;\nM:\nbra M;"] {
        let trap = fault(body, 64);
        assert!(matches!(trap.kind, TrapKind::InstructionLimit { .. }), "{body}: {trap:?}");
        assert_eq!(trap.line, Some(7));
    }
}

#[test]
fn addresses_of_nobody_are_told_and_not_followed() {
    for address in ["0", "8", "140737488355328", "18446744073709551612", "4096"] {
        for access in [
            "ld.global.u32 %r2, [%rd2];",
            "st.global.u32 [%rd2], %r1;",
            "ld.u32 %r2, [%rd2];",
            "atom.global.add.u32 %r2, [%rd2], 1;",
        ] {
            let trap = fault(&format!("mov.u64 %rd2, {address};\n{access}"), 1);
            assert!(matches!(trap.kind, TrapKind::OutOfBounds { .. }), "{address} {access}: {trap:?}");
            assert_eq!(trap.line, Some(7), "{address} {access}");
        }
    }
}

#[test]
fn memory_without_bound_is_refused() {
    let refused = |before: &str, body: &str| match Program::decode(&text(before, body), "k") {
        Err(error) => error,
        Ok(_) => panic!("{before} {body} is a program"),
    };
    for bytes in ["4294967296", "49153", "18446744073709551615"] {
        let error = refused("", &format!(".shared .align 4 .b8 s[{bytes}];"));
        assert!(
            matches!(
                error,
                DecodeError::TooMuchShared { .. } | DecodeError::Malformed { .. } | DecodeError::Unsupported { .. }
            ),
            "{bytes}: {error}"
        );
    }
    // Registers that nobody uses take no room.
    assert!(Program::decode(&text("", ".reg .b32 %many<4000000000>;"), "k").is_ok());
    refused("", ".reg .b32 %many<4000000000>;\nmov.u32 %many3999999999, 1;");
    refused(".global .align 4 .b8 g[18446744073709551615];", "mov.u64 %rd2, g;\nst.global.u64 [%rd1], %rd2;");
    refused("", ".local .align 4 .b8 l[1099511627776];\nmov.u64 %rd2, l;\nst.local.u32 [%rd2], 1;");
    refused("", &"{".repeat(100_000));
    refused(&format!(".global .b8 g[4] = {{{}}};", "{".repeat(50_000)), "");
    refused("", &format!("add.u32 {};", "%r1, ".repeat(100_000)));
    refused("", &format!("mov.u32 %r2, {};", "9".repeat(1_000_000)));
}

#[test]
fn a_million_calls_deep_is_a_full_stack() {
    let before = ".func (.param .b32 back) deeper(.param .b32 deeper_param_0) {\n.reg .b32 %r<4>;\nld.param.b32 %r1, \
                  [deeper_param_0];\nadd.u32 %r1, %r1, 1;\n{\n.param .b32 param0;\nst.param.b32 [param0+0], %r1;\n.param \
                  .b32 retval0;\ncall.uni (retval0), deeper, (param0);\nld.param.b32 %r2, [retval0+0];\n}\nst.param.b32 \
                  [back+0], %r2;\nret;\n}";
    let body = "{\n.param .b32 param0;\nst.param.b32 [param0+0], %r1;\n.param .b32 retval0;\ncall.uni (retval0), deeper, \
                (param0);\nld.param.b32 %r2, [retval0+0];\n}\nst.global.u32 [%rd1], %r2;";
    let trap = run_on(&text(before, body), [1, 1, 1], 64).expect_err("it never returns");
    assert!(matches!(trap.kind, TrapKind::Stack { .. }), "{trap:?}");
}

#[test]
fn barriers_that_some_never_reach_end_the_block() {
    let some = "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra W;\nbar.sync 0;\nbra E;\nW:\nst.global.u32 [%rd1], 1;\nL:\nbar.sync 1;\nE:";
    let trap = fault(some, 64);
    assert!(matches!(trap.kind, TrapKind::BarrierDivergence { .. }), "{trap:?}");
    let trap = fault("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\nbar.sync 0;\nbra E;\nL:\nbra L;\nE:", 64);
    assert!(matches!(trap.kind, TrapKind::InstructionLimit { .. }), "{trap:?}");
}

/// What the ISA leaves open ends in what an H200 gives, and never in a fault of ours.
#[test]
fn arithmetic_at_its_ends_is_that_of_a_gpu() {
    let value =
        |body: &str| run_on(&text("", &format!("{body}\nst.global.u32 [%rd1], %r9;")), [1, 1, 1], 1).expect(body).1[0];
    assert_eq!(value("mov.u32 %r2, 5;\nmov.u32 %r3, 0;\ndiv.u32 %r9, %r2, %r3;"), u32::MAX);
    assert_eq!(value("mov.u32 %r2, 5;\nmov.u32 %r3, 0;\nrem.u32 %r9, %r2, %r3;"), u32::MAX);
    value("mov.u32 %r2, 2147483648;\nmov.u32 %r3, -1;\ndiv.s32 %r9, %r2, %r3;");
    value("mov.u32 %r2, 2147483648;\nmov.u32 %r3, -1;\nrem.s32 %r9, %r2, %r3;");
    assert_eq!(value("mov.u32 %r2, 1;\nmov.u32 %r3, 32;\nshl.b32 %r9, %r2, %r3;"), 0);
    assert_eq!(value("mov.u32 %r2, -8;\nmov.u32 %r3, 4294967295;\nshr.s32 %r9, %r2, %r3;"), u32::MAX);
    assert_eq!(value("mov.f32 %f1, 0f7FC00000;\ncvt.rzi.s32.f32 %r9, %f1;"), 0);
    assert_eq!(value("mov.f32 %f1, 0f7F800000;\ncvt.rzi.s32.f32 %r9, %f1;"), 0x7fff_ffff);
    assert_eq!(value("mov.u32 %r2, 2147483648;\nabs.s32 %r9, %r2;"), 0x8000_0000);
}

#[test]
fn vectors_at_odd_addresses_are_misaligned() {
    for (access, bytes) in [
        ("ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1+4];", 16),
        ("st.global.v2.u32 [%rd1+4], {%r1,%r1};", 8),
        ("ld.global.u32 %r2, [%rd1+2];", 4),
    ] {
        let trap = fault(access, 1);
        assert!(
            matches!(trap.kind, TrapKind::Misaligned { access_bytes, .. } if access_bytes == bytes),
            "{access}: {trap:?}"
        );
    }
}

#[test]
fn grids_are_bounded_by_time_and_not_by_memory() {
    let text = text("", "mov.u32 %r2, 1;");
    let trap = run_on(&text, [0x7fff_ffff, 65_535, 65_535], 1024).expect_err("too many blocks to run");
    assert!(matches!(trap.kind, TrapKind::InstructionLimit { .. }), "{trap:?}");
    let trap = run_on(&text, [1, 1, 1], 1025).expect_err("too many threads");
    assert!(matches!(trap.kind, TrapKind::Launch { .. }), "{trap:?}");
}
