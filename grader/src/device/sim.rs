//! The PTX simulator as a device: it names thread and line, and needs no GPU.

use std::time::{Duration, Instant};

use domain::counters::Counters;
use domain::finding::{Access, Finding, Reach, Space, Thread};
use domain::limits::PRINTF_CASE_BYTES_MAX;
use domain::verdict::VerdictKind;
use sim::{DecodeError, Limits, Program, Trap, TrapKind, Variables};

use super::Device;
use super::noted::{self, noted};
use crate::faults::count;
use crate::runner::protocol::{
    Argument, Buffer, BufferRole, Bytes, Fault, Launch, Left, Look, NotLoaded, Ran, Ready, Run, Stopped,
};

/// The name on pages.
pub const NAME: &str = "simulator";
/// A bound beside the clock, so that the same kernel ends at the same place on a slow machine.
const WARP_INSTRUCTIONS_MAX: u64 = 2_000_000_000;

/// The same for what is only inspected, where nothing waits for the result: about two seconds.
const INSPECTED_INSTRUCTIONS_MAX: u64 = 20_000_000;
/// Threads of a runner that run blocks side by side, where there are so many processors.
const HOST_THREADS_MAX: usize = 2;

/// A simulator of one runner.
#[derive(Default)]
pub struct Sim {
    programs: Vec<Program>,
    /// Of each program, as its last launch left them: a GPU loads a module once, too.
    variables: Vec<Variables>,
}

fn host_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(HOST_THREADS_MAX))
}

impl Device for Sim {
    fn ready(&self) -> Ready {
        Ready { name: NAME.to_owned(), architecture: None }
    }

    fn load(&mut self, image: &[u8], kernels: &[String]) -> Result<Vec<Vec<(u32, u32)>>, NotLoaded> {
        let invalid = |reason: String| NotLoaded::Invalid { reason };
        let text = std::str::from_utf8(image).map_err(|_| invalid("the image is no text".to_owned()))?;
        for wanted in kernels {
            let program = Program::decode(text, wanted).map_err(|error| match error {
                DecodeError::NoEntry { wanted, found } => NotLoaded::NoKernel { wanted, found },
                DecodeError::Unsupported { what, line } => NotLoaded::Unsupported { what, line },
                DecodeError::TooMuchShared { bytes } => NotLoaded::TooMuchShared { bytes },
                DecodeError::Malformed { reason, ptx_line } => invalid(format!("{reason} (PTX line {ptx_line})")),
            })?;
            self.variables.push(Variables::new(&program));
            self.programs.push(program);
        }
        Ok(self.programs.iter().map(|program| program.params().to_vec()).collect())
    }

    fn run(&mut self, run: Run, look: Look) -> Result<Ran, Stopped> {
        let mut buffers: Vec<sim::Buffer> = run.buffers.into_iter().map(buffer).collect();
        let arguments: Vec<sim::Argument> = run
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer(index) => sim::Argument::Buffer(*index as usize),
                Argument::Value(bytes) => sim::Argument::Value(bytes.clone()),
            })
            .collect();
        let begun = Instant::now();
        let deadline = begun + Duration::from_millis(run.run_ms);
        let (mut printed, mut printed_bytes) = (vec![], 0);
        let mut time_is_up = || Instant::now() >= deadline;
        let mut instructions =
            if look == Look::Inspection { INSPECTED_INSTRUCTIONS_MAX } else { WARP_INSTRUCTIONS_MAX };
        let (mut seen, mut detection_is_partial) = (vec![], false);
        let mut counters = (look == Look::Counters).then(Counters::default);
        for launch in &run.launches {
            let at = launch.kernel as usize;
            let (program, variables) = self
                .programs
                .get(at)
                .zip(self.variables.get_mut(at))
                .ok_or_else(|| Fault::Device { reason: "a launch of a kernel that was not loaded".to_owned() })?;
            let limits = Limits {
                warp_instructions: instructions,
                printf_bytes: (PRINTF_CASE_BYTES_MAX as u64).saturating_sub(printed_bytes),
                detect: matches!(look, Look::Mistakes | Look::Inspection),
                host_threads: host_threads(),
                count: look == Look::Counters,
                trace: None,
            };
            let place = sim::Launch { grid: launch.grid, block: launch.block, shared_bytes: launch.shared_bytes };
            let report =
                match sim::run_with(program, variables, &place, &arguments, &mut buffers, &limits, &mut time_is_up) {
                    Ok(report) => report,
                    Err(mut trap) => {
                        seen.extend(noted(std::mem::take(&mut trap.found), launch.block));
                        return Err(Stopped { fault: fault(*trap, launch), noted: seen });
                    }
                };
            instructions = instructions.saturating_sub(report.warp_instructions);
            printed_bytes += report.printed_bytes;
            printed.extend(report.printed);
            detection_is_partial |= report.detection_is_partial;
            if let Some((all, counted)) = counters.as_mut().zip(report.counters) {
                all.merge(&counted);
            }
            seen.extend(noted(report.found, launch.block));
        }
        Ok(Ran {
            buffers: buffers.into_iter().map(|buffer| Left::Changed(Bytes(buffer.bytes))).collect(),
            guard_damage: vec![],
            noted: seen,
            printed: Bytes(printed),
            printed_bytes,
            elapsed_us: begun.elapsed().as_micros() as u64,
            detection_is_partial,
            counters,
        })
    }
}

