//! The whole engine on simulated clocks whose costs, ticks, drifts and steps are all known.

use chronoscope_measure::clocks::costs::measure_bulk;
use chronoscope_measure::clocks::{self, Found, Options, single};
use chronoscope_measure::deltas;
use chronoscope_measure::engine::fake::{self, Disturbance, Fake, FakeClock, Slow};
use chronoscope_measure::engine::rounds::{self, Plan};
use chronoscope_measure::engine::{Mode, Time, Timed};
use chronoscope_measure::loops::{measure_calls, measure_overhead};
use chronoscope_model::clock::{Clock, Kind, Limit};
use chronoscope_model::estimate::SampledTo;
use std::time::Duration;

const NOISY: Disturbance = Disturbance {
    jitter: 0.004,
    interrupts: 0.05,
    interrupt_ns: 9000.0,
    switches: 0.01,
    stolen: 0.0,
    slow: None,
    neighbour: None,
    placement: 0.0,
    placed_badly: (0.0, 0.0),
    turns_ns: 0.0,
};

/// Everything about a clock, with nothing known of the machine.
fn on_any_machine() -> Options {
    Options {
        budget: Duration::ZERO,
        calls: None,
        first: true,
        cold: true,
        seed: 0,
        ruler_tick: 1.0,
        caches: Vec::new(),
        memory: None,
        ruler_is_clock_source: false,
    }
}

fn all_about(clocks: Vec<FakeClock>, disturbance: Disturbance, budget: Duration) -> Found {
    let mut host = Fake::new(clocks, disturbance, 7);
    let subjects: Vec<usize> = (0..host.specs().len() - 1).collect();
    clocks::measure(
        &mut host,
        &subjects,
        &Options { budget, seed: 3, ..on_any_machine() },
        |_, _| (),
    )
}

/// A host with this clock, which nothing disturbs.
fn quiet(clock: FakeClock) -> Fake {
    Fake::new(vec![clock], Disturbance::default(), 1)
}

fn one(clock: FakeClock) -> Clock {
    all_about(vec![clock], NOISY, Duration::from_secs(5)).clocks.remove(0)
}

#[test]
fn costs_are_found_through_noise() {
    let costs = [0.4, 8.0, 20.0, 150.0, 2_000.0, 90_000.0];
    let fakes = costs.map(|cost| FakeClock {
        cost_ns: cost,
        latency_ns: cost * 1.5,
        ..FakeClock::default()
    });
    let found = all_about(fakes.to_vec(), NOISY, Duration::from_secs(20));
    for (clock, cost) in found.clocks.iter().zip(costs) {
        for (estimate, truth) in [(&clock.cost.throughput, cost), (&clock.cost.latency, cost * 1.5)]
        {
            let estimate = estimate.as_ref().unwrap();
            assert!(
                (estimate.value_ns - truth).abs() < truth * 0.012 + 0.02,
                "{truth}: {estimate:?}"
            );
            assert!(estimate.low_ns <= estimate.value_ns && estimate.value_ns <= estimate.high_ns);
            assert!(
                estimate.disturbed > 0 || estimate.batches < 300,
                "disturbed batches are counted"
            );
        }
    }
    assert!(found.noise.disturbed > 0 && found.noise.disturbed < found.noise.batches / 20);
}

/// Rounds in which the hypervisor takes time are left out, unless most of them are such rounds.
#[test]
fn stolen_rounds_are_left_out_unless_most_are() {
    for stolen in [0.0, 0.2, 0.8, 1.0] {
        let disturbance = Disturbance { stolen, ..NOISY };
        let budget = Duration::from_secs(5);
        let found = all_about(vec![FakeClock::default()], disturbance, budget);
        let estimate = found.clocks[0].cost.throughput.as_ref().expect("measured");
        assert!((estimate.value_ns - 20.0).abs() < 0.3, "{estimate:?}");
        let left_out = found.noise.disturbed as f64 / found.noise.batches as f64;
        let most = stolen > 0.5;
        let expected = 0.01 + if most { 0.0 } else { stolen };
        assert!((left_out - expected).abs() < 0.08, "{left_out} of {stolen}");
        let told = found.notes.iter().any(|note| note.id == "steal-counted");
        assert_eq!(told, most, "{:?}", found.notes);
    }
}

