//! Records how late sleeps wake, one after the other, as data for the replay tests of the library
//! (`crates/chronoscope/tests/replay.rs`).

use anyhow::{Context, Result};
use chronoscope::machine::{Machine, Native};

use crate::load::{Load, Spinning};

/// Prints a line for each of `count` sleeps until a moment `length_us` ahead: how late it woke, and
/// how much of that it waited for a CPU, both in tenths of a microsecond. The timer slack is that
/// of the library, a nanosecond.
pub fn run(load: Load, length_us: u64, count: usize) -> Result<()> {
    let _spinning = Spinning::start(load)?;
    Native.facts();
    let queued = || Native.queued().context("the kernel does not count run_delay");
    let mut wakes = Vec::with_capacity(count);
    for _ in 0..count {
        let before = queued()?;
        let deadline = Native.monotonic() + length_us * 1000;
        Native.sleep_until(deadline, length_us * 1000);
        let late = Native.monotonic().saturating_sub(deadline);
        wakes.push((late, queued()? - before));
    }
    println!("# {length_us} us, load {load:?}: tenths of a us late, and of that in the queue");
    for (late, queued) in wakes {
        println!("{} {}", late / 100, queued.min(late) / 100);
    }
    Ok(())
}
