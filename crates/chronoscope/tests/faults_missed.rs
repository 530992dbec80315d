//! What happens with points of a grid that pass while nobody waits for them.

use std::time::Duration;

use crate::common::{Sim, World};
use chronoscope::Clock;
use chronoscope::wait::{Effort, Missed, Tick, Ticker, Waiter};

const PERIOD: Duration = Duration::from_millis(10);

/// Lateness of a wait that only the wake causes, in nanoseconds.
const SOON: u64 = 200_000;

fn clock(late: f64) -> Clock<Sim> {
    let clock = Clock::on(Sim::new(World::new(1e9)));
    clock.machine().tell(|world| world.late = vec![late]);
    clock.now();
    clock
}

/// The numbers, the missed points and the times in milliseconds of some ticks, the first of which
/// is followed by a pause of 35 ms.
fn ticks(missed: Missed) -> Vec<(u64, u64, f64)> {
    let clock = clock(20_000.0);
    let mut ticker = Ticker::with(Waiter::on(&clock, Effort::Balanced), PERIOD).unwrap();
    ticker.set_missed(missed);
    assert_eq!(ticker.missed(), missed);
    let start = clock.machine().time();
    (0..7)
        .map(|i| {
            let Tick { number, missed, .. } = ticker.tick();
            let millis = (clock.machine().time() - start) / 1e6;
            if i == 0 {
                clock.machine().pass(35e6);
            }
            (number, missed, millis)
        })
        .collect()
}

fn check(missed: Missed, expected: [(u64, u64, f64); 7]) {
    for (seen, expected) in ticks(missed).into_iter().zip(expected) {
        let late = seen.2 - expected.2;
        assert!(
            (seen.0, seen.1) == (expected.0, expected.1) && (-0.001..0.5).contains(&late),
            "{missed:?}: {seen:?} instead of {expected:?}"
        );
    }
}

#[test]
fn a_burst_leaves_nothing_out() {
    check(
        Missed::Burst,
        [
            (1, 0, 10.0),
            (2, 0, 45.0),
            (3, 0, 45.0),
            (4, 0, 45.0),
            (5, 0, 50.0),
            (6, 0, 60.0),
            (7, 0, 70.0),
        ],
    );
}

#[test]
fn a_delay_begins_the_grid_anew() {
    check(
        Missed::Delay,
        [
            (1, 0, 10.0),
            (4, 2, 45.0),
            (5, 0, 55.0),
            (6, 0, 65.0),
            (7, 0, 75.0),
            (8, 0, 85.0),
            (9, 0, 95.0),
        ],
    );
}

#[test]
fn a_skip_keeps_the_grid() {
    check(
        Missed::Skip,
        [
            (1, 0, 10.0),
            (4, 2, 45.0),
            (5, 0, 50.0),
            (6, 0, 60.0),
            (7, 0, 70.0),
            (8, 0, 80.0),
            (9, 0, 90.0),
        ],
    );
}

/// If the wait itself is late by periods, the next tick is a period after it all the same.
#[test]
fn a_delay_also_follows_a_late_wake() {
    let clock = clock(35e6);
    let mut ticker = Ticker::with(Waiter::on(&clock, Effort::Economy), PERIOD).unwrap();
    ticker.set_missed(Missed::Delay);
    ticker.tick();
    clock.machine().tell(|world| world.late = vec![0.0]);
    let ended = clock.machine().time();
    ticker.tick();
    let passed = clock.machine().time() - ended;
    assert!(passed >= 0.9999 * PERIOD.as_nanos() as f64, "{passed}");
}

/// The lateness of a tick counts from its own point, whatever happens to the grid.
#[test]
fn lateness_counts_from_the_point() {
    for missed in [Missed::Delay, Missed::Skip] {
        let clock = clock(20_000.0);
        let mut ticker = Ticker::with(Waiter::on(&clock, Effort::Balanced), PERIOD).unwrap();
        ticker.set_missed(missed);
        ticker.tick();
        clock.machine().pass(35e6);
        let late = ticker.tick().waited.late_ns;
        assert!((4_000_000..6_000_000).contains(&late), "{late}");
        assert!(ticker.tick().waited.late_ns < SOON);
    }
}
