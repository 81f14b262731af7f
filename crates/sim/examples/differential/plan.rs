//! What is run both here and on a GPU: instructions over vectors of values, and kernels. One description for the
//! recorder and for the test that replays.

use std::collections::HashMap;
use std::rc::Rc;

use sim::{Argument, Buffer, Launch, Limits, Program};

use super::closeness::{Closeness, of_form};
use super::values::{self, Wanted};
use super::{kernels, programs};

/// Threads of a block that runs instructions.
const LANES: usize = 32;
/// Vectors that an exact instruction is run over.
const VECTORS: usize = 6144;
/// The same of an approximate one, whose results are kept in full.
const CLOSE_VECTORS: usize = 256;
/// The same of one whose only operand has 16 bits: all that there are.
const ALL_HALVES: usize = 1 << 16;

/// Inputs by classes of operands, count, and whether they are bounded; many instructions share one.
type Inputs = HashMap<(String, usize, bool), Rc<Vec<u8>>>;

/// Something to run.
pub struct Job {
    /// The instruction, or file and kernel.
    pub name: String,
    pub ptx: String,
    pub kernel: String,
    pub launch: Launch,
    pub input: Rc<Vec<u8>>,
    /// Arguments behind input and output, little-endian.
    pub values: Vec<Vec<u8>>,
    pub output_bytes: usize,
    pub closeness: Closeness,
}

impl Job {
    /// What the simulator leaves in the output.
    pub fn simulate(&self) -> Result<Vec<u8>, String> {
        let program = Program::decode(&self.ptx, &self.kernel).map_err(|error| format!("{error:?}"))?;
        let limits = Limits { warp_instructions: 50_000_000, host_threads: 1, ..Limits::default() };
        let buffer =
            |name: &str, bytes: Vec<u8>| Buffer { name: name.into(), element_bytes: 4, bytes, ..Buffer::default() };
        // Kernels may write all that they are told of, even where less of it is kept.
        let mut buffers = [buffer("in", self.input.to_vec()), buffer("out", vec![0; self.output_bytes.max(4096)])];
        let values = self.values.iter().cloned().map(Argument::Value);
        let arguments: Vec<Argument> = [Argument::Buffer(0), Argument::Buffer(1)].into_iter().chain(values).collect();
        sim::run(&program, &self.launch, &arguments, &mut buffers, &limits, &mut || false)
            .map_err(|trap| format!("{trap:?}"))?;
        let [_, mut out] = buffers;
        out.bytes.truncate(self.output_bytes);
        Ok(out.bytes)
    }
}

/// All jobs, in an order that stays; each is made when it is asked for.
pub fn jobs() -> impl Iterator<Item = Job> {
    let own = each(include_str!("../../testdata/differential/forms.txt"));
    let census = each(include_str!("../../testdata/simulated_forms.txt")).into_iter();
    let mut forms: Vec<String> = census.filter(|form| is_computation(form)).chain(own).collect();
    forms.sort();
    forms.dedup();
    let programs = programs::jobs(&forms);
    let mut inputs = HashMap::new();
    forms.into_iter().map(move |form| of_instruction(&form, &mut inputs)).chain(programs).chain(kernels::jobs())
}

/// Splits a table of instructions; words in angles are alternatives, in all combinations.
fn each(table: &str) -> Vec<String> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(alternatives).collect()
}

fn alternatives(line: &str) -> Vec<String> {
    let (Some(open), Some(close)) = (line.find('<'), line.find('>')) else { return vec![line.to_owned()] };
    let one = |word: &str| alternatives(&format!("{}{word}{}", &line[..open], &line[close + 1..]));
    line[open + 1..close].split(' ').flat_map(one).collect()
}

/// Whether an instruction's result is made of the values of its operands alone.
fn is_computation(form: &str) -> bool {
    const OTHERS: [&str; 11] = [
        "cvta",
        "isspacep",
        "bar",
        "barrier",
        "addc",
        "subc",
        "madc",
        "activemask",
        "createpolicy",
        "mbarrier",
        "movmatrix",
    ];
    let opcode = form.split(['.', ' ']).next().unwrap_or_default();
    let is_special = opcode == "mov" && form.matches('%').count() != 2;
    let operands = form.split_once(' ').map_or("", |(_, operands)| operands);
    let names_special =
        ["%smid", "%clock", "%tid", "%warpid", "%gridid", "%globaltimer", "%nsmid", "%envreg", "%cluster"]
            .iter()
            .any(|special| operands.contains(special));
    // Fields of 64 bits whose place or length is past 255 are not defined, so those have rows of their own.
    let is_wide_field = ["bfe.u64", "bfe.s64", "bfi.b64"].iter().any(|field| form.starts_with(field));
    operands.starts_with('%')
        && !is_wide_field
        && !form.contains(['[', '{'])
        && !OTHERS.contains(&opcode)
        && !form.contains(".cc")
        && !is_special
        && (!names_special && registers(operands).count() == operands.matches('%').count())
}

