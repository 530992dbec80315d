//! The clocks of Rust's standard library.

mod instant;
mod system_time;

pub(super) const CLOCKS: &[super::Entry] = &[instant::ENTRY, system_time::ENTRY];
