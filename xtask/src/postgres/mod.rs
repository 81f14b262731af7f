//! A private Postgres: nobody else's cluster is touched, no port is opened, no password exists.
//!
//! # Theory of operation
//!
//! A cluster is a folder of mode 0700 with `data` (initdb's), `run` (the socket) and `log`.
//! Who may enter the folder may connect, so `trust` is enough and TCP is off.
//! Postgres refuses root: as root the folder belongs to `postgres`, or to `nobody`,
//! and the server runs as that user; root connects all the same.
//!
//! The postmaster is our direct child in its own process group, so that Ctrl-C reaches it only from us,
//! and it gets SIGINT (a fast shutdown) from the kernel should we die without a word.
//! `lock` is held as long as this process lives: whoever has it may stop a postmaster left over by a kill.
//!
//! A lasting cluster carries its major version in its name and is never upgraded or removed.
//! A throwaway one is fast and unsafe (fsync off), lies in the temporary folder and is removed on drop.

mod programs;

use crate::paths;
use crate::pgwire::{self, Refusal};
use crate::shell::{self, Step};
use anyhow::{Context, Result, bail, ensure};
use programs::{Owner, Programs};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const USER: &str = "warpyard";
const DATABASE: &str = "warpyard";
/// A postmaster killed an instant ago still owns its lock file.
const START_TIMEOUT: Duration = Duration::from_secs(20);
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
/// `sun_path` holds 108 bytes with its end.
const SOCKET_BYTES_MAX: usize = 107;
const SOCKET_NAME: &str = ".s.PGSQL.5432";

pub struct Postgres {
    cluster: Cluster,
    child: Child,
    /// Unlocks when it closes.
    _lock: File,
}

/// What is known of a cluster whether it runs or not.
struct Cluster {
    folder: PathBuf,
    sockets: PathBuf,
    programs: Programs,
    owner: Option<Owner>,
    is_throwaway: bool,
}

impl Postgres {
    /// The cluster of `./dev up`: made on the first start, kept ever after.
    pub fn start_lasting() -> Result<Self> {
        let home = paths::data()?;
        fs::create_dir_all(&home).with_context(|| format!("cannot create {}", home.display()))?;
        let programs = match programs::find_cluster_version(&home)? {
            Some(major) => programs::find_version(&major)?,
            None => programs::find_any()?,
        };
        let folder = home.join(format!("postgres-{}", programs.major));
        Self::start(folder, programs, false)
    }

