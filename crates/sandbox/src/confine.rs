//! The child's side: after loading what is trusted, before the first byte of a learner.

use std::io::Error;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope, path_beneath_rules,
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::{prepare, syscalls};

/// The descriptor of the channel.
pub(crate) const CHANNEL_FD: i32 = 3;
/// The newest Landlock that is asked for; an older kernel gives what it has, and says so.
const LANDLOCK: ABI = ABI::V6;
/// `landlock_create_ruleset` with this flag and nothing else returns the version.
const LANDLOCK_VERSION: u32 = 1;

/// What a library reads while it loads, besides itself: other libraries, and how many processors there are.
const EARLY_READ: [&str; 7] =
    ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/sys/devices/system", "/proc/self"];

/// What kind of runner confines itself: decides which system calls remain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// NVRTC.
    Compiler,
    /// The PTX simulator.
    Simulator,
    /// A GPU's driver.
    Gpu,
}

/// What remains after [`confine`].
#[derive(Clone, Debug)]
pub struct Confinement {
    /// Files and folders that may still be read: headers.
    pub read: Vec<PathBuf>,
    /// Decides which system calls remain.
    pub kind: Kind,
}

/// What took effect. seccomp, no_new_privs and the loss of all capabilities always did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confined {
    /// The kernel's version of Landlock's interface.
    pub landlock_abi: u32,
    /// Whether Landlock restricts everything that was asked for, or only what this kernel knows.
    pub landlock_is_whole: bool,
    /// Whether Landlock holds every thread. A GPU's driver has started its own before, which only seccomp reaches.
    pub landlock_holds_all_threads: bool,
}

/// Why a runner could not confine itself. It must end then.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// Threads.
    #[error("a library has started threads, which Landlock would not hold")]
    Threads,
    /// Capabilities.
    #[error("cannot give up capabilities")]
    Capabilities(#[source] Error),
    /// A header's folder that needs root's rights.
    #[error("{} cannot be read by the uid of a job: it and the folders above it must be open to everybody", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: Error,
    },
    /// no_new_privs.
    #[error("cannot give up privileges")]
    Privileges(#[source] Error),
    /// Landlock.
    #[error("Landlock refuses the rules: {0}")]
    Landlock(#[from] landlock::RulesetError),
    /// No Landlock at all.
    #[error("this kernel has no Landlock")]
    NoLandlock,
    /// seccomp.
    #[error("seccomp refuses the filter: {0}")]
    Seccomp(String),
}

/// The channel that [`crate::spawn`] left. Call once, before anything else opens descriptors.
pub fn channel() -> UnixStream {
    // SAFETY: the parent put a socket here and nobody in this process owns it yet.
    UnixStream::from(unsafe { OwnedFd::from_raw_fd(CHANNEL_FD) })
}

/// Whether [`restrict_early`] was called.
static EARLY: AtomicBool = AtomicBool::new(false);

/// For a library that starts threads while it loads: takes the file system and the network away before, but for
/// `read` and the system's libraries, so that those threads are born with it. [`confine`] takes the rest.
///
/// On machines with many cores NVRTC keeps threads, and Landlock holds only the calling thread and its children.
pub fn restrict_early(read: &[PathBuf]) -> Result<(), ConfineError> {
    let mut read = read.to_vec();
    read.extend(EARLY_READ.map(PathBuf::from));
    restrict_files(&Confinement { read, kind: Kind::Compiler })?;
    EARLY.store(true, Ordering::Release);
    Ok(())
}

/// Gives everything up for good: capabilities, privileges, file system, network, system calls.
///
/// For [`Kind::Compiler`] and [`Kind::Simulator`] the calling thread must be the only one, unless the others were
/// born after [`restrict_early`]. Threads that it starts afterwards are confined like itself.
pub fn confine(confinement: &Confinement) -> Result<Confined, ConfineError> {
    let alone = is_alone() || EARLY.load(Ordering::Acquire);
    if !alone && confinement.kind != Kind::Gpu {
        return Err(ConfineError::Threads);
    }
    drop_capabilities().map_err(ConfineError::Capabilities)?;
    // SAFETY: plain system calls on constants. Undumpable: neither /proc/self/mem nor a core dump is for others.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(ConfineError::Privileges(Error::last_os_error()));
        }
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
    }
    for path in &confinement.read {
        check_readable(path)?;
    }
    // Asked before the filter forbids the question.
    let landlock_abi = landlock_abi();
    let landlock_is_whole = restrict_files(confinement)?;
    restrict_calls(confinement.kind)?;
    Ok(Confined { landlock_abi, landlock_is_whole, landlock_holds_all_threads: alone })
}

