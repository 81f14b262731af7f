//! What is run both here and on a GPU: instructions over vectors of values, and kernels. One description for the
//! recorder and for the test that replays.

use std::path::Path;

use sim::{Argument, Buffer, Launch, Limits, Program};

use super::closeness::{Closeness, of_form};

/// Threads of a block that runs instructions.
const LANES: usize = 32;
/// Vectors that an exact instruction is run over.
const VECTORS: usize = 4096;
/// The same of an approximate one, whose results are kept in full.
const CLOSE_VECTORS: usize = 64;
/// Words of a kernel's input, and of its output.
const WORDS: usize = 1024;

/// Something to run.
pub struct Job {
    /// The instruction, or file and kernel.
    pub name: String,
    pub ptx: String,
    pub kernel: String,
    pub grid: u32,
    pub block: u32,
    pub input: Vec<u8>,
    pub output_bytes: usize,
    pub closeness: Closeness,
}

impl Job {
    /// What the simulator leaves in the output.
    pub fn simulate(&self) -> Result<Vec<u8>, String> {
        let program = Program::decode(&self.ptx, &self.kernel).map_err(|error| format!("{error:?}"))?;
        let launch = Launch { grid: [self.grid, 1, 1], block: [self.block, 1, 1], shared_bytes: 0 };
        let limits = Limits { warp_instructions: 50_000_000, host_threads: 1, ..Limits::default() };
        let buffer =
            |name: &str, bytes: Vec<u8>| Buffer { name: name.into(), element_bytes: 4, bytes, ..Buffer::default() };
        let mut buffers = [buffer("in", self.input.clone()), buffer("out", vec![0; self.output_bytes])];
        let arguments = [Argument::Buffer(0), Argument::Buffer(1)];
        sim::run(&program, &launch, &arguments, &mut buffers, &limits, &mut || false)
            .map_err(|trap| format!("{trap:?}"))?;
        let [_, out] = buffers;
        Ok(out.bytes)
    }
}

/// All jobs, in an order that stays.
pub fn jobs() -> Vec<Job> {
    let forms =
        each(include_str!("../../testdata/simulated_forms.txt")).into_iter().filter(|form| is_computation(form));
    let mut forms: Vec<String> = forms.chain(each(include_str!("../../testdata/differential/forms.txt"))).collect();
    forms.sort();
    forms.dedup();
    forms.iter().map(|form| of_instruction(form)).chain(kernels()).collect()
}

/// Splits a table of instructions; words in angles are alternatives.
fn each(table: &str) -> Vec<String> {
    let mut found = vec![];
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match (line.find('<'), line.find('>')) {
            (Some(open), Some(close)) => {
                let words = line[open + 1..close].split(' ');
                found.extend(words.map(|word| format!("{}{word}{}", &line[..open], &line[close + 1..])));
            }
            _ => found.push(line.to_owned()),
        }
    }
    found
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
fn registers(text: &str) -> impl Iterator<Item = (&str, u32)> {
    text.split('%').skip(1).filter_map(|rest| {
        let class = rest.find(|letter: char| letter.is_ascii_digit()).map(|end| &rest[..end])?;
        let number: String = rest[class.len()..].chars().take_while(char::is_ascii_digit).collect();
        ["p", "h", "r", "f", "rd", "d"].contains(&class).then_some((class, number.parse().ok()?))
    })
}

/// A kernel of one instruction, or of a few: number 1 is the result, and operands are set from the input.
fn of_instruction(form: &str) -> Job {
    let closeness = of_form(form);
    let all: Vec<(&str, u32)> = registers(form).collect();
    let is_one = form.matches(';').count() == 1;
    let results = if form.contains('|') { 2 } else { 1 };
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
    let frame = include_str!("../../testdata/differential/frame.ptx");
    let ptx = frame.replace("// body", &format!("{body}{form}\n{gives}"));
    let vectors =
        if matches!(closeness, Closeness::Equal | Closeness::EqualBinary64) { VECTORS } else { CLOSE_VECTORS };
    Job {
        name: form.to_owned(),
        ptx,
        kernel: "k".into(),
        grid: (vectors / LANES) as u32,
        block: LANES as u32,
        input: if is_periodic(form) {
            within_turns(&vectors_of(&sources, vectors))
        } else {
            vectors_of(&sources, vectors)
        },
        output_bytes: vectors * 8,
        closeness,
    }
}

