//! The clocks of the catalogue.
//!
//! Each is one row in the table of its family. The loops of C and C++ stand in `native/`, and those
//! of Rust below the table. Help, `list`, `explain`, the tables and the documentation are made from
//! the rows. A test names every table that is missing from the list.

pub mod entry;
pub mod hundred;
mod instructions;
#[macro_use]
mod native;
#[cfg(all(native_c, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod perf_event;
mod rust_loop;
pub mod steps;

mod arm;
mod darwin;
mod libraries;
mod linux;
mod standard;
mod windows;
mod x86;

pub use entry::{COPIES, Entry, Facts, Kind, Language, Opening, Range, Reader, Unavailable, Unit};
pub use instructions::{Count, Event, micro_operations};
use std::sync::LazyLock;

const TABLES: &[&[Entry]] = &[
    standard::C,
    standard::CXX,
    x86::CLOCKS,
    arm::CLOCKS,
    standard::POSIX,
    linux::CLOCKS,
    linux::SYSCALL,
    linux::BARE,
    linux::OTHERS,
    windows::CLOCKS,
    darwin::MACH,
    darwin::CLOCKS,
    standard::IN_RUST,
    libraries::OWN,
];

/// Every clock, in the order in which lists show them.
pub static ALL: LazyLock<Vec<&Entry>> =
    LazyLock::new(|| TABLES.iter().copied().flatten().collect());

/// The clocks of other libraries, for comparison. Only a build with the feature `peers` can read
/// them.
pub static PEERS: LazyLock<Vec<&Entry>> = LazyLock::new(|| libraries::PEERS.iter().collect());

/// Whether this build can read the [`PEERS`].
pub const WITH_PEERS: bool = cfg!(feature = "peers");

/// Every clock, followed by those of other libraries.
pub fn every() -> impl Iterator<Item = &'static Entry> + Clone {
    ALL.iter().chain(&*PEERS).copied()
}

pub fn find(id: &str) -> Option<&'static Entry> {
    every().find(|entry| entry.id == id)
}

clocks! {
    EMPTY_C: c in native_c if all(), like entry::PLAIN;
    "empty" => "the empty loop", Kind::Monotonic, entry::VDSO;
}

clocks! {
    EMPTY_CXX: cxx in native_cxx if all(), like entry::PLAIN;
    "empty" => "the empty loop", Kind::Monotonic, entry::VDSO;
}

/// The empty loop in the given language: the loop without a read.
pub fn empty(language: Language) -> Reader {
    let entry = match language {
        Language::C => Some(&EMPTY_C[0]),
        Language::Cxx => Some(&EMPTY_CXX[0]),
        // No other language reads a clock in this process.
        _ => None,
    };
    // Without a compiler for the language, there is no clock to compare with either, so the loop of
    // Rust serves.
    let opened = entry.and_then(|entry| entry.opener?(entry, Opening::Checked).ok());
    let rust = || rust_loop::opened(rust_loop::Empty, Unit::Hz(1.0), None);
    Reader::without_entry(opened.unwrap_or_else(rust))
}

#[cfg(test)]
mod tests;
