//! Waits on this machine, whatever its system's timers are.
#![cfg(not(miri))]

use std::time::{Duration, Instant};

use chronoscope::wait::{Effort, Waiter};

/// Longer than every margin, so each wait sleeps.
const TIME: Duration = Duration::from_millis(4);

#[test]
fn a_wait_sleeps_and_is_never_early() {
    for effort in [Effort::Economy, Effort::Balanced, Effort::Precise] {
        for wake_cpu_first in [false, true] {
            let mut waiter = Waiter::new(effort);
            if wake_cpu_first && waiter.wake_cpu_first().is_err() {
                continue;
            }
            for _ in 0..10 {
                let start = Instant::now();
                let waited = waiter.sleep(TIME);
                assert!(start.elapsed() >= TIME, "{effort:?}: {waited:?}");
                // On a busy machine the deadline may pass, or come near, before there was time to
                // sleep.
                let slept = waited.wakes > 0 && waited.slept_ns > 0;
                let near = waited.spun_ns < 1_000_000 || waited.cause.is_some();
                assert!(slept || near, "{effort:?}: {waited:?}");
            }
        }
    }
}
