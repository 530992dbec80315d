//! Bounds when something happens that a check cannot see, or can see only later.

use crate::common::{SECOND, Sim, World, started, sync_after};
use chronoscope::{Bounded, Clock, Source, Synced, Ticks};

/// A read, and the reference then.
fn read(clock: &Clock<Sim>) -> (Ticks, f64) {
    let ticks = clock.now_ordered();
    (ticks, clock.machine().tell(|world| world.ordered_at))
}

fn assert_true(found: Bounded, truth: f64) {
    let off = (found.ns as f64 - truth).abs();
    assert!(off <= found.bound_ns as f64 + 1.0, "{off} off: {found:?}");
}

/// A rate of 7.9 ppm more than what was known to 0.004 ppm: a look after 1 ms cannot show it.
#[test]
fn a_change_of_rate_shortly_before_a_look_is_unchecked_or_in_the_bound() {
    for before in [1e3, 1e4, 1e5, 1e6, 3e6, 1e7] {
        for span in [1e6, 3e6, 14e6, 30e6, 100e6, SECOND] {
            let clock = started(World::new(2.6e9));
            for _ in 0..20 {
                assert!(matches!(sync_after(&clock, SECOND), Synced::Agrees(_)));
            }
            clock.machine().tell(|world| world.hz *= 1.0 + 7.9e-6);
            sync_after(&clock, before);
            let (start, begun) = read(&clock);
            clock.machine().pass(span);
            let (stop, ended) = read(&clock);
            let told = clock.between_bounded(start, stop);
            assert!(told.unchecked_ns as f64 > 0.99 * span, "{told:?}");
            let told = clock.bounded_since(start);
            assert_eq!(told.unchecked_ns, 0);
            if !told.disturbed {
                assert_true(told, clock.machine().tell(|world| world.ordered_at) - begun);
                assert_true(clock.between_bounded(start, stop), ended - begun);
            }
        }
    }
}

/// The first long gap narrows the rate, even if the counter jumped in it; only a second one shows
/// whether it did.
#[test]
fn a_rate_is_not_trusted_before_a_second_gap_confirms_it() {
    for jump in [-6000.0, 6000.0] {
        let mut world = World::new(2.6e9);
        world.os_cost = 4000.0;
        let clock = started(world);
        clock.machine().pass(1e6);
        clock.machine().tell(|world| world.ticks += jump * 2.6);
        let Synced::Agrees(ppm) = sync_after(&clock, 1e6) else {
            panic!("it should not be noticed")
        };
        assert!(ppm > jump.abs() / 2e6 * 1e6, "{ppm}");
        let (start, begun) = read(&clock);
        clock.machine().pass(SECOND);
        let (stop, ended) = read(&clock);
        assert_true(clock.between_bounded(start, stop), ended - begun);
    }
}

/// A counter that is set back by less than the reference shows.
#[test]
fn a_read_from_before_the_counter_was_set_back_is_not_taken_for_a_later_one() {
    let clock = started(World::new(2.6e9));
    clock.machine().tell(|world| world.os_step = 4_000_000);
    sync_after(&clock, 10.0 * SECOND);
    clock.machine().pass(2e6);
    let (start, begun) = read(&clock);
    clock.machine().tell(|world| world.ticks -= 1e6 * 2.6);
    let told = clock.bounded_since(start);
    assert!(told.disturbed && told.ns == 0, "{told:?}");
    assert!(clock.between_bounded(Ticks(start.0 + 1), start).disturbed);
    for _ in 0..100 {
        clock.machine().pass(1e5);
        let told = clock.bounded_since(start);
        if clock.describe().source != Source::Counter {
            break;
        }
        let ended = clock.machine().tell(|world| world.ordered_at);
        if !told.disturbed {
            assert_true(told, ended - begun);
        }
    }
}

