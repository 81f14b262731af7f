//! What runs kernels, inside a runner: the simulator or a GPU behind one trait.
//!
//! A trait and not a compile-time switch, since one process must be able to hold both for differential tests.

pub mod gpu;
pub mod noted;
pub mod sim;

use crate::runner::protocol::{Look, NotLoaded, Ran, Ready, Run, Stopped};

/// A device of one runner: loads one image, then runs cases of it.
pub trait Device {
    /// Its name and architecture.
    fn ready(&self) -> Ready;

    /// Takes an image and finds its kernels; per kernel the (offset, size) of each parameter in bytes.
    ///
    /// # Errors
    /// Why the image is not usable; the device is.
    fn load(&mut self, image: &[u8], kernels: &[String]) -> Result<Vec<Vec<(u32, u32)>>, NotLoaded>;

    /// Runs all launches of one case over fresh buffers; the simulator can look for more than results.
    ///
    /// # Errors
    /// Why it was stopped; the device may be of no use afterwards.
    fn run(&mut self, run: Run, look: Look) -> Result<Ran, Stopped>;
}
