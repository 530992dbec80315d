//! How many instructions, core cycles or micro-operations this thread has executed in user mode, on
//! machines with counters of them.
//!
//! Also the events that count micro-operations on this processor.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "no other processor's events are in the tables")
)]

use super::Unavailable;
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

/// Sandy Bridge and Ivy Bridge: UOPS_ISSUED.ANY and UOPS_DISPATCHED_PORT (Linux
/// tools/perf/pmu-events/arch/x86/sandybridge/pipeline.json).
const SANDY_BRIDGE: &[MicroOperations] = &[
    ("uops", 0x010e),
    ("p0", 0x01a1),
    ("p1", 0x02a1),
    ("p2", 0x0ca1),
    ("p3", 0x30a1),
    ("p4", 0x40a1),
    ("p5", 0x80a1),
];
/// Haswell to Skylake, and what kept Skylake's core (haswell/pipeline.json, skylake/pipeline.json).
const HASWELL: &[MicroOperations] = &[
    ("uops", 0x010e),
    ("p0", 0x01a1),
    ("p1", 0x02a1),
    ("p2", 0x04a1),
    ("p3", 0x08a1),
    ("p4", 0x10a1),
    ("p5", 0x20a1),
    ("p6", 0x40a1),
    ("p7", 0x80a1),
];
/// Ice Lake and its kin count some ports together (icelake/pipeline.json, UOPS_DISPATCHED).
const ICE_LAKE: &[MicroOperations] = &[
    ("uops", 0x010e),
    ("p0", 0x01a1),
    ("p1", 0x02a1),
    ("p23", 0x04a1),
    ("p49", 0x10a1),
    ("p5", 0x20a1),
    ("p6", 0x40a1),
    ("p78", 0x80a1),
];
/// Zen counts retired operations, and none by port (amdzen4/core.json, ex_ret_ops).
const ZEN: &[MicroOperations] = &[("uops", 0x00c1)];

/// The events of this processor; empty if its events are not in the tables.
#[cfg(target_arch = "x86_64")]
pub fn micro_operations() -> &'static [MicroOperations] {
    let cpuid = raw_cpuid::CpuId::new();
    let (Some(vendor), Some(version)) = (cpuid.get_vendor_info(), cpuid.get_feature_info()) else {
        return &[];
    };
    of(vendor.as_str(), version.family_id(), version.model_id())
}

/// No other processor's events are in the tables.
#[cfg(not(target_arch = "x86_64"))]
pub fn micro_operations() -> &'static [MicroOperations] {
    &[]
}

/// The events by CPUID's signature (Intel SDM volume 4, table 2-1; Linux
/// arch/x86/include/asm/intel-family.h). Processors with two types of cores have events for each,
/// and are left out.
fn of(vendor: &str, family: u8, model: u8) -> &'static [MicroOperations] {
    match (vendor, family, model) {
        ("GenuineIntel", 6, 0x2a | 0x2d | 0x3a | 0x3e) => SANDY_BRIDGE,
        ("GenuineIntel", 6, 0x3c | 0x3f | 0x45 | 0x46 | 0x3d | 0x47 | 0x4f | 0x56) => HASWELL,
        ("GenuineIntel", 6, 0x4e | 0x5e | 0x55 | 0x8e | 0x9e | 0xa5 | 0xa6) => HASWELL,
        ("GenuineIntel", 6, 0x6a | 0x6c | 0x7d | 0x7e | 0x8c | 0x8d | 0xa7) => ICE_LAKE,
        ("AuthenticAMD", 0x17 | 0x19 | 0x1a, _) => ZEN,
        _ => &[],
    }
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
        for table in [SANDY_BRIDGE, HASWELL, ICE_LAKE, ZEN] {
            assert_eq!(table[0].0, "uops");
            for (nth, one) in table.iter().enumerate() {
                assert!(table[..nth].iter().all(|other| other.0 != one.0 && other.1 != one.1));
            }
        }
        assert_eq!(of("GenuineIntel", 6, 0x3c), HASWELL);
        assert!(of("GenuineIntel", 6, 0x97).is_empty() && of("", 6, 0x3c).is_empty());
    }
}
