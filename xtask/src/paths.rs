//! Where things lie: the workspace, what builds write, what outlives a build.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// Where cargo puts what it builds for this machine.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// What the server serves as files: `target/site/pkg` and `target/site/manifest.json`.
pub fn site() -> PathBuf {
    root().join("target/site")
}

/// Downloads that any checkout of this user shares.
///
/// As root it lies under /var/cache: where namespaces are not to be had, a compiler runs as a user of its own,
/// and that user cannot reach root's home.
pub fn cache() -> Result<PathBuf> {
    if is_root() && env::var_os("XDG_CACHE_HOME").is_none() {
        return Ok(PathBuf::from("/var/cache/warpyard"));
    }
    xdg("XDG_CACHE_HOME", ".cache")
}

/// What must survive: the cluster of `./dev up`.
///
/// As root it lies under /var/lib, because Postgres refuses root
/// and the user it runs as instead cannot reach root's home.
pub fn data() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("WARPYARD_DATA") {
        return Ok(root().join(folder));
    }
    if is_root() {
        return Ok(PathBuf::from("/var/lib/warpyard"));
    }
    xdg("XDG_DATA_HOME", ".local/share")
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// First executable of that name on PATH.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

/// All files below `folder` for which `keep` holds, sorted by path.
pub fn list_files(folder: &Path, keep: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if keep(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

fn xdg(variable: &str, default: &str) -> Result<PathBuf> {
    if let Some(folder) = env::var_os(variable).filter(|folder| !folder.is_empty()) {
        return Ok(PathBuf::from(folder).join("warpyard"));
    }
    match env::var_os("HOME") {
        Some(home) => Ok(PathBuf::from(home).join(default).join("warpyard")),
        None => bail!("HOME is not set: set it, or set {variable}"),
    }
}
