//! The wait methods of the catalogue: each is one row of its family's table, which has the code
//! that waits below it. Help, `list`, `explain`, the tables and the documentation are made from the
//! rows. A test names every table that is missing from the list.

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

use crate::catalogue;
pub use entry::{Asked, Entry, Facts, Kind, Language, Method, Setting, TimerSlack, Unavailable};

const TABLES: &[&[Entry]] = &[
    linux::WAITS,
    libraries::STANDARD,
    windows::WAITS,
    darwin::WAITS,
    busy::WAITS,
    hybrid::WAITS,
    libraries::OTHERS,
    runtimes::PYTHON,
    runtimes::PYPY,
    runtimes::NODE,
    runtimes::DENO,
    runtimes::BUN,
    runtimes::JAVA,
    runtimes::GO,
    runtimes::CORECLR,
    runtimes::MONO,
    runtimes::RUBY,
    runtimes::PERL,
    runtimes::PHP,
    runtimes::LUAJIT,
    runtimes::ERLANG,
    runtimes::WASMTIME,
    runtimes::WAZERO,
    runtimes::NODE_WASI,
    runtimes::UV,
    runtimes::EVENT,
    runtimes::ASIO,
    runtimes::OWN_C,
    runtimes::OWN_CXX,
    runtimes::TOKIO,
    runtimes::ASYNC_IO,
    runtimes::SMOL,
];

/// Every wait method, in the order in which lists show them.
pub static ALL: &[&Entry] = &catalogue::all::<Entry, { catalogue::count(TABLES) }>(TABLES);

/// A counter rate that is good enough to ask whether a method is available, without using it.
pub const NOMINAL_HZ: f64 = 1e9;

pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().copied().find(|entry| entry.id == id)
}

#[cfg(test)]
mod tests;
