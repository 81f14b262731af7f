//! 32 lanes in lockstep compute what each of them computes alone.

use std::fmt::Write;

use sim::{Argument, Buffer, Launch, Limits, Program};

/// Words that each lane reads and writes.
const WORDS: usize = 8;
const LANES: usize = 32;

/// A fixed sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

const TWO: &[&str] = &[
    "add.s32",
    "sub.s32",
    "mul.lo.s32",
    "mul.hi.u32",
    "and.b32",
    "or.b32",
    "xor.b32",
    "shl.b32",
    "shr.u32",
    "shr.s32",
    "min.s32",
    "max.u32",
    "div.u32",
    "rem.s32",
    "add.f32",
    "sub.f32",
    "mul.f32",
    "div.rn.f32",
    "min.f32",
    "max.ftz.f32",
    "add.sat.f32",
    "add.s16x2",
    "add.f16x2",
];
const THREE: &[&str] = &["mad.lo.s32", "fma.rn.f32", "fma.rz.f32", "bfe.u32", "prmt.b32", "shf.l.wrap.b32", "sad.s32"];
const ONE: &[&str] = &[
    "neg.s32",
    "not.b32",
    "abs.f32",
    "sqrt.rn.f32",
    "popc.b32",
    "clz.b32",
    "brev.b32",
    "cvt.rn.f32.s32",
    "cvt.rzi.s32.f32",
    "ex2.approx.f32",
];
const TESTS: &[&str] = &["lt.s32", "ge.u32", "eq.s32", "lt.f32", "neu.f32", "nan.f32"];

/// A program with branches forward, over the words of lane `base + %tid.x`.
fn text(numbers: &mut Numbers) -> String {
    let mut body = String::new();
    let register = |numbers: &mut Numbers| format!("%r{}", 10 + numbers.below(WORDS));
    let mut waiting: Option<(usize, usize)> = None;
    for at in 0..40 {
        if let Some((label, _)) = waiting.filter(|(_, until)| *until <= at) {
            writeln!(body, "L{label}:").expect("it has room");
            waiting = None;
        }
        let (to, a, b, c) = (register(numbers), register(numbers), register(numbers), register(numbers));
        match numbers.below(8) {
            0 => writeln!(body, "{} {to}, {a};", ONE[numbers.below(ONE.len())]),
            1 => writeln!(body, "{} {to}, {a}, {b}, {c};", THREE[numbers.below(THREE.len())]),
            2 => {
                let test = TESTS[numbers.below(TESTS.len())];
                writeln!(
                    body,
                    "setp.{test} %p1, {a}, {b};\nselp.b32 {to}, {b}, {c}, %p1;\n@%p1 xor.b32 {to}, {to}, {a};"
                )
            }
            3 if waiting.is_none() => {
                waiting = Some((at, at + 1 + numbers.below(6)));
                writeln!(body, "setp.{} %p2, {a}, {b};\n@%p2 bra L{at};", TESTS[numbers.below(TESTS.len())])
            }
            _ => writeln!(body, "{} {to}, {a}, {b};", TWO[numbers.below(TWO.len())]),
        }
        .expect("it has room");
    }
    if let Some((label, _)) = waiting {
        writeln!(body, "L{label}:").expect("it has room");
    }
    let each = |what: fn(usize) -> String| (0..WORDS).map(what).collect::<Vec<_>>().join("\n");
    let loads = each(|word| format!("ld.global.b32 %r{}, [%rd3+{}];", 10 + word, 4 * word));
    let stores = each(|word| format!("st.global.b32 [%rd3+{}], %r{};", 4 * word, 10 + word));
    format!(
        ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1) \
         {{\n.reg .b32 %r<30>;\n.reg .b64 %rd<8>;\n.reg .pred %p<4>;\nld.param.u64 %rd1, [k_param_0];\nld.param.u32 %r1, \
         [k_param_1];\nmov.u32 %r2, %tid.x;\nadd.s32 %r3, %r1, %r2;\nmul.wide.s32 %rd2, %r3, {};\nadd.s64 %rd3, %rd1, \
         %rd2;\n{loads}\n{body}{stores}\nret;\n}}",
        4 * WORDS
    )
}

fn run(program: &Program, buffer: &Buffer, base: u32, threads: u32) -> Vec<u8> {
    let mut buffers = [buffer.clone()];
    let launch = Launch { grid: [1; 3], block: [threads, 1, 1], shared_bytes: 0 };
    let limits = Limits { warp_instructions: 10_000, detect: true, ..Limits::default() };
    let arguments = [Argument::Buffer(0), Argument::Value(base.to_le_bytes().to_vec())];
    sim::run(program, &launch, &arguments, &mut buffers, &limits, &mut || false).expect("it ends");
    let [buffer] = buffers;
    buffer.bytes
}

#[test]
fn a_warp_computes_what_its_lanes_compute_alone() {
    for seed in 0..300 {
        let mut numbers = Numbers(seed);
        let text = text(&mut numbers);
        let program = Program::decode(&text, "k").unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let special = [0, 1, 0x8000_0000, u32::MAX, 0x7f80_0000, 0x7fc0_0001, 0x0000_0007, 0x3f80_0000, 0xff7f_ffff];
        let word = |_| match numbers.below(2) {
            0 => special[numbers.below(special.len())],
            _ => (numbers.below(1 << 31) as u32) << numbers.below(2),
        };
        let bytes = (0..LANES * WORDS).map(word).flat_map(u32::to_le_bytes).collect();
        let buffer = Buffer { name: "a".into(), element_bytes: 4, bytes, ..Buffer::default() };
        let together = run(&program, &buffer, 0, LANES as u32);
        for lane in 0..LANES {
            let alone = run(&program, &buffer, lane as u32, 1);
            let own = lane * 4 * WORDS..(lane + 1) * 4 * WORDS;
            assert_eq!(together[own.clone()], alone[own], "lane {lane} of seed {seed}:\n{text}");
        }
        assert_ne!(together, buffer.bytes, "seed {seed} computes something");
    }
}
