//! `.sqlx`: what the database said about each query, checked in so that building needs no database.
//!
//! This does the work of `cargo sqlx prepare` without sqlx-cli:
//! a throwaway cluster, all migrations, and one compilation of `db` that asks it.

use crate::paths;
use crate::postgres::Postgres;
use crate::shell::{self, Step};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

type Metadata = BTreeMap<String, Vec<u8>>;

/// Writes `.sqlx` anew.
pub fn prepare() -> Result<()> {
    let fresh = ask_database()?;
    let folder = checked_in();
    fs::create_dir_all(&folder)?;
    for name in read(&folder)?.keys().filter(|name| !fresh.contains_key(*name)) {
        fs::remove_file(folder.join(name))?;
    }
    for (name, text) in &fresh {
        fs::write(folder.join(name), text)?;
    }
    eprintln!("==> .sqlx describes {} queries", fresh.len());
    Ok(())
}

/// Fails unless `.sqlx` is what `prepare` would write.
pub fn check() -> Result<()> {
    let fresh = ask_database()?;
    let stored = read(&checked_in())?;
    if fresh == stored {
        return Ok(());
    }
    let stale: Vec<&str> = fresh
        .iter()
        .filter(|(name, text)| stored.get(*name) != Some(text))
        .map(|(name, _)| name.as_str())
        .chain(stored.keys().filter(|name| !fresh.contains_key(*name)).map(String::as_str))
        .collect();
    bail!(
        ".sqlx is out of date in {} files ({}): run `cargo xtask sqlx prepare` and commit it",
        stale.len(),
        stale[..stale.len().min(3)].join(", ")
    )
}

fn checked_in() -> PathBuf {
    paths::root().join(".sqlx")
}

fn read(folder: &Path) -> Result<Metadata> {
    if !folder.exists() {
        return Ok(Metadata::new());
    }
    let mut found = Metadata::new();
    for path in paths::list_files(folder, &|path| paths::has_extension(path, "json"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        found.insert(name.into_owned(), fs::read(&path)?);
    }
    Ok(found)
}

/// Describes every query of `db` by a database that has all migrations.
fn ask_database() -> Result<Metadata> {
    let postgres = Postgres::start_throwaway()?;
    migrate(&postgres)?;
    let folder = paths::target().join("sqlx");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let sources = paths::list_files(&paths::root().join("crates/db"), &|path| paths::has_extension(path, "rs"))?;
    let step = Step::loud("Asking Postgres about every query of db");
    let _touched = Touched::now(sources)?;
    let mut command = shell::cargo();
    command
        .args(["check", "--quiet", "-p", "db", "--all-targets"])
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", &folder)
        .env("DATABASE_URL", postgres.url());
    shell::run(&mut command)?;
    step.done();
    read(&folder)
}

fn migrate(postgres: &Postgres) -> Result<()> {
    let migrations = paths::list_files(&paths::root().join("migrations"), &|path| paths::has_extension(path, "sql"))?;
    for path in migrations {
        let sql = fs::read_to_string(&path)?;
        postgres.execute(&sql).with_context(|| format!("migration {} fails", path.display()))?;
    }
    Ok(())
}

/// Makes cargo compile files again that did not change, and gives them their times back.
///
/// The macros ask the database while they expand, so an up-to-date crate would ask nothing.
/// With the old times restored, all that depends on `db` stays up to date.
struct Touched {
    now: SystemTime,
    before: Vec<(PathBuf, SystemTime)>,
}

impl Touched {
    fn now(paths: Vec<PathBuf>) -> Result<Self> {
        let mut touched = Self { now: SystemTime::now(), before: Vec::new() };
        for path in paths {
            let file = File::options().append(true).open(&path)?;
            let modified = file.metadata()?.modified()?;
            file.set_modified(touched.now)?;
            touched.before.push((path, modified));
        }
        Ok(touched)
    }
}

impl Drop for Touched {
    fn drop(&mut self) {
        for (path, modified) in &self.before {
            let Ok(file) = File::options().append(true).open(path) else {
                continue;
            };
            // Someone who edits meanwhile keeps the new time.
            let unchanged =
                file.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|found| found == self.now);
            if unchanged {
                let _ = file.set_modified(*modified);
            }
        }
    }
}
