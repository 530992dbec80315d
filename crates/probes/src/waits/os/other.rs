//! What the standard library knows about time, and nothing else.

use std::sync::OnceLock;
use std::time::Instant;

pub use super::lacking::*;

pub const CLOCK: &str = "std::time::Instant";
pub const REFERENCE: &str = CLOCK;

pub fn monotonic() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}
