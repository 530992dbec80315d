//! Nanoseconds that never go back, whatever the calibration finds.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{Sim, World};
use chronoscope::steady::SteadyClock;
use chronoscope::{Clock, Steady};

/// A rate that is stated wrongly and corrected later, and one that changes: the line bends, but
/// does not jump.
#[test]
fn calibrations_bend_the_line_and_never_break_it() {
    let clock = Clock::on(Sim::new(World::new(2.6e9).hint(2.6005e9, 300.0)));
    let steady = SteadyClock::new();
    let mut last = steady.now(&clock);
    // Miri takes a thousand times as long.
    let rounds = if cfg!(miri) { 400 } else { 20_000 };
    for i in 0..rounds {
        if i == rounds / 2 {
            clock.machine().tell(|world| world.hz = 2.7e9);
        }
        let before = clock.machine().time();
        clock.machine().pass(if i % 100 == 0 { 5e7 } else { 1e4 });
        if i % 1000 == 0 {
            clock.sync();
        }
        let now = steady.now(&clock);
        assert!(now >= last, "{now} after {last}");
        let passed = clock.machine().time() - before;
        assert!(
            (now - last) as f64 <= passed * 1.05 + 100.0,
            "{passed} ns, and {} seen",
            now - last
        );
        last = now;
    }
}

/// A long time without reads is one piece, at the rate known at its end.
#[test]
fn long_idle_times_are_counted_in_full() {
    let clock = Clock::on(Sim::new(World::new(1e9)));
    let steady = SteadyClock::new();
    let (start, began) = (steady.now(&clock), clock.machine().time());
    for hours in [1.0, 24.0, 1000.0] {
        clock.machine().pass(hours * 3.6e12);
        let seen = (steady.now(&clock) - start) as f64;
        let passed = clock.machine().time() - began;
        assert!((seen / passed - 1.0).abs() < 1e-6, "{seen} of {passed}");
    }
}

/// It begins at the value of the system's monotonic clock, and the system's clock in the counter's
/// place is that clock itself.
#[test]
fn it_begins_with_the_systems_clock() {
    for hz in [1e9, 5e12] {
        let clock = Clock::on(Sim::new(World::new(hz)));
        let now = SteadyClock::new().now(&clock) as f64;
        assert!(clock.machine().time() - now < 1e6);
    }
}

/// What one thread has read is not later than what another thread reads then.
#[test]
fn threads_agree() {
    static LATEST: AtomicU64 = AtomicU64::new(0);
    let reads = if cfg!(miri) { 20 } else { 200_000 };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for i in 0..reads {
                    let seen = LATEST.load(Ordering::Acquire);
                    // Ordered after the load above, unlike a plain read of a counter.
                    Clock::global().now_ordered();
                    std::sync::atomic::fence(Ordering::SeqCst);
                    let now = Steady::now();
                    assert!(now >= seen, "{now} after {seen}");
                    LATEST.fetch_max(now, Ordering::AcqRel);
                    if i % 1000 == 0 {
                        Clock::global().sync();
                    }
                }
            });
        }
    });
}
