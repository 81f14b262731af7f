//! NVRTC inside the compiler child: source in, image or messages out.
//!
//! The only `unsafe` here is the preload of the library by absolute path and the calls of its C interface:
//! cudarc finds libraries by bare name only, and the 13.0 library finds its builtins only if they are loaded.
#![expect(unsafe_code, reason = "NVRTC's C interface through cudarc's bindings")]

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr;

use cudarc::nvrtc::sys::{self, nvrtcResult};
use domain::limits::{COMPILE_LOG_KEPT_BYTES, COMPILE_LOG_READ_BYTES, IMAGE_BYTES_MAX};

use crate::runner::protocol::{Bytes, CompilerLimit, ImageKind, Response};

/// What learners' messages call their source.
pub const SOURCE_NAME: &str = "kernel.cu";

/// A loaded and warmed compiler.
pub struct Compiler {
    _libraries: Vec<libloading::Library>,
}

impl Compiler {
    /// Loads libnvrtc from `library_folder` and compiles a trivial kernel, so that the first learner's compilation is warm.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn load(library_folder: &Path, options: &[String]) -> Result<Self, String> {
        let mut libraries = Vec::new();
        for name in ["libnvrtc-builtins.so.13.0", "libnvrtc.so.13"] {
            let path = library_folder.join(name);
            // SAFETY: the library comes from the operator's CUDA folder, and its initialisers are NVIDIA's.
            let library =
                unsafe { libloading::os::unix::Library::open(Some(&path), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
            libraries.push(library.map_err(|error| format!("cannot load {}: {error}", path.display()))?.into());
        }
        // SAFETY: a lookup by name, which hits the library loaded above by its soname.
        if !unsafe { sys::is_culib_present() } {
            return Err("libnvrtc was loaded, but cannot be found by name".to_owned());
        }
        let compiler = Self { _libraries: libraries };
        match compiler.compile(
            "extern \"C\" __global__ void warm(float* x) { x[threadIdx.x] = 1.0f; }",
            options,
            ImageKind::Ptx,
        ) {
            Ok(Response::Compiled { .. }) => Ok(compiler),
            Ok(Response::Rejected { log }) => Err(format!("NVRTC refuses a trivial kernel: {log}")),
            Ok(other) => Err(format!("NVRTC fails on a trivial kernel: {other:?}")),
            Err(error) => Err(error),
        }
    }

    /// The version, as `NVRTC 13.0`.
    pub fn version(&self) -> String {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: two valid places for integers.
        unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
        format!("NVRTC {major}.{minor}")
    }

    /// Compiles one source.
    ///
    /// # Errors
    /// What is neither the learner's nor a limit: the compiler itself fails.
    pub fn compile(&self, source: &str, options: &[String], kind: ImageKind) -> Result<Response, String> {
        let source = CString::new(source).map_err(|_| "a source with NUL reached the compiler")?;
        let name = CString::new(SOURCE_NAME).expect("the name holds no NUL");
        let options: Vec<CString> = options
            .iter()
            .map(|option| CString::new(option.as_str()).map_err(|_| "an option with NUL".to_owned()))
            .collect::<Result<_, _>>()?;
        let option_pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = ptr::null_mut();
        // SAFETY: `source` and `name` live across the call; no headers are passed.
        let created = unsafe {
            sys::nvrtcCreateProgram(&raw mut program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null())
        };
        if created != nvrtcResult::NVRTC_SUCCESS {
            return Err(format!("nvrtcCreateProgram: {created:?}"));
        }
        // SAFETY: `program` is valid and the option pointers live across the call.
        let result =
            unsafe { sys::nvrtcCompileProgram(program, option_pointers.len() as i32, option_pointers.as_ptr()) };
        let response = match result {
            nvrtcResult::NVRTC_SUCCESS => finished(program, kind),
            nvrtcResult::NVRTC_ERROR_COMPILATION => {
                log(program).map(|log| log.map_or_else(Response::CompilerLimit, |log| Response::Rejected { log }))
            }
            // The front end gives up with these where a source asks for more than memory holds.
            nvrtcResult::NVRTC_ERROR_OUT_OF_MEMORY | nvrtcResult::NVRTC_ERROR_INTERNAL_ERROR => {
                Ok(Response::CompilerLimit(CompilerLimit::Memory))
            }
            other => Err(format!("nvrtcCompileProgram: {other:?}")),
        };
        // SAFETY: `program` is valid and not used afterwards.
        unsafe { sys::nvrtcDestroyProgram(&raw mut program) };
        response
    }
}

fn finished(program: sys::nvrtcProgram, kind: ImageKind) -> Result<Response, String> {
    let log = match log(program)? {
        Ok(log) => log,
        Err(limit) => return Ok(Response::CompilerLimit(limit)),
    };
    let mut size = 0;
    // SAFETY: `program` was compiled; `size` is a valid place.
    let sized = unsafe {
        match kind {
            ImageKind::Ptx => sys::nvrtcGetPTXSize(program, &raw mut size),
            ImageKind::Cubin => sys::nvrtcGetCUBINSize(program, &raw mut size),
        }
    };
    if sized != nvrtcResult::NVRTC_SUCCESS {
        return Err(format!("the size of the image: {sized:?}"));
    }
    if size > IMAGE_BYTES_MAX {
        return Ok(Response::CompilerLimit(CompilerLimit::Image));
    }
    let mut image = vec![0_u8; size];
    // SAFETY: the buffer has the size that was asked for.
    let got = unsafe {
        match kind {
            ImageKind::Ptx => sys::nvrtcGetPTX(program, image.as_mut_ptr().cast()),
            ImageKind::Cubin => sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()),
        }
    };
    if got != nvrtcResult::NVRTC_SUCCESS {
        return Err(format!("the image: {got:?}"));
    }
    if kind == ImageKind::Ptx && image.last() == Some(&0) {
        image.pop();
    }
    Ok(Response::Compiled { image: Bytes(image), log })
}

/// The compiler's messages, cut to what is kept; the inner error is a log past its limit.
fn log(program: sys::nvrtcProgram) -> Result<Result<String, CompilerLimit>, String> {
    let mut size = 0;
    // SAFETY: `program` is valid; `size` is a valid place.
    let sized = unsafe { sys::nvrtcGetProgramLogSize(program, &raw mut size) };
    if sized != nvrtcResult::NVRTC_SUCCESS {
        return Err(format!("the size of the log: {sized:?}"));
    }
    if size > COMPILE_LOG_READ_BYTES {
        return Ok(Err(CompilerLimit::Log));
    }
    let mut bytes = vec![0_u8; size];
    // SAFETY: the buffer has the size that was asked for.
    let got = unsafe { sys::nvrtcGetProgramLog(program, bytes.as_mut_ptr().cast()) };
    if got != nvrtcResult::NVRTC_SUCCESS {
        return Err(format!("the log: {got:?}"));
    }
    bytes.truncate(COMPILE_LOG_KEPT_BYTES);
    Ok(Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()))
}