#[test]
fn a_core_that_changes_its_frequency_is_reported_and_does_not_move_the_cost() {
    let slow = Slow { every_ns: 4e6, for_ns: 1.6e6, by: 1.04 };
    let disturbance = Disturbance { slow: Some(slow), ..NOISY };
    let budget = Duration::from_secs(5);
    let found = all_about(vec![FakeClock::default()], disturbance, budget);
    let estimate = found.clocks[0].cost.throughput.as_ref().unwrap();
    assert!((estimate.value_ns - 20.0).abs() < 0.1, "{estimate:?}");
    let core = found.noise.core.expect("the core was watched");
    assert!((core.hz / (fake::CORE_GHZ * 1e9) - 1.0).abs() < 1e-3);
    assert!(core.elsewhere > 0.2 && core.elsewhere < 0.5, "{core:?}");
    assert!((core.low_hz * slow.by / core.hz - 1.0).abs() < 1e-3);
}

#[test]
fn the_frequency_is_known_better_than_a_tick_of_the_ruler() {
    let clock = FakeClock { cost_ns: 20.0, ..FakeClock::default() };
    for seed in 0..8 {
        let mut host = Fake::new(vec![clock.clone()], NOISY, seed);
        host.ruler_tick = 26;
        let rate = host.rate();
        let plan = Plan::within(Duration::from_millis(300));
        let modes = [Mode::Throughput];
        let found = rounds::run(&mut host, &[0], &modes, plan, seed, |_| ());
        let core = found.noise(rate).core.expect("the core was watched");
        assert!((core.hz / (fake::CORE_GHZ * 1e9) - 1.0).abs() < 4e-4, "{core:?}");
        let cost = found.estimate(0, Mode::Throughput, rate).expect("a cost");
        let cycles = cost.core_cycles.expect("core cycles");
        assert!((cycles / (20.0 * fake::CORE_GHZ) - 1.0).abs() < 3e-3, "{cycles}");
    }
}

#[test]
fn cold_and_first_reads_have_their_own_costs() {
    let clock = one(FakeClock { cold_ns: 700.0, ..FakeClock::default() });
    let value =
        |estimate: &Option<chronoscope_model::Estimate>| estimate.as_ref().unwrap().value_ns;
    assert!((value(&clock.cost.cold) - 700.0).abs() < 20.0);
    assert!((value(&clock.cost.first) - 2100.0).abs() < 60.0);
    assert!((value(&clock.cost.throughput) - 20.0).abs() < 0.5);
}

/// Each first read needs a process, and some systems are slow to start one. If the processes would
/// not all fit, all first reads are left out for that reason, and no clock has only some of them.
#[test]
fn processes_that_start_too_slowly_are_reported() {
    let mut host = Fake::new(vec![FakeClock::default(); 40], NOISY, 7);
    let subjects: Vec<usize> = (0..40).collect();
    let mut first = |ms| single::first(&mut host, &subjects, 5, Duration::from_millis(ms));
    let (each, all) = first(100).expect_err("40 clocks, 5 processes each, 1 ms per process");
    assert!((each - 1e-3).abs() < 1e-5 && (all - 0.2).abs() < 2e-3);
    assert!(first(300).is_ok());
    let found = all_about(vec![FakeClock::default(); 60], NOISY, Duration::from_secs(2));
    assert!(found.clocks.iter().all(|clock| clock.cost.first.is_none()));
    assert!(found.notes.iter().any(|note| note.id == "no-first-reads"));
}

