//! Where NVRTC and the CUDA headers are: a folder with `include` and `lib`.
//!
//! Found in the order of `./dev`, which downloads the wheels where no toolkit is installed.

use crate::paths;
use anyhow::{Result, bail};
use std::env;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "libnvrtc.so.13";

pub fn find() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("WARPYARD_CUDA") {
        return Ok(paths::root().join(folder));
    }
    let home = env::var_os("CUDA_HOME").map(PathBuf::from);
    let toolkits = [home, Some(PathBuf::from("/usr/local/cuda"))];
    let wheels = paths::cache()?.join("cuda-13.0/nvidia/cu13");
    let fit = toolkits
        .into_iter()
        .flatten()
        // In a toolkit this folder has both under their plain names.
        .map(|toolkit| toolkit.join("targets/x86_64-linux"))
        .chain([wheels])
        .find(|folder| is_complete(folder));
    match fit {
        Some(folder) => Ok(folder),
        None => bail!(
            "there is no {LIBRARY} with its headers: call this through ./dev, \
             or set CUDA_HOME to an installed CUDA 13 toolkit"
        ),
    }
}

fn is_complete(folder: &Path) -> bool {
    folder.join("lib").join(LIBRARY).exists() && folder.join("include/cuda_fp16.h").exists()
}
