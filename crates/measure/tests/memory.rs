//! However many waits are recorded, they take no more memory than the first ones did. This runs
//! without the test harness, whose own allocations would be counted too.

use chronoscope_measure::waits::Simulation;
use chronoscope_probes::waits;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// The bytes allocated and not freed.
static HELD: AtomicUsize = AtomicUsize::new(0);
/// The number of allocations.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with counters.
struct Counted;

// SAFETY: every call is passed on to the system's allocator with its arguments unchanged.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Relaxed);
        ASKED.fetch_add(1, Relaxed);
        // SAFETY: the caller meets the conditions of `alloc`, which are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above; the memory was allocated by the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

fn main() {
    let before = HELD.load(Relaxed);
    let entry = waits::find("rust/thread-sleep").expect("everywhere");
    let mut row = Simulation::new(entry, Duration::from_micros(100));
    let held = HELD.load(Relaxed) - before;
    // Two histograms from 1 ns to 1 h at three digits, and the last waits.
    assert!(held < 1 << 20, "{held} bytes");
    let asked = ASKED.load(Relaxed);
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..10 {
        // The values go from zero to an hour, with early waits among them, so every bucket is used.
        row.feed((0..2_000).map(|_| (random.i64(0..i64::MAX) >> random.u32(21..62)) - 1_000));
        // Counting takes no more memory than the row had at its start.
        assert_eq!(ASKED.load(Relaxed), asked);
    }
    assert_eq!(HELD.load(Relaxed) - before, held);
    let wait = row.row();
    assert_eq!(wait.samples, 20_000);
    assert_eq!(wait.overshoot.count, wait.samples);
    assert!(wait.early > 0 && wait.grid.expect("a grid").missed > 0);
    println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
