//! What a GPU left, in few letters.

use super::closeness::Closeness;
use super::plan::Job;

/// Checksums of one job whose results must be equal.
const CHECKSUMS: usize = 8;

/// Stands for the answer where the GPU's assembler takes no such instruction.
pub const REFUSED: &str = "refused";

/// Results that are kept of functions of the library.
const LIBRARY: usize = 64;

/// One result by number.
fn result(job: &Job, bytes: &[u8], at: usize) -> u64 {
    let stride = job.closeness.stride();
    let mut word = [0; 8];
    word[..stride].copy_from_slice(&bytes[at * stride..][..stride]);
    u64::from_le_bytes(word)
}

/// The first value that led to a result of an instruction.
fn given(job: &Job, at: usize) -> u64 {
    job.input.chunks(8).nth(at * 4).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

fn count(job: &Job) -> usize {
    if job.closeness == Closeness::Library { LIBRARY } else { job.output_bytes / job.closeness.stride() }
}

fn results<'a>(job: &'a Job, bytes: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
    (0..count(job)).map(|at| result(job, bytes, at))
}

/// What is kept of results: all, or checksums (FNV-1a) where they must be equal.
pub fn kept(job: &Job, bytes: &[u8]) -> String {
    let words: Vec<u64> = match job.closeness {
        Closeness::Equal | Closeness::EqualBinary64 => {
            let all: Vec<u64> = results(job, bytes).map(|word| settled(job, word)).collect();
            all.chunks(all.len().div_ceil(CHECKSUMS)).map(checksum).collect()
        }
        _ => results(job, bytes).collect(),
    };
    words.iter().map(|word| format!("{word:x}")).collect::<Vec<_>>().join(" ")
}

/// A result without what is open.
fn settled(job: &Job, word: u64) -> u64 {
    let is_nan = job.closeness == Closeness::EqualBinary64 && f64::from_bits(word).is_nan();
    if is_nan { f64::NAN.to_bits() } else { word }
}

fn checksum(words: &[u64]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    u64::from(bytes.fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)))
}

/// Numbers of the results that are not close enough.
#[allow(dead_code, reason = "the test compares with what is kept")]
pub fn differences(job: &Job, ours: &[u8], theirs: &[u8]) -> Vec<usize> {
    let is_far = |at: &usize| !job.closeness.holds(given(job, *at), result(job, ours, *at), result(job, theirs, *at));
    (0..count(job)).filter(is_far).collect()
}

/// One difference, with the values that led there.
#[allow(dead_code, reason = "the test compares with what is kept")]
pub fn told(job: &Job, at: usize, ours: &[u8], theirs: &[u8]) -> String {
    let given: Vec<String> = job.input.chunks(8).skip(at * 4).take(3).map(hexadecimal).collect();
    let (ours, theirs) = (result(job, ours, at), result(job, theirs, at));
    format!("{at}: of {}: here {ours:x}, GPU {theirs:x}", given.join(" "))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let word = bytes.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    format!("{word:x}")
}

/// Whether results agree with what was kept.
#[allow(dead_code, reason = "the example compares with the GPU's own results")]
pub fn agree(job: &Job, ours: &[u8], kept: &str) -> bool {
    match job.closeness {
        Closeness::Equal | Closeness::EqualBinary64 => self::kept(job, ours) == kept,
        closeness => {
            let theirs: Vec<u64> = kept.split(' ').filter_map(|word| u64::from_str_radix(word, 16).ok()).collect();
            theirs.len() == count(job)
                && (results(job, ours).zip(theirs).enumerate())
                    .all(|(at, (a, b))| closeness.holds(given(job, at), a, b))
        }
    }
}
