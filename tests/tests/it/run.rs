//! `grader run` in a terminal: its exit codes, and what it says of the kinds of mistakes.

use std::process::{Command, Output};

use e2e::world::{path, program};

const EXERCISE: &str = "lessons/threads/indexing-1d/vector-add";

/// Runs the grader over a source with these arguments.
fn run(source: &str, arguments: &[&str]) -> anyhow::Result<(Option<i32>, String)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("kernel.cu");
    std::fs::write(&file, source)?;
    let mut command = Command::new(program("grader")?);
    command.arg("run").arg(&file).args(arguments).current_dir(path("."));
    let Output { status, stdout, stderr } = command.output()?;
    let said = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    Ok((status.code(), said))
}

fn check(source: &str, arguments: &[&str], code: i32, words: &[&str]) -> anyhow::Result<()> {
    let (got, said) = run(source, arguments)?;
    assert_eq!(got, Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "{word} is not in\n{said}");
    }
    Ok(())
}

/// `vector_add` with this body.
fn add(body: &str) -> String {
    format!(
        "extern \"C\" __global__ void vector_add(const float* a, const float* b, float* c, int n) {{\n\
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n"
    )
}

#[test]
fn an_exercise_ends_in_three_ways() -> anyhow::Result<()> {
    let judged = ["--exercise", EXERCISE];
    check(&add("if (i < n) c[i] = a[i] + b[i];"), &judged, 0, &["Accepted", "warp instr", "Occupancy on 9.0"])?;
    check(&add("c[i] = a[i] + b[i];"), &judged, 1, &["Reads past the end of `a`, line 3"])?;
    check(&add("if (i < n) c[i] = a[i] + ;"), &judged, 1, &["Does not compile: line 3"])?;
    check("int x;", &["--exercise", "lessons/nowhere"], 2, &["lessons/nowhere"])?;
    check("int x;", &[], 2, &["--exercise"])
}

#[test]
fn kinds_of_mistakes_have_words_of_their_own() -> anyhow::Result<()> {
    let judged = ["--exercise", EXERCISE];
    let unset = "float sum;\nif (i < n) {\nsum += a[i];\nc[i] = sum + b[i];\n}";
    check(&add(unset), &judged, 1, &["Uses `sum` before it has a value, line 5"])?;
    let lock = "__shared__ int lock;\nif (threadIdx.x == 0) lock = 0;\n__syncthreads();\nif (threadIdx.x == 0) {\n\
                while (atomicCAS(&lock, 0, 1) != 0) {}\nwhile (atomicCAS(&lock, 0, 1) != 0) {}\n}\n__syncthreads();\n\
                if (i < n) c[i] = a[i] + b[i];";
    check(&add(lock), &judged, 1, &["Deadlock, line 8", "`lock[0]`, which holds 1", "at a barrier"])?;
    let one_value =
        "__shared__ int some;\nif (i < n) some = 1;\n__syncthreads();\nif (i < n && some == 1) c[i] = a[i] + b[i];";
    check(
        &add(one_value),
        &judged,
        0,
        &["Accepted", "line 4: Several threads store the same value to one place of `some`"],
    )
}

#[test]
fn a_launch_ends_in_three_ways() -> anyhow::Result<()> {
    let twice = "__global__ void twice(float* x, int n) {\nint i = threadIdx.x;\nif (i < n) x[i] *= 2;\n}\n";
    let launched = |text| ["--launch", text];
    check(twice, &launched("twice<<<1, 32>>>(x: float[4]=ramp, int=4)"), 0, &["float x[4] = 0, 2, 4, 6"])?;
    check(twice, &launched("twice<<<1, 32>>>(x: float[4]=ramp, int=5)"), 1, &["`x[4]`", "line 3"])?;
    check(twice, &launched("twice<<<1, 32>>>(float[4])"), 2, &["`twice` takes 2 arguments"])?;
    check(twice, &launched("twice<<<1, 32"), 2, &["is no launch", "kernel<<<4, 256>>>"])
}
