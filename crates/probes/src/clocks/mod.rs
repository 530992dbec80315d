//! The clocks of the catalogue, one file each.
//!
//! To add one, write a file with an `ENTRY` in the folder of its family, and add its name to the
//! family's list. Help, `list`, `explain`, the tables and the documentation are made from the
//! entry. A test names every file that is missing from its list.

pub mod entry;
mod instructions;
#[macro_use]
mod open;
mod native;
#[cfg(all(native_c, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod perf_event;
mod permission;
mod rust_loop;
pub mod steps;

pub use entry::{COPIES, Entry, Facts, Kind, Language, Opening, Range, Reader, Unavailable, Unit};
pub use instructions::Instructions;

/// The clocks of one family, one file each, in the order in which lists show them.
macro_rules! clocks {
    ($($file:tt)*) => { entries! { $crate::clocks::Entry; $($file)* } };
}

families! {
    "Every clock, in the order in which lists show them.",
    Entry;
    c,
    cxx,
    x86,
    arm,
    posix,
    linux,
    windows,
    mach,
    darwin,
    rust,
    own,
}

mod peers;

/// The clocks of other libraries, for comparison. Only a build with the feature `peers` can read
/// them.
pub const PEERS: &[&Entry] = peers::ENTRIES;

/// Whether this build can read the [`PEERS`].
pub const WITH_PEERS: bool = cfg!(feature = "peers");

/// Every clock, followed by those of other libraries.
pub fn every() -> impl Iterator<Item = &'static Entry> + Clone {
    ALL.iter().chain(PEERS).copied()
}

/// The clock with that id.
pub fn find(id: &str) -> Option<&'static Entry> {
    every().find(|entry| entry.id == id)
}

/// The empty loop in the given language: the loop without a read.
pub fn empty(language: Language) -> Reader {
    let opener = match language {
        Language::C => native!(
            @opener native_c, c, "empty", all(), Range::bits(64),
            [, Ok(())], [, "the empty loop"]
        ),
        Language::Cxx => native!(
            @opener native_cxx, cxx, "empty", all(), Range::bits(64),
            [, Ok(())], [, "the empty loop"]
        ),
        Language::Rust => None,
    };
    // Without a compiler for the language, there is no clock to compare with either, so the loop of
    // Rust will do.
    let opened = opener.and_then(|open| open(Opening::Checked).ok());
    let rust = || rust_loop::opened(rust_loop::Empty, Unit::Hz(1.0), None, Range::bits(64));
    Reader::without_entry(opened.unwrap_or_else(rust))
}

#[cfg(test)]
mod shown_tests;
#[cfg(test)]
mod tests;
