//! The start-up probe: tries the escapes themselves under the job's own profile, and prints expected against seen.
//!
//! The child is an ordinary runner that confines itself as the compiler does (the kind that may still open files) and then behaves as badly as it can.
//! A level at which one row is not blocked is not claimed.

use std::fmt;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use crate::confine::{self, Confinement, Kind, UID_VARIABLE};
use crate::spawn::{find_bubblewrap, spawn};
use crate::{Level, Limits, Profile};

/// Names a file of the parent that the child must not read.
const CANARY_VARIABLE: &str = "WARPYARD_PROBE_CANARY";
/// Bytes of the child's report.
const REPORT_BYTES_MAX: u64 = 64 << 10;
/// How long the probe may take.
const PROBE_TIME: Duration = Duration::from_secs(10);

/// One escape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What was tried.
    pub name: String,
    /// What was seen: `blocked` and why, or `OPEN` and what came through.
    pub seen: String,
    /// Whether it was blocked.
    pub ok: bool,
}

/// What a level did.
#[derive(Clone, Debug)]
pub struct ProbeReport {
    /// The level.
    pub level: Level,
    /// All escapes.
    pub rows: Vec<Row>,
    /// Whether every one was blocked.
    pub holds: bool,
    /// What was found out about better levels that do not hold here.
    pub remarks: Vec<String>,
}

impl fmt::Display for ProbeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "sandbox level {:?}: {}",
            self.level,
            if self.holds { "holds" } else { "does NOT hold" }
        )?;
        for remark in &self.remarks {
            writeln!(f, "  {remark}")?;
        }
        writeln!(f, "  {:34} {:10} seen", "tried", "expected")?;
        for row in &self.rows {
            writeln!(f, "  {:34} {:10} {}", row.name, "blocked", row.seen)?;
        }
        Ok(())
    }
}

/// Why no level is used.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// Nothing holds.
    #[error(
        "no sandbox level holds here: {remarks}. Install bubblewrap and allow user namespaces, or run the grader as root; --allow-degraded grades on the simulator without isolation between jobs"
    )]
    NothingHolds {
        /// Per level, why not.
        remarks: String,
    },
}

/// The best level whose probe holds. Level C counts only where an operator insists.
pub fn pick_level(program: &Path, allow_degraded: bool) -> Result<ProbeReport, ProbeError> {
    let mut remarks = vec![];
    for level in [Level::A, Level::B, Level::C] {
        match reason_against(level, allow_degraded) {
            Some(reason) => remarks.push(format!("level {level:?}: {reason}")),
            None => match probe(level, program) {
                Ok(mut report) if report.holds => {
                    report.remarks = remarks;
                    return Ok(report);
                }
                Ok(report) => {
                    let open: Vec<_> = report
                        .rows
                        .iter()
                        .filter(|row| !row.ok)
                        .map(|row| format!("{} {}", row.name, row.seen))
                        .collect();
                    remarks.push(format!("level {level:?}: {}", open.join(", ")));
                }
                Err(reason) => remarks.push(format!("level {level:?}: {reason}")),
            },
        }
    }
    Err(ProbeError::NothingHolds {
        remarks: remarks.join("; "),
    })
}

/// Why a level need not be tried. `WARPYARD_SANDBOX` names the only one to try, for tests of the lesser ones.
fn reason_against(level: Level, allow_degraded: bool) -> Option<&'static str> {
    // SAFETY: a plain system call.
    let root = unsafe { libc::geteuid() } == 0;
    let only = std::env::var("WARPYARD_SANDBOX").ok();
    if only.is_some_and(|only| only != format!("{level:?}")) {
        return Some("another level was asked for");
    }
    match level {
        Level::A if find_bubblewrap().is_none() => Some("bubblewrap is not installed"),
        Level::B if !root => Some("only root can give each job a uid of its own"),
        Level::C if !allow_degraded => Some("not allowed"),
        _ => None,
    }
}

/// Tries everything at one level.
///
/// # Errors
/// The probe itself could not run; one sentence.
pub fn probe(level: Level, program: &Path) -> Result<ProbeReport, String> {
    let canary =
        std::env::temp_dir().join(format!("warpyard-canary-{}-{level:?}", std::process::id()));
    std::fs::write(&canary, "CANARY_FILE")
        .map_err(|error| format!("cannot write {}: {error}", canary.display()))?;
    let rows = probe_rows(level, program, &canary);
    let _ = std::fs::remove_file(&canary);
    let rows = rows?;
    let holds = !rows.is_empty() && rows.iter().all(|row| row.ok);
    Ok(ProbeReport {
        level,
        rows,
        holds,
        remarks: vec![],
    })
}

