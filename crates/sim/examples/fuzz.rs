//! Breaks texts for a given time and sees that nothing panics, hangs or takes memory without bound.
//!
//! `cargo run --release -p sim --example fuzz -- text|run SECONDS [SEED [FIRST]]`: `text` decodes broken texts, `run` also runs
//! what decodes, with one and with two host threads, and compares both. Prints counts; a text that panics, takes longer
//! than a minute or differs is printed with its number and ends the run with an error.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use sim::{Argument, Buffer, DecodeError, Launch, Limits, Program};

/// One text may take so long by the clock, on a machine that does other things too.
const SLOW: Duration = Duration::from_mins(1);
/// Numbers that break bounds.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "3",
    "31",
    "32",
    "64",
    "255",
    "4095",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
];

/// A sequence of numbers that a seed fixes.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Real texts, and their lines.
struct Corpus {
    texts: Vec<String>,
    lines: Vec<String>,
}

fn corpus() -> std::io::Result<Corpus> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata");
    let mut paths: Vec<_> = std::fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    let texts = paths.iter().map(std::fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
    Ok(Corpus { texts, lines })
}

/// A word of a line becomes another line's.
fn with_other_word(line: &str, other: &str, numbers: &mut Numbers) -> String {
    let words: Vec<&str> = other.split_whitespace().collect();
    let count = line.split_whitespace().count();
    let at = numbers.below(count);
    let new = words.get(numbers.below(words.len())).copied().unwrap_or(";");
    line.split_whitespace()
        .enumerate()
        .map(|(index, word)| if index == at { new } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

/// A number of a line becomes one that breaks bounds.
fn with_other_number(line: &str, numbers: &mut Numbers) -> String {
    let starts: Vec<usize> = line.match_indices(|letter: char| letter.is_ascii_digit()).map(|(at, _)| at).collect();
    if starts.is_empty() {
        return line.to_owned();
    }
    let at = *numbers.pick(&starts);
    let end = line[at..].find(|letter: char| !letter.is_ascii_digit()).map_or(line.len(), |length| at + length);
    format!("{}{}{}", &line[..at], numbers.pick(&NUMBERS), &line[end..])
}

fn broken(corpus: &Corpus, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = numbers.pick(&corpus.texts).lines().map(str::to_owned).collect();
    for _ in 0..=numbers.below(4) {
        let (at, from) = (numbers.below(lines.len()), numbers.below(lines.len()));
        let other = numbers.pick(&corpus.lines).clone();
        match numbers.below(8) {
            0 => lines[at] = other,
            1 => lines.insert(at, other),
            2 => lines.swap(at, from),
            3 => {
                lines.remove(at);
                if lines.is_empty() {
                    lines.push(other);
                }
            }
            4 => lines[at] = with_other_word(&lines[at], &other, numbers),
            5 | 6 => lines[at] = with_other_number(&lines[at], numbers),
            _ => {
                let mut bytes = std::mem::take(&mut lines[at]).into_bytes();
                bytes.push(b' ');
                let place = numbers.below(bytes.len());
                bytes[place] = *numbers.pick(b"0%.,;[]{}()-+<>|!@:_$\"\\\t/*");
                lines[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
    }
    lines.join("\n")
}

/// Kernels of a text, or the error that there are none.
fn kernels(text: &str) -> Result<Vec<String>, String> {
    match Program::decode(text, "no such kernel") {
        Err(DecodeError::NoEntry { found, .. }) => Ok(found),
        Err(error) => Err(kind(&error).to_owned()),
        Ok(_) => Ok(vec![]),
    }
}

fn kind(error: &DecodeError) -> &'static str {
    match error {
        DecodeError::NoEntry { .. } => "no entry",
        DecodeError::Unsupported { .. } => "unsupported",
        DecodeError::Malformed { .. } => "malformed",
        DecodeError::TooMuchShared { .. } => "too much shared memory",
    }
}

/// What a run leaves: buffers, and how it ended.
fn outcome(program: &Program, seed: u64, host_threads: usize) -> (Vec<Vec<u8>>, String) {
    let mut numbers = Numbers(seed);
    let bytes = |numbers: &mut Numbers| (0..2048).map(|_| numbers.below(256) as u8).collect::<Vec<u8>>();
    let mut buffers = ["a", "b", "c"].map(|name| {
        let bytes = bytes(&mut numbers);
        Buffer { name: name.to_owned(), element_bytes: 4, bytes, ..Buffer::default() }
    });
    let arguments: Vec<_> = program
        .params()
        .iter()
        .map(|(_, size)| match (size, numbers.below(8)) {
            (8, 0) => Argument::Value(vec![0; 8]),
            (8, at) => Argument::Buffer(at % 3),
            _ => Argument::Value((0..*size).map(|at| if at == 0 { 40 } else { 0 }).collect()),
        })
        .collect();
    let blocks = *numbers.pick(&[1, 2, 8]);
    let threads = *numbers.pick(&[1, 31, 32, 33, 64, 100]);
    let launch = Launch { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_bytes: 256 };
    let limits =
        Limits { warp_instructions: 200_000, printf_bytes: 1000, detect: true, host_threads, ..Limits::default() };
    let ended = sim::run(program, &launch, &arguments, &mut buffers, &limits, &mut || false);
    (buffers.map(|buffer| buffer.bytes).to_vec(), format!("{ended:?}"))
}

/// Decodes and perhaps runs a text; gives names of what happened.
fn look(text: &str, runs: bool, seed: u64) -> Result<Vec<String>, String> {
    let names = match kernels(text) {
        Ok(names) => names,
        Err(kind) => return Ok(vec![kind]),
    };
    let mut happened = vec![];
    for name in names {
        match Program::decode(text, &name) {
            Err(error) => happened.push(kind(&error).to_owned()),
            Ok(program) if runs => {
                let one = outcome(&program, seed, 1);
                if one != outcome(&program, seed, 2) {
                    return Err(format!("{name}: two host threads give something else"));
                }
                let first = one.1.split(['{', '(']).take(2).collect::<Vec<_>>().join(" ");
                happened.push(first.split("line").next().unwrap_or_default().trim().to_owned());
            }
            Ok(_) => happened.push("decoded".to_owned()),
        }
    }
    Ok(happened)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let (Some(target), Some(seconds)) = (arguments.get(1), arguments.get(2).and_then(|text| text.parse().ok())) else {
        eprintln!("usage: fuzz text|run SECONDS [SEED]");
        return ExitCode::FAILURE;
    };
    let seed: u64 = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or(1);
    let corpus = match corpus() {
        Ok(corpus) => corpus,
        Err(error) => {
            eprintln!("no texts to break: {error}");
            return ExitCode::FAILURE;
        }
    };
    let begun = Instant::now();
    let first: u64 = arguments.get(4).and_then(|text| text.parse().ok()).unwrap_or(0);
    let (mut texts, mut longest, mut happened) = (first, Duration::ZERO, BTreeMap::<String, u64>::new());
    while begun.elapsed() < Duration::from_secs(seconds) {
        let mut numbers = Numbers(seed.wrapping_mul(1_000_003).wrapping_add(texts));
        numbers.below(2);
        let text = broken(&corpus, &mut numbers);
        let started = Instant::now();
        let runs = target == "run";
        let looked = catch_unwind(AssertUnwindSafe(|| look(&text, runs, numbers.0)));
        let took = started.elapsed();
        longest = longest.max(took);
        let fault = match looked {
            Ok(Ok(names)) => {
                for name in names {
                    *happened.entry(name).or_default() += 1;
                }
                (took > SLOW).then(|| format!("took {took:?}"))
            }
            Ok(Err(fault)) => Some(fault),
            Err(_) => Some("panicked".to_owned()),
        };
        if let Some(fault) = fault {
            println!("{text}\n\ntext {texts} of seed {seed}: {fault}");
            return ExitCode::FAILURE;
        }
        texts += 1;
    }
    println!("{} texts, none panicked, the longest took {longest:?}", texts - first);
    for (what, count) in happened {
        println!("{count:>10} {what}");
    }
    ExitCode::SUCCESS
}
