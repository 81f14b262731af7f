//! Launches what `differential plan DIR` wrote on the first GPU, and writes what each launch leaves beside it.
//!
//! A job that has a result is passed over, so a run that a fault or a kernel without an end stopped can be continued by
//! the same command. The files are the project's own: nothing here is a sandbox.
#![expect(unsafe_code, reason = "the driver's C interface through cudarc's bindings")]

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::fs;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUresult};

/// A launch takes microseconds; one that takes this long never ends.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of the assembler's messages.
const LOG_BYTES: usize = 4096;

macro_rules! cuda {
    ($call:ident ( $($argument:expr),* $(,)? )) => {{
        // SAFETY: pointers passed here are to live places of the right type, and handles are ones the driver gave.
        match unsafe { sys::$call($($argument),*) } {
            CUresult::CUDA_SUCCESS => Ok(()),
            other => Err(format!("{}: {other:?}", stringify!($call))),
        }
    }};
}

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).ok_or("launch_all DIR")?;
    let folder = Path::new(&folder);
    let table = fs::read_to_string(folder.join("jobs.txt")).map_err(|error| error.to_string())?;
    let (mut device, mut context) = (0, ptr::null_mut());
    cuda!(cuInit(0))?;
    cuda!(cuDeviceGet(&raw mut device, 0))?;
    cuda!(cuDevicePrimaryCtxRetain(&raw mut context, device))?;
    cuda!(cuCtxSetCurrent(context))?;
    let mut modules = HashMap::new();
    for line in table.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [job, text, kernel, input, numbers, bytes, values] = fields[..] else { return Err(format!("{line}?")) };
        let place = |ending: &str| folder.join(format!("{job}.{ending}"));
        if place("out").exists() || place("err").exists() {
            continue;
        }
        let number = |field: &str| field.parse().map_err(|_| format!("{line}?"));
        let numbers = numbers.split(',').map(number).collect::<Result<Vec<u32>, String>>()?;
        let numbers: [u32; 7] = numbers.try_into().map_err(|_| format!("{line}?"))?;
        let bytes: usize = bytes.parse().map_err(|_| format!("{line}?"))?;
        let values = values.split(',').filter(|value| !value.is_empty()).map(of_hexadecimal).collect::<Option<_>>();
        let values: Vec<Vec<u8>> = values.ok_or_else(|| format!("{line}?"))?;
        let input = fs::read(folder.join(input)).map_err(|error| error.to_string())?;
        // Files before the result: a launch without an end leaves the reason behind.
        fs::write(place("err"), "it does not end").map_err(|error| error.to_string())?;
        let module = modules.entry(text.to_owned()).or_insert_with(|| load(&folder.join(text))).clone();
        let launched = module.map(|module| launch(module, kernel, numbers, (&input, &values), bytes));
        match launched {
            Ok(Ok(out)) => {
                fs::write(place("out"), out).map_err(|error| error.to_string())?;
                fs::remove_file(place("err")).map_err(|error| error.to_string())?;
            }
            Err(refused) => fs::write(place("err"), refused).map_err(|error| error.to_string())?,
            // After a fault the context is of no use: the next start goes on behind this job.
            Ok(Err(fault)) => {
                fs::write(place("err"), &fault).map_err(|error| error.to_string())?;
                return Err(fault);
            }
        }
    }
    Ok(())
}

fn of_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let pairs = (0..text.len()).step_by(2).map(|at| text.get(at..at + 2));
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}

fn load(path: &Path) -> Result<sys::CUmodule, String> {
    let text = fs::read(path).map_err(|error| error.to_string())?;
    let text = CString::new(text).map_err(|error| error.to_string())?;
    let mut module = ptr::null_mut();
    let mut log = vec![0 as c_char; LOG_BYTES];
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES - 1)];
    let loaded =
        cuda!(cuModuleLoadDataEx(&raw mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr(),));
    // SAFETY: the driver wrote a string that ends within the buffer, whose last byte stays 0.
    let log = unsafe { CStr::from_ptr(log.as_ptr()) }.to_string_lossy().replace('\n', " ");
    loaded.map(|()| module).map_err(|error| format!("{error}: {log}"))
}

fn launch(
    module: sys::CUmodule,
    kernel: &str,
    [gx, gy, gz, bx, by, bz, shared_bytes]: [u32; 7],
    (input, values): (&[u8], &[Vec<u8>]),
    bytes: usize,
) -> Result<Vec<u8>, String> {
    let name = CString::new(kernel).map_err(|error| error.to_string())?;
    let (mut function, mut given, mut left) = (ptr::null_mut(), 0, 0);
    cuda!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()))?;
    cuda!(cuMemAlloc_v2(&raw mut given, input.len()))?;
    // Kernels may write all that they are told of, even where less of it is kept.
    cuda!(cuMemAlloc_v2(&raw mut left, bytes.max(4096)))?;
    cuda!(cuMemcpyHtoD_v2(given, input.as_ptr().cast(), input.len()))?;
    cuda!(cuMemsetD8_v2(left, 0, bytes.max(4096)))?;
    let mut values = values.to_vec();
    let mut arguments = vec![(&raw mut given).cast::<c_void>(), (&raw mut left).cast::<c_void>()];
    arguments.extend(values.iter_mut().map(|value| value.as_mut_ptr().cast::<c_void>()));
    let (stream, none) = (ptr::null_mut(), ptr::null_mut());
    cuda!(cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, arguments.as_mut_ptr(), none))?;
    let begun = Instant::now();
    while matches!(cuda!(cuStreamQuery(ptr::null_mut())), Err(reason) if reason.contains("NOT_READY")) {
        if begun.elapsed() > PATIENCE {
            std::process::exit(3);
        }
    }
    cuda!(cuCtxSynchronize())?;
    let mut out = vec![0; bytes];
    cuda!(cuMemcpyDtoH_v2(out.as_mut_ptr().cast(), left, bytes))?;
    cuda!(cuMemFree_v2(given))?;
    cuda!(cuMemFree_v2(left))?;
    Ok(out)
}
