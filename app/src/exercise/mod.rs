//! The result of a submission: what is drawn, and the island that keeps it live.

pub mod facts;
pub mod panel;
pub mod result;

#[cfg(feature = "hydrate")]
mod live;
#[cfg(feature = "hydrate")]
mod page;
#[cfg(feature = "hydrate")]
mod send;
