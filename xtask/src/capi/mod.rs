//! The C library: its header and its installation.

mod header;
mod install;

pub use header::{PATH as HEADER, make as header};
pub use install::{Args, build, run as install};
