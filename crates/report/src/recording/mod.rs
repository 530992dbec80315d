//! Recordings of `watch`: writing them, keeping the last minute of one, reading them, and making a
//! report of one.

mod deltas;
mod keep;
mod past;
mod read;
mod report;
mod write;

pub use keep::{Breach, Keep, Keeper, Status};
pub use read::{FIRST, Reader, is_recording};
pub use report::report;
pub use write::Writer;

#[cfg(test)]
mod keep_tests;
#[cfg(test)]
#[path = "../../tests/samples/recording.rs"]
mod samples;
#[cfg(test)]
mod tests;
