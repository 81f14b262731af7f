//! A CPU simulator of PTX that names thread and line.
//!
//! Input is the PTX that NVRTC makes of a kernel, a launch and named buffers; output is the buffers and what was
//! printed, or a [`Trap`] with the first faulting thread, its source line and what it touched. There is no model of
//! time: no number here is a duration. The same input gives the same output on every run.
//!
//! Theory of operation. [`Program::decode`] turns text into flat operations once: types and rounding become function
//! pointers, names become slots. Functions are decoded once; a call enters a frame that slots and local addresses count
//! from. A warp is a set of *splits* (lane mask and place). The split that is furthest behind
//! runs first and splits that meet merge, so structured code converges; after a quantum another split gets its turn,
//! so threads of one warp that wait for each other make progress. Warps of a block take turns, blocks run in order.
//!
//! Every buffer lives in a region of its own of 2^38 bytes, so an index past its end is an error *of that buffer*,
//! even where a GPU would silently reach the next one.
//!
//! ```
//! let ptx = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0) {\n\
//!            .reg .b64 %rd<3>;\nld.param.u64 %rd1, [k_param_0];\ncvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], 7;\nret;\n}";
//! let program = sim::Program::decode(ptx, "k").expect("a program");
//! let mut buffers = [sim::Buffer { name: "out".into(), element_bytes: 4, bytes: vec![0; 4], ..Default::default() }];
//! let launch = sim::Launch { grid: [1; 3], block: [1; 3], shared_bytes: 0 };
//! let limits = sim::Limits { warp_instructions: 1000, printf_bytes: 1000, ..sim::Limits::default() };
//! sim::run(&program, &launch, &[sim::Argument::Buffer(0)], &mut buffers, &limits, &mut || false).expect("it ends");
//! assert_eq!(buffers[0].bytes, [7, 0, 0, 0]);
//! ```
#![forbid(unsafe_code)]

mod block;
mod context;
mod count;
mod decode;
mod exec;
mod finding;
mod launch;
mod memory;
mod op;
mod overflow;
mod print;
mod race;
mod side_by_side;
mod told;
mod trace;
mod trap;
mod waiting;
mod warp;

use domain::counters::Counters;

pub use decode::{DecodeError, Program};
pub use finding::{Found, FoundKind, Missing, Related, Side, Where};
pub use launch::{Variables, run, run_with};
pub use trace::{Accessed, Change, Event, Touched, Trace, TraceLimits, Way};
pub use trap::{Space, Trap, TrapKind};
pub use waiting::{Waiting, WaitsFor};

/// What the first content of a buffer is, and what a kernel may do to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Given; a store to it is told.
    Input,
    /// Given, and may be stored to.
    #[default]
    Defined,
    /// Nothing yet: what is read before it was written is told when it is used.
    Output,
    /// Like an output, but what it holds at the end counts for nothing.
    Scratch,
}

/// A buffer of global memory.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// Name in the signature.
    pub name: String,
    /// Bytes of one element; indices are counted in these.
    pub element_bytes: u32,
    /// Content.
    pub bytes: Vec<u8>,
    /// What the content is.
    pub role: Role,
    /// Of outputs and scratch: one bit for each byte that was written, kept from launch to launch. Starts empty.
    pub written: Vec<u64>,
}

/// One argument of a kernel.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Pointer to the start of a buffer, by its position.
    Buffer(usize),
    /// A value, little-endian.
    Value(Vec<u8>),
}

/// One launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads along x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory.
    pub shared_bytes: u32,
}

/// Bounds of one run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Warp instructions in all.
    pub warp_instructions: u64,
    /// Printed bytes; one more is a [`TrapKind::Flood`].
    pub printf_bytes: u64,
    /// Whether races and reads of unwritten memory are looked for.
    pub detect: bool,
    /// Threads of this process that may run blocks side by side. The result is the same with any number; races must
    /// be looked for, since that tells which blocks are independent.
    pub host_threads: usize,
    /// Whether instructions and requests are counted by source line.
    pub count: bool,
    /// Whether steps are written down, and how many. Blocks then run one after the other.
    pub trace: Option<TraceLimits>,
}

impl Default for Limits {
    /// A thousand million warp instructions and a mebibyte of text, with all checks, on one thread, uncounted and not traced.
    fn default() -> Self {
        Self {
            warp_instructions: 1_000_000_000,
            printf_bytes: 1 << 20,
            detect: true,
            host_threads: 1,
            count: false,
            trace: None,
        }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The first printed bytes, at most 16,384.
    pub printed: Vec<u8>,
    /// Printed bytes in all.
    pub printed_bytes: u64,
    /// Warp instructions executed.
    pub warp_instructions: u64,
    /// What was found, the first first.
    pub found: Vec<Found>,
    /// More memory was touched than races are looked for in.
    pub detection_is_partial: bool,
    /// What was counted, where that was wanted.
    pub counters: Option<Counters>,
    /// The steps, where they were wanted.
    pub trace: Option<Trace>,
}
