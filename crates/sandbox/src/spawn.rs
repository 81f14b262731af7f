//! The parent's side: start, watch, kill, reap.

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::confine::{CHANNEL_FD, UID_VARIABLE};
use crate::{Level, Limits, Outcome, Profile};

/// Bytes of standard error that are kept.
const STDERR_BYTES_MAX: usize = 16 << 10;
/// How long a process that hung up may take to end by itself, so that its own end is what is reported.
const FAREWELL: Duration = Duration::from_millis(500);
/// First of the uids of level B; far above what systems hand out.
const FIRST_UID: u32 = 0x7a00_0000;
/// Uids of level B before they come round; far more than processes live at a time.
const UIDS: u32 = 0x1_0000;
/// Folders of libraries that every program needs; only those that exist are bound.
const SYSTEM_LIBRARIES: [&str; 6] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/nvidia",
    "/etc/ld.so.cache",
];

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// No socket pair.
    #[error("cannot make a channel")]
    Channel(#[source] std::io::Error),
    /// bubblewrap is not there.
    #[error("bubblewrap (bwrap) is not installed; on Debian: apt-get install bubblewrap")]
    NoBubblewrap,
    /// The program did not start.
    #[error("cannot start {program}: {source}")]
    Start {
        /// Which.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The thread that starts processes is gone.
    #[error("the thread that starts processes is gone")]
    Spawner,
}

/// A running sandboxed process. Dropping it kills and reaps it.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    wrapped: bool,
    outcome: Option<Outcome>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

impl Child {
    /// The process id of the outermost process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends it and everything it started, reaps it, and says how it ended.
    pub fn kill(&mut self) -> Outcome {
        if let Some(outcome) = self.outcome {
            return outcome;
        }
        self.signal_all();
        let outcome = self
            .process
            .wait()
            .map_or(Outcome::Unknown, |status| Outcome::of(status, self.wrapped));
        self.outcome = Some(outcome);
        outcome
    }

    /// For a process that hung up: lets it end by itself for half a second, so that its own end is reported.
    pub fn reap(&mut self) -> Outcome {
        match self.await_end(FAREWELL) {
            Some(outcome) => *self.outcome.get_or_insert(outcome),
            None => self.kill(),
        }
    }

    /// What it wrote to standard error, at most 16 KiB.
    pub fn stderr(&self) -> String {
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    /// Its end, if it comes within `patience`.
    pub fn await_end(&mut self, patience: Duration) -> Option<Outcome> {
        let deadline = Instant::now() + patience;
        loop {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some(Outcome::of(status, self.wrapped));
            }
            if Instant::now() >= deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn signal_all(&mut self) {
        // SAFETY: plain system calls on the process group that `prepare` made for this child, which is not reaped yet.
        unsafe {
            libc::kill(-(self.process.id() as i32), libc::SIGKILL);
            libc::kill(self.process.id() as i32, libc::SIGKILL);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// The one thread that starts processes. The parent-death signal is bound to the *thread* that forked, and a
/// pool's threads come and go.
fn spawner() -> &'static Mutex<Sender<Job>> {
    static SPAWNER: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    SPAWNER.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        std::thread::Builder::new()
            .name("sandbox-spawner".to_owned())
            .spawn(move || jobs.into_iter().for_each(|job| job()))
            .expect("a thread can be started while the grader starts");
        Mutex::new(sender)
    })
}

/// Starts a program in the sandbox of `level`; the stream is the only channel to it.
pub fn spawn(level: Level, profile: &Profile) -> Result<(Child, UnixStream), SpawnError> {
    let (ours, theirs) = UnixStream::pair().map_err(SpawnError::Channel)?;
    let mut command = command(level, profile)?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let (limits, channel_fd, at_level_a) = (profile.limits, theirs.as_raw_fd(), level == Level::A);
    // SAFETY: `prepare` makes only async-signal-safe system calls and allocates nothing.
    unsafe { command.pre_exec(move || prepare(channel_fd, &limits, at_level_a)) };
    let (sender, started) = channel();
    let job: Job = Box::new(move || {
        // Whoever waited has gone only if this process ends.
        let _ = sender.send(command.spawn());
        drop(theirs);
    });
    spawner()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .send(job)
        .map_err(|_| SpawnError::Spawner)?;
    let mut process = started
        .recv()
        .map_err(|_| SpawnError::Spawner)?
        .map_err(|source| SpawnError::Start {
            program: profile.program.clone(),
            source,
        })?;
    let stderr = Arc::default();
    if let Some(pipe) = process.stderr.take() {
        drain(pipe, Arc::clone(&stderr));
    }
    Ok((
        Child {
            process,
            wrapped: level == Level::A,
            outcome: None,
            stderr,
        },
        ours,
    ))
}

/// Reads everything, keeps the first bytes: a flood must not block the child, nor fill our memory.
fn drain(mut pipe: std::process::ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    std::thread::spawn(move || {
        let mut block = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut block) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let room = STDERR_BYTES_MAX - kept.len();
            kept.extend(&block[..count.min(room)]);
        }
    });
}

fn command(level: Level, profile: &Profile) -> Result<Command, SpawnError> {
    let mut command = match level {
        Level::A => bubblewrap(profile)?,
        Level::B | Level::C => {
            let mut command = Command::new(&profile.program);
            command
                .args(&profile.args)
                .env_clear()
                .envs(profile.env.iter().cloned())
                .current_dir("/");
            command
        }
    };
    if level == Level::B {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let offset = std::process::id()
            .wrapping_mul(257)
            .wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed))
            % UIDS;
        command.env(UID_VARIABLE, (FIRST_UID + offset).to_string());
    }
    Ok(command)
}

