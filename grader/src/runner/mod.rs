//! Runners as the grader holds them: started ahead, used for one submission, ended.
//!
//! Theory of operation. A [`Pool`] keeps a few runners of one kind that are loaded, warmed, confined and have
//! said `Ready`, so that their start costs no learner any time. The successor of one that was taken starts when it
//! has ended: a GPU's driver makes contexts one after the other, and a learner's kernel would wait behind them.
//! Only an empty shelf is filled at once.
//! A [`Runner`] is asked one thing at a time with a wall clock; when the time is over, or when it sends what is
//! no message, it is killed with everything it started. Dropping a runner kills and reaps it.

pub mod child;
pub mod protocol;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use self::protocol::{FrameError, Ready, Request, Response, announced, decode, encode};
use crate::config::Toolchain;

/// How long a runner may take from its start to `Ready`.
const START_TIME: Duration = Duration::from_secs(30);

/// Kinds of runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Source to image.
    Compiler,
    /// PTX on the CPU.
    Simulator,
    /// Machine code on a GPU.
    Gpu,
}

/// How a question to a runner ended without an answer.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// It could not be started.
    #[error("cannot start a {kind:?} runner: {reason}")]
    Start {
        /// Which kind.
        kind: Kind,
        /// A sentence for the operator.
        reason: String,
    },
    /// Its wall clock ran out; it is killed.
    #[error("a runner did not answer within {0:?}")]
    TimedOut(Duration),
    /// It died.
    #[error("a runner died: {outcome}; it said: {stderr}")]
    Died {
        /// How.
        outcome: sandbox::Outcome,
        /// Its last words.
        stderr: String,
    },
    /// It sent what is no message; it is killed.
    #[error("a runner broke the protocol")]
    Protocol(#[source] FrameError),
}

/// One sandboxed process.
pub struct Runner {
    /// There until it is dropped.
    child: Option<sandbox::Child>,
    channel: UnixStream,
    /// Where its successor goes.
    home: Option<(Pool, tokio::runtime::Handle)>,
    /// What it said when it was ready.
    pub ready: Ready,
}

impl Runner {
    async fn start(kind: Kind, toolchain: &Toolchain, level: sandbox::Level) -> Result<Self, RunnerError> {
        let fail = |reason: String| RunnerError::Start { kind, reason };
        let profile = profile(kind, toolchain);
        let (child, channel) = tokio::task::spawn_blocking(move || sandbox::spawn(level, &profile))
            .await
            .map_err(|error| fail(error.to_string()))?
            .map_err(|error| fail(error.to_string()))?;
        channel.set_nonblocking(true).map_err(|error| fail(error.to_string()))?;
        let channel = UnixStream::from_std(channel).map_err(|error| fail(error.to_string()))?;
        let ready = Ready { name: String::new(), architecture: None };
        let mut runner = Self { child: Some(child), channel, home: None, ready };
        match tokio::time::timeout(START_TIME, receive(&mut runner.channel)).await {
            Ok(Ok(Response::Ready(ready))) => {
                runner.ready = ready;
                Ok(runner)
            }
            Ok(Ok(Response::Broken(reason))) => Err(fail(reason)),
            Ok(Ok(other)) => Err(fail(format!("its first word was {other:?}"))),
            Ok(Err(error)) => Err(fail(runner.end(error).to_string())),
            Err(_) => Err(fail(format!("it was not ready within {START_TIME:?}"))),
        }
    }

    /// Asks one thing, and waits at most `wall`. After an error the runner is of no use.
    pub async fn ask(&mut self, request: &Request, wall: Duration) -> Result<Response, RunnerError> {
        let frame = encode(request).map_err(RunnerError::Protocol)?;
        let conversation = async {
            self.channel.write_all(&frame).await?;
            receive(&mut self.channel).await
        };
        match tokio::time::timeout(wall, conversation).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(self.end(error)),
            Err(_) => {
                self.kill();
                Err(RunnerError::TimedOut(wall))
            }
        }
    }

    fn end(&mut self, error: FrameError) -> RunnerError {
        match error {
            FrameError::Pipe(_) => {
                let Some(child) = &mut self.child else { return RunnerError::Protocol(error) };
                let outcome = child.reap();
                RunnerError::Died { outcome, stderr: child.stderr() }
            }
            other => {
                self.kill();
                RunnerError::Protocol(other)
            }
        }
    }
}

impl Runner {
    fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            child.kill();
        }
    }
}

impl Drop for Runner {
    /// Ends the process beside the verdict's way: taking a GPU's context down takes longer than judging.
    fn drop(&mut self) {
        let (child, home) = (self.child.take(), self.home.take());
        std::thread::spawn(move || {
            drop(child);
            if let Some((pool, runtime)) = home {
                let _inside = runtime.enter();
                pool.refill();
            }
        });
    }
}