fn probe_rows(level: Level, program: &Path, canary: &Path) -> Result<Vec<Row>, String> {
    let profile = Profile {
        program: program.to_owned(),
        args: vec!["probe".into()],
        read_only: vec![program.to_owned()],
        devices: vec![],
        proc: false,
        env: vec![(CANARY_VARIABLE.into(), canary.into())],
        limits: Limits {
            address_space_bytes: Some(1 << 30),
            cpu_seconds: 10,
            file_bytes: 1 << 20,
            open_files: 64,
            processes: 64,
        },
    };
    let (mut child, mut channel) = spawn(level, &profile).map_err(|error| error.to_string())?;
    channel
        .set_read_timeout(Some(PROBE_TIME))
        .map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read = Read::by_ref(&mut channel)
        .take(REPORT_BYTES_MAX)
        .read_to_string(&mut text);
    let outcome = child.reap();
    read.map_err(|error| {
        format!(
            "the probe did not report: {error}; {outcome}; {}",
            child.stderr()
        )
    })?;
    if !text.ends_with("end\n") {
        return Err(format!(
            "the probe broke off: {outcome}; {}",
            child.stderr()
        ));
    }
    let row = |line: &str| {
        let (name, seen) = line.split_once('\t')?;
        Some(Row {
            name: name.to_owned(),
            seen: seen.to_owned(),
            ok: seen.starts_with("blocked"),
        })
    };
    Ok(text.lines().filter_map(row).collect())
}

/// The body of the probe child. Returns the exit code.
pub fn child_main() -> u8 {
    let mut channel = confine::channel();
    let canary = std::env::var_os(CANARY_VARIABLE).unwrap_or_default();
    let environment = strange_variables();
    if let Err(error) = confine::confine(&Confinement {
        read: vec![],
        kind: Kind::Compiler,
    }) {
        eprintln!("probe: {error}");
        return 3;
    }
    let mut report = String::new();
    let mut note = |name: &str, tried: Result<String, String>| {
        let seen = match tried {
            Ok(open) => format!("OPEN {open}"),
            Err(why) => format!("blocked ({why})"),
        };
        report.push_str(&format!("{name}\t{seen}\n"));
    };
    note("environment", environment);
    note("descriptors beyond 0-3", strange_descriptors());
    try_files(&mut note, Path::new(&canary));
    try_network(&mut note);
    try_processes(&mut note);
    try_kernel(&mut note);
    report.push_str("end\n");
    let sent = channel
        .write_all(report.as_bytes())
        .and_then(|()| channel.shutdown(Shutdown::Write));
    u8::from(sent.is_err())
}

fn strange_variables() -> Result<String, String> {
    let known =
        |name: &str| [CANARY_VARIABLE, UID_VARIABLE, "PWD", "LD_LIBRARY_PATH"].contains(&name);
    let strange: Vec<_> = std::env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .filter(|name| !known(name))
        .collect();
    if strange.is_empty() {
        Err("none".to_owned())
    } else {
        Ok(strange.join(" "))
    }
}

fn strange_descriptors() -> Result<String, String> {
    // SAFETY: asking for flags of a number that may be no descriptor is harmless.
    let open = |descriptor: &i32| unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } >= 0;
    let strange: Vec<_> = (3..1024)
        .filter(open)
        .filter(|descriptor| !confine::is_channel(*descriptor))
        .map(|d| d.to_string())
        .collect();
    if strange.is_empty() {
        Err("none".to_owned())
    } else {
        Ok(strange.join(" "))
    }
}

type Note<'a> = dyn FnMut(&str, Result<String, String>) + 'a;

fn try_files(note: &mut Note, canary: &Path) {
    let read = |path: &Path| {
        std::fs::read(path)
            .map(|bytes| format!("{} bytes", bytes.len()))
            .map_err(|error| error.to_string())
    };
    note("read a file of the grader", read(canary));
    for path in [
        "/etc/passwd",
        "/etc/shadow",
        "/proc/1/environ",
        "/proc/self/environ",
        "/proc/self/mem",
        "/dev/stdin",
        "/root/.bashrc",
    ] {
        note(&format!("read {path}"), read(Path::new(path)));
    }
    let list = |path: &str| {
        std::fs::read_dir(path)
            .map(|entries| format!("{} entries", entries.count()))
            .map_err(|error| error.to_string())
    };
    note("list /home", list("/home"));
    for path in [
        "/tmp/warpyard-probe",
        "/warpyard-probe",
        "/dev/shm/warpyard-probe",
    ] {
        note(
            &format!("write {path}"),
            std::fs::write(path, "x")
                .map(|()| path.to_owned())
                .map_err(|error| error.to_string()),
        );
    }
}

