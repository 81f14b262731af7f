//! A private Postgres that a test may kill.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use tempfile::TempDir;

/// A cluster in a folder of its own, reached by a unix socket only.
pub struct Cluster {
    folder: TempDir,
    bin: PathBuf,
    owner: Option<(u32, u32)>,
    postmaster: Child,
}

impl Cluster {
    /// Makes and starts one.
    pub async fn start() -> anyhow::Result<Self> {
        let bin = find_bin().context("no Postgres programs are installed")?;
        let folder = tempfile::Builder::new().prefix("wy-pg-").tempdir()?;
        let owner = owner()?;
        if let Some((uid, gid)) = owner {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid))?;
        }
        let data = folder.path().join("data");
        let made = command(&bin.join("initdb"), owner)
            .args(["-A", "trust", "-U", "postgres", "--no-sync", "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .status()?;
        if !made.success() {
            bail!("initdb: {made}");
        }
        let postmaster = launch(&bin, owner, folder.path())?;
        let cluster = Self { folder, bin, owner, postmaster };
        cluster.answers().await?;
        Ok(cluster)
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("postgres://postgres@localhost/postgres?host={}", self.folder.path().display())
    }

    /// Ends it as a power cut would, then starts it again.
    pub async fn crash_and_restart(&mut self) -> anyhow::Result<()> {
        self.postmaster.kill()?;
        self.postmaster.wait()?;
        // Its own processes notice within a moment; until then a new postmaster refuses the folder.
        for _ in 0..50 {
            tokio::time::sleep(Duration::from_millis(200)).await;
            self.postmaster = launch(&self.bin, self.owner, self.folder.path())?;
            tokio::time::sleep(Duration::from_millis(300)).await;
            if self.postmaster.try_wait()?.is_none() {
                return self.answers().await;
            }
        }
        bail!("Postgres does not start again")
    }

    async fn answers(&self) -> anyhow::Result<()> {
        for _ in 0..100 {
            if db::connect(&self.url()).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        bail!("Postgres does not answer")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // SIGQUIT: immediate shutdown of the whole cluster; the folder goes anyway.
        let _ = Command::new("kill").args(["-QUIT", &self.postmaster.id().to_string()]).status();
        let _ = self.postmaster.wait();
    }
}

fn launch(bin: &Path, owner: Option<(u32, u32)>, folder: &Path) -> anyhow::Result<Child> {
    let log = std::fs::File::create(folder.join("log"))?;
    Ok(command(&bin.join("postgres"), owner)
        .arg("-D")
        .arg(folder.join("data"))
        .arg("-k")
        .arg(folder)
        .args(["-c", "listen_addresses="])
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()?)
}

fn command(program: &Path, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).current_dir("/");
    if let Some((uid, gid)) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

fn find_bin() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    versions.flatten().map(|entry| entry.path().join("bin")).find(|bin| bin.join("initdb").exists())
}

/// Postgres refuses root: then it runs as `postgres`, or as `nobody`.
fn owner() -> anyhow::Result<Option<(u32, u32)>> {
    let id = |arguments: &[&str]| -> Option<u32> {
        let output = Command::new("id").args(arguments).output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    if id(&["-u"]) != Some(0) {
        return Ok(None);
    }
    let find = |name: &str| Some((id(&["-u", name])?, id(&["-g", name])?));
    find("postgres").or_else(|| find("nobody")).map(Some).context("neither the user postgres nor nobody exists")
}
