//! Waits on machines whose timers are late, early, interrupted, or broken.

use std::time::Duration;

use crate::common::{Sim, World, started, sync_after};
use chronoscope::wait::{BadPeriod, Effort, Ticker, Waited, Waiter};
use chronoscope::{Clock, Source, Wanted};

const EFFORTS: [Effort; 3] = [Effort::Economy, Effort::Balanced, Effort::Precise];

fn clock(late: &[f64]) -> Clock<Sim> {
    let mut world = World::new(2.6e9).hint(2.6e9, 0.01);
    world.late = late.to_vec();
    started(world)
}

/// Sleeps, and checks that the time has passed by the true time and by the system's clock.
fn sleep(waiter: &mut Waiter<'_, Sim>, nanos: u64) -> Waited {
    let machine = waiter.clock().machine();
    let before = machine.tell(|world| world.time + world.mono_slewed);
    let waited = waiter.sleep(Duration::from_nanos(nanos));
    let after = machine.tell(|world| world.time + world.mono_slewed);
    assert!(after - before >= nanos as f64, "{} for {nanos}", after - before);
    waited
}

#[test]
fn a_wait_is_never_early_whatever_the_kernel_does() {
    let wakes: [&[f64]; 5] =
        [&[40_000.0], &[-500_000.0, -1.0, 30_000.0], &[0.0], &[5e6, 40_000.0], &[-1e12]];
    for late in wakes {
        for slew in [0.0, 500e-6, -500e-6] {
            for effort in EFFORTS {
                let clock = clock(late);
                clock.machine().tell(|world| world.slew = slew);
                let mut waiter = Waiter::on(&clock, effort);
                for nanos in [0, 1, 999, 50_000, 130_000, 1_000_000, 5_000_000] {
                    sleep(&mut waiter, nanos);
                }
            }
        }
    }
}

#[test]
fn learning_makes_waits_punctual() {
    let clock = clock(&[70_000.0, 75_000.0, 72_000.0]);
    for (effort, most) in [(Effort::Balanced, 1_000), (Effort::Precise, 1_000)] {
        let mut waiter = Waiter::on(&clock, effort);
        for _ in 0..400 {
            sleep(&mut waiter, 1_000_000);
        }
        for _ in 0..100 {
            let waited = sleep(&mut waiter, 1_000_000);
            assert!(waited.late_ns < most, "{effort:?} {waited:?}");
            assert!(waited.spun_ns < 60_000, "{effort:?} {waited:?}");
            assert_eq!((waited.wakes, waited.preempted), (1, 0));
        }
    }
}

/// The predecessor of "hybrid sleeps" took one stall for the normal case, and then always spun.
#[test]
fn stalls_are_counted_and_not_learnt() {
    let clock = clock(&[40_000.0]);
    let mut waiter = Waiter::on(&clock, Effort::Precise);
    for _ in 0..200 {
        sleep(&mut waiter, 1_000_000);
    }
    let before = sleep(&mut waiter, 1_000_000).spun_ns;
    clock.machine().tell(|world| world.late = vec![20e6]);
    for _ in 0..50 {
        let waited = sleep(&mut waiter, 1_000_000);
        assert_eq!(waited.preempted, 1);
        assert!(waited.late_ns > 18_000_000);
    }
    clock.machine().tell(|world| world.late = vec![40_000.0]);
    let after = sleep(&mut waiter, 1_000_000).spun_ns;
    assert!(after <= before + 10_000, "{before} {after}");
}

#[test]
fn a_bad_period_is_forgotten() {
    let clock = clock(&[140_000.0]);
    let mut waiter = Waiter::on(&clock, Effort::Precise);
    for _ in 0..500 {
        sleep(&mut waiter, 2_000_000);
    }
    clock.machine().tell(|world| world.late = vec![70_000.0]);
    let bad = sleep(&mut waiter, 2_000_000).spun_ns;
    clock.machine().pass(120e9);
    for _ in 0..100 {
        sleep(&mut waiter, 2_000_000);
    }
    let good = sleep(&mut waiter, 2_000_000).spun_ns;
    assert!(bad > 60_000 && good < 40_000, "{bad} {good}");
}

