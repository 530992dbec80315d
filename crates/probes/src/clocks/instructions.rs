//! How many instructions, core cycles or micro-operations this thread has executed in user mode, on
//! machines with counters of them.
//!
//! Also the events that count micro-operations on this processor.

use super::Unavailable;
use crate::machine::Cpuid;
use std::fs::File;
use std::io::Read;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Cycles,
    Instructions,
    /// An event of this processor by its own number.
    Raw(u64),
}

impl Event {
    /// Its type and number (Linux include/uapi/linux/perf_event.h, `PERF_TYPE_HARDWARE` and
    /// `PERF_TYPE_RAW`, `PERF_COUNT_HW_CPU_CYCLES` and `PERF_COUNT_HW_INSTRUCTIONS`).
    #[allow(dead_code, reason = "only some targets have `perf_event`")]
    fn number(self) -> (u32, u64) {
        match self {
            Self::Cycles => (0, 0),
            Self::Instructions => (0, 1),
            Self::Raw(event) => (4, event),
        }
    }
}

/// A count of what this thread does in user mode.
#[derive(Debug)]
pub struct Count(File);

impl Count {
    /// Starts to count.
    ///
    /// # Errors
    /// The reason why nothing here counts this, or why this process may not ask.
    pub fn open(event: Event) -> Result<Self, Unavailable> {
        opened(event).map(Self)
    }

    /// The count so far; `None` if it cannot be read, or if the counter was not running all the
    /// time because other events shared it.
    pub fn count(&mut self) -> Option<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes).ok()?;
        Some(u64::from_ne_bytes(bytes)).filter(|count| *count > 0)
    }
}

#[cfg(all(native_c, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn opened(event: Event) -> Result<File, Unavailable> {
    super::perf_event::count(event.number())
}

#[cfg(not(all(
    native_c,
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn opened(_: Event) -> Result<File, Unavailable> {
    Err(Unavailable("only perf_event_open of Linux counts for a program".into()))
}

/// What is counted, `uops` or a port such as `p0`, and its raw event for `perf_event_open`: the
/// event's number, and its mask in the second byte.
pub type MicroOperations = (&'static str, u64);

/// The events of this processor; empty if its events are not in the tables.
pub fn micro_operations() -> Vec<MicroOperations> {
    let Some(cpuid) = Cpuid::native() else { return Vec::new() };
    let (family, model, _) = cpuid.signature().unwrap_or_default();
    of(&cpuid.vendor(), family, model)
}

/// The events by CPUID's signature, from `uops.txt`.
fn of(vendor: &str, family: u32, model: u32) -> Vec<MicroOperations> {
    let hex = |word: &str| u64::from_str_radix(word, 16).ok();
    let row = |line: &'static str| -> Option<Vec<MicroOperations>> {
        let (who, events) = line.split_once(": ")?;
        let (vendor_and_family, models) = who.split_once(" models ").unwrap_or((who, ""));
        let is_it = vendor_and_family == format!("{vendor} {family:x}")
            && (models.is_empty() || models.split(' ').any(|it| hex(it) == Some(model.into())));
        is_it.then(|| {
            let events = events.split(", ").filter_map(|it| it.split_once(' '));
            events.filter_map(|(name, event)| Some((name, hex(event)?))).collect()
        })
    };
    let mut rows = include_str!("uops.txt").lines().filter(|line| !line.starts_with('#'));
    rows.find_map(row).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_grows_with_the_work_or_there_is_a_reason() {
        let mut count = match Count::open(Event::Instructions) {
            Ok(count) => count,
            Err(why) => return assert!(!why.0.is_empty()),
        };
        let mut work = |turns: u64| {
            let before = count.count()?;
            for turn in 0..turns {
                std::hint::black_box(turn);
            }
            Some(count.count()? - before)
        };
        if let (Some(short), Some(long)) = (work(1_000), work(1_000_000)) {
            assert!(long > short + 900_000, "{short} and {long}");
        }
    }
}

#[cfg(test)]
mod uops_tests {
    use super::*;

    #[test]
    fn every_table_counts_all_operations_first_and_nothing_twice() {
        let haswell = of("GenuineIntel", 6, 0x3c);
        let intel = [0x2a, 0x5e, 0x6a].map(|model| of("GenuineIntel", 6, model));
        let amd = [0x17, 0x19, 0x1a].map(|family| of("AuthenticAMD", family, 0x21));
        let ports = intel.each_ref().map(Vec::len);
        assert_eq!((ports, amd.each_ref().map(Vec::len)), ([7, 9, 8], [1; 3]));
        for table in intel.iter().chain(&amd) {
            assert_eq!(table[0].0, "uops");
            for (nth, one) in table.iter().enumerate() {
                assert!(table[..nth].iter().all(|other| other.0 != one.0 && other.1 != one.1));
            }
        }
        assert_eq!(haswell, intel[1]);
        assert_eq!(haswell[8], ("p7", 0x80a1));
        assert!(of("GenuineIntel", 6, 0x97).is_empty() && of("", 6, 0x3c).is_empty());
    }
}
