//! How many instructions, core cycles or micro-operations this thread has executed in user mode, on
//! machines with counters of them.

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