    /// A cluster for one run of tests.
    pub fn start_throwaway() -> Result<Self> {
        let temporary = if paths::is_root() { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        remove_abandoned(&temporary);
        let folder = temporary.join(format!("warpyard-test-{}", std::process::id()));
        Self::start(folder, programs::find_any()?, true)
    }

    fn start(folder: PathBuf, programs: Programs, is_throwaway: bool) -> Result<Self> {
        let owner = programs::get_owner(&folder)?;
        make_private(&folder, owner)?;
        let lock = File::create(folder.join("lock"))?;
        if lock.try_lock().is_err() {
            bail!(
                "{} is in use by another ./dev up: end that one first, or set WARPYARD_DATA to another folder",
                folder.display()
            );
        }
        let sockets = choose_socket_folder(&folder)?;
        make_private(&sockets, owner)?;
        let cluster = Cluster { folder, sockets, programs, owner, is_throwaway };
        cluster.initialise()?;
        cluster.stop_leftover();
        let child = cluster.start_and_wait()?;
        let started = Self { cluster, child, _lock: lock };
        started.create_database()?;
        Ok(started)
    }

    /// What sqlx and libpq take to connect.
    pub fn url(&self) -> String {
        let folder = self.cluster.sockets.display().to_string();
        let folder = folder.replace('%', "%25").replace(' ', "%20");
        format!("postgres://{USER}@localhost/{DATABASE}?host={folder}")
    }

    pub fn version(&self) -> &str {
        &self.cluster.programs.major
    }

    /// Runs `sql`, which may hold many statements.
    pub fn execute(&self, sql: &str) -> Result<(), Refusal> {
        pgwire::execute(&self.cluster.socket(), USER, DATABASE, sql)
    }

    /// How it ended, if it did.
    pub fn find_exit(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Starts it again after it ended by itself.
    pub fn restart(&mut self) -> Result<()> {
        self.child = self.cluster.start_and_wait()?;
        Ok(())
    }

    /// Fast shutdown: sessions end, what was committed is on disk.
    pub fn stop(&mut self) -> Result<()> {
        if self.find_exit().is_some() {
            return Ok(());
        }
        kill_process(Pid::from_child(&self.child), Signal::INT)?;
        let deadline = Instant::now() + STOP_TIMEOUT;
        while self.find_exit().is_none() {
            if Instant::now() > deadline {
                self.child.kill()?;
                self.child.wait()?;
                bail!("Postgres did not stop in 30 s and was killed; it recovers at its next start");
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn create_database(&self) -> Result<()> {
        match self.execute("SELECT 1") {
            Err(refusal) if refusal.is_missing_database() => {
                let sql = format!("CREATE DATABASE {DATABASE}");
                pgwire::execute(&self.cluster.socket(), USER, "postgres", &sql).context("cannot create the database")
            }
            other => other.context("Postgres runs but refuses us"),
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            eprintln!("warning: {error:#}");
        }
        if self.cluster.is_throwaway {
            let _ = fs::remove_dir_all(&self.cluster.folder);
        }
    }
}

impl Cluster {
    fn socket(&self) -> PathBuf {
        self.sockets.join(SOCKET_NAME)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// initdb into a folder beside, then rename: a killed initdb leaves nothing half made.
    fn initialise(&self) -> Result<()> {
        if self.data().exists() {
            return Ok(());
        }
        let step = Step::quiet("Making a private Postgres cluster");
        let unfinished = self.folder.join("data.new");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        let mut command = self.command("initdb", None);
        command.arg("-D").arg(&unfinished);
        command.args(["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]);
        if self.is_throwaway {
            command.arg("--no-sync");
        }
        shell::get_output(&mut command)?;
        fs::rename(&unfinished, self.data())?;
        step.done();
        Ok(())
    }

    /// We hold the lock, so a postmaster on this folder is an orphan of a killed run.
    fn stop_leftover(&self) {
        let Ok(text) = fs::read_to_string(self.data().join("postmaster.pid")) else {
            return;
        };
        let pid = text.lines().next().and_then(|line| line.trim().parse().ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else {
            return;
        };
        // The number may be another process's by now: only the folder it works in tells.
        let works_in = fs::read_link(format!("/proc/{}/cwd", pid.as_raw_nonzero()));
        if works_in.is_ok_and(|folder| folder == self.data()) {
            let _ = kill_process(pid, Signal::INT);
        }
    }

    fn start_and_wait(&self) -> Result<Child> {
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            let mut child = self.spawn()?;
            while child.try_wait()?.is_none() {
                if self.answers() {
                    return Ok(child);
                }
                if Instant::now() > deadline + START_TIMEOUT {
                    child.kill()?;
                    child.wait()?;
                    break;
                }
                sleep(Duration::from_millis(20));
            }
            if Instant::now() > deadline {
                bail!("Postgres does not start; its last words:\n{}", self.last_words());
            }
            sleep(Duration::from_millis(300));
        }
    }

    fn answers(&self) -> bool {
        pgwire::execute(&self.socket(), USER, "postgres", "SELECT 1").is_ok()
    }

    fn spawn(&self) -> Result<Child> {
        let log = self.folder.join("log");
        let is_long = fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 1 << 20);
        let log = OpenOptions::new().create(true).write(true).append(!is_long).truncate(is_long).open(log)?;
        let mut command = self.command("postgres", Some("INT"));
        command.arg("-D").arg(self.data()).arg("-k").arg(&self.sockets);
        command.args(["-c", "listen_addresses=", "-c", "max_connections=200"]);
        if self.is_throwaway {
            command.args(["-c", "fsync=off", "-c", "synchronous_commit=off"]);
            command.args(["-c", "full_page_writes=off"]);
        }
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start Postgres")
    }

    fn command(&self, program: &str, signal_on_our_death: Option<&str>) -> Command {
        let program = self.programs.folder.join(program);
        let mut command = shell::tied(&program, signal_on_our_death);
        command.current_dir(&self.folder);
        if let Some(owner) = self.owner {
            command.uid(owner.uid).gid(owner.gid);
        }
        // Settings of another cluster must not leak into this one.
        for name in ["PGDATA", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE"] {
            command.env_remove(name);
        }
        command
    }

    fn last_words(&self) -> String {
        let text = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

/// A folder that only its owner may enter, whether it existed or not.
fn make_private(folder: &Path, owner: Option<Owner>) -> Result<()> {
    if let Err(error) = DirBuilder::new().mode(0o700).create(folder)
        && !folder.is_dir()
    {
        return Err(error).with_context(|| format!("cannot create {}", folder.display()));
    }
    let metadata = fs::symlink_metadata(folder)?;
    ensure!(metadata.is_dir(), "{} is no folder", folder.display());
    if let Some(owner) = owner {
        chown(folder, Some(owner.uid), Some(owner.gid))?;
    } else {
        let we = rustix::process::geteuid().as_raw();
        ensure!(
            metadata.uid() == we,
            "{} belongs to another user: remove it, or set WARPYARD_DATA to a folder of your own",
            folder.display()
        );
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    Ok(())
}

/// Beside the data, unless a deep home makes the path too long for a socket.
fn choose_socket_folder(folder: &Path) -> Result<PathBuf> {
    let beside = folder.join("run");
    if beside.join(SOCKET_NAME).as_os_str().len() <= SOCKET_BYTES_MAX {
        return Ok(beside);
    }
    let name = format!("warpyard-run-{}", rustix::process::geteuid().as_raw());
    let short = Path::new("/tmp").join(name);
    ensure!(
        short.join(SOCKET_NAME).as_os_str().len() <= SOCKET_BYTES_MAX,
        "no folder has a path short enough for a socket"
    );
    Ok(short)
}

/// Clusters of test runs that were killed: the process in their name is gone.
fn remove_abandoned(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid =
            name.to_str().and_then(|name| name.strip_prefix("warpyard-test-")).and_then(|pid| pid.parse::<u32>().ok());
        if let Some(pid) = pid
            && !Path::new(&format!("/proc/{pid}")).exists()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
