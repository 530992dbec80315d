//! Counters that were reset or stopped, and are found out by whoever needs the time, without a
//! keeper.

use std::time::Duration;

use crate::common::{SECOND, Sim, World, started, sync_after};
use chronoscope::wait::{Effort, Waiter};
use chronoscope::{Clock, Source, Synced, Ticks, Wanted};

/// A clock that was checked for the last time some seconds ago.
fn clock() -> Clock<Sim> {
    let clock = Clock::on(Sim::new(World::new(2.6e9)));
    clock.machine().tell(|world| world.ticks = 2.6e12);
    clock.now();
    sync_after(&clock, 10.0 * SECOND);
    clock.machine().pass(SECOND);
    clock
}

/// A machine that was hibernated, or restored on another host: its counter begins again.
fn reset(clock: &Clock<Sim>) {
    clock.machine().tell(|world| world.ticks = 1e6);
}

/// A minute ago by the counter of before, which the new one reaches after a quarter of an hour.
#[test]
fn a_wait_for_the_past_ends_at_once_after_a_reset() {
    for effort in [Effort::Economy, Effort::Balanced, Effort::Precise] {
        let clock = clock();
        let deadline = clock.before(clock.now(), Duration::from_secs(60)).unwrap();
        reset(&clock);
        let before = clock.machine().time();
        let waited = Waiter::on(&clock, effort).until(deadline);
        let passed = clock.machine().time() - before;
        assert!(passed < 2e6, "{effort:?}: {passed} ns, {waited:?}");
        assert!(waited.late_ns > 59_000_000_000, "{effort:?}: {waited:?}");
    }
}

/// The same if nothing was checked for an hour, so that the counter may seem to be ahead.
#[test]
fn a_wait_for_the_future_is_as_long_as_it_should_be_after_a_reset() {
    let clock = clock();
    let deadline = clock.after(clock.now(), Duration::from_secs(5)).unwrap();
    reset(&clock);
    let before = clock.machine().time();
    Waiter::on(&clock, Effort::Balanced).until(deadline);
    let passed = clock.machine().time() - before;
    assert!((4.99e9..5.01e9).contains(&passed), "{passed}");
}

/// In the middle of the wait, where only the wait itself can notice it.
#[test]
fn a_reset_during_a_long_wait_does_not_make_it_longer() {
    for seconds in [1.5, 60.0, 3600.0] {
        let clock = clock();
        let deadline = clock.after(clock.now(), Duration::from_secs_f64(seconds)).unwrap();
        clock.machine().tell(|world| world.jump_asleep = -2.6e12);
        let before = clock.machine().time();
        let waited = Waiter::on(&clock, Effort::Balanced).until(deadline);
        let passed = (clock.machine().time() - before) / SECOND;
        assert!((passed - seconds).abs() < 0.01, "{passed} s, {waited:?}");
        assert_eq!(clock.describe().source, Source::OsInstead);
    }
}

#[test]
fn elapsed_times_ask_the_systems_clock_if_the_counter_went_back() {
    let clock = clock();
    let start = clock.now();
    reset(&clock);
    clock.machine().pass(3.0 * SECOND);
    let found = clock.ns_since(start) as f64 / SECOND;
    assert!((found - 3.0).abs() < 1e-3, "{found} s");
    assert_eq!(clock.describe().source, Source::OsInstead);
}

/// A moment in the future is not a fault, and asking for it often costs little.
#[test]
fn the_future_is_not_checked_more_often_than_useful() {
    let clock = clock();
    clock.sync();
    let future = clock.after(clock.now(), Duration::from_secs(9)).unwrap();
    let before = clock.describe().samples;
    for _ in 0..1000 {
        assert_eq!(clock.ns_since(future), 0);
        clock.machine().pass(1e6);
    }
    let checks = clock.describe().samples - before;
    assert!(checks <= 2, "{checks}");
}

