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
mod linux;
mod mach;
mod own;
mod peers;
mod posix;
mod rust;
mod windows;
mod x86;

pub use entry::{Batch, Entry, Kind, Language, Range, Reader, Unavailable, Unit};

/// Every clock, in the order in which tables show them.
pub const ALL: &[&Entry] = &[
    &c::clock::ENTRY,
    &c::time::ENTRY,
    &c::timespec_get::ENTRY,
    &c::gettimeofday::ENTRY,
    &c::getrusage::ENTRY,
    &c::times::ENTRY,
    &c::ftime::ENTRY,
    &cxx::steady_clock::ENTRY,
    &cxx::steady_clock_nocast::ENTRY,
    &cxx::system_clock::ENTRY,
    &cxx::system_clock_nocast::ENTRY,
    &cxx::high_resolution_clock::ENTRY,
    &x86::rdtsc_asm::ENTRY,
    &x86::rdtsc_intrinsic::ENTRY,
    &x86::rdtsc_builtin::ENTRY,
    &x86::rdtscp::ENTRY,
    &x86::lfence_rdtsc::ENTRY,
    &x86::lfence_rdtsc_lfence::ENTRY,
    &x86::mfence_rdtsc::ENTRY,
    &x86::serialize_rdtsc::ENTRY,
    &x86::cpuid_rdtsc::ENTRY,
    &x86::rdpmc::ENTRY,
    &posix::realtime::ENTRY,
    &arm::cntvct::ENTRY,
    &arm::isb_cntvct::ENTRY,
    &arm::cntvctss::ENTRY,
    &arm::pmccntr::ENTRY,
    &posix::monotonic::ENTRY,
    &posix::process_cputime::ENTRY,
    &posix::thread_cputime::ENTRY,
    &linux::monotonic_raw::ENTRY,
    &linux::boottime::ENTRY,
    &linux::tai::ENTRY,
    &linux::realtime_coarse::ENTRY,
    &linux::monotonic_coarse::ENTRY,
    &linux::realtime_syscall::ENTRY,
    &linux::monotonic_syscall::ENTRY,
    &linux::monotonic_raw_syscall::ENTRY,
    &linux::boottime_syscall::ENTRY,
    &linux::tai_syscall::ENTRY,
    &linux::realtime_coarse_syscall::ENTRY,
    &linux::monotonic_coarse_syscall::ENTRY,
    &linux::process_cputime_syscall::ENTRY,
    &linux::thread_cputime_syscall::ENTRY,
    &linux::monotonic_vdso::ENTRY,
    &linux::perf_mmap::ENTRY,
    &linux::ptp::ENTRY,
    &linux::rtc::ENTRY,
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
    &rust::system_time::ENTRY,
    &own::instant::ENTRY,
    &own::ordered::ENTRY,
];

/// The clocks of other libraries, to compare with. They are read only in a build with the feature
/// `peers`.
pub const PEERS: &[&Entry] = &[
    &peers::quanta_instant::ENTRY,
    &peers::quanta_recent::ENTRY,
    &peers::minstant_instant::ENTRY,
    &peers::fastant_instant::ENTRY,
    &peers::coarsetime_instant::ENTRY,
    &peers::coarsetime_recent::ENTRY,
];

/// Whether this build reads the [`PEERS`].
pub const WITH_PEERS: bool = cfg!(feature = "peers");

/// Every clock, and those of other libraries behind them.
pub fn every() -> impl Iterator<Item = &'static Entry> + Clone {
    ALL.iter().chain(PEERS).copied()
}

/// The clock of that name.
pub fn find(id: &str) -> Option<&'static Entry> {
    every().find(|entry| entry.id == id)
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
            ALL.len() + PEERS.len(),
            "a clock's file is missing from clocks::ALL or PEERS"
        );
    }

    #[test]
    fn ids_are_unique_and_well_formed() {
        let mut seen = HashSet::new();
        for entry in ALL.iter().chain(PEERS) {
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
        for entry in ALL.iter().chain(PEERS) {
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
