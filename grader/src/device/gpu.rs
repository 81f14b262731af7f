//! A real GPU through the driver API, inside the sandboxed device child.
//!
//! Every buffer is its own allocation between two guard zones. Guards and outputs hold a NaN pattern before the
//! launch, so a stray store shows and a stray load poisons what it feeds. The caller checks the parameter layout
//! that [`Gpu::load`] returns before the first launch, since a launch takes sizes from the learner's image.
//! Waiting is polling: the deadline is ours, and a kernel that never ends is ended with its process.
#![expect(unsafe_code, reason = "the driver's C interface through cudarc's bindings")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUresult};
use domain::finding::Finding;
use domain::limits::{PRINTF_CASE_BYTES_MAX, PRINTF_CASE_SHOWN_BYTES};
use domain::verdict::VerdictKind;

use super::Device;
use crate::runner::protocol::{Argument, Bytes, Fault, Left, Look, NotLoaded, Ran, Ready, Run, Stopped};

/// Bytes of each guard zone; a multiple of the 256 bytes that buffers are aligned to.
const GUARD_BYTES: usize = 64 << 10;
/// What guards hold: the marker of f32 outputs, a quiet NaN that no arithmetic makes.
const GUARD_WORD: u32 = 0x7fc5_a5a5;
/// Size of the device's print buffer. It overwrites silently, so it is larger than what a case may print.
const PRINT_FIFO_BYTES: usize = 8 << 20;
/// Kernels that are named when the wanted one is missing.
const FOUND_MAX: usize = 16;

/// One GPU with a context, and the learner's module once it is loaded.
pub struct Gpu {
    name: String,
    architecture: String,
    module: sys::CUmodule,
    kernels: Vec<sys::CUfunction>,
    printed: File,
}

/// Calls a driver function; anything but success is the error.
macro_rules! cuda {
    ($call:ident ( $($argument:expr),* $(,)? )) => {{
        // SAFETY: pointers passed here are to live places of the right type, and handles are ones the driver gave.
        let result = unsafe { sys::$call($($argument),*) };
        if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(result) }
    }};
}

impl Gpu {
    /// Makes a context on the first GPU, and turns standard output into a file that this process reads back.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open() -> Result<Self, String> {
        // SAFETY: a lookup by name that runs the driver's initialisers.
        if !unsafe { sys::is_culib_present() } {
            return Err("there is no CUDA driver here".to_owned());
        }
        let printed = capture_stdout()?;
        let said = |what: &'static str| move |result: CUresult| format!("{what}: {result:?}");
        cuda!(cuInit(0)).map_err(said("cuInit"))?;
        let (mut device, mut context) = (0, ptr::null_mut());
        cuda!(cuDeviceGet(&raw mut device, 0)).map_err(said("cuDeviceGet"))?;
        let mut name = [0 as c_char; 128];
        cuda!(cuDeviceGetName(name.as_mut_ptr(), 127, device)).map_err(said("cuDeviceGetName"))?;
        // SAFETY: the driver wrote a string that ends within the array, whose last byte stays 0.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let mut capability = [0, 0];
        let attributes = [
            sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        ];
        for (place, attribute) in capability.iter_mut().zip(attributes) {
            cuda!(cuDeviceGetAttribute(ptr::from_mut(place), attribute, device))
                .map_err(said("cuDeviceGetAttribute"))?;
        }
        cuda!(cuDevicePrimaryCtxRetain(&raw mut context, device)).map_err(said("cuDevicePrimaryCtxRetain"))?;
        cuda!(cuCtxSetCurrent(context)).map_err(said("cuCtxSetCurrent"))?;
        cuda!(cuCtxSetLimit(sys::CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE, PRINT_FIFO_BYTES))
            .map_err(said("cuCtxSetLimit"))?;
        let architecture = format!("sm_{}{}", capability[0], capability[1]);
        let mut gpu = Self { name, architecture, module: ptr::null_mut(), kernels: vec![], printed };
        // The first allocation and copy make what the driver makes lazily, before a learner waits for it.
        let warm = Allocation::new(&[0; 4]).map_err(said("cuMemAlloc"))?;
        warm.read().map_err(said("cuMemcpyDtoH"))?;
        gpu.take_printed().map_err(|error| format!("reading back standard output: {error}"))?;
        Ok(gpu)
    }

    fn take_printed(&mut self) -> std::io::Result<(Vec<u8>, u64)> {
        // SAFETY: flushes all streams of this process; the driver prints through libc.
        unsafe { libc::fflush(ptr::null_mut()) };
        let total = self.printed.metadata()?.len();
        self.printed.seek(SeekFrom::Start(0))?;
        let mut text = Vec::new();
        Read::by_ref(&mut self.printed).take(PRINTF_CASE_SHOWN_BYTES as u64).read_to_end(&mut text)?;
        self.printed.set_len(0)?;
        self.printed.seek(SeekFrom::Start(0))?;
        Ok((text, total))
    }

    fn found_kernels(&self) -> Vec<String> {
        let mut count = 0;
        if cuda!(cuModuleGetFunctionCount(&raw mut count, self.module)).is_err() {
            return vec![];
        }
        let mut functions = vec![ptr::null_mut(); (count as usize).min(FOUND_MAX)];
        if cuda!(cuModuleEnumerateFunctions(functions.as_mut_ptr(), functions.len() as u32, self.module)).is_err() {
            return vec![];
        }
        let name = |function| {
            let mut name = ptr::null();
            cuda!(cuFuncGetName(&raw mut name, function)).ok()?;
            // SAFETY: the driver owns the string as long as the module is loaded.
            (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
        };
        functions.into_iter().filter_map(name).collect()
    }

    /// Launches everything and waits, at most until the deadline.
    fn launch(&mut self, run: &Run, allocations: &[Allocation]) -> Result<u64, Fault> {
        let mut values: Vec<Vec<u8>> = run
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer(index) => allocations[*index as usize].start().to_le_bytes().to_vec(),
                Argument::Value(bytes) => bytes.clone(),
            })
            .collect();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        let begun = Instant::now();
        for launch in &run.launches {
            let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
            let kernel = self.kernels[launch.kernel as usize];
            cuda!(cuLaunchKernel(
                kernel,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                launch.shared_bytes,
                ptr::null_mut(),
                pointers.as_mut_ptr(),
                ptr::null_mut()
            ))
            .map_err(|result| launch_fault(result, launch))?;
        }
        let deadline = begun + Duration::from_millis(run.run_ms);
        loop {
            match cuda!(cuStreamQuery(ptr::null_mut())) {
                Ok(()) => return Ok(begun.elapsed().as_micros() as u64),
                Err(CUresult::CUDA_ERROR_NOT_READY) if Instant::now() < deadline => {
                    // Short kernels are met by spinning, long ones do not burn a core.
                    if begun.elapsed() > Duration::from_millis(2) {
                        std::thread::sleep(Duration::from_micros(200));
                    }
                }
                Err(CUresult::CUDA_ERROR_NOT_READY) => {
                    return Err(Fault::Time { line: None, who: None, warps: None, waiting: vec![] });
                }
                Err(result) => return Err(run_fault(result)),
            }
        }
    }
}