#[test]
fn precision_ends_a_quiet_run_and_the_budget_a_noisy_one() {
    let run = |jitter, budget_ms| {
        let mut host = Fake::new(
            vec![FakeClock::default()],
            Disturbance { jitter, ..Disturbance::default() },
            1,
        );
        let plan = Plan {
            relative: 1e-4,
            absolute_ns: 0.0,
            ..Plan::within(Duration::from_millis(budget_ms))
        };
        let start = host.elapsed();
        let found = rounds::run(&mut host, &[0], &[Mode::Throughput], plan, 1, |_| ());
        let spent = (host.elapsed() - start).as_secs_f64() * 1e3;
        let rate = host.rate();
        (found.estimate(0, Mode::Throughput, rate).unwrap().stopped_by, spent)
    };
    assert_eq!(run(0.0, 1000).0, SampledTo::Precision);
    let (by, spent) = run(0.3, 50);
    assert_eq!(by, SampledTo::Budget);
    assert!(spent < 55.0, "{spent} ms of 50");
}

#[test]
fn a_clock_cheaper_than_the_loop_has_a_bound_and_no_figure() {
    let clock = one(FakeClock { cost_ns: 0.0, ..FakeClock::default() });
    let cost = clock.cost.throughput.unwrap();
    assert!(cost.below_resolution && cost.high_ns < 0.05, "{cost:?}");
}

#[test]
fn the_resolution_is_the_tick_or_bound_by_latency() {
    let resolution = |tick_ns, cost_ns| {
        one(FakeClock { tick_ns, cost_ns, ..FakeClock::default() }).resolution.unwrap()
    };
    let coarse = resolution(4_000_000.0, 5.0);
    assert_eq!((coarse.tick_ns, coarse.verdict), (Some(4_000_000.0), Limit::Tick));
    let hundred = resolution(100.0, 20.0);
    assert_eq!((hundred.tick_ns, hundred.verdict), (Some(100.0), Limit::Tick));
    assert_eq!(resolution(1.0, 20.0).verdict, Limit::Latency);
    let slewed = one(FakeClock {
        tick_ns: 4_000_000.0,
        slew_ns: 40.0,
        cost_ns: 5.0,
        ..FakeClock::default()
    });
    let tick_ns = slewed.resolution.unwrap().tick_ns.unwrap();
    assert!((tick_ns - 4_000_000.0).abs() < 100.0, "{tick_ns}");
    assert!(slewed.difference_100ms.unwrap().agrees);
    let frozen = one(FakeClock { frozen: true, ..FakeClock::default() }).resolution.unwrap();
    assert_eq!((frozen.tick_ns, frozen.verdict, frozen.changes), (None, Limit::NotSeen, 0));
    assert!(frozen.stood_still(), "{frozen:?}");
}

#[test]
fn an_interval_of_100_ms_separates_clocks_that_keep_time_from_those_that_do_not() {
    let agrees = |clock| one(clock).difference_100ms.unwrap().agrees;
    assert!(agrees(FakeClock::default()));
    assert!(agrees(FakeClock { tick_ns: 4_000_000.0, ..FakeClock::default() }));
    assert!(agrees(FakeClock { drift_ppm: 200.0, ..FakeClock::default() }));
    assert!(!agrees(FakeClock { drift_ppm: 20_000.0, ..FakeClock::default() }));
    assert!(!agrees(FakeClock { stops_in_sleep: true, kind: Kind::Cpu, ..FakeClock::default() }));
    assert!(!agrees(FakeClock { frozen: true, ..FakeClock::default() }));
}

#[test]
fn backward_steps_are_counted() {
    let clock = one(FakeClock { backwards: Some((1000, 50_000.0)), ..FakeClock::default() });
    let backwards = clock.backwards.unwrap();
    assert!(backwards.violations > 0 && backwards.violations <= backwards.tries / 900);
    assert!((backwards.worst_ns - 50_000.0).abs() < 100.0);
    assert_eq!(one(FakeClock::default()).backwards.unwrap().violations, 0);
}