/// Registers by class and number, in the order of the text.
pub fn registers(text: &str) -> impl Iterator<Item = (&str, u32)> {
    text.split('%').skip(1).filter_map(|rest| {
        let class = rest.find(|letter: char| letter.is_ascii_digit()).map(|end| &rest[..end])?;
        let number: String = rest[class.len()..].chars().take_while(char::is_ascii_digit).collect();
        ["p", "h", "r", "f", "rd", "d"].contains(&class).then_some((class, number.parse().ok()?))
    })
}

/// A kernel with a body, which finds its vector in `%rd20` to `%rd23` and leaves its result in `%rd31`.
pub fn framed(body: &str) -> String {
    include_str!("../../testdata/differential/frame.ptx").replace("// body", body)
}

/// A kernel of one instruction, or of a few: number 1 is the result, and operands are set from the input.
fn of_instruction(form: &str, inputs: &mut Inputs) -> Job {
    let closeness = of_form(form);
    let all: Vec<(&str, u32)> = registers(form).collect();
    let is_one = form.matches(';').count() == 1;
    let results = if is_one && form.contains('|') { 2 } else { 1 };
    let mut sources: Vec<(&str, u32)> = vec![];
    for register in all.iter().skip(if is_one { results } else { 0 }) {
        let is_operand = is_one || (2..=4).contains(&register.1);
        if is_operand && !sources.contains(register) {
            sources.push(*register);
        }
    }
    let mut body = String::new();
    for (at, (class, number)) in sources.iter().enumerate() {
        let value = format!("%rd{}", 20 + at);
        body += &match *class {
            "p" => format!("and.b64 %rd30, {value}, 1; setp.ne.u64 %p{number}, %rd30, 0;\n"),
            "h" => format!("cvt.u16.u64 %h{number}, {value};\n"),
            "r" => format!("cvt.u32.u64 %r{number}, {value};\n"),
            "f" => format!("cvt.u32.u64 %r40, {value}; mov.b32 %f{number}, %r40;\n"),
            "rd" => format!("mov.b64 %rd{number}, {value};\n"),
            _ => format!("mov.b64 %d{number}, {value};\n"),
        };
    }
    let result = if is_one { all.first() } else { all.iter().find(|(_, number)| *number == 1) };
    let (class, number) = *result.unwrap_or(&("r", 1));
    let mut gives = match class {
        "p" => format!("selp.u64 %rd31, 1, 0, %p{number};\n"),
        "h" => format!("cvt.u64.u16 %rd31, %h{number};\n"),
        "r" => format!("cvt.u64.u32 %rd31, %r{number};\n"),
        "f" => format!("mov.b32 %r40, %f{number}; cvt.u64.u32 %rd31, %r40;\n"),
        "rd" => format!("mov.b64 %rd31, %rd{number};\n"),
        _ => format!("mov.b64 %rd31, %d{number};\n"),
    };
    if results == 2
        && let Some((_, second)) = all.get(1)
    {
        gives += &format!("selp.u64 %rd30, 2, 0, %p{second}; shl.b64 %rd31, %rd31, 2; or.b64 %rd31, %rd31, %rd30;\n");
    }
    let ptx = framed(&format!("{body}{form}\n{gives}"));
    let is_exact = matches!(closeness, Closeness::Equal | Closeness::EqualBinary64);
    let classes: Vec<&str> = sources.iter().map(|(class, _)| *class).collect();
    let is_of_one_half = is_exact && classes == ["h"];
    let vectors = match () {
        () if is_of_one_half => ALL_HALVES,
        () if is_exact => VECTORS,
        () => CLOSE_VECTORS,
    };
    let is_periodic = form.starts_with("sin.") || form.starts_with("cos.");
    let input = inputs.entry((classes.join(" "), vectors, is_periodic)).or_insert_with(|| {
        let wanted = Wanted { classes: &classes, count: vectors, is_periodic };
        Rc::new(if is_of_one_half { values::all_halves() } else { wanted.vectors() })
    });
    Job {
        name: form.to_owned(),
        ptx,
        kernel: "k".into(),
        launch: Launch { grid: [(vectors / LANES) as u32, 1, 1], block: [LANES as u32, 1, 1], shared_bytes: 0 },
        input: Rc::clone(input),
        values: vec![],
        output_bytes: vectors * 8,
        closeness,
    }
}
