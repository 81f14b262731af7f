//! Every form of the census of PTX: it decodes, or it is a typed refusal with the learner's line.

use sim::{DecodeError, Program};

/// A kernel of one instruction, on line 7 of the learner's file.
fn decode(instruction: &str) -> Result<Program, DecodeError> {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[16];\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<48>;\n.reg .f32 %f<32>;\n.reg .f64 %d<16>;\n.reg .b64 %rd<16>;\n\
         .shared .align 16 .b8 tile[1024];\n.loc 1 7 0\n{instruction}\nret;\n}}\n.file 1 \"/x/kernel.cu\"\n"
    );
    Program::decode(&text, "k")
}

/// Splits a table of instructions, one a line; `a b` words in braces are alternatives of one line.
fn each(table: &str) -> Vec<String> {
    let mut found = vec![];
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (Some(open), Some(close)) = (line.find('<'), line.find('>')) else {
            found.push(line.to_owned());
            continue;
        };
        let alternatives = line[open + 1..close].split(' ');
        found.extend(alternatives.map(|word| format!("{}{word}{}", &line[..open], &line[close + 1..])));
    }
    found
}

const SIMULATED: &str = include_str!("../../testdata/simulated_forms.txt");
const REFUSED: &str = include_str!("../../testdata/refused_forms.txt");

#[test]
fn forms_of_the_census_decode() {
    let forms = each(SIMULATED);
    assert!(forms.len() > 550, "{}", forms.len());
    let failed: Vec<String> =
        forms.iter().filter_map(|form| decode(form).err().map(|error| format!("{form}  {error}"))).collect();
    assert!(failed.is_empty(), "{} of {} forms:\n{}", failed.len(), forms.len(), failed.join("\n"));
}

#[test]
fn the_third_tier_is_refused_with_its_line() {
    for form in each(REFUSED) {
        match decode(&form) {
            Err(DecodeError::Unsupported { what, line: Some(7) }) => assert!(!what.is_empty(), "{form}"),
            other => panic!("{form}: {:?}", other.map(|_| "decodes")),
        }
    }
}

#[test]
fn hostile_operands_are_refused() {
    for form in each(SIMULATED) {
        // Without its operands, with one too few, and with wrong ones, a form may be refused but must not panic.
        let Some((words, operands)) = form.split_once(' ') else { continue };
        let fewer = operands.rsplit_once(',').map_or("", |(first, _)| first);
        for operands in ["", fewer, "%p1, %p1, %p1, %p1", "{%r1}, {%r1}, {%r1}, {%r1}", "7, 7, 7, 7, 7", "_, _, _"] {
            let _ = decode(&format!("{words} {operands};"));
        }
    }
}

/// What a body leaves in `%r1` of each lane of one warp.
fn lanes_of(body: &str) -> Vec<u32> {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[16];\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<48>;\n.reg .f32 %f<32>;\n.reg .f64 %d<16>;\n.reg .b64 %rd<16>;\n\
         .shared .align 16 .b8 tile[1024];\nld.param.u64 %rd1, [k_param_0];\ncvta.to.global.u64 %rd1, %rd1;\n{body}\n\
         mov.u32 %r40, %tid.x;\nmul.wide.u32 %rd3, %r40, 4;\nadd.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r1;\nret;\n}}\n"
    );
    let program = Program::decode(&text, "k").unwrap_or_else(|error| panic!("{body}: {error:?}"));
    run(&program)
}

/// What one warp leaves in its buffer.
fn run(program: &Program) -> Vec<u32> {
    let mut buffers = [sim::Buffer { name: "out".into(), element_bytes: 4, bytes: vec![0; 128], ..Default::default() }];
    let launch = sim::Launch { grid: [1; 3], block: [32, 1, 1], shared_bytes: 48 };
    let limits = sim::Limits {
        warp_instructions: 10_000,
        printf_bytes: 0,
        detect: true,
        host_threads: 1,
        ..sim::Limits::default()
    };
    sim::run(program, &launch, &[sim::Argument::Buffer(0)], &mut buffers, &limits, &mut || false)
        .unwrap_or_else(|trap| panic!("{trap:?}"));
    buffers[0].bytes.chunks(4).map(|word| word.first_chunk().map_or(0, |word| u32::from_le_bytes(*word))).collect()
}

