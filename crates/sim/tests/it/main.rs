//! Kernels as NVRTC 13.0 compiled them, run on the simulator. `testdata/x.ptx` is made of `testdata/x.cu`.

#![expect(clippy::float_cmp, reason = "where one result is right, it is compared exactly")]

mod calls;
mod copies;
mod counters;
mod deadlock;
mod differential;
mod faults;
mod forms;
mod functions;
mod heap;
mod hostile;
mod large;
mod lockstep;
mod mutation;
mod order;
mod overflow;
mod same_value;
mod side_by_side;
mod tensor;
mod trace;
mod unset;
mod unwritten;
mod values;
mod warps;

use std::path::Path;

use sim::{Argument, Buffer, Launch, Limits, Program, Report, Trap};

/// A launch of one kernel over buffers, built up by its test.
pub struct Case {
    program: Program,
    /// Grid, block and shared memory.
    pub launch: Launch,
    arguments: Vec<Argument>,
    /// Its buffers.
    pub buffers: Vec<Buffer>,
    /// Its bounds.
    pub limits: Limits,
}

/// Text of `testdata/{file}.ptx`.
pub fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(file).with_extension("ptx");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `kernel` of `testdata/{file}.ptx` in blocks of `block` threads along x.
pub fn case(file: &str, kernel: &str, grid: u32, block: u32) -> Case {
    let program = Program::decode(&text(file), kernel).unwrap_or_else(|error| panic!("{file} {kernel}: {error:?}"));
    let launch = Launch { grid: [grid, 1, 1], block: [block, 1, 1], shared_bytes: 0 };
    let limits = Limits {
        warp_instructions: 1_000_000,
        printf_bytes: 1 << 20,
        detect: true,
        host_threads: 1,
        ..Limits::default()
    };
    Case { program, launch, arguments: vec![], buffers: vec![], limits }
}

impl Case {
    /// One more argument: a buffer.
    #[must_use]
    pub fn buffer<T: Element>(mut self, name: &str, values: &[T]) -> Self {
        self.arguments.push(Argument::Buffer(self.buffers.len()));
        self.buffers.push(Buffer {
            name: name.to_owned(),
            element_bytes: T::BYTES,
            bytes: values.iter().flat_map(Element::bytes).collect(),
            ..Buffer::default()
        });
        self
    }

    /// One more argument: a value.
    #[must_use]
    pub fn value(self, value: impl Element) -> Self {
        self.raw(value.bytes())
    }

    /// One more argument: a value of any bytes.
    #[must_use]
    pub fn raw(mut self, bytes: Vec<u8>) -> Self {
        self.arguments.push(Argument::Value(bytes));
        self
    }

    /// Runs to the end or to the first fault.
    pub fn run(&mut self) -> Result<Report, Trap> {
        sim::run(&self.program, &self.launch, &self.arguments, &mut self.buffers, &self.limits, &mut || false)
            .map_err(|trap| *trap)
    }

    /// Runs to the end and reads a buffer.
    pub fn result<T: Element>(&mut self, buffer: usize) -> Vec<T> {
        self.run().unwrap_or_else(|trap| panic!("{trap:?}"));
        let bytes = &self.buffers[buffer].bytes;
        bytes.chunks(T::BYTES as usize).map(T::of).collect()
    }
}

/// An element of a buffer.
pub trait Element: Copy {
    /// Its size.
    const BYTES: u32;
    /// Little-endian.
    fn bytes(&self) -> Vec<u8>;
    /// From little-endian.
    fn of(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($type:ty),*) => {$(
        impl Element for $type {
            const BYTES: u32 = size_of::<$type>() as u32;
            fn bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn of(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}
elements!(u8, i32, u32, i64, u64, f32, f64);