/// bwrap as it was named by the operator, or found on the path.
pub(crate) fn find_bubblewrap() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WARPYARD_BWRAP") {
        return Some(PathBuf::from(named)).filter(|path| path.exists());
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    std::env::split_paths(&path)
        .map(|folder| folder.join("bwrap"))
        .find(|path| path.exists())
}

fn bubblewrap(profile: &Profile) -> Result<Command, SpawnError> {
    let program = find_bubblewrap().ok_or(SpawnError::NoBubblewrap)?;
    let mut arguments: Vec<OsString> = Vec::new();
    let mut add =
        |words: &[&std::ffi::OsStr]| arguments.extend(words.iter().map(|word| (*word).to_owned()));
    let word = std::ffi::OsStr::new;
    for flag in [
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
    ] {
        add(&[word(flag)]);
    }
    add(&[
        word("--cap-drop"),
        word("ALL"),
        word("--uid"),
        word("65534"),
        word("--gid"),
        word("65534"),
    ]);
    add(&[
        word("--hostname"),
        word("runner"),
        word("--chdir"),
        word("/"),
    ]);
    for folder in SYSTEM_LIBRARIES
        .map(Path::new)
        .into_iter()
        .chain(profile.read_only.iter().map(PathBuf::as_path))
    {
        if folder.exists() {
            add(&[word("--ro-bind"), folder.as_os_str(), folder.as_os_str()]);
        }
    }
    if profile.proc {
        add(&[
            word("--proc"),
            word("/proc"),
            word("--ro-bind-try"),
            word("/sys"),
            word("/sys"),
        ]);
    }
    if !profile.devices.is_empty() {
        add(&[word("--dev"), word("/dev")]);
    }
    for device in &profile.devices {
        add(&[word("--dev-bind"), device.as_os_str(), device.as_os_str()]);
    }
    for (name, value) in &profile.env {
        add(&[word("--setenv"), name, value]);
    }
    add(&[
        word("--remount-ro"),
        word("/"),
        word("--"),
        profile.program.as_os_str(),
    ]);
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args(&profile.args)
        .env_clear()
        .current_dir("/");
    if let Some(libraries) = std::env::var_os("WARPYARD_BWRAP_LIBRARIES") {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    Ok(command)
}

/// Between fork and exec: own session, death with the parent, bounds, and no descriptor but 0 to 3.
fn prepare(channel_fd: RawFd, limits: &Limits, at_level_a: bool) -> std::io::Result<()> {
    let check = |result: i32| {
        if result < 0 {
            Err(std::io::Error::last_os_error())
        } else {
            Ok(())
        }
    };
    // SAFETY: async-signal-safe system calls on constants and on a descriptor that is open in the parent.
    unsafe {
        check(libc::setsid())?;
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        if channel_fd == CHANNEL_FD {
            check(libc::fcntl(CHANNEL_FD, libc::F_SETFD, 0))?;
        } else {
            check(libc::dup2(channel_fd, CHANNEL_FD))?;
        }
        // Not closed, since the standard library still reports a failed exec through one of them; none survives exec.
        check(libc::syscall(
            libc::SYS_close_range,
            CHANNEL_FD + 1,
            u32::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        ) as i32)?;
        libc::umask(0o077);
        let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY);
        if score >= 0 {
            libc::write(score, c"1000".as_ptr().cast(), 4);
            libc::close(score);
        }
    }
    let limit = |resource, soft: u64, hard: u64| {
        let limit = libc::rlimit {
            rlim_cur: soft,
            rlim_max: hard,
        };
        // SAFETY: a live structure of the right type.
        check(unsafe { libc::setrlimit(resource, &raw const limit) })
    };
    limit(libc::RLIMIT_CORE, 0, 0)?;
    limit(libc::RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 2)?;
    limit(libc::RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)?;
    limit(libc::RLIMIT_NOFILE, limits.open_files, limits.open_files)?;
    if let Some(bytes) = limits.address_space_bytes {
        limit(libc::RLIMIT_AS, bytes, bytes)?;
    }
    if !at_level_a {
        // Inside bubblewrap the pid namespace and the filter bound processes; the count of uid 0 outside would not.
        limit(libc::RLIMIT_NPROC, limits.processes, limits.processes)?;
    }
    Ok(())
}