async fn receive(channel: &mut UnixStream) -> Result<Response, FrameError> {
    let mut header = [0; 4];
    channel.read_exact(&mut header).await?;
    let length = announced(header)?;
    let mut bytes = Vec::new();
    // Grows with what really comes, so that a header alone takes no memory.
    let got = channel.take(length as u64).read_to_end(&mut bytes).await?;
    if got < length {
        return Err(FrameError::Pipe(std::io::ErrorKind::UnexpectedEof.into()));
    }
    decode(&bytes)
}

/// What a runner of this kind may see and use.
fn profile(kind: Kind, toolchain: &Toolchain) -> sandbox::Profile {
    let limits = |address_space_bytes, cpu_seconds| sandbox::Limits {
        address_space_bytes,
        cpu_seconds,
        file_bytes: 16 << 20,
        open_files: 64,
        processes: 64,
    };
    let mut profile = sandbox::Profile {
        program: toolchain.runner.clone(),
        args: vec![],
        read_only: vec![toolchain.runner.clone()],
        devices: vec![],
        proc: false,
        env: vec![],
        limits: limits(None, 60),
    };
    match kind {
        Kind::Compiler => {
            profile.args = vec!["compiler".into(), toolchain.libraries.clone().into()];
            profile.args.extend(toolchain.includes.iter().map(|folder| OsString::from(folder.clone())));
            profile.read_only.push(toolchain.libraries.clone());
            profile.read_only.extend(toolchain.includes.iter().cloned());
            profile.limits = limits(Some(domain::limits::COMPILE_ADDRESS_SPACE_BYTES), 20);
        }
        Kind::Simulator => {
            profile.args = vec!["sim".into()];
            profile.limits = limits(Some(4 << 30), 300);
        }
        Kind::Gpu => {
            profile.args = vec!["gpu".into()];
            profile.devices = gpu_devices();
            profile.proc = true;
            // The driver reserves far more address space than it uses.
            profile.limits = sandbox::Limits { open_files: 1024, processes: 256, ..limits(None, 300) };
        }
    }
    profile
}

/// Device nodes of the first GPU.
fn gpu_devices() -> Vec<PathBuf> {
    ["/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"]
        .iter()
        .map(PathBuf::from)
        .filter(|node| node.exists())
        .collect()
}

/// A few runners of one kind, ready ahead of their use.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<PoolInner>,
}

struct PoolInner {
    kind: Kind,
    toolchain: Toolchain,
    level: sandbox::Level,
    size: usize,
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    ready: VecDeque<Runner>,
    starting: usize,
}

impl Pool {
    /// A pool that keeps `size` runners ready; none is started yet.
    pub fn new(kind: Kind, toolchain: Toolchain, level: sandbox::Level, size: usize) -> Self {
        Self { inner: Arc::new(PoolInner { kind, toolchain, level, size, shelf: Mutex::default() }) }
    }

    /// Starts what is missing and waits for the first, which says what it is.
    pub async fn warm(&self) -> Result<Ready, RunnerError> {
        let mut runner = self.take().await?;
        let ready = runner.ready.clone();
        runner.home = None;
        self.shelf().ready.push_front(runner);
        self.refill();
        Ok(ready)
    }

    /// A runner that has read nothing yet.
    pub async fn take(&self) -> Result<Runner, RunnerError> {
        let (shelved, is_last) = {
            let mut shelf = self.shelf();
            (shelf.ready.pop_front(), shelf.ready.is_empty())
        };
        let runner = match shelved {
            Some(runner) => Ok(runner),
            None => Runner::start(self.inner.kind, &self.inner.toolchain, self.inner.level).await,
        };
        if is_last {
            self.refill();
        }
        runner.map(|mut runner| {
            runner.home = Some((self.clone(), tokio::runtime::Handle::current()));
            runner
        })
    }

    /// Whether as many runners are ready as the pool keeps.
    pub fn is_full(&self) -> bool {
        self.shelf().ready.len() >= self.inner.size
    }

    fn refill(&self) {
        let missing = {
            let mut shelf = self.shelf();
            let missing = self.inner.size.saturating_sub(shelf.ready.len() + shelf.starting);
            shelf.starting += missing;
            missing
        };
        for _ in 0..missing {
            let pool = self.clone();
            tokio::spawn(async move {
                let started = Runner::start(pool.inner.kind, &pool.inner.toolchain, pool.inner.level).await;
                let mut shelf = pool.shelf();
                shelf.starting -= 1;
                match started {
                    Ok(runner) => shelf.ready.push_back(runner),
                    // Whoever takes the next one meets the same error and reports it.
                    Err(error) => tracing::warn!(%error, "a runner could not be started ahead"),
                }
            });
        }
    }

    fn shelf(&self) -> std::sync::MutexGuard<'_, Shelf> {
        self.inner.shelf.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
