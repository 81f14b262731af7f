//! A launch: checks it, then runs its blocks in order.

use std::collections::VecDeque;
use std::ops::Range;

use crate::block::{Block, Resident, Turn};
use crate::count::Counts;
use crate::decode::Program;
use crate::memory::Memory;
use crate::op::Lanes;
use crate::race::Detector;
use crate::side_by_side::run_blocks;
use crate::trace::Tracer;
use crate::{Argument, Buffer, Launch, Limits, Report, Trap, TrapKind, told};

/// Threads of one block on every GPU since 2010.
const BLOCK_THREADS_MAX: u64 = 1024;
/// Threads of one block along x, y, z.
const BLOCK_EXTENTS_MAX: [u32; 3] = [1024, 1024, 64];
/// Blocks along x, y, z.
const GRID_EXTENTS_MAX: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
/// Static and dynamic shared memory of a block without a request for more (compute capability 8.0 and 9.0).
const SHARED_BYTES_MAX: u64 = 48 << 10;
/// Bytes of all threads' own memory in one block.
const LOCAL_BYTES_MAX: usize = 256 << 20;

/// Blocks that are on the modelled GPU at once: two on each of 108 multiprocessors.
const RESIDENT_MAX: usize = 216;
/// Warp instructions after which a block that may wait for another lets others go on for the first time.
const FIRST_TURN: u64 = 1 << 14;
/// The same from then on: who has not ended by then most likely waits, and each look costs all the others this much.
const NEXT_TURN: u64 = 1 << 10;

/// Warp instructions between two questions whether time is up.
const ASK_AFTER: u64 = 4096;

/// What a run carries from block to block.
pub(crate) struct Progress<'a> {
    pub limits: &'a Limits,
    pub report: Report,
    pub time_is_up: &'a mut dyn FnMut() -> bool,
    /// Warp instructions after which that is asked again.
    ask_at: u64,
    pub rooms: Box<Rooms>,
    /// Where counters are wanted.
    pub counts: Option<Box<Counts>>,
    /// Where a trace is wanted.
    pub tracer: Option<Box<Tracer>>,
}

/// Where operands that are no registers are spread to lanes, and results stay until they are written.
#[derive(Default)]
pub(crate) struct Rooms {
    pub a: Lanes,
    pub b: Lanes,
    pub c: Lanes,
    pub out: Lanes,
}

impl<'a> Progress<'a> {
    pub fn new(program: &Program, limits: &'a Limits, time_is_up: &'a mut dyn FnMut() -> bool) -> Self {
        let counts = limits.count.then(|| Box::new(Counts::new(&program.ops)));
        let tracer = limits.trace.map(|limits| Box::new(Tracer::new(limits)));
        Self { limits, report: Report::default(), time_is_up, ask_at: 0, rooms: Box::default(), counts, tracer }
    }

    /// Counts an operation of several lanes, which have come.
    #[inline]
    pub fn count_met(&mut self, pc: usize, active: u32) {
        if let Some(counts) = &mut self.counts {
            counts.instruction(pc, active);
        }
    }

    /// Asks, but not often.
    #[inline]
    pub fn is_time_up(&mut self) -> bool {
        if self.report.warp_instructions < self.ask_at {
            return false;
        }
        self.ask_at = self.report.warp_instructions + ASK_AFTER;
        (self.time_is_up)()
    }
}

/// Runs a kernel over buffers, to its end or to its first fault. Buffers keep what was written until then.
///
/// `time_is_up` is asked every few thousand warp instructions.
///
/// # Errors
/// [`Trap`]: the first fault, with thread and line.
pub fn run(
    program: &Program,
    launch: &Launch,
    arguments: &[Argument],
    buffers: &mut [Buffer],
    limits: &Limits,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Result<Report, Box<Trap>> {
    run_with(program, &mut Variables::new(program), launch, arguments, buffers, limits, time_is_up)
}

/// The `__device__` and `__constant__` variables of a loaded module: they keep their values from launch to launch.
#[derive(Clone, Debug)]
pub struct Variables(Vec<Buffer>);

impl Variables {
    /// As they are when a module is loaded.
    pub fn new(program: &Program) -> Self {
        let variable = |variable: &crate::decode::GlobalVariable| {
            let mut bytes = variable.initial.clone();
            bytes.resize(variable.bytes as usize, 0);
            let element_bytes = variable.element_bytes.max(1);
            Buffer { name: variable.name.clone(), element_bytes, bytes, ..Buffer::default() }
        };
        Self(program.globals.iter().map(variable).collect())
    }
}

/// [`run`] over variables that earlier launches may have changed.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    program: &Program,
    variables: &mut Variables,
    launch: &Launch,
    arguments: &[Argument],
    buffers: &mut [Buffer],
    limits: &Limits,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Result<Report, Box<Trap>> {
    check(program, launch).map_err(refused)?;
    let params = parameters(program, arguments, buffers.len()).map_err(refused)?;
    let mut progress = Progress::new(program, limits, time_is_up);
    let threads = launch.block.iter().map(|extent| *extent as usize).product();
    let mut memory = Memory::new(program, &mut variables.0, buffers, &params, launch.shared_bytes, threads);
    let blocks: u64 = launch.grid.iter().map(|extent| u64::from(*extent)).product();
    let mut detector = Detector::default();
    if limits.detect && blocks.saturating_mul(threads as u64) < u64::from(u32::MAX) {
        detector = Detector::start(memory.region_count(), memory.inputs(), program.has_fences);
    }
    let ended = run_blocks((program, launch, &params), blocks, (&mut memory, &mut detector), &mut progress);
    let found = told::findings(program, launch, &memory, &detector);
    memory.give_back(&mut variables.0, buffers);
    progress.report.detection_is_partial = limits.detect && (!detector.is_on || detector.budget.is_exhausted);
    let trace = progress.tracer.map(|tracer| tracer.trace);
    match ended {
        Ok(()) => {
            progress.report.trace = trace;
            progress.report.found = found;
            progress.report.counters = progress.counts.map(|counts| counts.by_line(&program.ops, &program.marks));
            Ok(progress.report)
        }
        Err(mut trap) => {
            (trap.found, trap.trace) = (found, trace);
            Err(trap)
        }
    }
}

/// A program, how it is launched, and its parameter bytes.
pub(crate) type Given<'a> = (&'a Program, &'a Launch, &'a [u8]);

