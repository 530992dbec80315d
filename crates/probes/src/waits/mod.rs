//! The wait methods of the catalogue.
//!
//! A method with much code of its own is a file with an `ENTRY`, which its family's table names;
//! any other is one row of that table. Help, `list`, `explain`, the tables and the documentation
//! are made from the entries. A test names every entry and table that is missing from its list.

pub mod entry;
#[macro_use]
mod open;
pub mod moment;
pub mod os;
pub mod privilege;
mod spin;
mod then_spin;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod unix;
#[cfg(windows)]
pub(crate) mod windows_qpc;
#[cfg(windows)]
pub(crate) mod windows_timer;

mod busy;
mod cxx;
mod darwin;
mod hybrid;
mod linux;
mod mach;
mod mingw;
mod own;
mod peers;
mod posix;
mod rust;
mod windows;

use crate::lists;
pub use entry::{Asked, Entry, Facts, Kind, Language, Method, Setting, TimerSlack, Unavailable};

const TABLES: &[&[Entry]] = &[
    linux::WAITS,
    posix::WAITS,
    rust::WAITS,
    cxx::WAITS,
    windows::WAITS,
    mingw::WAITS,
    mach::WAITS,
    darwin::WAITS,
    busy::WAITS,
    hybrid::WAITS,
    own::WAITS,
    peers::WAITS,
];

/// Every wait method, in the order in which lists show them.
pub const ALL: &[&Entry] = &lists::all::<Entry, { lists::count(TABLES) }>(TABLES);

/// A counter rate that is good enough to ask whether a method is available, without using it.
pub const NOMINAL_HZ: f64 = 1e9;

pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().copied().find(|entry| entry.id == id)
}

#[cfg(test)]
mod shown_tests;
#[cfg(test)]
mod tests;
