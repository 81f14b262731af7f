//! The start-up probe: tries the escapes themselves under a job's own profile, and prints expected against seen.
//!
//! Per kind of runner one child confines itself as that kind does and then behaves as badly as it can. A level at
//! which one row is not as expected is not claimed. What a GPU's driver keeps open is tried only where there is one.

mod attempts;
mod child;

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::confine::Kind;
use crate::spawn::{find_bubblewrap, spawn};
use crate::{Level, Limits, Outcome, Profile};

pub use child::child_main;

/// Names a file of the parent that the child must not read.
const CANARY_VARIABLE: &str = "WARPYARD_PROBE_CANARY";
/// Names the kind that the child is to be.
const KIND_VARIABLE: &str = "WARPYARD_PROBE_KIND";
/// Last line of a whole report.
const END: &str = "end";
/// Exit code of a child whose 32-bit system call came through.
const OLD_CALL_WORKED: u8 = 77;
/// Bytes of the child's report.
const REPORT_BYTES_MAX: u64 = 64 << 10;
/// How long the probe may take.
const PROBE_TIME: Duration = Duration::from_secs(10);
/// The last row, which the parent sees by the child's end.
const OLD_CALL: &str = "32-bit system call";

/// One escape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As what kind of runner.
    pub kind: Kind,
    /// What was tried.
    pub name: String,
    /// What must be seen.
    pub expected: String,
    /// What was seen.
    pub seen: String,
    /// Whether that is as expected.
    pub ok: bool,
}

/// What a level did.
#[derive(Clone, Debug)]
pub struct ProbeReport {
    /// The level.
    pub level: Level,
    /// All escapes.
    pub rows: Vec<Row>,
    /// Whether every row is as expected.
    pub holds: bool,
    /// What was found out about better levels that do not hold here.
    pub remarks: Vec<String>,
}

impl fmt::Display for ProbeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.holds { "holds" } else { "does NOT hold" };
        writeln!(f, "sandbox level {:?}: {word}", self.level)?;
        for remark in &self.remarks {
            writeln!(f, "  {remark}")?;
        }
        let line = |f: &mut fmt::Formatter<'_>, cells: [&str; 5]| {
            let [ok, kind, name, expected, seen] = cells;
            writeln!(f, "  {ok:4} {kind:10} {name:32} {expected:9} {seen}")
        };
        line(f, ["", "as", "tried", "expected", "seen"])?;
        for row in &self.rows {
            let ok = if row.ok { "ok" } else { "FAIL" };
            let kind = format!("{:?}", row.kind);
            line(f, [ok, &kind, &row.name, &row.expected, &row.seen])?;
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
///
/// `program` is a runner, which calls [`child_main`] when its only argument is `probe`.
pub fn pick_level(program: &Path, allow_degraded: bool) -> Result<ProbeReport, ProbeError> {
    let mut remarks = vec![];
    for level in [Level::A, Level::B, Level::C] {
        let remark = match reason_against(level, allow_degraded) {
            Some(reason) => reason.to_owned(),
            None => match probe(level, program) {
                Ok(report) if report.holds => return Ok(ProbeReport { remarks, ..report }),
                Ok(report) => open_rows(&report),
                Err(reason) => reason,
            },
        };
        remarks.push(format!("level {level:?}: {remark}"));
    }
    Err(ProbeError::NothingHolds { remarks: remarks.join("; ") })
}

fn open_rows(report: &ProbeReport) -> String {
    let open = report.rows.iter().filter(|row| !row.ok);
    let open: Vec<_> = open.map(|row| format!("{:?}: {}: {}", row.kind, row.name, row.seen)).collect();
    open.join(", ")
}

/// Why a level need not be tried. `WARPYARD_SANDBOX` names the only one to try, for tests of the lesser ones.
fn reason_against(level: Level, allow_degraded: bool) -> Option<&'static str> {
    let only = std::env::var("WARPYARD_SANDBOX").ok();
    if only.is_some_and(|only| only != format!("{level:?}")) {
        return Some("another level was asked for");
    }
    match level {
        Level::A if find_bubblewrap().is_none() => Some("bubblewrap is not installed"),
        Level::B if !rustix::process::geteuid().is_root() => Some("only root can give each job a uid of its own"),
        Level::C if !allow_degraded => Some("not allowed"),
        _ => None,
    }
}

