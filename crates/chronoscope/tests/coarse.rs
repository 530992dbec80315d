//! Counters that advance by many ticks at a time, as those of some Arm machines and of QEMU do.

use crate::common::{Sim, World};
use chronoscope::{Clock, Source, Synced};

/// The rate of 62.5 MHz that QEMU states, in whole microseconds; 1 GHz, driven by 25 MHz.
#[test]
fn every_bound_includes_a_step_of_many_ticks() {
    for (hz, step) in [(62.5e6, 62.5), (1e9, 40.0), (54e6, 1.0)] {
        for begin in 0..50 {
            let mut world = World::new(hz);
            world.step = step;
            world.pass(f64::from(begin) * 61.0);
            let clock = Clock::on(Sim::new(world));
            for pass in [0.0, 1e4, 1e6, 1e8] {
                clock.machine().pass(pass);
                let told = clock.describe();
                assert_eq!(told.source, Source::Counter, "{told}");
                let off = (told.hz / hz - 1.0).abs() * 1e6;
                assert!(off <= told.bound_ppm, "{off} of {told}");
                let (before, start) = (clock.machine().time(), clock.now());
                let begun = clock.machine().time();
                clock.machine().pass(pass);
                let (ended, stop) = (clock.machine().time(), clock.now());
                let after = clock.machine().time();
                let found = clock.between_bounded(start, stop);
                let (ns, bound) = (found.ns as f64, found.bound_ns as f64);
                assert!(ns + bound >= ended - begun, "{found:?}");
                assert!(ns - bound <= after - before, "{found:?}");
                // Nothing happened except that a step takes time.
                let synced = clock.sync();
                assert!(matches!(synced, Synced::Agrees(_)), "{synced:?}");
            }
        }
    }
}