/// A machine that was restored from a snapshot, or a process in another namespace of time.
#[test]
fn a_reference_that_went_back_for_good_counts_after_three_looks() {
    for back in [1e7, SECOND, 1000.0 * SECOND] {
        let clock = started(World::new(2.6e9));
        sync_after(&clock, 1100.0 * SECOND);
        let (before, _) = read(&clock);
        clock.machine().tell(|world| world.reference_gained -= back);
        // Looks in the same millisecond count as one.
        for _ in 0..10 {
            assert_eq!(clock.sync(), Synced::Rejected);
        }
        assert_eq!(sync_after(&clock, 2e6), Synced::Rejected);
        let synced = sync_after(&clock, 2e6);
        let Synced::ReferenceMoved(ns) = synced else { panic!("{back}: {synced:?}") };
        assert!((ns as f64 - back).abs() < 1000.0, "{ns} of {back}");
        assert!(!clock.undisturbed_since(before));
        let told = clock.describe();
        assert_eq!((told.source, told.reference_moves), (Source::Counter, 1));
        // No more is known of the rate than these looks have shown.
        assert!(told.bound_ppm > 1.0, "{told}");
        for _ in 0..50 {
            let (start, begun) = read(&clock);
            clock.machine().pass(SECOND);
            let found = clock.bounded_since(start);
            assert!(!found.disturbed, "{found:?}");
            assert_true(found, clock.machine().tell(|world| world.ordered_at) - begun);
        }
        assert!(clock.describe().bound_ppm < 0.1);
    }
}

/// A reference that is behind for some reads, or never in the same place, does not count.
#[test]
fn a_reference_that_is_wrong_for_a_while_does_not_count() {
    let clock = started(World::new(2.6e9));
    sync_after(&clock, SECOND);
    for (looks, off) in [(1, -1e6), (1, -2e6), (5, -3e6)] {
        clock.machine().tell(|world| world.lie = (32 * looks, off));
        for _ in 0..looks {
            assert_eq!(sync_after(&clock, 1e4), Synced::Rejected, "{off}");
        }
    }
    let (before, _) = read(&clock);
    assert!(matches!(clock.sync(), Synced::Agrees(_)));
    // What was read meanwhile is not vouched for.
    assert!(!clock.undisturbed_since(before));
    assert_eq!(clock.describe().reference_moves, 0);
    let (start, begun) = read(&clock);
    clock.machine().pass(1e6);
    let found = clock.bounded_since(start);
    assert!(!found.disturbed);
    assert_true(found, clock.machine().tell(|world| world.ordered_at) - begun);
}

/// The system's clock in the counter's place advances in its own steps.
#[test]
fn the_bound_includes_the_step_of_the_clock_that_took_over() {
    let clock = started(World::new(2.6e9));
    sync_after(&clock, SECOND);
    clock.machine().tell(|world| {
        world.os_step = 4_000_000;
        world.frozen = true;
    });
    assert_eq!(sync_after(&clock, SECOND), Synced::GivenUp);
    for _ in 0..20 {
        let begun = clock.machine().time();
        let start = clock.now();
        clock.machine().pass(1e6);
        let ended = clock.machine().time();
        assert_true(clock.between_bounded(start, clock.now()), ended - begun);
    }
}

/// A time that begins or ends with a read of the clock that took over, which is in whole ticks.
#[test]
fn the_bound_includes_both_steps_after_the_counter_was_given_up() {
    for (hz, step) in [(1e6, 1.0), (19.2e6, 1.0), (24e6, 1.0), (54e6, 3.0), (2.6e9, 1.0)] {
        for os_step in [1, 41, 52, 53, 100, 1_000] {
            let mut world = World::new(hz);
            (world.step, world.os_step) = (step, os_step);
            let clock = started(world);
            sync_after(&clock, SECOND);
            clock.machine().tell(|world| world.frozen = true);
            assert_eq!(sync_after(&clock, SECOND), Synced::GivenUp);
            for round in 0..2_000 {
                let (begun, start) = (clock.machine().time(), clock.now());
                clock.machine().pass(f64::from(round) * 7.31);
                let (ended, stop) = (clock.machine().time(), clock.now());
                assert_true(clock.between_bounded(start, stop), ended - begun);
            }
        }
    }
}

