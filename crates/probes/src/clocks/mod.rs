//! The clocks of the catalogue, one file each.
//!
//! To add one: write a file with an `ENTRY` in the folder of its family, and add its line to
//! [`ALL`]. Help, `list`, `explain`, the tables and the documentation follow from the entry. A
//! test fails when a file is not in the list.

pub mod entry;
#[macro_use]
mod open;
// Without a compiler for C and C++ nothing of theirs is opened.
#[cfg_attr(not(any(native_c, native_cxx)), allow(dead_code))]
mod native;
mod rust_loop;
pub mod steps;
pub mod untouched;

mod arm;
mod c;
mod cxx;
mod darwin;
mod mach;
mod own;
mod posix;
mod rust;
mod windows;
mod x86;

pub use entry::{Batch, Entry, Kind, Language, Range, Reader, Unavailable, Unit};

/// Every clock, in the order in which tables show them.
pub const ALL: &[&Entry] = &[
    &c::clock::ENTRY,
    &cxx::steady_clock::ENTRY,
    &x86::rdtsc_intrinsic::ENTRY,
    &arm::cntvct::ENTRY,
    &arm::isb_cntvct::ENTRY,
    &arm::cntvctss::ENTRY,
    &arm::pmccntr::ENTRY,
    &posix::monotonic::ENTRY,
    &windows::qpc::ENTRY,
    &windows::rtl_qpc::ENTRY,
    &windows::getsystemtimeasfiletime::ENTRY,
    &windows::getsystemtimepreciseasfiletime::ENTRY,
    &windows::querythreadcycletime::ENTRY,
    &windows::gettickcount64::ENTRY,
    &windows::timegettime::ENTRY,
    &windows::queryinterrupttime::ENTRY,
    &windows::queryinterrupttimeprecise::ENTRY,
    &windows::queryunbiasedinterrupttime::ENTRY,
    &mach::clock_get_time_system::ENTRY,
    &mach::clock_get_time_calendar::ENTRY,
    &mach::absolute_time::ENTRY,
    &mach::continuous_time::ENTRY,
    &mach::approximate_time::ENTRY,
    &darwin::realtime::ENTRY,
    &darwin::monotonic::ENTRY,
    &darwin::monotonic_raw::ENTRY,
    &darwin::monotonic_raw_approx::ENTRY,
    &darwin::uptime_raw::ENTRY,
    &darwin::uptime_raw_approx::ENTRY,
    &darwin::process_cputime::ENTRY,
    &darwin::thread_cputime::ENTRY,
    &rust::instant::ENTRY,
    &own::instant::ENTRY,
];

/// The clock of that name.
pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().copied().find(|entry| entry.id == id)
}

/// The loop without a read, in the language whose loops it stands beside.
pub fn empty(language: Language) -> Reader {
    let rust = || rust_loop::reader::<rust_loop::Empty>(Unit::Hz(1.0), None, Range::bits(64));
    match language {
        // Without their compiler there is no clock of theirs to compare with either.
        Language::C => c::empty().unwrap_or_else(|_| rust()),
        Language::Cxx => cxx::empty().unwrap_or_else(|_| rust()),
        Language::Rust => rust(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::Path;

    /// Every `.rs` file of a family's folder that is not the folder's own list.
    fn entry_files() -> usize {
        let clocks = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/clocks");
        let families = std::fs::read_dir(clocks)
            .unwrap()
            .map(Result::unwrap)
            .filter(|e| e.path().is_dir());
        families
            .flat_map(|family| {
                std::fs::read_dir(family.path())
                    .unwrap()
                    .map(Result::unwrap)
            })
            .filter(|file| {
                std::fs::read_to_string(file.path())
                    .is_ok_and(|text| text.contains("pub(crate) const ENTRY: Entry"))
            })
            .count()
    }

    #[test]
    fn every_entry_file_is_in_the_list() {
        assert_eq!(
            entry_files(),
            ALL.len(),
            "a clock's file is missing from clocks::ALL"
        );
    }

    #[test]
    fn ids_are_unique_and_well_formed() {
        let mut seen = HashSet::new();
        for entry in ALL {
            assert!(seen.insert(entry.id), "{} twice", entry.id);
            let (family, variant) = entry.id.split_once('/').expect("family/variant");
            let fine = |s: &str| {
                !s.is_empty()
                    && s.chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c))
            };
            assert!(fine(family) && fine(variant), "{}", entry.id);
            assert!(
                !entry.about.is_empty() && !entry.references.is_empty(),
                "{} explains nothing",
                entry.id
            );
        }
    }

    #[test]
    fn a_clock_opens_and_reads_or_says_why_not() {
        for entry in ALL {
            match (entry.open)() {
                Ok(reader) => {
                    (reader.throughput)(11);
                    (reader.latency)(11);
                    let mut values = [0; 5];
                    reader.fill(&mut values);
                    assert!(
                        values[4] > 0 || entry.kind == Kind::Cpu,
                        "{} reads zero",
                        entry.id
                    );
                }
                Err(reason) => assert!(!reason.0.is_empty(), "{} has no reason", entry.id),
            }
        }
    }
}
