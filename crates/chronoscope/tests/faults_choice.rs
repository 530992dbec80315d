//! Which source is chosen on machines that have a fault.

use std::time::Duration;

use crate::common::{Sim, World, started, sync_after};
use chronoscope::machine::Kernel;
use chronoscope::steady::SteadyClock;
use chronoscope::wait::{Effort, Ticker, Waiter};
use chronoscope::wall::WallClock;
use chronoscope::{Clock, Source, Ticks, Wanted};

fn chosen(world: World) -> (Source, String) {
    let clock = Clock::on(Sim::new(world));
    let told = clock.describe();
    assert!(!told.reason.is_empty());
    (told.source, told.reason)
}

#[test]
fn a_healthy_counter_is_used_at_every_rate() {
    for hz in [1e6, 19.2e6, 24e6, 54e6, 1e9, 2.6e9, 10e9] {
        let (source, reason) = chosen(World::new(hz));
        assert_eq!(source, Source::Counter, "{hz}: {reason}");
    }
}

#[test]
fn rates_that_no_counter_has_are_refused() {
    for hz in [100.0, 0.9e6, 10.5e9, 1e15] {
        let (source, reason) = chosen(World::new(hz));
        assert_eq!(source, Source::Os, "{hz}");
        assert!(reason.contains("counter"), "{reason}");
    }
}

/// PR_GET_TSC is called first: the counter of such a process must not be read even once.
#[test]
fn a_forbidden_counter_is_never_read() {
    for wanted in [Wanted::Auto, Wanted::Counter, Wanted::Os] {
        let mut world = World::new(2.6e9);
        world.facts.forbidden = true;
        let clock = Clock::on(Sim::new(world));
        clock.choose(wanted).unwrap();
        let start = clock.now();
        clock.machine().pass(1e6);
        assert!(clock.ns_between(start, clock.stop()) >= 1_000_000);
        clock.sync();
        assert_eq!(clock.describe().source, Source::Os);
        assert_eq!(clock.machine().tell(|world| world.counter_reads), 0);
    }
}

/// Every way to be the first to use a clock. The simulated machine fails if anything is read before
/// its facts are known, because the system's clocks may read the forbidden counter.
#[test]
fn the_facts_come_before_any_first_use() {
    type First = fn(&Clock<Sim>);
    fn seen<T>(_: T) {}
    let ways: [(&str, First); 20] = [
        ("now", |clock| seen(clock.now())),
        ("now_ordered", |clock| seen(clock.now_ordered())),
        ("start", |clock| seen(clock.start())),
        ("stop", |clock| seen(clock.stop())),
        ("choose", |clock| clock.choose(Wanted::Auto).unwrap()),
        ("scale", |clock| seen(clock.scale())),
        ("describe", |clock| seen(clock.describe())),
        ("sync", |clock| seen(clock.sync())),
        ("undisturbed", |clock| assert!(clock.undisturbed_since(Ticks(1)))),
        ("between", |clock| seen(clock.between(Ticks(1), Ticks(2)))),
        ("bounded", |clock| seen(clock.between_bounded(Ticks(1), Ticks(2)))),
        ("after", |clock| seen(clock.after(Ticks(1), Duration::from_secs(1)))),
        ("before", |clock| seen(clock.before(Ticks(1), Duration::from_secs(1)))),
        ("WallClock::now", |clock| seen(WallClock::new().now(clock))),
        ("WallClock::now_bounded", |clock| seen(WallClock::new().now_bounded(clock))),
        ("WallClock::sync", |clock| WallClock::new().sync(clock)),
        ("SteadyClock::now", |clock| seen(SteadyClock::new().now(clock))),
        ("sleep", |clock| {
            Waiter::on(clock, Effort::Balanced).sleep(Duration::from_millis(1));
        }),
        ("until", |clock| {
            Waiter::on(clock, Effort::Balanced).until(Ticks(1));
        }),
        ("Ticker", |clock| {
            let waiter = Waiter::on(clock, Effort::Balanced);
            Ticker::with(waiter, Duration::from_millis(1)).unwrap().tick();
        }),
    ];
    for (way, first) in ways {
        for forbidden in [false, true] {
            println!("{way}, forbidden: {forbidden}");
            let mut world = World::new(2.6e9);
            world.facts.forbidden = forbidden;
            let clock = Clock::on(Sim::new(world));
            first(&clock);
            let reads = clock.machine().tell(|world| world.counter_reads);
            assert!(!forbidden || reads == 0, "{way}: {reads} reads");
        }
    }
}

#[test]
fn a_counter_that_follows_the_frequency_is_refused() {
    let mut world = World::new(2.6e9);
    world.facts.invariant = Some(false);
    let (source, reason) = chosen(world);
    assert_eq!(source, Source::Os);
    assert!(reason.contains("invariant"), "{reason}");
}

/// minstant searches for "tsc" in the text of the available sources; here the kernel dropped it.
#[test]
fn a_counter_that_the_kernel_dropped_is_refused() {
    for name in ["hpet", "hyperv_clocksource_tsc_page", "acpi_pm", "jiffies", "xen"] {
        let (source, reason) = chosen(World::new(2.6e9).kernel(Kernel::Dropped(name.into())));
        assert_eq!(source, Source::Os);
        assert!(reason.contains(name), "{reason}");
    }
}

