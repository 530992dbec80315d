//! What a run next to a neighbour says must contain what a calm run finds.

use chronoscope_diagnose::judge;
use chronoscope_measure::engine::fake::{Disturbance, Fake, FakeClock, Slow};
use chronoscope_measure::engine::rounds::{self, Plan};
use chronoscope_measure::engine::{Mode, Timed};
use chronoscope_model::clock::{Clock, Cost};
use chronoscope_model::{Estimate, Report, Ruler};
use std::time::Duration;

const TRUTH_NS: f64 = 20.0;

/// The share of rounds that a run of one clock found shared, and the clock's cost, as it is judged.
fn run(neighbour: Slow, seed: u64) -> (f64, Estimate) {
    let noise = Disturbance { jitter: 0.01, neighbour: Some(neighbour), ..Disturbance::default() };
    let clock = || FakeClock { cost_ns: TRUTH_NS, ..FakeClock::default() };
    let mut host = Fake::new(vec![clock(), clock()], noise, seed);
    let plan = Plan { max_rounds: 400, ..Plan::within(Duration::from_millis(400)) };
    let modes = [Mode::Throughput];
    let outcome = rounds::run(&mut host, &[0, 1], &modes, plan, seed, |_| ());
    let rate = host.rate();
    let throughput = outcome.estimate(0, Mode::Throughput, rate);
    let noise = outcome.noise(rate);
    let shared = noise.shared.expect("known");
    let mut report = Report {
        clocks: vec![Clock { cost: Cost { throughput, ..Cost::default() }, ..Clock::default() }],
        ruler: Some(Ruler { noise, ..Ruler::default() }),
        ..Report::default()
    };
    judge(&mut report);
    (shared, report.clocks[0].cost.throughput.take().expect("a cost"))
}

#[test]
fn a_run_on_a_shared_core_contains_what_a_calm_one_finds() {
    let (mut all, mut wrong) = (0, Vec::new());
    for busy in [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97] {
        for every_ns in [4e4, 2e5, 1.1e6, 3.1e6] {
            for by in [1.08, 1.2, 1.4] {
                let (shared, found) = run(Slow { every_ns, for_ns: busy * every_ns, by }, all);
                all += 1;
                if !(found.low_ns..=found.high_ns).contains(&TRUTH_NS) {
                    let off = found.value_ns / TRUTH_NS - 1.0;
                    wrong.push((busy, every_ns, by, shared, off, found.low_ns / TRUTH_NS - 1.0));
                }
            }
        }
    }
    assert!(wrong.len() * 20 <= all as usize, "{} of {all}: {wrong:#.3?}", wrong.len());
}