#[test]
fn a_run_that_is_cut_short_blames_no_clock_and_no_budget() {
    let seconds = FakeClock { tick_ns: 1e9, ..FakeClock::default() };
    let mut host = Fake::new(vec![seconds], NOISY, 7);
    host.interrupt_after = Some(200);
    let options = Options { budget: Duration::from_secs(5), seed: 1, ..on_any_machine() };
    let found = clocks::measure(&mut host, &[0], &options, |_, _| ());
    let resolution = found.clocks[0].resolution.clone().unwrap();
    assert_eq!(resolution.verdict, Limit::NotSeen);
    assert!(!resolution.stood_still(), "{resolution:?}");
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn a_clock_that_stands_still_hangs_nothing() {
    let mut host = quiet(FakeClock::default());
    host.frozen = true;
    let options = Options { budget: Duration::from_millis(900), seed: 1, ..on_any_machine() };
    let found = clocks::measure(&mut host, &[0], &options, |_, _| ());
    assert_eq!(found.clocks.len(), 1);
}

#[test]
fn what_was_measured_survives_an_interruption() {
    let fakes = vec![FakeClock::default(), FakeClock { cost_ns: 100.0, ..FakeClock::default() }];
    let mut host = Fake::new(fakes, NOISY, 1);
    host.interrupt_after = Some(1200);
    let options =
        Options { budget: Duration::from_secs(5), calls: Some(1000), seed: 1, ..on_any_machine() };
    let found = clocks::measure(&mut host, &[0, 1], &options, |_, _| ());
    assert!(found.clocks.iter().all(|clock| clock.cost.throughput.is_some()));
    assert!(
        found.clocks.iter().all(|clock| clock.bulk.is_none() && clock.difference_100ms.is_none())
    );
}

#[test]
fn a_budget_is_kept() {
    for budget_ms in [50, 300, 3000] {
        let fakes = (0..40).map(|at| FakeClock {
            cost_ns: 10.0 + at as f64 * 25.0,
            tick_ns: 1e9,
            ..FakeClock::default()
        });
        let mut host = Fake::new(fakes.collect(), Disturbance { jitter: 0.3, ..NOISY }, 1);
        let subjects: Vec<usize> = (0..40).collect();
        let options =
            Options { budget: Duration::from_millis(budget_ms), seed: 1, ..on_any_machine() };
        let start = host.elapsed();
        clocks::measure(&mut host, &subjects, &options, |_, _| ());
        let spent = (host.elapsed() - start).as_secs_f64() * 1e3;
        assert!(spent <= budget_ms as f64 * 1.1, "{spent:.1} ms of {budget_ms}");
    }
}

#[test]
fn deltas_are_counted_exactly() {
    let fake = FakeClock {
        tick_ns: 100.0,
        cost_ns: 40.0,
        backwards: Some((4999, 900.0)),
        ..FakeClock::default()
    };
    let mut host = quiet(fake);
    let found = deltas::measure(&mut host, 0, 100_000, 100_000, None, |_| ()).unwrap();
    let counted: u64 = found.rows.iter().map(|row| row.count).sum();
    assert_eq!(counted, 99_999);
    assert_eq!(
        found.negative,
        found.rows.iter().filter(|row| row.ticks < 0).map(|row| row.count).sum::<u64>()
    );
    let zeros = (found.zero_share * counted as f64).round() as u64;
    let changes = found.changes.expect("the clock changes");
    assert_eq!(found.negative + zeros + changes.count, 99_999);
    assert_eq!((changes.min_ns, changes.median_ns), (100.0, 100.0));
    assert!((19..=20).contains(&found.negative), "{}", found.negative);
    assert!((found.zero_share - 0.6).abs() < 0.01, "{}", found.zero_share);
    assert_eq!(found.histogram.count, counted - found.negative);
    let nothing = found.nothing_measured.unwrap();
    assert!(nothing.tries >= 100_000 && nothing.max_ns >= 900.0 && nothing.min_ns < 0.0);
}

#[test]
fn a_regular_disturbance_is_named() {
    // These are steps of 20 us every 4 ms, such as a timer tick at 250 Hz causes.
    let steps = (1..400).map(|at| (1e9 + at as f64 * 4e6, 20_000.0)).collect();
    let fake = FakeClock { steps, cost_ns: 100.0, ..FakeClock::default() };
    let mut host = quiet(fake);
    let found = deltas::measure(&mut host, 0, 1_000_000, 1, None, |_| ()).unwrap();
    assert!(found.periods.iter().any(|period| period.period_ns == 4e6), "{:?}", found.periods);
}

/// Memory that is not in a cache is no part of a call: as measured, the first stores into an array
/// that was not used for a million calls.
#[test]
fn calls_agree_with_the_known_cost() {
    for (cost_ns, store_ns) in [(250.0, 0.0), (20.0, 700.0)] {
        let mut host = quiet(FakeClock { cost_ns, ..FakeClock::default() });
        host.store_ns = store_ns;
        let found = measure_calls(&mut host, 0, None, |_| ()).unwrap();
        assert_eq!((found.passes.len(), found.counts), (3, [1_000_000, 10, 1]));
        for pass in found.passes {
            for delta in [pass.delta1_ns, pass.delta2_ns, pass.delta3_ns] {
                assert!((delta - cost_ns).abs() <= 1.0, "{delta}");
            }
        }
    }
}

#[test]
fn overhead_is_what_two_reads_add() {
    let mut host = quiet(FakeClock { cost_ns: 20.0, ..FakeClock::default() });
    let longest = Duration::from_secs(60);
    let found =
        measure_overhead(&mut host, 0, [500, 99, 999], longest, 1, |_| ()).expect("samples");
    assert_eq!((found.taken, found.cut_short), (500, None));
    assert!((found.overhead.median_ns - 40.0).abs() < 1.0, "{found:?}");
    assert!(
        found.overhead.low_ns <= found.overhead.median_ns
            && found.overhead.median_ns <= found.overhead.high_ns
    );
}

#[test]
fn a_sample_longer_than_the_time_is_cut_short_and_marked_so() {
    let clock = FakeClock { cost_ns: 20.0, ..FakeClock::default() };
    let n = 999_999_999;
    let budget = Duration::from_millis(500);
    let measure = |host: &mut Fake, n| {
        measure_overhead(host, 0, [10, n, 10], budget, 1, |_| ())
            .expect("at least a part of a sample")
    };
    let mut host = quiet(clock.clone());
    let before = host.elapsed();
    let found = measure(&mut host, n);
    assert_eq!((found.taken, found.n), (1, n));
    assert!(found.cut_short.is_some_and(|turns| 0 < turns && turns < n));
    assert!((found.overhead.median_ns - 40.0).abs() < 1.0, "{found:?}");
    // The time limit is kept, except for one part and the tries before it.
    let spent = (host.elapsed() - before).as_secs_f64();
    assert!(spent < 0.5 + 0.2, "{spent} s");

    // A complete sample that was made in parts counts as any other.
    let mut host = quiet(clock);
    let found = measure(&mut host, 3_000_000);
    assert!(found.taken >= 1 && found.cut_short.is_none(), "{found:?}");
    assert!((found.overhead.median_ns - 40.0).abs() < 1.0, "{found:?}");
}

#[test]
fn calls_in_bulk_are_all_made() {
    let mut host = quiet(FakeClock { cost_ns: 30.0, ..FakeClock::default() });
    let hz = host.hz();
    let found = measure_bulk(&mut host, 0, 10_000_000, hz).unwrap();
    assert!((found.ms - 301.0).abs() < 1.0, "{found:?}");
}
