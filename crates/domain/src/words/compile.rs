//! Words for what a compiler says.

use super::{Words, colon_line, sentence, words};
use crate::finding::{CompileLimit, Finding};

pub(super) fn of_compile(finding: &Finding) -> Words {
    match finding {
        Finding::CompileError { line, message } => words(
            format!("Does not compile{}", colon_line(*line)),
            if is_about_host(message) {
                "It is a function of the host. Only device code is compiled here: the grader allocates, copies and launches."
                    .to_owned()
            } else {
                sentence(message)
            },
            if is_about_host(message) {
                "Remove it and keep the kernel; mark a helper with `__device__`."
            } else {
                "Fix the first message first; later ones often follow from it."
            },
        ),
        Finding::CompileNoKernel { signature, found, .. } => words(
            "The kernel was not found",
            format!(
                "The grader launches `{signature}` and cannot find it. Found: {}.",
                if found.is_empty() { "no kernel at all".to_owned() } else { found.join(", ") }
            ),
            "Compare name and arguments with the task, and keep `extern \"C\"`.",
        ),
        Finding::CompileInclude { header, line } => words(
            format!("`{header}` is not available here"),
            "Kernels here are compiled alone, without host headers. The built-in variables, `printf` and the device functions need no include; CUDA's own headers such as <cuda_fp16.h> can be included.",
            format!(
                "Remove {}; what it gave is built in.",
                line.map_or("the include".to_owned(), |l| format!("line {l}"))
            ),
        ),
        Finding::CompileRefused { line } => words(
            "This include is not allowed",
            format!(
                "{} asks for a path outside your files.",
                line.map_or("An include".to_owned(), |l| format!("Line {l}"))
            ),
            "Use CUDA's own headers by their names.",
        ),
        Finding::CompileLimit { limit } => {
            let (title, explanation) = match limit {
                CompileLimit::Time => (
                    "Compiling took too long",
                    "It was stopped after 10 s. Deep templates or very large unrolling can do this.",
                ),
                CompileLimit::Memory => (
                    "Compiling took too much memory",
                    "The compiler was stopped at its limit. Large initialised arrays or deep templates can do this.",
                ),
                CompileLimit::Log => ("The compiler said too much", "Its messages passed 1 MB, so it was stopped."),
                CompileLimit::Image => {
                    ("The compiled program is too large", "The limit is 4 MB. Very large unrolling can do this.")
                }
            };
            words(title, explanation, "What is unrolled or instantiated most? Try a smaller count.")
        }
        Finding::SignatureMismatch { signature, difference } => words(
            "The arguments differ from the task's",
            format!("The grader calls `{signature}`. {difference}"),
            "Compare the parameters with the task, one by one.",
        ),
        _ => words("Does not compile", "", ""),
    }
}

/// NVRTC's refusal of a function without `__device__`, most often `main`.
fn is_about_host(message: &str) -> bool {
    message.starts_with("A function without execution space annotations")
}