impl Device for Gpu {
    fn ready(&self) -> Ready {
        Ready { name: self.name.clone(), architecture: Some(self.architecture.clone()) }
    }

    fn load(&mut self, image: &[u8], kernels: &[String]) -> Result<Vec<Vec<(u32, u32)>>, NotLoaded> {
        cuda!(cuModuleLoadData(&raw mut self.module, image.as_ptr().cast())).map_err(|result| match result {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                NotLoaded::Resources { reason: "The module needs more device memory than there is.".to_owned() }
            }
            other => NotLoaded::Invalid { reason: format!("cuModuleLoadData: {other:?}") },
        })?;
        let mut parameters = Vec::new();
        for wanted in kernels {
            let name = CString::new(wanted.as_str())
                .map_err(|_| NotLoaded::Invalid { reason: "a name with NUL".to_owned() })?;
            let mut function = ptr::null_mut();
            if cuda!(cuModuleGetFunction(&raw mut function, self.module, name.as_ptr())).is_err() {
                return Err(NotLoaded::NoKernel { wanted: wanted.clone(), found: self.found_kernels() });
            }
            // Loaded lazily by default: asking for the layout loads it now.
            let mut layout = Vec::new();
            let (mut offset, mut size) = (0, 0);
            while cuda!(cuFuncGetParamInfo(function, layout.len(), &raw mut offset, &raw mut size)).is_ok() {
                layout.push((offset as u32, size as u32));
            }
            self.kernels.push(function);
            parameters.push(layout);
        }
        Ok(parameters)
    }

    fn run(&mut self, run: Run, _look: Look) -> Result<Ran, Stopped> {
        let ours = |result: CUresult| Fault::Device { reason: format!("moving a case's data: {result:?}") };
        let allocations: Vec<Allocation> = run
            .buffers
            .iter()
            .map(|buffer| Allocation::new(&buffer.bytes.0))
            .collect::<Result<_, _>>()
            .map_err(ours)?;
        let elapsed_us = self.launch(&run, &allocations)?;
        let (text, printed_bytes) =
            self.take_printed().map_err(|error| Fault::Device { reason: format!("reading printed text: {error}") })?;
        if printed_bytes > PRINTF_CASE_BYTES_MAX as u64 {
            return Err(Fault::Flood { bytes: printed_bytes }.into());
        }
        let mut ran = Ran {
            buffers: vec![],
            guard_damage: vec![],
            noted: vec![],
            printed: Bytes(text),
            printed_bytes,
            elapsed_us,
            detection_is_partial: false,
            counters: None,
        };
        for (index, (allocation, sent)) in allocations.iter().zip(&run.buffers).enumerate() {
            let (bytes, damage) = allocation.read().map_err(ours)?;
            ran.buffers.push(if bytes == sent.bytes.0 { Left::AsSent } else { Left::Changed(Bytes(bytes)) });
            ran.guard_damage.extend(damage.map(|offset| (index as u32, offset)));
        }
        Ok(ran)
    }
}