/// A system call's answer: below 0 is blocked. A child process that came through ends at once.
fn answer(result: i64) -> Result<String, String> {
    if result < 0 {
        Err(std::io::Error::last_os_error().to_string())
    } else {
        Ok(result.to_string())
    }
}

fn try_network(note: &mut Note) {
    let kinds = [
        ("TCP socket", libc::AF_INET, libc::SOCK_STREAM),
        ("UDP socket", libc::AF_INET, libc::SOCK_DGRAM),
        ("unix socket", libc::AF_UNIX, libc::SOCK_STREAM),
        ("netlink socket", libc::AF_NETLINK, libc::SOCK_RAW),
        ("packet socket", libc::AF_PACKET, libc::SOCK_RAW),
        ("vsock socket", libc::AF_VSOCK, libc::SOCK_STREAM),
        ("crypto socket", libc::AF_ALG, libc::SOCK_SEQPACKET),
    ];
    for (name, family, kind) in kinds {
        // SAFETY: a plain system call; a descriptor that came through is owned and closed here.
        let result = i64::from(unsafe { libc::socket(family, kind, 0) });
        if result >= 0 {
            // SAFETY: as above.
            drop(unsafe { OwnedFd::from_raw_fd(result as i32) });
        }
        note(name, answer(result));
    }
}

fn try_processes(note: &mut Note) {
    // SAFETY: plain system calls. Signal 0 only asks; a forked child leaves at once.
    unsafe {
        note(
            "signal the parent",
            answer(i64::from(libc::kill(libc::getppid(), 0))),
        );
        note("signal everybody", answer(i64::from(libc::kill(-1, 0))));
        note(
            "trace the parent",
            answer(libc::ptrace(libc::PTRACE_ATTACH, libc::getppid(), 0, 0)),
        );
        let forked = libc::syscall(libc::SYS_fork);
        if forked == 0 {
            libc::_exit(0);
        }
        note("fork", answer(forked));
        let words: [*const libc::c_char; 2] = [c"/bin/true".as_ptr(), std::ptr::null()];
        note(
            "execute /bin/true",
            answer(i64::from(libc::execve(
                words[0],
                words.as_ptr(),
                std::ptr::null(),
            ))),
        );
        note(
            "anonymous file to execute",
            answer(i64::from(libc::memfd_create(c"x".as_ptr(), 0))),
        );
    }
}

fn try_kernel(note: &mut Note) {
    let null = std::ptr::null::<libc::c_void>();
    // SAFETY: plain system calls whose arguments are constants or null; none succeeds in a sandbox that holds.
    unsafe {
        note(
            "new user namespace",
            answer(i64::from(libc::unshare(libc::CLONE_NEWUSER))),
        );
        note(
            "mount",
            answer(i64::from(libc::mount(
                c"none".as_ptr(),
                c"/".as_ptr(),
                c"tmpfs".as_ptr(),
                0,
                null,
            ))),
        );
        note(
            "pivot_root",
            answer(libc::syscall(
                libc::SYS_pivot_root,
                c"/".as_ptr(),
                c"/".as_ptr(),
            )),
        );
        note(
            "setns",
            answer(i64::from(libc::setns(std::io::stdin().as_raw_fd(), 0))),
        );
        note("bpf", answer(libc::syscall(libc::SYS_bpf, 0, null, 0)));
        note(
            "perf_event_open",
            answer(libc::syscall(libc::SYS_perf_event_open, null, 0, -1, -1, 0)),
        );
        note(
            "userfaultfd",
            answer(libc::syscall(libc::SYS_userfaultfd, 0)),
        );
        note(
            "io_uring",
            answer(libc::syscall(libc::SYS_io_uring_setup, 1, null)),
        );
        note("keyctl", answer(libc::syscall(libc::SYS_keyctl, 0, -3, 1)));
        note(
            "open by handle",
            answer(libc::syscall(libc::SYS_open_by_handle_at, -100, null, 0)),
        );
        note("become root", answer(i64::from(libc::setresuid(0, 0, 0))));
        let free = libc::rlimit {
            rlim_cur: libc::RLIM_INFINITY,
            rlim_max: libc::RLIM_INFINITY,
        };
        note(
            "lift a limit",
            answer(i64::from(libc::setrlimit(
                libc::RLIMIT_CORE,
                &raw const free,
            ))),
        );
        let all = libc::mmap(
            std::ptr::null_mut(),
            64 << 30,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        note(
            "64 GiB of memory",
            if all == libc::MAP_FAILED {
                answer(-1)
            } else {
                Ok("mapped".to_owned())
            },
        );
    }
}
