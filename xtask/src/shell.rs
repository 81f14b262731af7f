//! Starts other programs and says what is going on and for how long.

use crate::paths;
use anyhow::{Context, Result, bail};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// One line of progress. On a terminal its clock ticks until it ends.
pub struct Step {
    title: String,
    started: Instant,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Step {
    /// For work that prints nothing itself.
    pub fn quiet(title: impl Into<String>) -> Self {
        let title = title.into();
        let started = Instant::now();
        if !std::io::stderr().is_terminal() {
            eprintln!("==> {title}");
            return Self { title, started, ticker: None };
        }
        let (stop, stopped) = mpsc::channel();
        let text = title.clone();
        let thread = thread::spawn(move || {
            loop {
                eprint!("\r==> {text} {:.0} s ", started.elapsed().as_secs_f32());
                let _ = std::io::stderr().flush();
                if stopped.recv_timeout(Duration::from_millis(250)) != Err(RecvTimeoutError::Timeout) {
                    eprint!("\r");
                    return;
                }
            }
        });
        Self { title, started, ticker: Some((stop, thread)) }
    }

    /// For work that shows its own progress below this line.
    pub fn loud(title: impl Into<String>) -> Self {
        let title = title.into();
        eprintln!("==> {title}");
        Self { title, started: Instant::now(), ticker: None }
    }

    pub fn done(self) {
        self.done_with("done");
    }

    pub fn done_with(mut self, outcome: &str) {
        self.stop_ticking();
        let elapsed_s = self.started.elapsed().as_secs_f32();
        eprintln!("==> {}: {outcome} ({elapsed_s:.1} s)", self.title);
    }

    fn stop_ticking(&mut self) {
        if let Some((stop, thread)) = self.ticker.take() {
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if self.ticker.is_some() {
            self.stop_ticking();
            eprintln!();
        }
    }
}

/// `cargo`, without what the cargo that started us left in the environment.
pub fn cargo() -> Command {
    let mut command = Command::new("cargo");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let about_xtask = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| name.starts_with(prefix));
        if about_xtask || name == "CARGO_CRATE_NAME" || name == "CARGO_PRIMARY_PACKAGE" {
            command.env_remove(name.as_ref());
        }
    }
    command.env("SQLX_OFFLINE", "true");
    command
}

/// Runs to the end with our own output streams; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    if succeeds(command)? {
        return Ok(());
    }
    bail!("`{}` failed", describe(command))
}

/// Runs to the end with our own output streams; says whether it succeeded.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    let status =
        command.stdin(Stdio::null()).status().with_context(|| format!("cannot start `{}`", describe(command)))?;
    Ok(status.success())
}

/// Runs to the end and keeps what it prints.
pub fn capture(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{}`", describe(command)))
}

/// Standard output of a command that must succeed; its standard error is part of the failure.
pub fn get_output(command: &mut Command) -> Result<String> {
    let output = capture(command)?;
    if !output.status.success() {
        bail!("`{}` failed: {}", describe(command), String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed no UTF-8", describe(command)))
}

pub fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

/// A long-running program that gets `signal` from the kernel when this process dies.
///
/// `setpriv` replaces itself by the program, so the child's id is the program's own.
/// Where there is no `setpriv` (it is in util-linux), the program outlives a killed parent.
pub fn tied(program: &Path, signal_on_our_death: Option<&str>) -> Command {
    let (Some(signal), Some(setpriv)) = (signal_on_our_death, paths::find_program("setpriv")) else {
        return Command::new(program);
    };
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", signal, "--"]).arg(program);
    command
}