/// More effort means more spinning, and economy hardly spins at all.
#[test]
fn efforts_differ_in_how_much_they_spin() {
    let spent = EFFORTS.map(|effort| {
        let late: Vec<f64> = (0..997).map(|i| 30_000.0 + f64::from(i * 613 % 997) * 60.0).collect();
        let clock = clock(&late);
        let mut waiter = Waiter::on(&clock, effort);
        (0..2000).map(|_| sleep(&mut waiter, 1_000_000).spun_ns).sum::<u64>() / 2000
    });
    assert!(spent[0] < spent[1] && spent[1] < spent[2], "{spent:?}");
    assert!(spent[1] < 25_000, "{spent:?}");
}

/// A counter that stops in the middle of a wait must not make the wait last for ever.
#[test]
fn a_counter_that_stands_still_does_not_hang_a_wait() {
    for nanos in [100_000, 10_000_000] {
        let clock = clock(&[40_000.0]);
        sync_after(&clock, 1e9);
        clock.machine().tell(|world| world.frozen = true);
        let mut waiter = Waiter::on(&clock, Effort::Balanced);
        sleep(&mut waiter, nanos);
        assert_eq!(clock.describe().source, Source::OsInstead);
        // And it continues by the system's clock.
        let waited = sleep(&mut waiter, nanos);
        assert!(waited.late_ns < 200_000, "{waited:?}");
    }
}

/// Whatever can be slept is slept: a machine that was suspended or restored has a counter far
/// ahead, and a signal ends a sleep early.
#[test]
fn a_counter_that_jumped_ahead_makes_no_wait_spin() {
    for effort in EFFORTS {
        let clock = clock(&[-9_999e6, 40_000.0]);
        clock.machine().tell(|world| world.jump_asleep = 30.0 * 2.6e9);
        let waited = sleep(&mut Waiter::on(&clock, effort), 10_000_000_000);
        assert!(waited.spun_ns < 600_000, "{effort:?} {waited:?}");
        assert!(waited.wakes >= 2, "{effort:?} {waited:?}");
        // By the system's clock, which did not jump.
        assert!(waited.slept_ns < 10_100_000_000, "{effort:?} {waited:?}");
    }
}

/// A slewed clock is not late, and its sleeps are as long as it shows.
#[test]
fn a_slewed_clock_is_no_stall() {
    for slew in [-500e-6, -20e-6, 20e-6, 500e-6] {
        for effort in EFFORTS {
            let clock = clock(&[40_000.0]);
            clock.machine().tell(|world| world.slew = slew);
            let mut waiter = Waiter::on(&clock, effort);
            for seconds in [1, 60, 3600] {
                let waited = sleep(&mut waiter, seconds * 1_000_000_000);
                assert_eq!(waited.preempted, 0, "{slew} {effort:?} {waited:?}");
                assert!(waited.late_ns < 150_000, "{slew} {effort:?} {waited:?}");
                assert!(waited.spun_ns < 600_000, "{slew} {effort:?} {waited:?}");
            }
        }
    }
}

/// Lateness is measured by the clock that was asked for: a moment belongs to this clock, and if
/// that is slewed the wait continues.
#[test]
fn a_moment_is_late_by_its_own_clock() {
    let clock = clock(&[40_000.0]);
    clock.machine().tell(|world| world.slew = -500e-6);
    let mut waiter = Waiter::on(&clock, Effort::Balanced);
    let deadline = clock.after(clock.now(), Duration::from_secs(60)).unwrap();
    let waited = waiter.until(deadline);
    let now = clock.now();
    assert!(now >= deadline);
    assert!(waited.late_ns + 1000 > clock.ns_between(deadline, now));
}

/// A counter that stands still costs an eighth of the wait and a millisecond, and no second sleep.
#[test]
fn a_counter_that_stands_still_is_waited_for_no_longer_than_stated() {
    let clock = clock(&[40_000.0]);
    sync_after(&clock, 1e9);
    clock.machine().tell(|world| world.frozen = true);
    let before = clock.machine().time();
    sleep(&mut Waiter::on(&clock, Effort::Balanced), 1_000_000_000);
    let passed = clock.machine().time() - before;
    assert!(passed < 1e9 * 1.125 + 2e6, "{passed}");
}

