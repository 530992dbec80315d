//! What the standard library knows about time, and nothing else.

use crate::clocks;
use crate::waits::Unavailable;
use chronoscope_model::waits::Class;
use std::sync::OnceLock;
use std::time::Instant;

pub use super::lacking::*;

pub const CLOCK: &str = "std::time::Instant";
pub const REFERENCE: &str = CLOCK;

pub fn monotonic() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

lacking! {
    /// Of the systems served here, macOS on Apple's processors has the coarsest clock: 24 MHz.
    pub fn step() -> u64 = 42;
    pub fn reference() -> u64 = monotonic();
    pub fn suspended() -> Option<u64> = None;
    pub fn thread_cpu() -> Option<u64> = None;
    pub fn thread_id() -> Option<u64> = None;
    pub fn slack() -> Option<u64> = None;
    pub fn set_slack(u64) -> Result<(), Unavailable> = Err(Unavailable::only_on("Linux"));
    pub fn period_ms(u64) -> Option<u32> = None;
    pub fn resolution_ns(u64) -> Option<u64> = None;
    pub fn set_class(Class) -> Result<u32, Unavailable> = Err(Unavailable::only_on("Windows"));
    pub fn ticks() -> Vec<u64> = Vec::new();
}

pub fn process_cpu() -> Option<u64> {
    let clock = clocks::find("posix/process-cputime")?;
    Some(clock.open(clocks::Opening::Untouched).ok()?.value())
}

pub const HAS_CLASSES: bool = false;

pub fn restore_class(_: u32) {}
