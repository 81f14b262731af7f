//! Small pieces without data of their own: props in, markup out.

pub mod icon;
pub mod text;

#[cfg(feature = "ssr")]
pub mod area;
#[cfg(feature = "ssr")]
pub mod highlight;
#[cfg(feature = "ssr")]
pub mod listing;
