//! The wait methods of the catalogue, one file each.
//!
//! To add one, write a file with an `ENTRY` in the folder of its family, and add its name to the
//! family's list. Help, `list`, `explain`, the tables and the documentation are made from the
//! entry. A test names every file that is missing from its list.

pub mod entry;
#[macro_use]
mod open;
pub mod moment;
pub mod os;
pub mod privilege;
mod spin;
mod then_spin;
#[cfg(windows)]
mod windows_qpc;
#[cfg(windows)]
pub(crate) mod windows_timer;

pub use entry::{Asked, Entry, Facts, Kind, Language, Method, Setting, TimerSlack, Unavailable};

/// The wait methods of one family, one file each, in the order in which lists show them.
macro_rules! waits {
    ($($file:tt)*) => { entries! { $crate::waits::Entry; $($file)* } };
}

families! {
    "Every wait method, in the order in which lists show them.",
    Entry;
    linux,
    posix,
    rust,
    cxx,
    windows,
    mingw,
    mach,
    darwin,
    busy,
    hybrid,
    own,
    peers,
}

/// A counter rate that suffices to ask whether a method is available, without using it.
pub const NOMINAL_HZ: f64 = 1e9;

/// The method with that id.
pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().copied().find(|entry| entry.id == id)
}

#[cfg(test)]
mod shown_tests;
#[cfg(test)]
mod tests;
