//! Calls and returns.

use super::frames::Base;
use super::{LANES, Shared, Split, Step, Stop, Wait, Warp, lanes};
use crate::decode::Routine;
use crate::memory::function_at;
use crate::op::{Call, Callee, Kind, Lanes};
use crate::trap::TrapKind;

/// Own memory that one thread may use for recursion, beyond what the functions need once each.
const RECURSION_BYTES_MAX: u64 = 64 << 10;
/// Calls inside calls of one thread, beyond one of each function.
const DEPTH_MAX: usize = 4096;
/// Bytes of frames that are cleared in the time of one instruction.
const FRAME_BYTES_PER_STEP: u64 = 16 << 10;
/// Bytes that a frame costs besides its registers.
const FRAME_BYTES: usize = 128;

impl Warp {
    /// Looks from a frame: registers and local addresses count from its start.
    #[inline]
    pub(super) fn look_from(&mut self, frame: u32) {
        if self.looks_from != frame {
            self.looks_from = frame;
            let base = self.frames.get(frame).base;
            self.local = base.local;
            self.registers.look_from(base.registers);
            self.predicates.look_from(base.predicates);
            self.taint.look_from(base.registers, base.predicates);
        }
    }

    /// The calls that a lane is in, innermost first.
    pub fn calls_of(&self, lane: usize) -> impl Iterator<Item = usize> {
        let split = self.splits.iter().find(|split| split.mask >> lane & 1 == 1);
        split.into_iter().flat_map(|split| self.frames.calls(split.frame))
    }

