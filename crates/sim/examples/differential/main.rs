//! Compares the simulator with a GPU over instructions and kernels, and keeps what the GPU said.
//!
//! `differential plan DIR` writes what to run; the grader's example `launch_all DIR` runs it where a GPU is;
//! `differential compare DIR` tells where the simulator differs; `differential record DIR` also keeps the answers, which
//! a test compares with ever after.

mod answers;
mod closeness;
mod kernels;
mod plan;
mod programs;
mod values;

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;

use sim::{Launch, Program};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["plan", folder] => write_plan(Path::new(folder)),
        ["compare", folder] => compare(Path::new(folder), false),
        ["record", folder] => compare(Path::new(folder), true),
        _ => Err("differential plan DIR|compare DIR|record DIR".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn write_plan(folder: &Path) -> Result<(), String> {
    let put =
        |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"));
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut table = String::new();
    for (at, job) in plan::jobs().enumerate() {
        if let Err(reason) = Program::decode(&job.ptx, &job.kernel) {
            println!("the simulator does not run {}: {reason:?}", job.name);
        }
        let (text, input) = (named(job.ptx.as_bytes(), "ptx"), named(&job.input, "in"));
        put(&text, job.ptx.as_bytes())?;
        put(&input, &job.input)?;
        let (kernel, bytes, Launch { grid, block, shared_bytes }) = (&job.kernel, job.output_bytes, job.launch);
        let numbers: Vec<String> =
            [&grid[..], &block[..], &[shared_bytes]].concat().iter().map(u32::to_string).collect();
        let values: Vec<String> = job.values.iter().map(|value| hexadecimal(value)).collect();
        let (numbers, values) = (numbers.join(","), values.join(","));
        writeln!(table, "{at} {text} {kernel} {input} {numbers} {bytes} {values}")
            .map_err(|error| error.to_string())?;
    }
    put("jobs.txt", table.as_bytes())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// A file's name by its content, which many share.
fn named(bytes: &[u8], ending: &str) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}.{ending}", hasher.finish())
}

fn compare(folder: &Path, keeps: bool) -> Result<(), String> {
    let (mut kept, mut differ, mut refused, mut equal) = (String::new(), 0, 0, 0);
    for (at, job) in plan::jobs().enumerate() {
        let said = match fs::read(folder.join(format!("{at}.out"))) {
            Ok(bytes) => Ok(bytes),
            Err(_) => {
                Err(fs::read_to_string(folder.join(format!("{at}.err"))).map_err(|_| format!("{at} was not run"))?)
            }
        };
        let said = match said {
            Ok(said) => said,
            Err(reason) if !reason.starts_with("cuModuleLoad") => return Err(format!("{}: {reason}", job.name)),
            Err(reason) => {
                println!("refused {}: {}", job.name, reason.lines().next().unwrap_or(""));
                writeln!(kept, "{} = {}", job.name, answers::REFUSED).map_err(|error| error.to_string())?;
                refused += 1;
                continue;
            }
        };
        writeln!(kept, "{} = {}", job.name, answers::kept(&job, &said)).map_err(|error| error.to_string())?;
        let ours = job.simulate();
        let places = ours.as_ref().map(|ours| differences(&job, ours, &said)).unwrap_or_default();
        match ours {
            Ok(_) if places.is_empty() => equal += 1,
            Ok(ours) => {
                differ += 1;
                println!("{}: {} results differ", job.name, places.len());
                for place in places.iter().take(3) {
                    println!("    {}", told(&job, *place, &ours, &said));
                }
            }
            Err(reason) => {
                differ += 1;
                println!("{}: {reason}", job.name);
            }
        }
    }
    println!("{equal} equal, {differ} differ, {refused} refused by the assembler");
    if keeps {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/differential/answers.txt");
        fs::write(&path, kept).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Numbers of the results that are not close enough.
fn differences(job: &plan::Job, ours: &[u8], theirs: &[u8]) -> Vec<usize> {
    let is_far = |at: &usize| {
        !job.closeness.holds(
            answers::given(job, *at),
            answers::result(job, ours, *at),
            answers::result(job, theirs, *at),
        )
    };
    (0..answers::count(job)).filter(is_far).collect()
}

/// One difference, with the values that led there.
fn told(job: &plan::Job, at: usize, ours: &[u8], theirs: &[u8]) -> String {
    let given: Vec<String> = job.input.chunks(8).skip(at * 4).take(3).map(value).collect();
    let (ours, theirs) = (answers::result(job, ours, at), answers::result(job, theirs, at));
    format!("{at}: of {}: here {ours:x}, GPU {theirs:x}", given.join(" "))
}

fn value(bytes: &[u8]) -> String {
    let word = bytes.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    format!("{word:x}")
}