/// Tries everything at one level, as every kind of runner that this machine can have.
///
/// # Errors
/// The probe itself could not run; one sentence.
pub fn probe(level: Level, program: &Path) -> Result<ProbeReport, String> {
    let mut kinds = vec![Kind::Compiler, Kind::Simulator];
    if Path::new("/dev/nvidiactl").exists() {
        kinds.push(Kind::Gpu);
    }
    probe_as(level, program, &kinds)
}

/// Tries everything at one level, as these kinds of runner.
///
/// # Errors
/// The probe itself could not run; one sentence.
pub fn probe_as(level: Level, program: &Path, kinds: &[Kind]) -> Result<ProbeReport, String> {
    let canary = Canary::new(level)?;
    let mut rows = vec![];
    for kind in kinds {
        let seen = rows_of(level, program, *kind, &canary.path).map_err(|reason| format!("{kind:?}: {reason}"))?;
        rows.extend(seen);
    }
    let holds = !rows.is_empty() && rows.iter().all(|row| row.ok);
    Ok(ProbeReport { level, rows, holds, remarks: vec![] })
}

/// A file of the grader, open to everybody by its mode, that goes with this value.
struct Canary {
    path: PathBuf,
}

impl Canary {
    fn new(level: Level) -> Result<Self, String> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("warpyard-canary-{}-{number}-{level:?}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, "CANARY_FILE").map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        // What is left then is a small file in the folder for such.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn profile(program: &Path, kind: Kind, canary: &Path) -> Profile {
    let gpu = kind == Kind::Gpu;
    let nodes = ["/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"].map(PathBuf::from);
    Profile {
        program: program.to_owned(),
        args: vec!["probe".into()],
        read_only: vec![program.to_owned()],
        devices: nodes.into_iter().filter(|node| gpu && node.exists()).collect(),
        proc: gpu,
        env: vec![(CANARY_VARIABLE.into(), canary.into()), (KIND_VARIABLE.into(), format!("{kind:?}").into())],
        limits: Limits {
            address_space_bytes: Some(1 << 30),
            cpu_seconds: 10,
            file_bytes: 1 << 20,
            open_files: 64,
            processes: 64,
        },
    }
}

fn rows_of(level: Level, program: &Path, kind: Kind, canary: &Path) -> Result<Vec<Row>, String> {
    let profile = profile(program, kind, canary);
    let (mut child, mut channel) = spawn(level, &profile).map_err(|error| error.to_string())?;
    channel.set_read_timeout(Some(PROBE_TIME)).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read = Read::by_ref(&mut channel).take(REPORT_BYTES_MAX).read_to_string(&mut text);
    let outcome = child.reap();
    let context = || format!("{outcome}; it said: {}", child.stderr());
    read.map_err(|error| format!("the probe did not report: {error}; {}", context()))?;
    if text.lines().last() != Some(END) {
        return Err(format!("the probe broke off: {}", context()));
    }
    let row = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        Some(Row { kind, ok: cells.next()? == "ok", name: cells.next()?, expected: cells.next()?, seen: cells.next()? })
    };
    let mut rows: Vec<_> = text.lines().filter_map(row).collect();
    rows.push(Row {
        kind,
        name: OLD_CALL.to_owned(),
        expected: "blocked".to_owned(),
        seen: outcome.to_string(),
        ok: matches!(outcome, Outcome::Exited(0) | Outcome::Signalled(_)),
    });
    Ok(rows)
}