/// Valkey #4691: the raw counter under kvm-clock needs its own check.
#[test]
fn cpus_are_compared_if_the_kernel_uses_another_clock() {
    let offers = || World::new(2.6e9).kernel(Kernel::Offers("kvm-clock".into()));
    let (source, reason) = chosen(offers());
    assert_eq!(source, Source::Counter, "{reason}");
    assert!(reason.contains("agree"), "{reason}");

    let mut skewed = offers();
    skewed.skew = vec![0.0, 0.0, 52_000.0, 0.0];
    let (source, reason) = chosen(skewed);
    assert_eq!(source, Source::Os);
    assert!(reason.contains("disagree"), "{reason}");

    let mut behind = offers();
    behind.skew = vec![0.0, -2600.0, 0.0, 0.0];
    assert_eq!(chosen(behind).0, Source::Os);

    let mut alone = offers();
    alone.can_visit = false;
    assert_eq!(chosen(alone).0, Source::Os);
}

#[test]
fn an_emulated_counter_is_refused() {
    let mut world = World::new(2.6e9);
    world.counter_cost = 1500.0;
    let (source, reason) = chosen(world);
    assert_eq!(source, Source::Os);
    assert!(reason.contains("emulated"), "{reason}");
}

#[test]
fn a_counter_that_stands_still_neither_hangs_nor_is_used() {
    let mut world = World::new(2.6e9);
    world.frozen = true;
    assert_eq!(chosen(world).0, Source::Os);
}

#[test]
fn a_system_clock_that_stands_still_does_not_hang_the_choice() {
    let mut world = World::new(2.6e9);
    world.os_frozen = true;
    assert_eq!(chosen(world).0, Source::Os);
}

#[test]
fn a_requested_source_is_used_if_possible() {
    let mut world = World::new(2.6e9).kernel(Kernel::Dropped("hpet".into()));
    world.facts.wanted = Wanted::Counter;
    assert_eq!(chosen(world), (Source::Counter, "it was requested".into()));

    let mut world = World::new(2.6e9);
    world.facts.wanted = Wanted::Os;
    assert_eq!(chosen(world), (Source::Os, "it was requested".into()));

    let mut world = World::new(2.6e9);
    world.facts.not_understood = Some("sundial".into());
    let (source, reason) = chosen(world);
    assert_eq!(source, Source::Counter);
    assert!(reason.contains("sundial"), "{reason}");
}

/// In the counter's place the reference is read, rather than the clock that is read if no counter
/// was chosen; and what was read before is known no better than it was.
#[test]
fn the_description_of_a_counter_that_was_given_up_is_that_of_its_replacement() {
    let clock = started(World::new(2.6e9).kernel(Kernel::Offers("hpet".into())));
    sync_after(&clock, 1e9);
    let (start, before) = (clock.now(), clock.describe());
    clock.machine().pass(1e9);
    clock.machine().tell(|world| world.frozen = true);
    sync_after(&clock, 1e6);
    let after = clock.describe();
    assert_eq!(after.source, Source::OsInstead);
    let plain = Clock::on(Sim::new(World::new(2.6e9)));
    plain.choose(Wanted::Os).unwrap();
    let plain = plain.describe();
    assert_ne!(after.name, plain.name);
    assert_eq!((after.bound_ppm, plain.bound_ppm), (before.bound_ppm, 0.0));
    assert!(after.bound_ppm > 0.0);
    let shown = after.to_string();
    assert!(shown.contains(&format!("{:.4} ppm", after.bound_ppm)), "{shown}");
    // The description and the stated error of a time agree.
    let told = clock.between_bounded(start, clock.now());
    let least = told.ns as f64 * after.bound_ppm * 1e-6;
    assert!(told.bound_ns as f64 >= least, "{told:?}");
}

#[test]
fn a_choice_is_made_once() {
    let clock = started(World::new(2.6e9));
    let refused = clock.choose(Wanted::Os).unwrap_err();
    assert_eq!(refused.0, Source::Counter);
    assert!(refused.to_string().contains("Counter"));
}

/// DPDK truncates leaf 0x15 by 30 %, quanta ignores CNTFRQ, and firmware may set it incorrectly.
#[test]
fn a_stated_rate_is_used_only_if_it_is_true() {
    let clock = Clock::on(Sim::new(World::new(2.6e9).hint(2.6e9, 1.0)));
    assert_eq!(clock.describe().rate_told_by, Some("a hint".into()));
    assert!(clock.describe().bound_ppm <= 1.01);

    let clock = Clock::on(Sim::new(World::new(2.6e9).hint(2.0e9, 50.0).hint(f64::NAN, 1.0)));
    let told = clock.describe();
    assert_eq!((told.source, told.rate_told_by), (Source::Counter, None));
    assert!((told.hz / 2.6e9 - 1.0).abs() * 1e6 <= told.bound_ppm);
}

/// The choice takes less than a millisecond of the machine's time.
#[test]
fn a_choice_is_quick() {
    for world in [World::new(2.6e9), World::new(2.6e9).kernel(Kernel::Offers("hpet".into()))] {
        let clock = Clock::on(Sim::new(world));
        let before = clock.machine().time();
        clock.now();
        assert!(clock.machine().time() - before < 1e6);
    }
}
