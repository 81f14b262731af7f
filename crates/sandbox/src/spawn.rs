//! The parent's side: start a runner at a level.

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::child::Child;
use crate::prepare::Preparation;
use crate::uid::Claim;
use crate::{Level, Profile};

/// Where the loader of a distribution with multiarch folders looks; only those that exist are bound.
const MULTIARCH_LIBRARIES: [&str; 4] = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64"];
/// Where the loaders of all others look, and what a GPU's driver needs besides.
const ALL_LIBRARIES: [&str; 4] = ["/lib", "/usr/lib", "/lib64", "/usr/lib64"];
/// Where container runtimes put the driver's libraries, and how the loader finds them.
const DRIVER_LIBRARIES: [&str; 2] = ["/usr/local/nvidia", "/etc/ld.so.cache"];

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// No socket pair.
    #[error("cannot make a channel")]
    Channel(#[source] std::io::Error),
    /// bubblewrap is not there.
    #[error("bubblewrap (bwrap) is not installed; on Debian: apt-get install bubblewrap")]
    NoBubblewrap,
    /// No uid is free.
    #[error("no uid of the sandbox's range is free")]
    NoUid,
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

/// Starts a program in the sandbox of `level`; the stream is the only channel to it, and its descriptor 3.
///
/// Blocks for the few milliseconds of a fork and an exec.
pub fn spawn(level: Level, profile: &Profile) -> Result<(Child, UnixStream), SpawnError> {
    let (ours, theirs) = UnixStream::pair().map_err(SpawnError::Channel)?;
    let claim = match level {
        Level::B => Some(Claim::take().ok_or(SpawnError::NoUid)?),
        Level::A | Level::C => None,
    };
    let mut command = match level {
        Level::A => bubblewrap(profile)?,
        Level::B | Level::C => plain(profile),
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let preparation = Preparation {
        channel: theirs.as_raw_fd(),
        limits: profile.limits,
        level,
        uid: claim.as_ref().map(Claim::uid),
        // A driver starts threads, and a thread would keep what another one drops.
        loads_as_root: profile.devices.is_empty(),
        parent: std::process::id(),
    };
    // SAFETY: `apply` makes only async-signal-safe system calls and allocates nothing.
    unsafe { command.pre_exec(move || preparation.apply()) };
    let (sender, started) = channel();
    let job: Job = Box::new(move || {
        // Whoever waited has gone only if this process ends.
        let _ = sender.send(command.spawn());
        drop(theirs);
    });
    spawner()?.lock().unwrap_or_else(PoisonError::into_inner).send(job).map_err(|_| SpawnError::Spawner)?;
    let process = started
        .recv()
        .map_err(|_| SpawnError::Spawner)?
        .map_err(|source| SpawnError::Start { program: profile.program.clone(), source })?;
    Ok((Child::new(process, level, claim), ours))
}

type Job = Box<dyn FnOnce() + Send>;

/// The one thread that starts processes. The parent-death signal is bound to the *thread* that forked, and a
/// pool's threads come and go.
fn spawner() -> Result<&'static Mutex<Sender<Job>>, SpawnError> {
    static SPAWNER: OnceLock<Option<Mutex<Sender<Job>>>> = OnceLock::new();
    let start = || {
        let (sender, jobs) = channel::<Job>();
        std::thread::Builder::new()
            .name("sandbox-spawner".to_owned())
            .spawn(move || jobs.into_iter().for_each(|job| job()))
            .ok()
            .map(|_| Mutex::new(sender))
    };
    SPAWNER.get_or_init(start).as_ref().ok_or(SpawnError::Spawner)
}

fn plain(profile: &Profile) -> Command {
    let mut command = Command::new(&profile.program);
    command.args(&profile.args).env_clear().envs(profile.env.iter().cloned()).current_dir("/");
    command
}

/// bwrap as it was named by the operator in `WARPYARD_BWRAP`, or found on the path.
pub(crate) fn find_bubblewrap() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WARPYARD_BWRAP") {
        return Some(PathBuf::from(named)).filter(|path| path.exists());
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    std::env::split_paths(&path).map(|folder| folder.join("bwrap")).find(|path| path.exists())
}

fn bubblewrap(profile: &Profile) -> Result<Command, SpawnError> {
    let program = find_bubblewrap().ok_or(SpawnError::NoBubblewrap)?;
    let mut command = Command::new(program);
    command.env_clear().current_dir("/");
    if let Some(libraries) = std::env::var_os("WARPYARD_BWRAP_LIBRARIES") {
        // For bwrap itself: --clearenv keeps it from the runner.
        command.env("LD_LIBRARY_PATH", libraries);
    }
    command.args([
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
    ]);
    command.args(["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"]);
    command.args(["--hostname", "runner", "--chdir", "/"]);
    let bind = |flag: &str, path: &Path| [flag.into(), path.into(), path.into()];
    for path in visible(profile) {
        command.args::<_, OsString>(bind("--ro-bind", &path));
    }
    if profile.proc {
        command.args(["--proc", "/proc", "--ro-bind-try", "/sys", "/sys"]);
    }
    if !profile.devices.is_empty() {
        command.args(["--dev", "/dev"]);
    }
    for device in &profile.devices {
        command.args::<_, OsString>(bind("--dev-bind", device));
    }
    for (name, value) in &profile.env {
        command.arg("--setenv").arg(name).arg(value);
    }
    // The root is an empty tmpfs of bubblewrap; after this nothing can be written anywhere, not even its memory filled.
    command.args(["--remount-ro", "/", "--"]);
    command.arg(&profile.program).args(&profile.args);
    Ok(command)
}

/// What is bound read-only: the loader's folders and what the profile names, as far as it exists.
fn visible(profile: &Profile) -> impl Iterator<Item = PathBuf> {
    let multiarch = Path::new(MULTIARCH_LIBRARIES[1]).exists();
    let system: &[&str] = if multiarch && profile.devices.is_empty() { &MULTIARCH_LIBRARIES } else { &ALL_LIBRARIES };
    let driver: &[&str] = if profile.devices.is_empty() { &[] } else { &DRIVER_LIBRARIES };
    system.iter().chain(driver).map(PathBuf::from).chain(profile.read_only.clone()).filter(|path| path.exists())
}
