//! One program that must keep running: started, watched, started again, ended.
//!
//! It runs in a process group of its own, so that Ctrl-C in the terminal reaches only us;
//! we then end everything in order, by the process ids we hold and no others.

use crate::shell;
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a program may take to finish what it began.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// Who ran that long is taken to be well: the next backoff starts small again.
const WELL_AFTER: Duration = Duration::from_mins(1);

pub struct Service {
    pub name: &'static str,
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
    /// Where its words go; `None` means to our own streams.
    pub log: Option<PathBuf>,
}

/// A service with its process, or the moment it may have another.
pub struct Running {
    service: Service,
    child: Option<Child>,
    started: Instant,
    backoff: Duration,
    retry_at: Instant,
}

impl Service {
    pub fn start(self) -> Result<Running> {
        let now = Instant::now();
        let mut running = Running { service: self, child: None, started: now, backoff: Duration::ZERO, retry_at: now };
        running.spawn()?;
        Ok(running)
    }
}

impl Running {
    /// How it ended, if it did.
    pub fn find_exit(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// Starts it again if it ended and has waited long enough. To be called again and again.
    pub fn keep_alive(&mut self) {
        let name = self.service.name;
        if let Some(status) = self.find_exit() {
            self.child = None;
            self.backoff = next_backoff(self.backoff, self.started.elapsed());
            self.retry_at = Instant::now() + self.backoff;
            let wait_s = self.backoff.as_secs();
            eprintln!("==> The {name} ended ({status}); it starts again in {wait_s} s");
        }
        if self.child.is_none() && Instant::now() >= self.retry_at {
            if let Err(error) = self.spawn() {
                self.backoff = next_backoff(self.backoff, Duration::ZERO);
                self.retry_at = Instant::now() + self.backoff;
                eprintln!("==> The {name} does not start: {error:#}");
            } else {
                eprintln!("==> The {name} runs again");
            }
        }
    }

    /// SIGTERM, then up to 30 s. `hurry` is asked while waiting and ends it at once.
    pub fn stop(&mut self, mut hurry: impl FnMut() -> bool) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        if let Ok(None) = child.try_wait() {
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
        let deadline = Instant::now() + STOP_TIMEOUT;
        while matches!(child.try_wait(), Ok(None)) {
            if Instant::now() > deadline || hurry() {
                eprintln!("==> The {} does not stop and is killed", self.service.name);
                let _ = child.kill();
                let _ = child.wait();
                return;
            }
            sleep(Duration::from_millis(20));
        }
    }

    fn spawn(&mut self) -> Result<()> {
        let service = &self.service;
        let mut command = shell::tied(&service.program, Some("TERM"));
        command
            .args(&service.arguments)
            .envs(service.environment.iter().map(|(name, value)| (name, value)))
            .process_group(0)
            .stdin(Stdio::null());
        if let Some(path) = &service.log {
            let log = std::fs::File::options().create(true).append(true).open(path)?;
            command.stdout(log.try_clone()?).stderr(log);
        }
        let child = command.spawn().with_context(|| format!("cannot start {}", service.program.display()))?;
        self.child = Some(child);
        self.started = Instant::now();
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop(|| false);
    }
}

fn next_backoff(last: Duration, ran: Duration) -> Duration {
    if last.is_zero() || ran >= WELL_AFTER {
        return Duration::from_secs(1);
    }
    (last * 2).min(BACKOFF_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_its_bound_and_forgets() {
        let second = Duration::from_secs(1);
        assert_eq!(next_backoff(Duration::ZERO, second), second);
        assert_eq!(next_backoff(second, second), second * 2);
        assert_eq!(next_backoff(BACKOFF_MAX, second), BACKOFF_MAX);
        assert_eq!(next_backoff(BACKOFF_MAX, WELL_AFTER), second);
    }
}