/// A wait of an hour by a rate that is 45 ppm off would last 162 ms too long.
#[test]
fn a_long_wait_does_not_depend_on_the_first_rate() {
    for ppm in [45.0, -45.0] {
        let told = 2.6e9 * (1.0 + ppm * 1e-6);
        let clock = Clock::on(Sim::new(World::new(2.6e9).hint(told, 50.0)));
        let before = clock.machine().time();
        let waited = Waiter::on(&clock, Effort::Balanced).sleep(Duration::from_secs(3600));
        let passed = clock.machine().time() - before - 3600.0 * SECOND;
        assert!((0.0..1e6).contains(&passed), "{ppm}: {passed} ns, {waited:?}");
        let before = clock.machine().time();
        let deadline = clock.after(clock.now(), Duration::from_secs(3600)).unwrap();
        Waiter::on(&clock, Effort::Balanced).until(deadline);
        let passed = clock.machine().time() - before - 3600.0 * SECOND;
        assert!(passed.abs() < 1e6, "{ppm}: {passed} ns");
    }
}

/// Conversions of long times find out that the first rate was only roughly known.
#[test]
fn long_conversions_use_a_rate_that_is_as_good_as_can_be() {
    type Convert = fn(&Clock<Sim>, Ticks) -> f64;
    let ways: [(&str, Convert); 4] = [
        ("ns_since", |clock, start| clock.ns_since(start) as f64),
        ("ns_between", |clock, start| clock.ns_between(start, clock.now()) as f64),
        ("between", |clock, start| clock.between(start, clock.now()).as_nanos() as f64),
        ("after", |clock, start| {
            let later = clock.after(start, Duration::from_secs(100)).unwrap();
            (clock.now().0 - start.0) as f64 / (later.0 - start.0) as f64 * 100.0 * SECOND
        }),
    ];
    for (way, convert) in ways {
        let told = 2.6e9 * (1.0 + 45e-6);
        let clock = Clock::on(Sim::new(World::new(2.6e9).hint(told, 50.0)));
        let start = clock.now();
        clock.machine().pass(100.0 * SECOND);
        let off = convert(&clock, start) / (100.0 * SECOND) - 1.0;
        assert!(off.abs() < 1e-7, "{way}: {off}");
    }
}

/// No clock advances, but the machine can sleep.
#[test]
fn a_wait_ends_if_no_clock_can_be_read() {
    for nanos in [0u64, 20_000, 1_000_000, 3_000_000_000] {
        let mut world = World::new(2.6e9);
        world.facts.forbidden = true;
        world.os_frozen = true;
        let clock = Clock::on(Sim::new(world));
        assert_eq!(clock.choose(Wanted::Auto), Ok(()));
        // The system sleeps for a time if it cannot sleep until one.
        clock.machine().tell(|world| world.sleeps_for = true);
        let before = clock.machine().time();
        Waiter::on(&clock, Effort::Balanced).sleep(Duration::from_nanos(nanos));
        let passed = clock.machine().time() - before;
        assert!(passed >= nanos as f64, "{passed} for {nanos}");
        assert!(passed < nanos as f64 * 1.1 + 3e6, "{passed} for {nanos}");
    }
}

/// 3.24 ms after an hour without a check are less than a millionth.
#[test]
fn a_small_jump_after_a_long_time_is_noticed() {
    use chronoscope::machine::Kernel;
    for kernel in [Kernel::Uses("tsc".into()), Kernel::Offers("hpet".into())] {
        let clock = started(World::new(2.6e9).kernel(kernel));
        sync_after(&clock, 10.0 * SECOND);
        clock.machine().pass(3600.0 * SECOND);
        let start = clock.now();
        clock.machine().tell(|world| world.ticks += 3.24e6 * 2.6);
        clock.machine().pass(1e6);
        let found = clock.bounded_since(start);
        assert!(found.disturbed, "{found:?}");
        assert!(!clock.undisturbed_since(start));
        let later = clock.now();
        clock.machine().pass(1e6);
        assert!(!clock.bounded_since(later).disturbed);
    }
}

