//! Whom threads wait for when a kernel does not end.

use serde::{Deserialize, Serialize};

use super::{Space, Thread};

/// Threads that wait at one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Line in the source.
    pub line: Option<u32>,
    /// How many of the block.
    pub threads: u64,
    /// One of them.
    pub who: Thread,
    /// What for.
    pub what: WaitsFor,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// Other threads of its block.
    Barrier,
    /// Other lanes of its warp.
    Lanes,
    /// Another value in memory.
    Memory {
        /// Which memory.
        space: Space,
        /// Name in the signature or source.
        buffer: Option<String>,
        /// Element index.
        index: i64,
        /// What it holds.
        holds: u64,
    },
    /// Nothing: it runs.
    Nothing,
}

/// Whether all who are told of wait, so that nobody of the block can change anything.
pub fn is_deadlock(waiting: &[Waiting]) -> bool {
    !waiting.is_empty() && waiting.iter().all(|waiting| waiting.what != WaitsFor::Nothing)
}
