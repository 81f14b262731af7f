//! The app as WebAssembly: cargo's output and wasm-bindgen's glue around it.
//!
//! The library wasm-bindgen-cli-support is pinned by the same lock file as wasm-bindgen itself,
//! which must be of exactly the same version; an installed command would drift.
//!
//! The standard library for wasm32 comes the ordinary way (`rustup target add`) where that works.
//! Elsewhere Debian's rustc-web brings the standard library's sources, and cargo builds them;
//! rustup's linker serves both. There is no rust-toolchain.toml that names the target:
//! every call of cargo would then try to download it.

use crate::paths;
use crate::shell::{self, Step};
use anyhow::{Context, Result, anyhow, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

pub const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "wasm-release";

/// Compiles the app for the browser; cargo skips what is up to date. Returns the module's path.
pub fn compile() -> Result<PathBuf> {
    let step = Step::loud("Compiling the app to WebAssembly");
    let target_folder = paths::target().join("wasm");
    let mut command = choose_compiler()?;
    // wasm-bindgen reads a section that stripping removes; it strips the rest itself.
    let keep = format!("profile.{PROFILE}.strip=false");
    command
        .args(["--lib", "--profile", PROFILE, "-p", "app", "--config", &keep])
        .args(["--features", "hydrate", "--target", TARGET, "--target-dir"])
        .arg(&target_folder);
    shell::run(&mut command)?;
    step.done();
    Ok(target_folder.join(TARGET).join(PROFILE).join("app.wasm"))
}

/// Writes `app.js` and `app_bg.wasm` (and `snippets/`, if any) into `folder`.
pub fn bind(module: &Path, folder: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name("app")
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder))
        .map_err(|error| anyhow!("wasm-bindgen fails: {error:#}"))
}

/// `cargo build` by whichever toolchain has a standard library for the target.
fn choose_compiler() -> Result<Command> {
    let sysroot = shell::get_output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib");
    if has_files(&libraries.join(TARGET).join("lib")) {
        let mut command = shell::cargo();
        command.arg("build");
        return Ok(command);
    }
    build_std(&libraries)
}

/// Debian's compiler, which has the sources of its standard library (package rust-web-src).
fn build_std(libraries: &Path) -> Result<Command> {
    let compiler = Path::new("/usr/bin/rustc");
    let cargo = Path::new("/usr/bin/cargo");
    let sources = shell::get_output(Command::new(compiler).args(["--print", "sysroot"]))
        .map(|sysroot| Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library"));
    if !cargo.is_file() || !sources.is_ok_and(|sources| sources.exists()) {
        bail!(
            "there is no standard library for {TARGET}: run `rustup target add {TARGET}`, \
             or let ./dev install Debian's rustc-web, cargo-web and rust-web-src"
        );
    }
    let version = shell::get_output(Command::new(compiler).arg("--version"))?;
    if !is_new_enough(&version, env!("CARGO_PKG_RUST_VERSION")) {
        bail!(
            "Debian's rustc-web is too old ({}; {} is needed): add bookworm-security to /etc/apt/sources.list, \
             run `apt-get update && apt-get install rustc-web cargo-web rust-web-src`, then try again",
            version.trim(),
            env!("CARGO_PKG_RUST_VERSION")
        );
    }
    let linker = find_linker(libraries).context("no rust-lld in the toolchain: install a toolchain by rustup")?;
    let mut command = Command::new(cargo);
    command
        .arg("build")
        .args(["-Zbuild-std=std,panic_abort"])
        .args(["-Zbuild-std-features=optimize_for_size"])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", compiler)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
        .env("SQLX_OFFLINE", "true");
    Ok(command)
}

/// Whether `rustc 1.96.0 (…)` is at least `1.95`.
fn is_new_enough(version: &str, needed: &str) -> bool {
    let numbers = |text: &str| {
        let mut parts = text.split('.').map(|part| part.parse::<u32>().ok());
        Some((parts.next()??, parts.next()??))
    };
    let found = version.split_whitespace().nth(1).and_then(numbers);
    found.is_some() && found >= numbers(needed)
}

fn find_linker(libraries: &Path) -> Option<PathBuf> {
    let host = libraries.join(format!("{}-unknown-linux-gnu", env::consts::ARCH));
    let linker = host.join("bin/rust-lld");
    linker.is_file().then_some(linker)
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn an_old_compiler_is_told_apart() {
        for (version, expect) in [
            ("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)", true),
            ("rustc 1.95.1", true),
            ("rustc 2.0.0", true),
            ("rustc 1.85.0 (4d91de4e4 2025-02-17)", false),
            ("gcc", false),
            ("", false),
        ] {
            assert_eq!(is_new_enough(version, "1.95"), expect, "{version}");
        }
    }
}