#[test]
fn waits_work_without_a_counter() {
    let clock = Clock::on(Sim::new(World::new(2.6e9)));
    clock.choose(Wanted::Os).unwrap();
    let mut waiter = Waiter::on(&clock, Effort::Balanced);
    for nanos in [0, 100_000, 3_000_000] {
        let waited = sleep(&mut waiter, nanos);
        assert!(waited.late_ns < 150_000);
    }
}

#[test]
fn a_ticker_keeps_its_grid_and_reports_what_it_missed() {
    let clock = clock(&[40_000.0]);
    let waiter = Waiter::on(&clock, Effort::Balanced);
    let period = Duration::from_millis(1);
    let start = clock.now();
    let mut ticker = Ticker::with(waiter, period).unwrap();
    for number in 1..=10 {
        let tick = ticker.tick();
        assert_eq!((tick.number, tick.missed), (number, 0));
    }
    clock.machine().pass(3.5e6);
    // Points 11 and 12 are gone, and 13 is half a period ago: it is returned at once, and late.
    let tick = ticker.tick();
    assert_eq!((tick.number, tick.missed), (13, 2));
    assert!((300_000..700_000).contains(&tick.waited.late_ns), "{tick:?}");
    for _ in 0..1000 {
        assert_eq!(ticker.tick().missed, 0);
    }
    let passed = clock.ns_between(start, clock.now());
    assert!((1_013_000_000..1_013_150_000).contains(&passed), "{passed}");
}

/// If a tick is long, a period is not a whole number of ticks, and the remainders must not add up.
#[test]
fn a_grid_does_not_drift_by_rounding() {
    // Pure computation, which an emulator and Miri need not do in full.
    let count = match (cfg!(target_arch = "x86_64"), cfg!(miri)) {
        (true, false) => 100_000,
        (false, false) => 5_000,
        (_, true) => 100,
    };
    for hz in [54e6 * (1.0 + 3e-7), 19.2e6, 2.6e9] {
        let mut world = World::new(hz);
        // Spins of few steps: the test is about the grid, not about how it is kept.
        (world.counter_cost, world.os_cost) = (1000.0, 1000.0);
        world.late = vec![0.0];
        let clock = started(world);
        sync_after(&clock, 60e9);
        let bound = clock.describe().bound_ppm * 1e-6;
        let period = 200_000;
        let waiter = Waiter::on(&clock, Effort::Economy);
        let begin = clock.machine().time();
        let mut ticker = Ticker::with(waiter, Duration::from_nanos(period)).unwrap();
        let began = clock.machine().time();
        let mut last = ticker.tick();
        while last.number < count {
            last = ticker.tick();
            let ended = clock.machine().time() - last.waited.late_ns as f64;
            let nominal = (last.number * period) as f64;
            // A tick, and the position of the beginning and the end within their reads.
            let error = 1e9 / hz + nominal * bound + (began - begin) + 1000.0;
            let off = ended - (begin + began) / 2.0 - nominal;
            assert!(off.abs() <= error, "{hz}: {off} ns after {nominal}, {error} allowed");
        }
    }
}

/// A rate that becomes more precise, and one that changes: points follow one another.
#[test]
fn a_grid_never_goes_back() {
    let clock = Clock::on(Sim::new(World::new(54e6).hint(54.02e6, 500.0)));
    let waiter = Waiter::on(&clock, Effort::Economy);
    let mut ticker = Ticker::with(waiter, Duration::from_micros(130)).unwrap();
    let mut last = (0, clock.machine().time());
    for i in 0..3000 {
        match i % 1000 {
            100 | 300 | 900 => drop(clock.sync()),
            500 => clock.machine().pass(1e6),
            700 => clock.machine().tell(|world| world.hz *= 0.99),
            _ => {}
        }
        let tick = ticker.tick();
        let ended = clock.machine().time() - tick.waited.late_ns as f64;
        assert!(tick.number > last.0);
        let passed = (ended - last.1) / (tick.number - last.0) as f64;
        // Half a period, to allow for times in which the rate is wrong.
        assert!(i == 0 || passed > 65_000.0, "{passed} ns before {tick:?}");
        last = (tick.number, ended);
    }
}

#[test]
fn impossible_periods_are_refused() {
    let clock = clock(&[40_000.0]);
    for period in [Duration::ZERO, Duration::MAX] {
        let refused = Ticker::with(Waiter::on(&clock, Effort::Balanced), period).err();
        assert_eq!(refused, Some(BadPeriod(period)));
    }
}
