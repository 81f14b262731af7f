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
pub fn result(job: &Job, bytes: &[u8], at: usize) -> u64 {
    let stride = job.closeness.stride();
    let mut word = [0; 8];
    word[..stride].copy_from_slice(&bytes[at * stride..][..stride]);
    u64::from_le_bytes(word)
}

/// The first value that led to a result of an instruction.
pub fn given(job: &Job, at: usize) -> u64 {
    job.input.chunks(8).nth(at * 4).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

/// How many results are compared.
pub fn count(job: &Job) -> usize {
    if job.closeness == Closeness::Library { LIBRARY } else { job.output_bytes / job.closeness.stride() }
}

/// All of them.
pub fn results<'a>(job: &'a Job, bytes: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
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
