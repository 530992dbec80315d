//! However many waits are recorded, they take no more memory than the first ones did. This runs
//! without the test harness, whose own allocations would be counted too.

use chronoscope_measure::waits::Simulation;
use chronoscope_probes::waits;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The bytes allocated and not freed.
fn held() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// The number of allocations.
fn asked() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

fn main() {
    let before = held();
    let entry = waits::find("rust/thread-sleep").expect("everywhere");
    let mut row = Simulation::new(entry, Duration::from_micros(100));
    let kept = held() - before;
    // Two histograms from 1 ns to 1 h at three digits, and the last waits.
    assert!(kept < 1 << 20, "{kept} bytes");
    let first = asked();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..10 {
        // The values go from zero to an hour, with early waits among them, so every bucket is used.
        row.feed((0..2_000).map(|_| (random.i64(0..i64::MAX) >> random.u32(21..62)) - 1_000));
        // Counting takes no more memory than the row had at its start.
        assert_eq!(asked(), first);
    }
    assert_eq!(held() - before, kept);
    let wait = row.row();
    assert_eq!(wait.samples, 20_000);
    assert_eq!(wait.overshoot.count, wait.samples);
    assert!(wait.early > 0 && wait.grid.expect("a grid").missed > 0);
    println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
