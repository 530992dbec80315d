//! How many instructions this thread has executed in user mode, on machines with a counter of them.

use super::Unavailable;
use std::fs::File;
use std::io::Read;

/// A count of the instructions that this thread executes in user mode.
#[derive(Debug)]
pub struct Instructions(File);

impl Instructions {
    /// Starts to count.
    ///
    /// # Errors
    /// The reason why nothing here counts them, or why this process may not ask.
    pub fn open() -> Result<Self, Unavailable> {
        opened().map(Self)
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
fn opened() -> Result<File, Unavailable> {
    super::perf_event::instructions()
}

#[cfg(not(all(
    native_c,
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn opened() -> Result<File, Unavailable> {
    Err(Unavailable("only perf_event_open of Linux counts instructions for a program".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_grows_with_the_work_or_there_is_a_reason() {
        let mut count = match Instructions::open() {
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
