//! Straight programs of drawn instructions: what single instructions do not show is what an assembler makes of several.

use std::fmt::Write;
use std::rc::Rc;

use sim::Launch;

use super::closeness::Closeness;
use super::plan::{Job, framed, registers};
use super::values::{Drawn, Wanted};

/// Programs of each kind.
const PROGRAMS: u64 = 48;
/// Instructions of one.
const INSTRUCTIONS: usize = 48;
/// Registers of each class.
const REGISTERS: u32 = 6;
/// Vectors that each is run over.
const VECTORS: usize = 512;

/// What the instructions of a program compute with. Registers have no type here, and where one holds a float and is read
/// as an integer without a `mov` between, the assembler of CUDA 13.0 was seen to convert it, so kinds stay apart.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Numbers {
    Whole,
    /// Binary32; which bits a NaN has does not count.
    Single,
}

/// All programs over some forms.
pub fn jobs(forms: &[String]) -> Vec<Job> {
    let input = Rc::new(Wanted { classes: &["rd", "rd"], count: VECTORS, is_periodic: false }.vectors());
    let of_kind = |numbers: Numbers| {
        let input = Rc::clone(&input);
        let forms: Vec<&str> = forms.iter().map(String::as_str).filter(|form| is_fit(form, numbers)).collect();
        (1..=PROGRAMS).map(move |seed| of_seed(seed, numbers, &forms, Rc::clone(&input)))
    };
    of_kind(Numbers::Whole).chain(of_kind(Numbers::Single)).collect()
}

/// Whether an instruction is of a kind, and the ISA leaves nothing open, whatever stands beside it.
fn is_fit(form: &str, numbers: Numbers) -> bool {
    let words: Vec<&str> = form.split([' ', ';']).next().unwrap_or_default().split('.').collect();
    let has = |word: &str| words.contains(&word);
    let is_float =
        |word: &&str| ["f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "tf32", "e4m3x2", "e5m2x2"].contains(word);
    let is_whole =
        |word: &&str| word.starts_with(['s', 'u', 'b']) && word[1..].starts_with(|c: char| c.is_ascii_digit());
    let is_rounded = ["rn", "rz", "rm", "rp"].into_iter().any(has);
    let may_fuse = ["add", "sub", "mul", "mad", "div"].contains(&words[0]) && !is_rounded;
    let is_plain = form.matches(';').count() == 1 && !form.contains(['|', '!', '{']) && !form.contains("%f");
    // What depends on the sign of a NaN, on other lanes, or on a carry from elsewhere.
    let is_open = ["approx", "full", "cc", "sync", "xorsign", "copysign", "set"].into_iter().any(has);
    let is_kind = match numbers {
        Numbers::Whole => !words.iter().any(is_float),
        Numbers::Single => {
            let others = words.iter().any(|word| is_whole(word) || is_float(word) && *word != "f32");
            has("f32") && !others && !may_fuse
        }
    };
    is_plain && is_kind && !is_open && !form.contains("%d")
}

fn of_seed(seed: u64, numbers: Numbers, forms: &[&str], input: Rc<Vec<u8>>) -> Job {
    let mut drawn = Drawn::new((seed + numbers as u64 * PROGRAMS).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut below = |bound: u32| (drawn.next() >> 20) as u32 % bound;
    let mut body = "mov.b64 %rd31, 0;\n".to_owned();
    for at in 1..=REGISTERS {
        let (word, shift) = (20 + (at - 1) % 4, (at - 1) / 4 * 32);
        let _ = writeln!(
            body,
            "shr.u64 %rd{at}, %rd{word}, {shift};\ncvt.u32.u64 %r{at}, %rd{at};\ncvt.u16.u64 %h{at}, %rd{at};"
        );
        let _ = writeln!(body, "and.b32 %r40, %r{at}, 1; setp.ne.u32 %p{at}, %r40, 0;");
    }
    for _ in 0..INSTRUCTIONS {
        let form = forms[below(forms.len() as u32) as usize];
        let mut parts = form.split('%');
        let mut line = parts.next().unwrap_or_default().to_owned();
        let mut result = None;
        for ((class, number), part) in registers(form).zip(parts) {
            let name = format!("%{class}{}", 1 + below(REGISTERS));
            line += &name;
            line += &part[class.len() + number.to_string().len()..];
            result = result.or(Some((class, name)));
        }
        let Some((class, name)) = result else { continue };
        let widened = match class {
            "r" if numbers == Numbers::Single => {
                format!(
                    "setp.nan.f32 %p7, {name}, {name}; mov.b32 %r40, {name}; selp.b32 %r40, 0x7fffffff, %r40, %p7; cvt.u64.u32 %rd30, %r40;"
                )
            }
            "p" => format!("selp.u64 %rd30, 1, 0, {name};"),
            "h" => format!("cvt.u64.u16 %rd30, {name};"),
            "r" => format!("cvt.u64.u32 %rd30, {name};"),
            _ => format!("mov.b64 %rd30, {name};"),
        };
        // Each result counts: the sum turns by 7 bits and takes it in.
        let _ = writeln!(
            body,
            "{line}\n{widened} shl.b64 %rd29, %rd31, 7; shr.u64 %rd31, %rd31, 57; or.b64 %rd31, %rd31, %rd29; xor.b64 %rd31, %rd31, %rd30;"
        );
    }
    Job {
        name: format!("program {seed} of {numbers:?}"),
        ptx: framed(&body),
        kernel: "k".into(),
        launch: Launch { grid: [(VECTORS / 128) as u32, 1, 1], block: [128, 1, 1], shared_bytes: 0 },
        input,
        values: vec![],
        output_bytes: VECTORS * 8,
        closeness: Closeness::Equal,
    }
}
