//! The wait methods of the catalogue: each is one row of its family's table, which has the code
//! that waits below it, or of `runtimes.txt`. Help, `list`, `explain`, the tables and the
//! documentation are made from the rows. A test names every table that is missing from the list.

#[macro_use]
pub mod entry;
pub mod moment;
pub mod os;
pub mod privilege;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod unix;

mod busy;
mod darwin;
mod hybrid;
mod libraries;
mod linux;
mod runtimes;
pub(crate) mod windows;

pub use entry::{Asked, Entry, Facts, Kind, Language, Method, Setting, TimerSlack, Unavailable};
use std::sync::LazyLock;

const TABLES: &[&[Entry]] = &[
    linux::WAITS,
    libraries::STANDARD,
    windows::WAITS,
    darwin::WAITS,
    busy::WAITS,
    hybrid::WAITS,
    libraries::OTHERS,
];

/// Every wait method, in the order in which lists show them.
pub static ALL: LazyLock<Vec<&Entry>> =
    LazyLock::new(|| TABLES.iter().copied().flatten().chain(&*runtimes::ALL).collect());

/// A counter rate that is good enough to ask whether a method is available, without using it.
pub const NOMINAL_HZ: f64 = 1e9;

pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().copied().find(|entry| entry.id == id)
}

#[cfg(test)]
mod tests;
