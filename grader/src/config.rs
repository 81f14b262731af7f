//! Where the compiler, the runner and the device are: found once at the start, told in one sentence when missing.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use domain::job::Backend;

/// Has the compiler note source lines beside optimised code.
pub const LINE_OPTION: &str = "-lineinfo";

/// What every command of the grader needs.
#[derive(Args, Clone, Debug)]
pub struct ToolArguments {
    /// Folder with lib/ (libnvrtc) and include/ (CUDA headers).
    #[arg(long, env = "WARPYARD_CUDA", global = true)]
    pub cuda: Option<PathBuf>,
    /// What runs kernels: sim, gpu, or the best that is here.
    #[arg(long, default_value = "auto", value_parser = ["auto", "sim", "gpu"], global = true)]
    pub device: String,
    /// The runner program; the one beside this program by default.
    #[arg(long, env = "WARPYARD_RUNNER", global = true)]
    pub runner: Option<PathBuf>,
    /// Work although the sandbox is not whole. Simulator only; pages of instructors and admins say so.
    #[arg(long, env = "WARPYARD_ALLOW_DEGRADED", global = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub allow_degraded: bool,
}

/// Paths that hold at the start.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// Folder of libnvrtc.so.13 and its builtins.
    pub libraries: PathBuf,
    /// Folders that a source may include from.
    pub includes: Vec<PathBuf>,
    /// The runner program.
    pub runner: PathBuf,
}

impl Toolchain {
    /// Finds all paths, or says what is missing and what to do.
    pub fn find(arguments: &ToolArguments) -> anyhow::Result<Self> {
        let roots = candidates(arguments.cuda.as_deref());
        let Some((libraries, include)) = roots.iter().find_map(|root| complete(root)) else {
            bail!(
                "no libnvrtc.so.13 with headers in {}. Run ./dev up, which fetches them, or name a CUDA 13 folder with --cuda.",
                roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
            );
        };
        let mut includes = vec![include.clone()];
        includes.extend(Some(include.join("cccl")).filter(|folder| folder.is_dir()));
        let runner = match &arguments.runner {
            Some(runner) => runner.clone(),
            None => std::env::current_exe().context("the path of this program")?.with_file_name("runner"),
        };
        let runner = runner.canonicalize().with_context(|| {
            format!(
                "the runner program {} is missing; it is built beside the grader: cargo build -p grader",
                runner.display()
            )
        })?;
        Ok(Self { libraries, includes, runner })
    }

    /// Options that every compilation has.
    pub fn include_options(&self) -> Vec<String> {
        let mut options = vec!["--std=c++17".to_owned(), LINE_OPTION.to_owned()];
        options.extend(self.includes.iter().map(|folder| format!("--include-path={}", folder.display())));
        options
    }
}

fn candidates(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_owned()];
    }
    let mut roots: Vec<PathBuf> =
        ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(std::env::var_os).map(PathBuf::from).collect();
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    roots.extend(cache.map(|cache| cache.join("warpyard/cuda-13.0/nvidia/cu13")));
    roots.push("/usr/local/cuda".into());
    roots
}

/// The library and include folders below `root`, if both are there.
fn complete(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let library = ["lib", "lib64", "targets/x86_64-linux/lib"]
        .iter()
        .map(|folder| root.join(folder))
        .find(|folder| folder.join("libnvrtc.so.13").exists())?;
    let include = ["include", "targets/x86_64-linux/include"]
        .iter()
        .map(|folder| root.join(folder))
        .find(|folder| folder.join("cuda_fp16.h").exists())?;
    Some((library.canonicalize().ok()?, include.canonicalize().ok()?))
}

/// The device that was asked for; `auto` takes a GPU where the driver's control node is.
pub fn backend(word: &str) -> Backend {
    match word {
        "gpu" => Backend::Gpu,
        "auto" if Path::new("/dev/nvidiactl").exists() => Backend::Gpu,
        _ => Backend::Sim,
    }
}
