//! What threads learn of each other through fences and atomics (PTX ISA 9.0, section 8: release and acquire patterns).
//!
//! Every location that is used to synchronise has an append-only log of what its writers had released. A reader keeps
//! the log and how long it was: that costs the same however many blocks have passed by.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::stamp::Stamp;

/// Entries that one question looks at; beyond it order is assumed, since a false alarm costs more than a miss.
const LOOKS_MAX: u32 = 512;

/// What one writer had released.
#[derive(Clone, Debug)]
enum Entry {
    /// All accesses of a block before this phase.
    Block { block: u32, phase: u16, within: Option<u32> },
    /// All accesses of a thread before this clock.
    Thread { who: u32, clock: u16, within: Option<u32> },
    /// What another log held.
    Log(Known),
}

/// Everything that was released at one location, in order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    /// Places of the entries about a block, and about a thread.
    blocks: HashMap<u32, Vec<u32>>,
    threads: HashMap<u32, Vec<u32>>,
    /// Places of the entries that are logs.
    logs: Vec<u32>,
}

/// The first entries of a log.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    log: Rc<RefCell<Log>>,
    length: u32,
}

/// What a thread, or a whole block since a barrier, knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge(Vec<Known>);

/// What a thread's next strong write hands on: fixed by its last fence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Released {
    /// The only block that a fence of block scope tells; `None` tells everybody.
    pub within: Option<u32>,
    pub block: Option<(u32, u16)>,
    pub threads: Vec<(u32, u16)>,
    pub known: Knowledge,
}

impl Log {
    fn push(&mut self, entry: Entry) {
        let place = self.entries.len() as u32;
        match &entry {
            Entry::Block { block, .. } => self.blocks.entry(*block).or_default().push(place),
            Entry::Thread { who, .. } => self.threads.entry(*who).or_default().push(place),
            Entry::Log(_) => self.logs.push(place),
        }
        self.entries.push(entry);
    }

    fn holds(&self, length: u32, question: &mut Question<'_>) -> bool {
        let blocks = self.blocks.get(&question.block).into_iter().flatten();
        let threads = self.threads.get(&question.of.who).into_iter().flatten();
        blocks.chain(threads).chain(self.logs.iter().rev()).filter(|at| **at < length).any(|at| {
            question.looks += 1;
            if question.looks > LOOKS_MAX {
                return true;
            }
            let told = |within: &Option<u32>| within.is_none_or(|block| block == question.reader);
            match &self.entries[*at as usize] {
                Entry::Block { phase, within, .. } => question.of.phase < *phase && told(within),
                Entry::Thread { clock, within, .. } => {
                    (question.of.clock < *clock || question.of.clock == u16::MAX) && told(within)
                }
                Entry::Log(known) => known.log.borrow().holds(known.length, question),
            }
        })
    }
}

/// Did this access happen before what the reader knows?
struct Question<'a> {
    of: &'a Stamp,
    /// Block of the access.
    block: u32,
    /// Block of the reader.
    reader: u32,
    looks: u32,
}

impl Knowledge {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an access by a thread of `block` happened before whoever knows this.
    pub fn holds(&self, of: &Stamp, block: u32, reader: u32) -> bool {
        let mut question = Question { of, block, reader, looks: 0 };
        self.0.iter().any(|known| known.log.borrow().holds(known.length, &mut question))
    }

    /// Learns what another knows.
    pub fn join(&mut self, other: &Self) {
        for known in &other.0 {
            self.learn(known);
        }
    }

    fn learn(&mut self, new: &Known) {
        match self.0.iter_mut().find(|known| Rc::ptr_eq(&known.log, &new.log)) {
            Some(known) => known.length = known.length.max(new.length),
            None => self.0.push(new.clone()),
        }
    }
}

/// The logs of all locations, by address.
#[derive(Default)]
pub(crate) struct Locations(HashMap<u64, Rc<RefCell<Log>>>);

impl Locations {
    /// A strong read of a location: what was released there is known to the reader.
    pub fn acquire(&self, address: u64, into: &mut Knowledge) {
        if let Some(log) = self.0.get(&address) {
            let length = log.borrow().entries.len() as u32;
            into.learn(&Known { log: log.clone(), length });
        }
    }

    /// A strong write of a location. A read-modify-write keeps what was there (it continues the chain).
    pub fn release(&mut self, address: u64, released: &Released, keeps: bool) {
        if !keeps {
            self.0.remove(&address);
        }
        let log = self.0.entry(address).or_default().clone();
        let foreign: Vec<Known> =
            released.known.0.iter().filter(|known| !(keeps && Rc::ptr_eq(&known.log, &log))).cloned().collect();
        let mut log = log.borrow_mut();
        let within = released.within;
        if let Some((block, phase)) = released.block {
            log.push(Entry::Block { block, phase, within });
        }
        for (who, clock) in &released.threads {
            log.push(Entry::Thread { who: *who, clock: *clock, within });
        }
        for known in foreign {
            log.push(Entry::Log(known));
        }
    }

    /// A strong write that releases nothing ends the chain, unless it is a read-modify-write.
    pub fn overwrite(&mut self, address: u64) {
        if !self.0.is_empty() {
            self.0.remove(&address);
        }
    }

    /// Forgets the locations in a range: shared memory of a block that ended.
    pub fn forget(&mut self, keep: impl Fn(u64) -> bool) {
        self.0.retain(|address, _| keep(*address));
    }
}
