//! Nanoseconds that never go back, whatever the calibration finds.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{Sim, World, sync_after};
use chronoscope::machine::Kernel;
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

/// What one thread has handed over, by an atomic or under a mutex, is not later than what another
/// thread reads then.
#[test]
fn threads_agree() {
    static LATEST: AtomicU64 = AtomicU64::new(0);
    static GUARDED: Mutex<u64> = Mutex::new(0);
    let reads = if cfg!(miri) { 20 } else { 200_000 };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for i in 0..reads {
                    let seen = LATEST.load(Ordering::Acquire);
                    let now = Steady::now();
                    assert!(now >= seen, "{now} after {seen}");
                    LATEST.store(now, Ordering::Release);
                    if i % 16 == 0 {
                        let mut guarded = GUARDED.lock().unwrap();
                        let now = Steady::now();
                        assert!(now >= *guarded, "{now} after {guarded}, under a mutex");
                        *guarded = now;
                    }
                    if i % 1000 == 0 {
                        Clock::global().sync();
                    }
                }
            });
        }
    });
}

/// A machine that is restored or moved may continue with a counter that is behind.
#[test]
fn it_does_not_go_back_with_the_counter() {
    let kernels = [Kernel::Uses("tsc".into()), Kernel::Offers("hpet".into()), Kernel::Silent];
    for (kernel, back, pause) in kernels.into_iter().flat_map(|kernel| {
        let backs = [2e3, 5e4, 1e6, 3e7, 1e9, 1e12, 1e18];
        backs.into_iter().flat_map(move |back| {
            [1e2, 7e2, 3e4, 2e6].into_iter().map(move |pause| (kernel, back, pause))
        })
    }) {
        let clock = Clock::on(Sim::new(World::new(2.6e9).kernel(kernel)));
        let steady = SteadyClock::new();
        let mut last = steady.now(&clock);
        for round in 0..5 {
            for _ in 0..300 {
                clock.machine().pass(pause);
                let now = steady.now(&clock);
                assert!(now >= last, "{kernel:?}, {back} ns back: {now} after {last}");
                last = now;
            }
            if round == 1 {
                clock.machine().tell(|world| world.ticks = (world.ticks - back * 2.6).max(0.0));
            }
        }
        // Nor does it stand still for longer than a check needs.
        sync_after(&clock, 3e9);
        let (first, began) = (steady.now(&clock), clock.machine().time());
        assert!(first >= last);
        clock.machine().pass(1e9);
        let passed = clock.machine().time() - began;
        let seen = (steady.now(&clock) - first) as f64;
        assert!((seen / passed - 1.0).abs() < 1e-3, "{kernel:?}, {back}: {seen} of {passed}");
    }
}
