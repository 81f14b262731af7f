//! The grader: claims jobs, judges kernels.
//!
//! Modules in the order of a submission's life: a worker claims it, `grade` leads it through compiler and
//! device, `compare` judges bytes, and the verdict goes back behind the fence. Learner bytes are compiled
//! and run only inside the sandboxed `runner` process; this process compares, enforces wall clocks, and
//! holds what a runner never sees: expected outputs, hidden seeds, the database's address.

pub mod bench;
pub mod cases;
pub mod check;
pub mod compare;
pub mod compile;
pub mod config;
pub mod device;
pub mod diagnostics;
pub mod faults;
pub mod grade;
pub mod inputs;
pub mod merge;
pub mod oracle;
pub mod run;
pub mod runner;
pub mod tools;
pub mod worker;
