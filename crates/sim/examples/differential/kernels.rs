//! Kernels of our own, and how each is launched.

use std::path::Path;
use std::rc::Rc;

use sim::Launch;

use super::closeness::Closeness;
use super::plan::Job;
use super::values::Drawn;

/// Words of a kernel's input, and of its output.
const WORDS: usize = 1024;
/// Bytes that are kept of what functions of the library give in 64 bits.
const CLOSE_BYTES: usize = 1024;

const FILES: [&str; 8] =
    ["blocks", "warps", "threads", "functions", "launches", "fragments", "doubles", "half_functions"];

/// Each kernel of each file.
pub fn jobs() -> impl Iterator<Item = Job> {
    FILES.into_iter().flat_map(|file| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/differential");
        let path = folder.join(file).with_extension("ptx");
        let ptx = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut drawn = Drawn::new(0x1234_5678_9abc_def1);
        let input: Vec<u8> = (0..WORDS).flat_map(|_| ((drawn.next() >> 16) as u32).to_le_bytes()).collect();
        let input = Rc::new(input);
        let names: Vec<String> = ptx
            .lines()
            .filter_map(|line| line.strip_prefix(".visible .entry ")?.split('(').next())
            .map(str::to_owned)
            .collect();
        let closeness = closeness(file);
        let is_kept = matches!(closeness, Closeness::Binary64 { .. } | Closeness::Halves { .. });
        names.into_iter().map(move |kernel| {
            let (launch, values) = launch(file, &kernel);
            Job {
                name: format!("{file} {kernel}"),
                ptx: ptx.clone(),
                kernel,
                launch,
                input: Rc::clone(&input),
                values,
                output_bytes: if is_kept { CLOSE_BYTES } else { WORDS * 4 },
                closeness,
            }
        })
    })
}

/// What the library makes of approximate instructions is close.
fn closeness(file: &str) -> Closeness {
    match file {
        "functions" => Closeness::Library,
        "doubles" => Closeness::Binary64 { relative: f64::powi(2.0, -50) },
        "half_functions" => {
            Closeness::Halves { brain: false, relative: f64::powi(2.0, -9), absolute: f64::powi(2.0, -10) }
        }
        _ => Closeness::Equal,
    }
}

/// The row of a kernel in the table of launches, or two blocks of 128 threads and no further arguments.
fn launch(file: &str, kernel: &str) -> (Launch, Vec<Vec<u8>>) {
    let table = include_str!("../../testdata/differential/launches.txt");
    let rows = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect::<Vec<_>>());
    let row = rows.into_iter().find(|row| row.starts_with(&[file, kernel]));
    let Some(row) = row else {
        return (Launch { grid: [2, 1, 1], block: [128, 1, 1], shared_bytes: 0 }, vec![]);
    };
    let numbers = |at: usize| row.get(at).into_iter().flat_map(|field| field.split(',')).map(number);
    let three = |at: usize| {
        let mut numbers = numbers(at);
        std::array::from_fn(|_| numbers.next().unwrap_or(1))
    };
    let launch = Launch { grid: three(2), block: three(3), shared_bytes: numbers(4).next().unwrap_or(0) };
    (launch, row.iter().skip(5).map(|value| bytes(value)).collect())
}

fn number(field: &str) -> u32 {
    field.parse().unwrap_or_else(|error| panic!("{field}: {error}"))
}

fn bytes(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2).unwrap_or(""), 16);
    (0..text.len()).step_by(2).map(|at| byte(at).unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}
