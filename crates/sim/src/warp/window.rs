//! Registers of all frames in a row, seen from the frame that runs.

use std::ops::{Index, IndexMut};

use crate::op::Slot;

/// A register file: slot 0 is the running frame's first. Frames of different lanes may share rows, since no lane
/// touches what is another's.
#[derive(Default)]
pub(super) struct Window<T> {
    all: Vec<T>,
    base: usize,
}

impl<T: Clone> Window<T> {
    /// So many registers.
    pub fn new(count: usize, value: T) -> Self {
        Self { all: vec![value; count], base: 0 }
    }

    /// As it was at first, with so many registers.
    pub fn restart(&mut self, count: usize, value: T) {
        self.all.clear();
        self.all.resize(count, value);
        self.base = 0;
    }

    /// Looks from another frame.
    #[inline]
    pub fn look_from(&mut self, base: usize) {
        self.base = base;
    }

    /// Registers in all frames.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The first so many registers of the running frame.
    pub fn seen(&self, count: usize) -> &[T] {
        let from = self.base.min(self.all.len());
        &self.all[from..from.saturating_add(count).min(self.all.len())]
    }

    /// Makes room for at least so many registers in all frames.
    pub fn reach(&mut self, count: usize, value: T) {
        if self.all.len() < count {
            self.all.resize(count, value);
        }
    }

    /// Changes registers that are there, wherever this looks from.
    pub fn each_of(&mut self, from: usize, count: usize, change: impl FnMut(&mut T)) {
        self.all.iter_mut().skip(from).take(count).for_each(change);
    }

    /// Where a slot of the running frame is among all registers.
    pub fn place(&self, slot: Slot) -> usize {
        self.base + slot as usize
    }

    /// A register that is written beside one that is read, where they are two.
    #[inline]
    pub fn beside(&mut self, to: Slot, a: Slot) -> Option<(&mut T, &T)> {
        let [to, a] = self.all.get_disjoint_mut([self.base + to as usize, self.base + a as usize]).ok()?;
        Some((to, a))
    }

    /// The same beside two that are read.
    #[inline]
    pub fn beside_two(&mut self, to: Slot, a: Slot, b: Slot) -> Option<(&mut T, &T, &T)> {
        let places = [to, a, b].map(|slot| self.base + slot as usize);
        let [to, a, b] = self.all.get_disjoint_mut(places).ok()?;
        Some((to, a, b))
    }

    /// The same beside three that are read.
    #[inline]
    pub fn beside_three(&mut self, to: Slot, [a, b, c]: [Slot; 3]) -> Option<(&mut T, [&T; 3])> {
        let places = [to, a, b, c].map(|slot| self.base + slot as usize);
        let [to, a, b, c] = self.all.get_disjoint_mut(places).ok()?;
        Some((to, [a, b, c]))
    }

    /// A register, where there is one.
    pub fn get(&self, slot: Slot) -> Option<&T> {
        self.all.get(self.place(slot))
    }
}

impl<T> Index<Slot> for Window<T> {
    type Output = T;

    #[inline]
    fn index(&self, slot: Slot) -> &T {
        &self.all[self.base + slot as usize]
    }
}

impl<T> IndexMut<Slot> for Window<T> {
    #[inline]
    fn index_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.all[self.base + slot as usize]
    }
}