/// One buffer in device memory between its guards; freed when dropped.
struct Allocation {
    base: sys::CUdeviceptr,
    data_bytes: usize,
}

impl Allocation {
    fn new(data: &[u8]) -> Result<Self, CUresult> {
        let mut base = 0;
        let tail = GUARD_BYTES + data.len().next_multiple_of(4) - data.len();
        let bytes = GUARD_BYTES + data.len() + tail;
        cuda!(cuMemAlloc_v2(&raw mut base, bytes))?;
        let allocation = Self { base, data_bytes: data.len() };
        cuda!(cuMemsetD32_v2(base, GUARD_WORD, bytes / 4))?;
        if !data.is_empty() {
            cuda!(cuMemcpyHtoD_v2(allocation.start(), data.as_ptr().cast(), data.len()))?;
        }
        Ok(allocation)
    }

    fn start(&self) -> sys::CUdeviceptr {
        self.base + GUARD_BYTES as u64
    }

    /// The data, and the damaged guard byte that is nearest to it, as an offset from its start.
    fn read(&self) -> Result<(Vec<u8>, Option<i64>), CUresult> {
        let copy = |from: u64, bytes: usize| -> Result<Vec<u8>, CUresult> {
            let mut copied = vec![0_u8; bytes];
            if bytes > 0 {
                cuda!(cuMemcpyDtoH_v2(copied.as_mut_ptr().cast(), self.base + from, bytes))?;
            }
            Ok(copied)
        };
        let data = copy(GUARD_BYTES as u64, self.data_bytes)?;
        let end = GUARD_BYTES + self.data_bytes;
        let (before, behind) = (copy(0, GUARD_BYTES)?, copy(end as u64, GUARD_BYTES)?);
        // The pattern counts from the start of the allocation, also where the data ends between two words.
        let pattern = |at: usize| GUARD_WORD.to_le_bytes()[at % 4];
        let after = behind.iter().enumerate().position(|(at, byte)| *byte != pattern(end + at));
        let below = (0..GUARD_BYTES).rev().find(|at| before[*at] != pattern(*at));
        let damage =
            after.map(|at| (self.data_bytes + at) as i64).or_else(|| below.map(|at| at as i64 - GUARD_BYTES as i64));
        Ok((data, damage))
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // After a fault the context is lost and this fails, which is as good.
        let _ = cuda!(cuMemFree_v2(self.base));
    }
}

/// Puts an anonymous file in the place of standard output; device printf ends there.
fn capture_stdout() -> Result<File, String> {
    // SAFETY: plain system calls; the new descriptor is owned by the returned file alone.
    let file = unsafe {
        let descriptor = libc::memfd_create(c"printed".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(format!("memfd_create: {}", std::io::Error::last_os_error()));
        }
        File::from_raw_fd(descriptor)
    };
    // SAFETY: both descriptors are open. The copy shares the file's position, so truncating resets both.
    if unsafe { libc::dup2(file.as_raw_fd(), 1) } != 1 {
        return Err(format!("dup2: {}", std::io::Error::last_os_error()));
    }
    Ok(file)
}

fn launch_fault(result: CUresult, launch: &crate::runner::protocol::Launch) -> Fault {
    let [x, y, z] = launch.block;
    let threads = u64::from(x) * u64::from(y) * u64::from(z);
    let reason = match result {
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES | CUresult::CUDA_ERROR_INVALID_VALUE => {
            format!(
                "It needs more registers, threads or shared memory than the GPU gives one block of {threads} threads with {} dynamic shared bytes.",
                launch.shared_bytes
            )
        }
        other => return run_fault(other),
    };
    Fault::Known { kind: VerdictKind::LaunchError, finding: Finding::LaunchResources { reason } }
}

/// What an error of the device says about the kernel. Errors that say nothing about it are ours.
fn run_fault(result: CUresult) -> Fault {
    let (kind, error) = match result {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS => (VerdictKind::Illegal, "an address in nobody's memory"),
        CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => (VerdictKind::Misaligned, "a misaligned address"),
        CUresult::CUDA_ERROR_ASSERT => (VerdictKind::Illegal, "an assertion failed"),
        CUresult::CUDA_ERROR_LAUNCH_FAILED => (VerdictKind::Illegal, "a trap or a wild access"),
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION => (VerdictKind::Illegal, "an illegal instruction"),
        CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE => (VerdictKind::Illegal, "an address of the wrong memory"),
        CUresult::CUDA_ERROR_INVALID_PC => (VerdictKind::Illegal, "a jump into nowhere"),
        CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR => (VerdictKind::MemoryLimit, "the stack ran out"),
        other => {
            return Fault::Device { reason: format!("the GPU says {other:?}") };
        }
    };
    Fault::Known { kind, finding: Finding::Illegal { error: error.to_owned(), line: None, who: None } }
}
