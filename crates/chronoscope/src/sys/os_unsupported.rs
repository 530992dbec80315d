//! A system of which only what the standard library offers is known.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::machine::{Inquiry, Kernel};

/// Nothing is known to forbid the counter, and nothing confirms that it is reliable, so it is not
/// used unless the user wants it.
pub fn counter_forbidden() -> bool {
    false
}

/// The name of the clock that [`reference`] reads.
pub const REFERENCE: &str = "std::time::Instant";

/// The name of the clock that [`monotonic`] reads.
pub const MONOTONIC: &str = "std::time::Instant";

pub fn reference() -> u64 {
    monotonic()
}

pub fn reference_step() -> u64 {
    1
}

/// Nanoseconds since the first read.
pub fn monotonic() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

pub fn monotonic_step() -> u64 {
    1
}

/// No current system has a coarser time than POSIX' `gettimeofday`.
pub const WALL_STEP: u64 = 1000;

pub fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

pub fn wall_error() -> Option<u64> {
    None
}

pub fn first_view(_names: &[&str]) -> Kernel {
    Kernel::Silent
}

pub fn inquire(_names: &[&str], _deeply: bool) -> Inquiry {
    Inquiry { kernel: Kernel::Silent, hint: None }
}

/// No page of a hypervisor is known here.
pub fn disruption() -> Option<u64> {
    None
}

pub fn reads_directly() -> Option<bool> {
    None
}

/// Nothing is left out for fear of a filter here.
pub fn assume_that_nothing_kills() {}

pub fn on_each_cpu(_visit: &mut dyn FnMut(usize) -> bool) -> bool {
    false
}

pub fn sleep_until(_deadline: u64, remaining: u64) {
    std::thread::sleep(Duration::from_nanos(remaining));
}

/// As on Linux, because nothing better is known.
pub const MARGIN_CAP: u64 = 150_000;
