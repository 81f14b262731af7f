//! The child's side: after loading what is trusted, before the first byte of a learner.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::syscalls;

/// The descriptor of the channel.
pub(crate) const CHANNEL_FD: i32 = 3;
/// The uid that level B drops to, told by the parent.
pub(crate) const UID_VARIABLE: &str = "WARPYARD_SANDBOX_UID";
/// The newest Landlock that is asked for; an older kernel gives what it has, and says so.
const LANDLOCK: ABI = ABI::V6;

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

/// What took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confined {
    /// Whether Landlock restricts everything that was asked for, or only what this kernel knows.
    pub landlock_is_whole: bool,
}

/// Why a runner could not confine itself. It must end then.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The uid of level B.
    #[error("cannot take the uid of this job: {0}")]
    Uid(String),
    /// no_new_privs.
    #[error("cannot give up privileges")]
    Privileges(#[source] std::io::Error),
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

/// Gives everything up for good: uid (level B), privileges, file system, network, system calls.
pub fn confine(confinement: &Confinement) -> Result<Confined, ConfineError> {
    take_uid()?;
    // SAFETY: a plain system call on constants.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(ConfineError::Privileges(std::io::Error::last_os_error()));
    }
    // SAFETY: as above. Neither /proc/self/mem of this process nor a core dump is for others of its uid.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) };
    let landlock_is_whole = restrict_files(confinement)?;
    let filter =
        filter(confinement.kind).map_err(|error| ConfineError::Seccomp(error.to_string()))?;
    // All threads: a library may have started some.
    seccompiler::apply_filter_all_threads(&filter)
        .map_err(|error| ConfineError::Seccomp(error.to_string()))?;
    Ok(Confined { landlock_is_whole })
}

/// Level B: a uid that nobody else has. Without the variable there is nothing to do.
fn take_uid() -> Result<(), ConfineError> {
    let Ok(text) = std::env::var(UID_VARIABLE) else {
        return Ok(());
    };
    let uid: u32 = text.parse().map_err(|_| ConfineError::Uid(text.clone()))?;
    let said =
        |what: &str| ConfineError::Uid(format!("{what}: {}", std::io::Error::last_os_error()));
    // SAFETY: plain system calls; groups first, since a plain uid may not change them.
    unsafe {
        if libc::setgroups(0, std::ptr::null()) != 0 {
            return Err(said("setgroups"));
        }
        if libc::setresgid(uid, uid, uid) != 0 {
            return Err(said("setresgid"));
        }
        if libc::setresuid(uid, uid, uid) != 0 {
            return Err(said("setresuid"));
        }
        if libc::setresuid(0, 0, 0) == 0 {
            return Err(ConfineError::Uid("root could be taken back".to_owned()));
        }
        // A change of uid clears the parent-death signal.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    Ok(())
}

fn restrict_files(confinement: &Confinement) -> Result<bool, ConfineError> {
    let mut read = confinement.read.clone();
    let mut devices = vec![];
    if confinement.kind == Kind::Gpu {
        // The driver opens its nodes again for new streams and events, and reads what it is on.
        devices.extend(
            [
                "/dev/nvidia0",
                "/dev/nvidiactl",
                "/dev/nvidia-uvm",
                "/dev/nvidia-uvm-tools",
            ]
            .map(PathBuf::from),
        );
        read.extend(["/proc/self", "/proc/driver/nvidia", "/sys/devices"].map(PathBuf::from));
        read.extend(["/usr/lib", "/lib", "/usr/local/nvidia"].map(PathBuf::from));
    }
    let node = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(LANDLOCK))?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?
        // Paths that do not exist are left out by the helper: what is not there cannot be read.
        .add_rules(path_beneath_rules(read, AccessFs::from_read(LANDLOCK)))?
        .add_rules(path_beneath_rules(devices, node))?
        .restrict_self()?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(true),
        RulesetStatus::PartiallyEnforced => Ok(false),
        RulesetStatus::NotEnforced => Err(ConfineError::NoLandlock),
    }
}

/// Everything that is not listed fails with EPERM, so that a library's error stays an error.
fn filter(kind: Kind) -> Result<BpfProgram, seccompiler::BackendError> {
    let architecture = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(
        syscalls::rules(kind)?,
        SeccompAction::Errno(libc::EPERM as u32),
        SeccompAction::Allow,
        architecture,
    )?
    .try_into()
}

/// The socket's number, for tests of what is inherited.
pub(crate) fn is_channel(descriptor: i32) -> bool {
    descriptor == CHANNEL_FD || descriptor == std::io::stderr().as_raw_fd()
}
