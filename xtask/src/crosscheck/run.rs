//! What the three tools have in common.

use crate::sh;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The calls, by their id in the catalogue, in the order of `calls.hpp`.
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

/// What a tool says of a call, in nanoseconds.
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

/// What a tool found for each call, and how long it took.
pub struct Run<T> {
    pub of: BTreeMap<String, T>,
    pub time: Duration,
}

/// Where the other tools' programs are built.
pub fn folder() -> PathBuf {
    sh::target().join("crosscheck")
}
