//! How a warp runs: split by split, each to its next branch, wait or end, or to where it may meet another.

use super::{Kind, Shared, Source, Split, Step, Stop, Wait, Warp};
use crate::launch::Progress;
use crate::op::matrix::Matrix;

impl Warp {
    /// Runs until all splits wait or have ended, or for about `turn` instructions.
    pub fn run(&mut self, shared: &mut Shared<'_, '_>, progress: &mut Progress<'_>, turn: u64) -> Step {
        let (begun, end) = (self.executed - self.no_instructions, self.executed + turn);
        let (mut held, mut ended) = (None, Ok(()));
        while self.executed < end && ended.is_ok() {
            let Some(at) = self.choose(&mut held) else { break };
            ended = self.run_split(at, shared, progress, end);
            self.end_step(progress, shared);
        }
        progress.report.warp_instructions += self.executed - self.no_instructions - begun;
        ended
    }

    /// Runs one split to the next branch, wait, end, or place where it may meet another.
    fn run_split(&mut self, at: usize, shared: &mut Shared<'_, '_>, progress: &mut Progress<'_>, end: u64) -> Step {
        let Split { mask, mut pc, frame, .. } = self.splits[at];
        self.look_from(frame);
        let is_alone = self.splits.len() == 1;
        let meeting = self.meeting_of(at);
        let program = shared.program;
        let is_watched = progress.counts.is_some() || progress.tracer.is_some();
        loop {
            if mask == u32::MAX && !is_watched && !self.taint.any {
                pc = self.run_simple(pc, meeting, end, shared);
                if pc == meeting || self.executed >= end {
                    let split = &mut self.splits[at];
                    (split.pc, split.last_run) = (pc, self.executed);
                    return Ok(());
                }
            }
            let op = &program.ops[pc];
            self.executed += 1;
            let split = &mut self.splits[at];
            (split.pc, split.last_run) = (pc, self.executed);
            let active = op.guard.map_or(mask, |guard| mask & self.predicate(guard));
            if self.taint.any {
                self.taint.pc = pc;
                self.spread(&op.kind, op.guard, active, shared);
            }
            if let Some(counts) = &mut progress.counts {
                self.count(&op.kind, (mask, active), pc, shared, counts);
            }
            self.begin_step(progress, op, (mask, active), pc, shared);
            match &op.kind {
                Kind::Branch { to } if is_alone && (active == 0 || active == mask) => {
                    pc = if active == 0 { pc + 1 } else { *to };
                    if self.executed < end {
                        continue;
                    }
                    self.splits[at].pc = pc;
                    return Ok(());
                }
                Kind::Barrier { .. } | Kind::Branch { .. } | Kind::Exit | Kind::Call(_) | Kind::Return { .. } => {
                    return self.go_elsewhere(&op.kind, at, active, shared);
                }
                kind if kind.is_collective() => {
                    if !self.together(at, (kind, active), shared, progress)? {
                        return Ok(());
                    }
                    // Others of the split may have stayed behind.
                    if self.splits[at].mask != mask {
                        self.splits[at].pc += 1;
                        return Ok(());
                    }
                }
                kind => self.step(kind, active, pc, shared, progress)?,
            }
            pc += 1;
            if pc == meeting || self.executed >= end {
                self.splits[at].pc = pc;
                return Ok(());
            }
        }
    }

    /// The next place of the text where another split is that this one may become one with.
    fn meeting_of(&self, at: usize) -> usize {
        let Split { pc, frame, .. } = self.splits[at];
        let ahead = self.splits.iter().filter(|split| split.frame == frame && split.pc > pc);
        ahead.map(|split| split.pc).min().unwrap_or(usize::MAX)
    }

    /// What ends the straight run of a split.
    fn go_elsewhere(&mut self, kind: &Kind, at: usize, active: u32, shared: &mut Shared<'_, '_>) -> Step {
        match kind {
            Kind::Branch { to } => self.branch(at, self.splits[at].mask, active, *to),
            Kind::Exit => {
                if active != 0 && active != self.live() && shared.left.is_none() {
                    shared.left = self.splits[at].came_by;
                }
                self.exit(at, active);
            }
            Kind::Call(call) => return self.call(at, call, shared),
            Kind::Return { from } => self.return_from(at, active, *from, shared),
            Kind::Barrier { .. } if active == 0 => self.splits[at].pc += 1,
            Kind::Barrier { id, count, .. } => self.wait_at_barrier(at, active, *id, *count, shared),
            _ => {}
        }
        Ok(())
    }

    /// Runs what lanes do together; false where the split waits for others.
    fn together(
        &mut self,
        at: usize,
        (kind, active): (&Kind, u32),
        shared: &mut Shared<'_, '_>,
        progress: &mut Progress<'_>,
    ) -> Result<bool, Box<Stop>> {
        let pc = self.splits[at].pc;
        match kind {
            Kind::Matrix(matrix) => self.meet_for_matrix(at, (matrix, active), shared, progress),
            Kind::WarpSync { mask: named }
            | Kind::Shuffle { mask: named, .. }
            | Kind::Match { mask: named, .. }
            | Kind::Reduce { mask: named, .. }
            | Kind::Vote { mask: named, .. } => {
                let met = self.meet(at, (kind, active), *named, shared)?;
                if met {
                    progress.count_met(pc, active & self.splits[at].mask);
                }
                Ok(met)
            }
            _ => Ok(true),
        }
    }

    /// Runs a collective for the lanes that are all there; false where the split waits for others.
    fn meet(
        &mut self,
        at: usize,
        (kind, active): (&Kind, u32),
        named: Source,
        shared: &mut Shared<'_, '_>,
    ) -> Result<bool, Box<Stop>> {
        let pc = self.splits[at].pc;
        let mut ready = self.arrived(at, active, named, shared)?;
        if self.splits[at].wait == Wait::Lanes {
            return Ok(false);
        }
        while ready != 0 {
            let (group, _) = self.group(ready, named, shared);
            if shared.detector.is_on && matches!(kind, Kind::WarpSync { .. }) {
                shared.clocks.warp_sync(self.index, group, self.live());
            }
            self.collective(kind, group, pc, shared);
            ready &= !group;
        }
        Ok(true)
    }

    /// Runs a matrix operation for the lanes that are all there; false where the split waits for others.
    fn meet_for_matrix(
        &mut self,
        at: usize,
        (matrix, active): (&Matrix, u32),
        shared: &mut Shared<'_, '_>,
        progress: &mut Progress<'_>,
    ) -> Result<bool, Box<Stop>> {
        let pc = self.splits[at].pc;
        let ready = self.arrived(at, active, Source::Constant(u64::from(u32::MAX)), shared)?;
        if self.splits[at].wait == Wait::Lanes {
            return Ok(false);
        }
        progress.count_met(pc, ready);
        self.matrix(matrix, ready, pc, shared)?;
        Ok(true)
    }
}