    /// All lanes of a split make a call; pointers may lead them to different functions.
    pub(super) fn call(&mut self, at: usize, call: &Call, shared: &mut Shared<'_, '_>) -> Step {
        let Split { mask, pc, .. } = self.splits[at];
        let pointer = match call.callee {
            Callee::Function(number) => return self.enter(at, mask, number, call, shared),
            Callee::Pointer(pointer) => pointer,
        };
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let address = self.value(pointer, lane, shared);
            let same = |lane: &usize| self.value(pointer, *lane, shared) == address;
            let group = lanes(rest).filter(same).fold(0, |group, lane| group | 1 << lane);
            let Some(number) = function_at(address, shared.program.routines.len()) else {
                let reason = format!("A function pointer holds 0x{address:x}, where no function is.");
                return Err(Stop::boxed(TrapKind::Illegal { reason }, pc, lane));
            };
            rest &= !group;
            self.enter(at, group, number, call, shared)?;
        }
        Ok(())
    }

    /// Some lanes of a split enter a function.
    fn enter(&mut self, at: usize, group: u32, number: usize, call: &Call, shared: &mut Shared<'_, '_>) -> Step {
        let program = shared.program;
        let (caller, callee) = (&program.routines[call.caller], &program.routines[number]);
        let Split { mask, pc, frame, last_run, .. } = self.splits[at];
        let stop = |kind: TrapKind| Stop::boxed(kind, pc, group.trailing_zeros() as usize);
        if call.arguments.len() != callee.params.len() || call.returns.len() != callee.returns.len() {
            let reason = format!("`{}` is called as if it took other arguments.", callee.name);
            return Err(stop(TrapKind::Illegal { reason }));
        }
        let base = self.frames.base_above(frame, caller);
        let end = base.local + callee.local_bytes;
        let depth = self.frames.get(frame).depth + 1;
        refuse_deep(callee, depth, end, shared).map_err(|reason| stop(TrapKind::Stack { reason }))?;
        let entered = self.frames.enter(frame, pc, base, self.splits.iter().map(|split| split.frame));
        let granted = self.grow(base, callee, shared)
            && lanes(group)
                .all(|lane| shared.memory.enter_frame(self.index * LANES + lane, (base.local, end), &callee.gaps));
        if !granted {
            let reason = "The calls of all threads need more memory than there is for stacks.".to_owned();
            return Err(stop(TrapKind::Stack { reason }));
        }
        // Large frames take their time: whoever asks whether it is over is to be asked as often.
        let steps = callee.local_bytes * u64::from(group.count_ones()) / FRAME_BYTES_PER_STEP;
        self.executed += steps;
        self.no_instructions += steps;
        let below = self.frames.get(frame).base.local;
        for lane in lanes(group) {
            for (from, to) in call.arguments.iter().zip(&callee.params) {
                let bytes = from.bytes.min(to.bytes);
                shared.memory.copy_local(self.index * LANES + lane, below + from.at, base.local + to.at, bytes);
            }
        }
        self.taint.forget(group, (base.registers, callee.registers), (base.predicates, callee.predicates));
        let wait = Wait::Nothing;
        let split = Split { mask: group, pc: callee.start, frame: entered, depth, wait, last_run, came_by: None };
        self.leave_for(at, mask, split);
        Ok(())
    }

    /// `malloc` and `free`, lane by lane.
    pub(super) fn heap_step(&mut self, kind: &Kind, active: u32, pc: usize, shared: &mut Shared<'_, '_>) -> Step {
        let line = shared.program.line_at(pc).unwrap_or(0);
        match kind {
            Kind::Allocate { to, bytes } => {
                let mut given = self.values(*bytes, shared);
                for lane in lanes(active) {
                    let allocated = shared.memory.allocate(given[lane], line);
                    if let Some((region, _)) = allocated {
                        shared.detector.start_region(region);
                    }
                    given[lane] = allocated.map_or(0, |(_, address)| address);
                }
                self.set(*to, active, &given);
            }
            Kind::Free { address } => {
                for lane in lanes(active) {
                    let address = self.value(*address, lane, shared);
                    shared.memory.free(address, line).map_err(|kind| Stop::boxed(kind, pc, lane))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Lanes of a split go elsewhere: all of them, or some.
    fn leave_for(&mut self, at: usize, mask: u32, to: Split) {
        if mask == to.mask {
            self.splits[at] = to;
        } else {
            self.splits[at].mask = mask & !to.mask;
            if to.mask != 0 {
                self.splits.push(to);
            }
        }
    }

    /// Room for the registers of a frame; `false` where memory for stacks is used up.
    fn grow(&mut self, base: Base, callee: &Routine, shared: &mut Shared<'_, '_>) -> bool {
        let registers = base.registers + callee.registers;
        let predicates = base.predicates + callee.predicates;
        let more = registers.saturating_sub(self.registers.len()) * size_of::<Lanes>()
            + predicates.saturating_sub(self.predicates.len()) * size_of::<u32>()
            + self.frames.len().saturating_sub(self.frames_paid) * FRAME_BYTES;
        if !shared.memory.grant(more) {
            return false;
        }
        self.frames_paid = self.frames_paid.max(self.frames.len());
        self.registers.reach(registers, [0; LANES]);
        self.predicates.reach(predicates, 0);
        true
    }

    /// The active lanes of a split go back to their caller.
    pub(super) fn return_from(&mut self, at: usize, active: u32, from: usize, shared: &mut Shared<'_, '_>) {
        let Split { mask, pc, frame, last_run, .. } = self.splits[at];
        let left = *self.frames.get(frame);
        let below = *self.frames.get(left.parent);
        let program = shared.program;
        if let Kind::Call(call) = &program.ops[left.call].kind {
            for lane in lanes(active) {
                let thread = self.index * LANES + lane;
                for (to, from) in call.returns.iter().zip(&program.routines[from].returns) {
                    let bytes = from.bytes.min(to.bytes);
                    shared.memory.copy_local(thread, left.base.local + from.at, below.base.local + to.at, bytes);
                }
                shared.memory.leave_frame(thread, left.base.local);
            }
        }
        self.splits[at].pc = pc + 1;
        let (wait, depth) = (Wait::Nothing, below.depth);
        self.leave_for(
            at,
            mask,
            Split { mask: active, pc: left.call + 1, frame: left.parent, depth, wait, last_run, came_by: None },
        );
    }
}

/// Why a call is too deep for one thread.
fn refuse_deep(callee: &Routine, depth: u32, end: u64, shared: &Shared<'_, '_>) -> Result<(), String> {
    let (program, name) = (shared.program, &callee.name);
    if end > program.frames_bytes.saturating_add(RECURSION_BYTES_MAX) {
        return Err(format!(
            "The recursion of `{name}` needs more than {RECURSION_BYTES_MAX} bytes of stack in one thread."
        ));
    }
    if depth as usize > program.routines.len() + DEPTH_MAX {
        return Err(format!("The recursion of `{name}` is more than {DEPTH_MAX} calls deep in one thread."));
    }
    Ok(())
}
