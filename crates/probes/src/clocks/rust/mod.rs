//! The clocks of Rust's standard library.

pub(crate) mod instant;
pub(crate) mod system_time;
