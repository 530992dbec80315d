//! Wall time with slews, steps and kernels that report nothing.

use crate::common::{Sim, World, started, sync_after};
use chronoscope::Clock;
use chronoscope::wall::{FOLLOWS_WITHIN, WallClock};

fn pair() -> (Clock<Sim>, WallClock) {
    (Clock::on(Sim::new(World::new(2.6e9))), WallClock::new())
}

/// Returns how far the wall clock is from the system's, in nanoseconds, and checks its bound.
fn off(clock: &Clock<Sim>, wall: &WallClock) -> f64 {
    let world = |world: &mut World| {
        (world.wall_offset as u64) as i128 + (world.time + world.wall_slewed) as i128
    };
    // The check itself takes time, so it is the read after it that is compared with the truth.
    wall.now(clock);
    let before = clock.machine().tell(world);
    let told = wall.now_bounded(clock);
    let after = clock.machine().tell(world);
    let tracking = i128::from(told.tracking);
    assert!(i128::from(told.now) + tracking >= before, "{told:?} {before}");
    assert!(i128::from(told.now) - tracking <= after, "{told:?} {after}");
    assert!(told.earliest <= told.now && told.now <= told.latest);
    (i128::from(told.now) - (before + after) / 2) as f64
}

#[test]
fn a_steady_clock_is_followed_to_the_bracket() {
    let (clock, wall) = pair();
    for _ in 0..200 {
        clock.machine().pass(50e6);
        let found = off(&clock, &wall);
        assert!(found.abs() < 400.0, "{found}");
    }
    for _ in 0..200 {
        clock.machine().pass(50e6);
        let found = off(&clock, &wall);
        assert!(found.abs() < 60.0, "{found}");
    }
}

/// A coarse counter shows up to a tick less than has passed, which is an error like any other.
#[test]
fn the_bound_holds_for_any_length_of_a_tick() {
    let fine = [1e6, 10e6, 19.2e6, 24e6, 54e6, 2.6e9].map(|hz| (hz, 1.0));
    for (hz, step) in fine.into_iter().chain([(62.5e6, 62.5), (1e9, 40.0)]) {
        let mut world = World::new(hz);
        world.step = step;
        let clock = Clock::on(Sim::new(world));
        let wall = WallClock::new();
        for i in 0..5000u32 {
            let ns = 1_234_567.0 + f64::from(i * 7919 % 1000);
            clock.machine().pass(ns);
            if i % 3 == 0 {
                wall.sync(&clock);
            }
            off(&clock, &wall);
        }
    }
}

/// A line made with a roughly known rate does not become more certain when the rate improves.
#[test]
fn the_bound_is_that_of_the_rate_in_use() {
    let mut world = World::new(2.6e9).hint(2.6e9 * 1.0035, 4000.0);
    world.os_cost = 1000.0;
    let clock = started(world);
    clock.machine().tell(|world| world.os_cost = 20.0);
    let wall = WallClock::new();
    wall.sync(&clock);
    for _ in 0..3 {
        sync_after(&clock, 60_000.0);
        off(&clock, &wall);
    }
}

#[test]
fn slews_are_followed_and_their_rate_is_learnt() {
    let (clock, wall) = pair();
    for slew in [500e-6, -500e-6, 20e-6] {
        clock.machine().tell(|world| world.slew = slew);
        for _ in 0..100 {
            clock.machine().pass(50e6);
            // Half a thousandth over the longest time between two checks.
            assert!(off(&clock, &wall).abs() < 0.001 * FOLLOWS_WITHIN.as_nanos() as f64);
        }
        let settled = (0..20).map(|_| {
            clock.machine().pass(50e6);
            off(&clock, &wall).abs()
        });
        assert!(settled.fold(0.0, f64::max) < 300.0);
    }
}

#[test]
fn steps_are_followed_within_the_stated_time() {
    let (clock, wall) = pair();
    for step in [3600e9, -7200e9, 1e6, -1e6] {
        for _ in 0..30 {
            clock.machine().pass(50e6);
            wall.now(&clock);
        }
        clock.machine().tell(|world| world.wall_offset += step);
        clock.machine().pass(FOLLOWS_WITHIN.as_nanos() as f64 + 1.0);
        let found = off(&clock, &wall);
        assert!(found.abs() < 400.0, "{found}");
        // The step did not change the rate.
        clock.machine().pass(50e6);
        let found = off(&clock, &wall);
        assert!(found.abs() < 400.0, "{found}");
    }
}

#[test]
fn the_interval_is_as_wide_as_the_kernel_states() {
    let (clock, wall) = pair();
    let told = wall.now_bounded(&clock);
    assert!(told.kernel.unwrap() >= 1_000_000);
    assert!(told.latest - told.earliest >= 2_000_000);

    let mut world = World::new(2.6e9);
    world.wall_error = None;
    let clock = Clock::on(Sim::new(world));
    let told = WallClock::new().now_bounded(&clock);
    assert_eq!(told.kernel, None);
    assert!(told.latest - told.earliest <= 2 * told.tracking);
}

#[test]
fn a_counter_that_jumps_does_no_harm_for_longer_than_stated() {
    let (clock, wall) = pair();
    for _ in 0..30 {
        clock.machine().pass(50e6);
        wall.now(&clock);
    }
    clock.machine().tell(|world| world.ticks += 1e12);
    let found = off(&clock, &wall);
    assert!(found.abs() < 1000.0, "{found}");
}

/// What `now_bounded` does not contain until it looks again, `now_checked` contains at once.
#[test]
fn a_look_at_the_systems_clock_follows_a_step_at_once() {
    let (clock, wall) = pair();
    let truth = |world: &mut World| {
        (world.wall_offset as u64) as i128 + (world.time + world.wall_slewed) as i128
    };
    for _ in 0..30 {
        clock.machine().pass(50e6);
        wall.now(&clock);
    }
    for step in [5e9, -3600e9, 1e6, -1e6, 1e3] {
        clock.machine().pass(FOLLOWS_WITHIN.as_nanos() as f64);
        wall.sync(&clock);
        clock.machine().pass(20e6);
        clock.machine().tell(|world| {
            world.wall_offset += step;
            world.wall_error = Some(16_000_000);
        });
        let told = wall.now_bounded(&clock);
        let (age, least) = (u128::from(told.age), 20_000_000);
        assert!((least..FOLLOWS_WITHIN.as_nanos()).contains(&age), "{told:?}");
        let before = clock.machine().tell(truth);
        let told = wall.now_checked(&clock);
        let after = clock.machine().tell(truth);
        let (now, tracking) = (i128::from(told.now), i128::from(told.tracking));
        assert!(before - tracking <= now && now <= after + tracking, "{told:?} {before}");
        assert!(told.tracking < 100 && told.age == 0, "{told:?}");
        assert!(step.abs() < 1e6 || told.kernel.unwrap() >= 16_000_000, "{told:?}");
        clock.machine().tell(|world| world.wall_error = Some(1_000_000));
        wall.sync(&clock);
    }
}
