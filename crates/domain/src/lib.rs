//! The words everybody at Warpyard uses.
//!
//! Pure data and pure decisions: no I/O, no clock, no randomness, and nothing that does not compile
//! to WebAssembly. The server, the grader and the browser meet in [`job`], [`event`] and [`verdict`].
#![forbid(unsafe_code)]

pub mod counters;
pub mod event;
pub mod exercise;
pub mod expression;
pub mod finding;
pub mod id;
pub mod job;
pub mod limits;
pub mod submission;
pub mod transcript;
pub mod verdict;
pub mod words;