/// Four values of 64 bits for each thread: all pairs of special ones first, then drawn ones.
fn vectors_of(sources: &[(&str, u32)], count: usize) -> Vec<u8> {
    let special = |at: usize| match sources.get(at).map(|(class, _)| *class) {
        Some("p") => vec![0, 1],
        Some("h") => include_str!("../../testdata/differential/values16.txt").lines().flat_map(words).collect(),
        Some("rd" | "d") => include_str!("../../testdata/differential/values64.txt").lines().flat_map(words).collect(),
        Some(_) => {
            include_str!("../../testdata/differential/values32.txt").lines().flat_map(words).collect::<Vec<u64>>()
        }
        None => vec![0],
    };
    let lists = [0, 1, 2, 3].map(special);
    let [first, second, ..] = lists.each_ref().map(Vec::len);
    let mut drawn = Drawn(0x9e37_79b9_7f4a_7c15);
    let vector = |at: usize| {
        let is_pair = at < first * second;
        std::array::from_fn(|operand: usize| {
            let list = &lists[operand];
            let random = drawn.next();
            let place = match operand {
                0 => at / second,
                1 => at,
                2 => at * 7 + at / second,
                _ => at * 5 + at / second * 3,
            };
            if is_pair { list[place % list.len()] } else { random }
        })
    };
    (0..count).map(vector).flat_map(|values: [u64; 4]| values.map(u64::to_le_bytes).concat()).collect()
}

/// Whether the ISA bounds the error only near 0: within 100 pi.
fn is_periodic(form: &str) -> bool {
    form.starts_with("sin.") || form.starts_with("cos.")
}

fn within_turns(input: &[u8]) -> Vec<u8> {
    let bound = |bits: u64| {
        let value = f32::from_bits(bits as u32);
        let is_far = value.is_finite() && value.abs() > 314.0;
        if is_far { u64::from((value % 314.0).to_bits()) } else { bits }
    };
    let values = input.as_chunks().0.iter().map(|bytes| bound(u64::from_le_bytes(*bytes)));
    values.flat_map(u64::to_le_bytes).collect()
}

/// Hexadecimal words of a line, without what follows a slash.
fn words(line: &str) -> impl Iterator<Item = u64> {
    let line = line.split('/').next().unwrap_or_default();
    line.split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}")))
}

/// Numbers that are the same everywhere (xorshift).
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Each kernel of each file.
fn kernels() -> impl Iterator<Item = Job> {
    ["blocks", "warps", "threads", "functions"].into_iter().flat_map(|file| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/differential");
        let path = folder.join(file).with_extension("ptx");
        let ptx = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut drawn = Drawn(0x1234_5678_9abc_def1);
        let input: Vec<u8> = (0..WORDS).flat_map(|_| ((drawn.next() >> 16) as u32).to_le_bytes()).collect();
        let names: Vec<String> = ptx
            .lines()
            .filter_map(|line| line.strip_prefix(".visible .entry ")?.split('(').next())
            .map(str::to_owned)
            .collect();
        names.into_iter().map(move |kernel| {
            let close = file == "functions";
            Job {
                name: format!("{file} {kernel}"),
                ptx: ptx.clone(),
                kernel,
                grid: 2,
                block: 128,
                input: input.clone(),
                output_bytes: WORDS * 4,
                closeness: if close { Closeness::Library } else { Closeness::Equal },
            }
        })
    })
}