/// The kernel switches from the counter to another clock source and back, whose rate differs
/// slightly: the bound holds, and becomes as narrow as before.
#[test]
fn a_switch_of_the_clock_source_is_noticed_and_the_bound_recovers() {
    use chronoscope::machine::{Inquiry, Kernel};
    let view = |kernel| Some(Inquiry { kernel, hint: None });
    for asked in [true, false] {
        let clock = started(World::new(2.6e9));
        for _ in 0..10 {
            sync_after(&clock, SECOND);
        }
        let narrow = clock.describe().bound_ppm;
        for (kernel, fast) in
            [(Kernel::Offers("kvm-clock".into()), 0.8e-6), (Kernel::Uses("tsc".into()), 0.0)]
        {
            let start = clock.now();
            clock.machine().tell(|world| {
                world.inquiry = view(if asked { kernel } else { Kernel::Unasked });
                world.reference_fast = fast;
            });
            let synced = sync_after(&clock, SECOND);
            assert!(!clock.undisturbed_since(start), "{synced:?}");
            if asked {
                assert!(matches!(synced, Synced::RateChanged(_)), "{synced:?}");
            }
            for _ in 0..60 {
                sync_after(&clock, SECOND);
            }
        }
        let described = clock.describe();
        assert_eq!(described.source, Source::Counter, "{described}");
        let most = narrow.max(0.05) * 1.1;
        assert!(described.bound_ppm <= most, "{narrow}: {described}");
    }
}

/// The step of the system's clock counts if that is the source: QueryPerformanceCounter's is
/// 100 ns.
#[test]
fn the_bound_includes_the_step_of_the_systems_clock() {
    let mut world = World::new(2.6e9);
    world.os_step = 100;
    let clock = Clock::on(Sim::new(world));
    clock.choose(Wanted::Os).unwrap();
    for i in 0..1000 {
        let start = clock.now();
        let begun = clock.machine().time();
        clock.machine().pass(f64::from(i) * 7.3);
        let ended = clock.machine().time();
        let found = clock.bounded_since(start);
        let after = clock.machine().time();
        let (ns, bound) = (found.ns as f64, found.bound_ns as f64);
        assert!(ns + bound >= ended - begun, "{found:?}");
        assert!(ns - bound <= after - begun + 20.0, "{found:?}");
    }
}

/// Nothing is known before the first read, so a conversion makes it.
#[test]
fn conversions_before_the_first_read_do_not_guess() {
    let clock = Clock::on(Sim::new(World::new(2.6e9)));
    let found = clock.between_bounded(Ticks(0), Ticks(2_600_000_000));
    assert!(found.ns.abs_diff(1_000_000_000) <= found.bound_ns, "{found:?}");
    let clock = Clock::on(Sim::new(World::new(2.6e9)));
    let found = clock.ns_between(Ticks(0), Ticks(2600)) as f64;
    assert!((found / 1000.0 - 1.0).abs() < 0.01, "{found}");
}

/// The kernel turns out to distrust the counter as soon as it can be asked.
#[test]
fn a_counter_that_the_kernel_turns_out_to_distrust_is_given_up() {
    use chronoscope::machine::{Inquiry, Kernel};
    let mut world = World::new(2.6e9).kernel(Kernel::Unasked);
    world.facts.reads_directly = Some(true);
    world.inquiry = Some(Inquiry { kernel: Kernel::Dropped("hpet".into()), hint: None });
    let clock = Clock::on(Sim::new(world));
    assert_eq!(clock.describe().source, Source::Counter);
    sync_after(&clock, SECOND);
    let described = clock.describe();
    assert_eq!(described.source, Source::OsInstead);
    assert!(described.reason.contains("hpet"), "{}", described.reason);
}

/// A system call for each read of the system's clock: the kernel keeps time with something else.
#[test]
fn a_kernel_that_reads_another_clock_is_recognised_without_asking_it() {
    use chronoscope::machine::Kernel;
    for (directly, source) in [(true, Source::Counter), (false, Source::Os)] {
        let mut world = World::new(2.6e9).kernel(Kernel::Unasked);
        world.facts.reads_directly = Some(directly);
        let clock = Clock::on(Sim::new(world));
        assert_eq!(clock.describe().source, source);
    }
}