/// Runs blocks of these numbers in order; x counts fastest. A block that is not done after its turn, and may wait for
/// another, makes room for the next.
pub(crate) fn blocks_in_turn(
    given: Given<'_>,
    numbers: Range<u64>,
    (memory, detector): (&mut Memory<'_>, &mut Detector),
    progress: &mut Progress<'_>,
) -> Result<(), Box<Trap>> {
    let (program, launch, _) = given;
    let [nx, ny, _] = launch.grid.map(u64::from);
    let all = numbers.map(|number| [number % nx, number / nx % ny, number / (nx * ny)].map(|at| at as u32));
    let first = if program.waits_for_blocks { FIRST_TURN } else { u64::MAX };
    let mut waiting: VecDeque<Resident> = VecDeque::new();
    let mut spare = None;
    for block in all {
        let mut running = spare.take().unwrap_or_else(|| Resident::new(program, launch));
        running.start(program, launch, (block, detector.is_on), memory);
        let mut turn = first;
        loop {
            match Block::run(given, &mut running, (&mut *memory, &mut *detector), progress, turn)? {
                Turn::Ended => {
                    memory.take_back(running.granted());
                    spare = Some(running);
                }
                Turn::Goes => waiting.push_back(running),
            }
            // The GPU is full: somebody has to end before another block starts.
            match waiting.pop_front() {
                Some(next) if waiting.len() + 1 >= RESIDENT_MAX => (running, turn) = (next, NEXT_TURN),
                Some(next) => {
                    waiting.push_front(next);
                    break;
                }
                None => break,
            }
        }
    }
    while let Some(mut running) = waiting.pop_front() {
        match Block::run(given, &mut running, (&mut *memory, &mut *detector), progress, NEXT_TURN)? {
            Turn::Ended => memory.take_back(running.granted()),
            Turn::Goes => waiting.push_back(running),
        }
    }
    Ok(())
}

fn refused(reason: String) -> Box<Trap> {
    Box::new(Trap {
        kind: TrapKind::Launch { reason },
        line: None,
        block: [0; 3],
        thread: [0; 3],
        waiting: vec![],
        related: vec![],
        found: vec![],
        trace: None,
    })
}

fn check(program: &Program, launch: &Launch) -> Result<(), String> {
    let threads: u64 = launch.block.iter().map(|extent| u64::from(*extent)).product();
    let within =
        |extents: [u32; 3], most: [u32; 3]| extents.iter().zip(most).all(|(extent, most)| (1..=most).contains(extent));
    if !within(launch.grid, GRID_EXTENTS_MAX) {
        return Err(format!("A grid of {:?} blocks is not possible.", launch.grid));
    }
    if !within(launch.block, BLOCK_EXTENTS_MAX) || threads > BLOCK_THREADS_MAX {
        return Err(format!("A block of {:?} threads is not possible; {BLOCK_THREADS_MAX} is the most.", launch.block));
    }
    let fixed: u64 = program.shared.iter().filter_map(|variable| variable.bytes).sum();
    let shared = fixed + u64::from(launch.shared_bytes);
    if shared > SHARED_BYTES_MAX {
        return Err(format!("It needs {shared} bytes of shared memory per block; {SHARED_BYTES_MAX} is the most."));
    }
    if program.local_bytes * threads as usize > LOCAL_BYTES_MAX {
        return Err("Its threads' own arrays do not fit into memory.".to_owned());
    }
    Ok(())
}

/// The kernel's parameter bytes.
fn parameters(program: &Program, arguments: &[Argument], buffers: usize) -> Result<Vec<u8>, String> {
    if arguments.len() != program.params.len() {
        return Err(format!("It takes {} arguments and was given {}.", program.params.len(), arguments.len()));
    }
    let end = program.params.last().map_or(0, |(offset, size)| offset + size);
    let mut bytes = vec![0; end as usize];
    for (argument, (offset, size)) in arguments.iter().zip(&program.params) {
        let value = match argument {
            Argument::Buffer(index) if *index < buffers => {
                Memory::buffer_address(program.globals.len(), *index).to_le_bytes().to_vec()
            }
            Argument::Buffer(index) => return Err(format!("There is no buffer {index}.")),
            Argument::Value(bytes) => bytes.clone(),
        };
        if value.len() != *size as usize {
            return Err(format!("A parameter of {size} bytes was given {}.", value.len()));
        }
        bytes[*offset as usize..][..value.len()].copy_from_slice(&value);
    }
    Ok(bytes)
}
