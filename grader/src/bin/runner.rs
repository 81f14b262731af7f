//! The sandboxed child: all of it is in `grader::runner::child`.

fn main() -> std::process::ExitCode {
    grader::runner::child::main().into()
}
