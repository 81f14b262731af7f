//! The assembler's own report of what a kernel uses.
//!
//! NVRTC prints it into the program log when a real architecture is asked for with
//! `--ptxas-options=-v`; read here is the format of NVRTC 13.0 (simulator design, section 0, fact 12).
//! What is not understood is skipped: text of a learner may stand in the same log.

use serde::{Deserialize, Serialize};

/// What the assembler gave one kernel. Counts that the log does not name are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResources {
    /// Name of the entry function, mangled as in the PTX.
    pub name: String,
    /// Compute capability it was assembled for, 80 for `sm_80`, where the log names one.
    pub capability: Option<u32>,
    /// Registers of one thread.
    pub registers: u32,
    /// Barriers of one block.
    pub barriers: u32,
    /// Static shared memory of one block in bytes.
    pub shared_bytes: u32,
    /// Stack frame of one thread in bytes: local arrays and spilled registers.
    pub stack_bytes: u32,
    /// Bytes that one thread stores to local memory because registers ran out.
    pub spill_store_bytes: u32,
    /// Bytes that one thread loads back.
    pub spill_load_bytes: u32,
}

/// Reads the report of every kernel, in the order of the log.
pub fn registers_report(log: &str) -> Vec<KernelResources> {
    let mut kernels: Vec<KernelResources> = Vec::new();
    // Functions that are not inlined report properties too; they stand between those of kernels.
    let mut is_of_kernel = false;
    for line in log.lines().filter(|line| line.trim_start().starts_with("ptxas") || line.starts_with(' ')) {
        if let Some(rest) = after(line, "Compiling entry function '") {
            kernels.extend(entry(rest));
            is_of_kernel = true;
        } else if let Some(name) = after(line, "Function properties for ") {
            let name = name.trim().trim_matches('\'');
            is_of_kernel = kernels.last().is_some_and(|kernel| kernel.name == name);
        } else if let Some(kernel) = kernels.last_mut().filter(|_| is_of_kernel) {
            read_numbers(line, kernel);
        }
    }
    kernels
}

fn entry(rest: &str) -> Option<KernelResources> {
    let (name, rest) = rest.split_once('\'')?;
    let capability = after(rest, "'sm_").and_then(leading_number);
    Some(KernelResources { name: name.to_owned(), capability, ..KernelResources::default() })
}

fn read_numbers(line: &str, kernel: &mut KernelResources) {
    // `ptxas info    : Used 10 registers, ...` or `ptxas         .     0 bytes stack frame, ...`
    let facts = line.find([':', '.']).map_or(line, |mark| &line[mark + 1..]);
    for fact in facts.split(',') {
        let fact = fact.trim().trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let Some(number) = leading_number(fact) else {
            continue;
        };
        let field = match fact.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim() {
            "registers" => &mut kernel.registers,
            "barriers" => &mut kernel.barriers,
            "bytes smem" => &mut kernel.shared_bytes,
            "bytes stack frame" => &mut kernel.stack_bytes,
            "bytes spill stores" => &mut kernel.spill_store_bytes,
            "bytes spill loads" => &mut kernel.spill_load_bytes,
            _ => continue,
        };
        *field = number;
    }
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.split_once(mark).map(|(_, rest)| rest)
}

/// None also for a number that is too large to be one of the assembler's.
fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// NVRTC 13.0.88 with `--gpu-architecture=sm_80 --ptxas-options=-v`, one spilling kernel, one
    /// template with a function that is not inlined, one plain kernel.
    const LOG: &str = "\
k.cu(3): warning #177-D: variable \"x\" was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'heavy' for 'sm_80'
ptxas info    : Function properties for heavy
ptxas         .     272 bytes stack frame, 536 bytes spill stores, 560 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 272 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Compile time = 16.996 ms
ptxas info    : Compiling entry function '_Z4tileILi256EEvPfi' for 'sm_80'
ptxas info    : Function properties for _Z4tileILi256EEvPfi
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 52 registers, used 1 barriers, 1024 bytes smem, 364 bytes cmem[0]
ptxas info    : Compile time = 7.695 ms
ptxas info    : Function properties for _Z5twicef
ptxas         .     48 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Compiling entry function 'add' for 'sm_80'
ptxas info    : Function properties for add
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 372 bytes cmem[0]
ptxas info    : Compile time = 1.343 ms
";

    fn kernel(name: &str, numbers: [u32; 6]) -> KernelResources {
        let [registers, barriers, shared_bytes, stack_bytes, spill_store_bytes, spill_load_bytes] = numbers;
        let (name, capability) = (name.to_owned(), Some(80));
        KernelResources {
            name,
            capability,
            registers,
            barriers,
            shared_bytes,
            stack_bytes,
            spill_store_bytes,
            spill_load_bytes,
        }
    }

    #[test]
    fn a_real_log_is_read() {
        let expected = [
            kernel("heavy", [32, 0, 0, 272, 536, 560]),
            kernel("_Z4tileILi256EEvPfi", [52, 1, 1024, 0, 0, 0]),
            kernel("add", [8, 0, 0, 0, 0, 0]),
        ];
        assert_eq!(registers_report(LOG), expected);
        // The stand-alone assembler indents properties and names no part.
        let log = LOG.replace("ptxas         .     ", "    ").replace('\n', "\r\n");
        assert_eq!(registers_report(&log), expected);
    }

    #[test]
    fn hostile_text_gives_what_is_there() {
        let start = "ptxas info : Compiling entry function 'k' for 'sm_80'\n";
        let check = |rest: &str, expected| {
            assert_eq!(registers_report(&format!("{start}{rest}")), [kernel("k", expected)], "{rest}");
        };
        check("", [0; 6]);
        check("ptxas info : Used 99999999999999999999 registers, used 1 barriers", [0, 1, 0, 0, 0, 0]);
        check("ptxas info : Used -3 registers, used barriers, ,,, bytes smem, 7", [3, 0, 0, 0, 0, 0]);
        check("ptxas info : Compiling entry function 'never closed", [0; 6]);
        check("k.cu(1): Used 255 registers", [0; 6]);
        check("ptxas info : Used ٣ registers, used 2 barriers 7", [0; 6]);
        assert_eq!(registers_report("Used 9 registers\n    1 bytes stack frame"), []);
        assert_eq!(registers_report(""), []);
    }

    proptest! {
        #[test]
        fn no_text_panics(mut text in "(ptxas|Compiling entry function '|'| for |sm_|Function properties for |[0-9]{1,12}|Used| registers|,|:|\\.|\\PC|\n){0,60}") {
            text.push_str(LOG);
            prop_assert!(registers_report(&text).len() >= 2);
        }
    }
}