#[test]
fn instructions_in_steps_compute() {
    for (body, expect) in [
        ("mov.b32 %r2, 0xc0003c00; mov.b32 %r3, 0x3c003c00; fma.rn.relu.f16x2 %r1, %r2, %r3, %r3;", 0x4000),
        ("mov.b32 %r2, 0x44003400; mov.b32 %r3, 0x00003400; add.sat.f16x2 %r1, %r2, %r3;", 0x3c00_3800),
        ("mov.b32 %r2, 0x3c010001; mov.b32 %r3, 0; add.ftz.f16x2 %r1, %r2, %r3;", 0x3c01_0000),
        ("mov.b32 %r2, 0x7e003c00; mov.b32 %r3, 0x3c004000; max.NaN.f16x2 %r1, %r2, %r3;", 0x7fff_4000),
        ("mov.f32 %f1, 0fC0000000; mov.f32 %f2, 0f3F800000; max.xorsign.abs.f32 %r1, %f1, %f2;", 0xc000_0000),
        ("mov.b32 %r2, 0x40003c00; mov.b32 %r3, 0x3c003c00; set.gt.f16x2.f16x2 %r1, %r2, %r3;", 0x3c00_0000),
        ("mov.b32 %r2, 0x40003c00; mov.b32 %r3, 0x3c003c00; set.eq.u32.f16x2 %r1, %r2, %r3;", 0xffff),
        ("mov.f32 %f1, 0f00000001; mov.f32 %f2, 0f00000000; set.gt.ftz.f32.f32 %r1, %f1, %f2;", 0),
        ("mov.f32 %f1, 0f00000001; mov.f32 %f2, 0f00000000; set.gt.u32.f32 %r1, %f1, %f2;", 0xffff_ffff),
        ("mov.f32 %f1, 0f3F801FFF; cvt.rz.f16.f32 %h1, %f1; cvt.u32.u16 %r1, %h1;", 0x3c00),
        ("mov.f32 %f1, 0fBF800000; mov.f32 %f2, 0f40000000; cvt.rn.relu.f16x2.f32 %r1, %f2, %f1;", 0x4000_0000),
        ("mov.f32 %f1, 0f3F801000; cvt.rna.tf32.f32 %r1, %f1;", 0x3f80_2000),
        (
            "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f44FA0000; cvt.rn.satfinite.e4m3x2.f32 %h1, %f2, %f1; cvt.u32.u16 %r1, %h1;",
            0x7e38,
        ),
        ("mov.b16 %h1, 0x7e38; cvt.rn.f16x2.e4m3x2 %r1, %h1;", 0x5f00_3c00),
        ("mov.u32 %r2, 300; cvt.sat.u8.s32 %r1, %r2;", 255),
        ("mov.b64 %rd2, 16777217; cvt.rp.f32.s64 %r1, %rd2;", 0x4b80_0001),
        ("mov.b16 %h1, 0xc100; cvt.rmi.f16.f16 %h2, %h1; cvt.u32.u16 %r1, %h2;", 0xc200),
        ("elect.sync %r1|%p1, 0xffffffff; @%p1 add.u32 %r1, %r1, 7;", 7),
        (
            "mov.u64 %rd2, table; isspacep.const %p1, %rd2; isspacep.const %p2, %rd1; selp.u32 %r1, 1, 0, %p1; @%p2 mov.u32 %r1, 9;",
            1,
        ),
        (
            "mov.u64 %rd2, tile; cvta.shared.u64 %rd2, %rd2; isspacep.shared %p1, %rd2; isspacep.global %p2, %rd1; and.pred %p1, %p1, %p2; selp.u32 %r1, 1, 0, %p1;",
            1,
        ),
        (
            "mov.u32 %r1, %dynamic_smem_size; mov.u32 %r2, %total_smem_size; shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, %r2;",
            48 + ((1024 + 48) << 8),
        ),
        ("mov.f32 %f1, 0f00400000; mov.f32 %f2, 0f00400000; add.rz.ftz.f32 %r1, %f1, %f2;", 0),
        (
            "mov.b32 %r2, 0x40003c00; mov.b32 %r3, 0x40004000; setp.eq.f16x2 %p1|%p2, %r2, %r3; selp.u32 %r1, 1, 0, %p1; @%p2 add.u32 %r1, %r1, 2;",
            2,
        ),
    ] {
        assert_eq!(lanes_of(body)[0], expect, "{body}");
    }
    let voted = lanes_of("mov.u32 %r2, %tid.x; setp.gt.u32 %p1, %r2, 3; vote.sync.ballot.b32 %r1, !%p1, 0xffffffff;");
    assert_eq!(voted, [15; 32]);
    let added = lanes_of(
        "mov.u32 %r2, tile; mov.f32 %f1, 0f00000000; st.shared.v4.f32 [%r2], {%f1, %f1, %f1, %f1}; bar.sync 0;\n\
         mov.f32 %f2, 0f3F800000; atom.shared.add.v4.f32 {_, _, _, %f3}, [%r2], {%f2, %f2, %f2, %f2}; bar.sync 0;\n\
         ld.shared.b32 %r1, [%r2+12];",
    );
    assert_eq!(added, [32.0_f32.to_bits(); 32]);
}

#[test]
fn rare_forms_agree_with_a_gpu() {
    agree(&crate::text("forms_h200"), include_str!("../../testdata/forms_h200.txt"));
}

#[test]
fn fragments_agree_with_a_gpu() {
    agree(&crate::text("matrix_h200"), include_str!("../../testdata/matrix_h200.txt"));
}

/// Each row is a body for the frame, and the words that a GPU left.
fn agree(frame: &str, rows: &str) {
    for row in rows.lines() {
        let (body, words) = row.rsplit_once(" = ").unwrap_or_else(|| panic!("{row}"));
        let program =
            Program::decode(&frame.replace("...", body), "k").unwrap_or_else(|error| panic!("{body} {error}"));
        let got: Vec<String> = run(&program).iter().map(|word| format!("{word:x}")).collect();
        assert_eq!(got.join(" "), words, "{body}");
    }
}
