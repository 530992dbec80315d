//! Types and lists that all three tools share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use xtask::sh;

/// The ids of the calls in the catalogue, in the order of `calls.hpp`.
pub const IDS: [&str; 12] = [
    "x86/rdtsc-intrinsic",
    "x86/rdtscp",
    "posix/realtime",
    "posix/monotonic",
    "linux/monotonic-raw",
    "linux/monotonic-coarse",
    "posix/process-cputime",
    "c/clock",
    "cxx/steady_clock",
    "cxx/system_clock",
    "cxx/steady_clock-nocast",
    "cxx/system_clock-nocast",
];

/// A tool's estimate for one call, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// The half-width, in percent of the value.
    pub fn percent(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.value * 100.0
    }
}

/// A tool's result for each call, and how long the tool took.
pub struct Run<T> {
    pub of: BTreeMap<String, T>,
    pub time: Duration,
}

/// The folder in which the other tools' programs are built.
pub fn folder() -> PathBuf {
    sh::target().join("crosscheck")
}