/// Whether this process has one thread. Where /proc is hidden, the kernel says so by refusing to "unshare" a
/// thread group of several; of one thread it changes nothing.
fn is_alone() -> bool {
    match std::fs::read_dir("/proc/self/task") {
        Ok(threads) => threads.count() == 1,
        // SAFETY: a plain system call.
        Err(_) => unsafe { libc::unshare(libc::CLONE_THREAD) == 0 },
    }
}

/// Level B loads with one of root's capabilities; from here on there is none.
fn drop_capabilities() -> std::io::Result<()> {
    // SAFETY: a plain system call. It fails only on kernels that have no ambient capabilities to clear.
    unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) };
    prepare::set_capabilities(0, 0)
}

/// Says early, and in words, what would otherwise be a compile error of a learner.
fn check_readable(path: &Path) -> Result<(), ConfineError> {
    let entered = || {
        if path.is_dir() {
            // A folder that can be listed need not let anybody pass.
            std::fs::metadata(path.join("."))?;
        }
        Ok(())
    };
    match std::fs::File::open(path).and_then(|_| entered()) {
        Err(source) if source.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(ConfineError::Unreadable { path: path.to_owned(), source })
        }
        // What is not there cannot be read, and needs no rule.
        _ => Ok(()),
    }
}

fn landlock_abi() -> u32 {
    // SAFETY: a plain system call without a structure.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, LANDLOCK_VERSION) };
    u32::try_from(version).unwrap_or(0)
}

fn restrict_files(confinement: &Confinement) -> Result<bool, ConfineError> {
    let mut read = confinement.read.clone();
    let mut devices = vec![];
    if confinement.kind == Kind::Gpu {
        // The driver opens its nodes again for new streams and events, and reads what it is on.
        devices
            .extend(["/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"].map(PathBuf::from));
        read.extend(["/proc/self", "/proc/driver/nvidia", "/sys/devices"].map(PathBuf::from));
        read.extend(["/usr/lib", "/lib", "/usr/local/nvidia"].map(PathBuf::from));
    }
    let readable = AccessFs::ReadFile | AccessFs::ReadDir;
    let node = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(LANDLOCK))?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?
        // Paths that do not exist are left out by the helper: what is not there cannot be read.
        .add_rules(path_beneath_rules(read, readable))?
        .add_rules(path_beneath_rules(devices, node))?
        .restrict_self()?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(true),
        RulesetStatus::PartiallyEnforced => Ok(false),
        RulesetStatus::NotEnforced => Err(ConfineError::NoLandlock),
    }
}

/// Two filters, of which the stricter answer counts: the guard first, since the other one forbids further filters.
fn restrict_calls(kind: Kind) -> Result<(), ConfineError> {
    let said = |error: &dyn std::fmt::Display| ConfineError::Seccomp(error.to_string());
    let filter = filter(kind).map_err(|error| said(&error))?;
    // All threads: a library may have started some.
    for program in [&syscalls::guard(), &filter] {
        seccompiler::apply_filter_all_threads(program).map_err(|error| said(&error))?;
    }
    Ok(())
}

fn filter(kind: Kind) -> Result<BpfProgram, seccompiler::BackendError> {
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let (rules, otherwise, listed) = match kind {
        Kind::Compiler | Kind::Simulator => (syscalls::allowed(kind)?, refuse, SeccompAction::Allow),
        Kind::Gpu => (syscalls::denied()?, SeccompAction::Allow, refuse),
    };
    // A call by the 32-bit entry kills: no library of ours makes one.
    let architecture = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, otherwise, listed, architecture)?.try_into()
}
