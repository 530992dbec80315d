//! Recordings of `watch`: writing them, keeping the last minute of one, reading them, and making a
//! report of one.

mod file;
mod keep;
#[cfg(test)]
mod keep_tests;
mod report;
#[cfg(test)]
#[path = "../../tests/samples/recording.rs"]
mod samples;
#[cfg(test)]
mod tests;

pub use file::{FIRST, Reader, Writer, is_recording};
pub use keep::{Breach, Keep, Keeper, Status};
pub use report::report;
