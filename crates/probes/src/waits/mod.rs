//! The wait methods of the catalogue, one file each.
//!
//! To add one: write a file with an `ENTRY` in the folder of its family, and add its line to
//! [`ALL`]. Help, `list`, `explain`, the tables and the documentation follow from the entry. A
//! test fails when a file is not in the list.

pub mod entry;
#[macro_use]
mod open;
pub mod moment;
pub mod os;
pub mod privilege;

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
pub(crate) mod windows;

pub use entry::{Entry, Kind, Language, Method, Setting, Unavailable};

/// A rate of the counter that does where a method is only asked whether it is there, and not used.
pub const NOMINAL_HZ: f64 = 1e9;

/// Every wait method, in the order in which tables show them.
pub const ALL: &[&Entry] = &[
    &linux::nanosleep::ENTRY,
    &linux::clock_nanosleep_abs::ENTRY,
    &linux::timerfd::ENTRY,
    &linux::epoll_pwait2::ENTRY,
    &linux::ppoll::ENTRY,
    &linux::select::ENTRY,
    &linux::futex::ENTRY,
    &linux::io_uring_timeout::ENTRY,
    &linux::sigtimedwait::ENTRY,
    &posix::usleep::ENTRY,
    &posix::cond_timedwait::ENTRY,
    &rust::thread_sleep::ENTRY,
    &cxx::sleep_for::ENTRY,
    &cxx::sleep_until::ENTRY,
    &windows::sleep::ENTRY,
    &windows::waitable_timer::ENTRY,
    &windows::waitable_timer_high_resolution::ENTRY,
    &windows::ntdelayexecution::ENTRY,
    &mingw::usleep::ENTRY,
    &mingw::nanosleep::ENTRY,
    &mach::wait_until::ENTRY,
    &darwin::nanosleep::ENTRY,
    &darwin::kevent::ENTRY,
    &busy::tsc::ENTRY,
    &busy::tsc_bare::ENTRY,
    &busy::cntvct::ENTRY,
    &busy::qpc::ENTRY,
    &busy::monotonic::ENTRY,
    &busy::instant::ENTRY,
    &busy::tpause::ENTRY,
    &busy::umwait::ENTRY,
    &busy::wfe::ENTRY,
    &busy::wfet::ENTRY,
    &busy::sched_yield::ENTRY,
    &hybrid::fixed::ENTRY,
    &own::wait::ENTRY,
    &own::wait_economy::ENTRY,
    &own::wait_precise::ENTRY,
    &peers::spin_sleep::ENTRY,
];

/// The method of that name.
pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().copied().find(|entry| entry.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::Path;

    /// Every file of a family's folder that holds an entry.
    fn entry_files() -> usize {
        let waits = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/waits");
        let families = std::fs::read_dir(waits)
            .expect("the folder of this very file")
            .filter_map(Result::ok)
            .filter(|entry| entry.path().is_dir());
        families
            .flat_map(|family| std::fs::read_dir(family.path()).expect("a folder"))
            .filter_map(Result::ok)
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
            "a method's file is missing from waits::ALL"
        );
    }

    #[test]
    fn ids_are_unique_and_well_formed() {
        let mut seen = HashSet::new();
        for entry in ALL {
            assert!(seen.insert(entry.id), "{} twice", entry.id);
            let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_/".contains(c);
            assert!(entry.id.chars().all(fine), "{}", entry.id);
            assert!(
                !entry.about.is_empty() && !entry.references.is_empty() && !entry.call.is_empty(),
                "{} explains nothing",
                entry.id
            );
        }
    }

    /// Ticks per second of the counter, roughly, and never too low: a wait by it must not be short.
    /// The counter is read first and last, so that whatever comes between the reads adds to it.
    fn setting() -> Setting {
        let ticks = chronoscope::counter::start();
        let ns = os::reference();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let ns = os::reference() - ns;
        let ticks = chronoscope::counter::start() - ticks;
        Setting {
            counter_hz: ticks as f64 / ns as f64 * 1e9 * 1.001,
        }
    }

    /// How early a method may be that is known to be early, in nanoseconds: MinGW cuts a duration
    /// to whole milliseconds, and its C++ sleeps by its nanosleep.
    fn known_early(id: &str) -> u64 {
        let cut = [
            "mingw/usleep",
            "mingw/nanosleep",
            "cxx/sleep_for",
            "cxx/sleep_until",
        ];
        if cfg!(windows) && cut.contains(&id) {
            1_000_000
        } else {
            0
        }
    }

    /// Of every method that is available: no wait is early by the system's own clock, beyond its
    /// steps, and none fails; the others say why they are not available.
    #[test]
    fn a_method_waits_and_is_not_early_or_says_why_it_cannot() {
        let setting = setting();
        let mut available = 0;
        for entry in ALL {
            let mut method = match (entry.open)(&setting) {
                Ok(method) => method,
                Err(reason) => {
                    assert!(!reason.0.is_empty(), "{} has no reason", entry.id);
                    continue;
                }
            };
            available += 1;
            let steps = 2 * os::step() + known_early(entry.id);
            for ns in [1, 999, 20_000, 1_234_567] {
                let start = os::monotonic();
                assert_eq!(method.wait(ns), Ok(()), "{} of {ns} ns", entry.id);
                let waited = os::monotonic() - start;
                assert!(
                    waited + steps >= ns,
                    "{} of {ns} ns took {waited} ns",
                    entry.id
                );
            }
            for ahead in [0, 1, 200_000, 1_500_000] {
                let deadline = os::monotonic() + ahead;
                assert_eq!(method.until(deadline), Ok(()), "{} until", entry.id);
                let now = os::monotonic();
                assert!(
                    now + steps >= deadline,
                    "{} is {} ns early",
                    entry.id,
                    deadline - now
                );
            }
            assert_eq!(method.until(1), Ok(()), "{} until long ago", entry.id);
        }
        assert!(available >= 3);
    }
}