fn buffer(buffer: Buffer) -> sim::Buffer {
    let role = match buffer.role {
        BufferRole::Input => sim::Role::Input,
        BufferRole::InOut => sim::Role::Defined,
        BufferRole::Output => sim::Role::Output,
        BufferRole::Scratch => sim::Role::Scratch,
    };
    let (name, element_bytes, bytes) = (buffer.name, buffer.element_bytes, buffer.bytes.0);
    sim::Buffer { name, element_bytes, bytes, role, written: vec![] }
}

/// The simulator's words in the product's.
fn fault(trap: Trap, launch: &Launch) -> Fault {
    let who = Some(Thread { block: trap.block, thread: trap.thread, block_size: launch.block });
    let line = trap.line;
    let related = noted::related(&trap.related);
    let waiting = noted::waiting(trap.waiting, trap.block, launch.block);
    let known = |kind, finding| Fault::Known { kind, finding };
    match trap.kind {
        TrapKind::OutOfBounds { write, space, buffer, index, size, threads } => {
            let space = noted::space(space);
            let kind = match (space, write) {
                (Space::Shared, _) => VerdictKind::OobShared,
                (_, false) => VerdictKind::OobRead,
                (_, true) => VerdictKind::OobWrite,
            };
            let access = if write { Access::Write } else { Access::Read };
            let launched = count(launch.grid) * count(launch.block);
            let at = Some(Reach { who, index, size, threads, launched });
            known(kind, Finding::OutOfBounds { access, space, buffer, line, at, related })
        }
        TrapKind::Misaligned { access_bytes, address } => {
            known(VerdictKind::Misaligned, Finding::Misaligned { access_bytes, line, at: Some((who, address)) })
        }
        TrapKind::BarrierDivergence { arrived, expected } => known(
            VerdictKind::BarrierDivergence,
            Finding::BarrierDivergent { line, who, arrived: Some(arrived), expected: Some(expected), waiting },
        ),
        TrapKind::TimeUp { warps } | TrapKind::InstructionLimit { warps } => {
            Fault::Time { line, who, warps: Some(warps), waiting }
        }
        TrapKind::Assert { message } => {
            known(VerdictKind::Illegal, Finding::Illegal { error: format!("assertion failed: {message}"), line, who })
        }
        TrapKind::Trap => {
            known(VerdictKind::Illegal, Finding::Illegal { error: "the kernel called a trap".to_owned(), line, who })
        }
        TrapKind::Illegal { reason } => known(VerdictKind::Illegal, Finding::Illegal { error: reason, line, who }),
        TrapKind::Launch { reason } => known(VerdictKind::LaunchError, Finding::LaunchResources { reason }),
        TrapKind::Stack { reason } => known(VerdictKind::MemoryLimit, Finding::MemoryLimit { reason, line }),
        TrapKind::Flood { bytes } => Fault::Flood { bytes },
        TrapKind::Unsupported { what } => known(VerdictKind::Unsupported, Finding::Unsupported { what, line }),
    }
}
