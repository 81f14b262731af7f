//! A running sandboxed process as the grader holds it: watch, kill all of it, reap, say how it ended.

use std::io::Read;
use std::process::ChildStderr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::uid::Claim;
use crate::{Level, Outcome};

/// Bytes of standard error that are kept.
const STDERR_BYTES_MAX: usize = 16 << 10;
/// How long a process that hung up may take to end by itself, so that its own end is what is reported.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long a killed process may take to die; a GPU's teardown takes 90 ms.
const DEATH: Duration = Duration::from_secs(5);
/// How long the last words of a dead process may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(1);

/// A running sandboxed process. Dropping it kills and reaps it and everything it started.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    level: Level,
    claim: Option<Claim>,
    outcome: Option<Outcome>,
    was_killed: bool,
    stderr: Arc<Mutex<Vec<u8>>>,
    drain: Option<JoinHandle<()>>,
}

impl Child {
    pub(crate) fn new(mut process: std::process::Child, level: Level, claim: Option<Claim>) -> Self {
        let stderr = Arc::default();
        let drain = process.stderr.take().and_then(|pipe| {
            let kept = Arc::clone(&stderr);
            // Without the thread the pipe closes: the child's words are lost, and it cannot block on them.
            std::thread::Builder::new().name("sandbox-stderr".to_owned()).spawn(move || drain(pipe, &kept)).ok()
        });
        Self { process, level, claim, outcome: None, was_killed: false, stderr, drain }
    }

    /// The process id of the outermost process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Level B's uid.
    pub fn uid(&self) -> Option<u32> {
        self.claim.as_ref().map(Claim::uid)
    }

    /// Ends it and everything it started, reaps it, and says how it ended.
    ///
    /// Returns within about five seconds even when the kernel does not let it die (a hung GPU): it is
    /// [`Outcome::Unknown`] then, a thread waits for it, and its uid stays taken.
    pub fn kill(&mut self) -> Outcome {
        if let Some(outcome) = self.await_end(Duration::ZERO) {
            return outcome;
        }
        self.was_killed = true;
        match self.level {
            Level::A => end_namespace(self.process.id() as i32),
            Level::B | Level::C => self.kill_group(),
        }
        if let Some(outcome) = self.await_end(DEATH) {
            return outcome;
        }
        self.kill_group();
        self.abandon();
        *self.outcome.insert(Outcome::Unknown)
    }

    /// For a process that hung up: lets it end by itself for half a second, so that its own end is reported.
    pub fn reap(&mut self) -> Outcome {
        match self.await_end(FAREWELL) {
            Some(outcome) => outcome,
            None => self.kill(),
        }
    }

    /// Its end, if it comes within `patience`. What it started is then gone as well.
    pub fn await_end(&mut self, patience: Duration) -> Option<Outcome> {
        if self.outcome.is_some() {
            return self.outcome;
        }
        let deadline = Instant::now() + patience;
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return None;
            }
            std::thread::sleep(LOOK);
        }
        self.bury();
        self.outcome
    }

    /// What it wrote to standard error, at most 16 KiB.
    pub fn stderr(&self) -> String {
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    /// Whether its end looks like a lack of memory: the kernel's killer, or an allocation that failed.
    ///
    /// A guess for a better sentence, never a verdict: a runner can fake it.
    pub fn looks_out_of_memory(&self) -> bool {
        match self.outcome {
            Some(Outcome::Signalled(libc::SIGKILL)) => !self.was_killed,
            Some(Outcome::Signalled(libc::SIGABRT)) => {
                let words = self.stderr();
                ["memory allocation of", "bad_alloc", "out of memory"].iter().any(|said| words.contains(said))
            }
            _ => false,
        }
    }

    /// Whether it is over, without reaping it: until then its number, and its group's, mean no other process.
    fn has_ended(&self) -> bool {
        // SAFETY: a plain system call on a live structure and a child of ours.
        unsafe {
            let mut seen: libc::siginfo_t = std::mem::zeroed();
            let events = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
            // An error means that it is no child any more.
            libc::waitid(libc::P_PID, self.process.id(), &raw mut seen, events) != 0 || seen.si_pid() != 0
        }
    }

    /// Ends what the first process left behind, reaps it, and waits for its last words.
    fn bury(&mut self) {
        if self.level != Level::A {
            // At level A the namespace died with its first process.
            self.kill_group();
        }
        let outcome =
            self.process.wait().map_or(Outcome::Unknown, |status| Outcome::of(status, self.level == Level::A));
        self.outcome = Some(outcome);
        if let Some(claim) = &self.claim {
            claim.sweep();
        }
        let deadline = Instant::now() + LAST_WORDS;
        if let Some(drain) = self.drain.take() {
            while !drain.is_finished() && Instant::now() < deadline {
                std::thread::sleep(LOOK);
            }
        }
    }

    fn kill_group(&self) {
        // SAFETY: a plain system call on the group that the preparation made, whose leader is not reaped yet.
        unsafe { libc::kill(-(self.process.id() as i32), libc::SIGKILL) };
    }

    /// Leaves a process that does not die to a thread, so that whoever drops this does not hang.
    fn abandon(&mut self) {
        let (id, claim) = (self.process.id() as i32, self.claim.take());
        let wait = move || {
            // SAFETY: a plain system call on a child of ours that nobody else waits for any more.
            unsafe { libc::waitpid(id, std::ptr::null_mut(), 0) };
            drop(claim);
        };
        // Without the thread it stays a zombie until the grader ends.
        let _ = std::thread::Builder::new().name("sandbox-reaper".to_owned()).spawn(wait);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads everything, keeps the first bytes: a flood must not block the child, nor fill our memory.
fn drain(mut pipe: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut block = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut block) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = STDERR_BYTES_MAX - kept.len();
        kept.extend(&block[..count.min(room)]);
    }
}

/// Ends a pid namespace by its first process, so that bubblewrap reaps that one and no zombie is left to an init
/// that may not reap.
///
/// bubblewrap is stopped meanwhile: it can neither fork that process after we looked nor reap it, so the number
/// cannot come to mean another one. Killing bubblewrap alone would do, but for the moment before its child has
/// asked to die with it.
fn end_namespace(outer: i32) {
    // SAFETY: plain system calls on a child of ours that is not reaped, on a live structure, and on children of a
    // stopped process.
    unsafe {
        libc::kill(outer, libc::SIGSTOP);
        let deadline = Instant::now() + Duration::from_secs(1);
        let mut seen: libc::siginfo_t = std::mem::zeroed();
        let events = libc::WSTOPPED | libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
        while libc::waitid(libc::P_PID, outer as u32, &raw mut seen, events) == 0
            && seen.si_pid() == 0
            && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_micros(50));
        }
        let inner = children(outer);
        for process in &inner {
            libc::kill(*process, libc::SIGKILL);
        }
        let last = if inner.is_empty() { libc::SIGKILL } else { libc::SIGCONT };
        libc::kill(outer, last);
    }
}

fn children(process: i32) -> Vec<i32> {
    std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"))
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}
