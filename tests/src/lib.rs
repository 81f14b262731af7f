//! Whole-product tests: a [`world::World`] is a database, a server and a grader as real processes, driven over HTTP.
//!
//! Nothing is mocked, so a process can be killed as hard as in life. Processes are ended by the id that was kept.

pub mod cluster;
pub mod visitor;
pub mod world;