/// A counter that reads less than at the last check was set back since, whatever age that check
/// may have.
#[test]
fn a_counter_that_was_set_back_since_a_check_is_checked_again() {
    for (after, back) in [(100.0, 1e3), (900.0, 1e4), (900.0, 1e6), (1e3, SECOND), (1e6, SECOND)] {
        let clock = started(World::new(2.6e9));
        clock.machine().pass(SECOND);
        let (start, begun) = read(&clock);
        sync_after(&clock, 2.0 * SECOND);
        clock.machine().pass(after);
        clock.machine().tell(|world| world.ticks -= back * 2.6);
        let found = clock.bounded_since_within(start, std::time::Duration::from_secs(1));
        let ended = clock.machine().tell(|world| world.ordered_at);
        if !found.disturbed {
            assert_eq!(found.unchecked_ns, 0, "{after}, {back}: {found:?}");
            assert_true(found, ended - begun);
        }
    }
}

/// The reference is wrong until some moment while a check looks for the reason.
#[test]
fn a_rate_is_not_taken_from_a_stretch_in_which_something_happened() {
    for reads in 1..600 {
        let clock = started(World::new(24e6));
        sync_after(&clock, SECOND);
        clock.machine().tell(|world| world.lie = (reads, 475_000.0));
        let synced = sync_after(&clock, 1e7);
        let told = clock.describe();
        if told.source == Source::Counter {
            let off = (told.hz / 24e6 - 1.0).abs() * 1e6;
            assert!(off <= told.bound_ppm, "{reads}: {synced:?} {told}");
        }
    }
}

/// A migration that moves the counter by less than a check can see, and of which the hypervisor
/// tells.
#[test]
fn a_disruption_that_only_the_hypervisor_knows_of_is_noticed() {
    let mut world = World::new(2.6e9).hint(2.6e9, 0.2);
    world.marker = Some(7);
    let clock = started(world);
    for _ in 0..5 {
        assert!(matches!(sync_after(&clock, SECOND), Synced::Agrees(_)));
    }
    let (start, _) = read(&clock);
    clock.machine().tell(|world| {
        world.ticks += 10.0;
        world.hz *= 1.0 + 40e-6;
        world.marker = Some(3);
    });
    assert_eq!(clock.sync(), Synced::Disrupted);
    assert!(!clock.undisturbed_since(start));
    assert!(clock.bounded_since(start).disturbed);
    let told = clock.describe();
    assert_eq!((told.disruptions, told.jumps, told.rate_told_by), (1, 0, None));
    assert!(told.to_string().ends_with("1 disruption by the hypervisor"), "{told}");
    for span in [1e3, 1e6, 1e8, SECOND] {
        let (start, begun) = read(&clock);
        clock.machine().pass(span);
        let found = clock.bounded_since(start);
        assert!(!found.disturbed);
        assert_true(found, clock.machine().tell(|world| world.ordered_at) - begun);
    }
}

/// What else was noticed is reported, and the disruption is counted once.
#[test]
fn a_disruption_that_shows_is_a_jump_and_a_marker_that_appears_is_none() {
    let clock = started(World::new(2.6e9));
    sync_after(&clock, SECOND);
    clock.machine().tell(|world| world.marker = Some(7));
    assert!(matches!(sync_after(&clock, SECOND), Synced::Agrees(_)));
    clock.machine().tell(|world| {
        world.ticks += 2.6e9;
        world.marker = Some(8);
    });
    let found = [clock.sync(), clock.sync(), clock.sync()];
    assert!(!found.contains(&Synced::Disrupted), "{found:?}");
    let told = clock.describe();
    assert_eq!((told.jumps, told.disruptions), (1, 1), "{found:?}");
    // A marker that cannot be read for a moment has not changed.
    clock.machine().tell(|world| world.marker = None);
    clock.sync();
    clock.machine().tell(|world| world.marker = Some(8));
    assert!(matches!(clock.sync(), Synced::Agrees(_)));
}
