//! Frames of a warp: who called, and where the registers and the own memory of an activation start.
//!
//! Lanes that make the same call from the same frame share a frame, also when they make it one after the other: they
//! can merge there. What starts where depends on the caller alone, so different lanes use the same rows for different
//! functions; no lane sees another's.

use std::collections::HashMap;

use crate::decode::Routine;

/// Number of the kernel's own frame.
pub(super) const ROOT: u32 = 0;
/// Frames before those that nobody is in are looked for.
const COLLECT_LEAST: usize = 256;

/// Where an activation's registers and memory start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Base {
    pub registers: usize,
    pub predicates: usize,
    pub local: u64,
}

/// An activation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    pub parent: u32,
    /// The call that made it.
    pub call: usize,
    /// 0 is the kernel.
    pub depth: u32,
    pub base: Base,
    /// The call's place in the order of the kernel's text; see [`Frames::place`].
    outer: u64,
}

/// All frames of a warp.
pub(super) struct Frames {
    all: Vec<Frame>,
    free: Vec<u32>,
    /// By caller and call.
    known: HashMap<(u32, usize), u32>,
    collect_at: usize,
}

impl Frames {
    /// The kernel's frame.
    pub fn new() -> Self {
        Self { all: vec![Frame::default()], free: vec![], known: HashMap::new(), collect_at: COLLECT_LEAST }
    }

    /// A frame by number.
    pub fn get(&self, number: u32) -> &Frame {
        &self.all[number as usize]
    }

    /// Frames that there is room for.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Where a frame begins that is called from another.
    pub fn base_above(&self, caller: u32, routine: &Routine) -> Base {
        let Base { registers, predicates, local } = self.get(caller).base;
        Base {
            registers: registers + routine.registers,
            predicates: predicates + routine.predicates,
            local: local + routine.local_bytes,
        }
    }

    /// The frame of a call. `in_use` names the frames that lanes are in.
    pub fn enter(&mut self, caller: u32, call: usize, base: Base, in_use: impl Iterator<Item = u32>) -> u32 {
        if let Some(known) = self.known.get(&(caller, call)) {
            return *known;
        }
        if self.free.is_empty() && self.all.len() >= self.collect_at {
            self.collect(in_use.chain([caller]));
        }
        let depth = self.get(caller).depth + 1;
        let frame = Frame { parent: caller, call, depth, base, outer: self.place(caller, call) };
        let number = self.free.pop().unwrap_or(self.all.len() as u32);
        match self.all.get_mut(number as usize) {
            Some(room) => *room = frame,
            None => self.all.push(frame),
        }
        self.known.insert((caller, call), number);
        number
    }

    /// Frees the frames that no lane is in or returns to.
    fn collect(&mut self, in_use: impl Iterator<Item = u32>) {
        let mut used = vec![false; self.all.len()];
        used[ROOT as usize] = true;
        for mut number in in_use {
            while !std::mem::replace(&mut used[number as usize], true) {
                number = self.get(number).parent;
            }
        }
        self.known.retain(|_, number| used[*number as usize]);
        self.free = (0..self.all.len() as u32).filter(|number| !used[*number as usize]).collect();
        self.collect_at = COLLECT_LEAST.max(2 * (self.all.len() - self.free.len()));
    }

    /// A number that grows along the text: by the place in the kernel, then in the function that it calls there.
    pub fn place(&self, frame: u32, pc: usize) -> u64 {
        let Frame { depth, outer, .. } = *self.get(frame);
        match depth {
            0 => (pc as u64) << 32,
            1 => outer | (pc as u64 + 1),
            _ => outer,
        }
    }

    /// The calls that lead to a frame, innermost first.
    pub fn calls(&self, frame: u32) -> impl Iterator<Item = usize> {
        let up = |frame: &Frame| (frame.depth != 0).then(|| self.get(frame.parent));
        std::iter::successors(Some(self.get(frame)), move |frame| up(frame))
            .take_while(|frame| frame.depth != 0)
            .map(|frame| frame.call)
    }
}
