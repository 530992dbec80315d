//! Checks the engine against two known answers, on this machine.
//!
//! `selftest aa [RUNS]`: two identical clocks under different names must differ by more than their
//! intervals allow in at most 5 of 100 comparisons.
//!
//! `selftest resolve [RUNS]`: five dependent additions must be found more expensive than four in at
//! least 95 of 100 runs, a difference of one cycle.

use chronoscope_measure::engine::rounds::{self, Plan};
use chronoscope_measure::engine::{Interrupt, Machine, Mode, Offer, Ruler, Timed};
use chronoscope_model::Estimate;
use chronoscope_probes::clocks::{self, steps};
use chronoscope_probes::machine::affinity;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let what = args.next();
    let runs = args
        .next()
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(100);
    let _pin = affinity::allowed()
        .last()
        .and_then(|cpu| affinity::pin(*cpu).ok());
    let passed = match what.as_deref() {
        Some("aa") => identical(runs),
        Some("resolve") => one_step(runs),
        _ => {
            eprintln!("usage: selftest aa|resolve [RUNS]");
            return ExitCode::from(2);
        }
    };
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The estimates of all subjects offered, from one run.
fn run(offers: Vec<Offer>, seed: u64) -> Vec<Estimate> {
    let subjects: Vec<usize> = (0..offers.len()).collect();
    let ruler = Ruler::new(None, Duration::from_millis(5));
    let mut host = Machine::new(ruler, offers, Interrupt::default());
    let specs = host.specs();
    let plan = Plan::within(Duration::from_millis(400));
    let found = rounds::run(
        &mut host,
        &specs,
        &subjects,
        &[Mode::Throughput],
        plan,
        seed,
        |_| (),
    );
    let rate = host.rate();
    subjects
        .iter()
        .filter_map(|subject| found.estimate(&specs, *subject, Mode::Throughput, rate))
        .collect()
}

fn identical(runs: u64) -> bool {
    let ids = ["chronoscope/instant", "posix/monotonic", "c/clock"];
    let pairs = || {
        let entries = ids.iter().filter_map(|id| clocks::find(id));
        let twice = entries.flat_map(|entry| [entry, entry]);
        twice.filter_map(|entry| Offer::clock(entry).ok()).collect()
    };
    let (mut compared, mut differ) = (0, 0);
    for seed in 0..runs {
        let found = run(pairs(), seed);
        for pair in found.chunks_exact(2) {
            compared += 1;
            let half = |e: &Estimate| (e.high_ns - e.low_ns) / 2.0;
            let apart = (pair[0].value_ns - pair[1].value_ns).abs();
            differ += u64::from(apart > half(&pair[0]).hypot(half(&pair[1])));
        }
    }
    println!("identical clocks differ in {differ} of {compared} comparisons");
    // Five in a hundred, plus twice the standard error of that many comparisons.
    let limit = 0.05 * compared as f64 + 2.0 * (0.05 * 0.95 * compared as f64).sqrt();
    compared > 0 && differ as f64 <= limit
}

fn one_step(runs: u64) -> bool {
    let Some(entry) = clocks::find("chronoscope/instant") else {
        return false;
    };
    let mut right = 0;
    let mut difference = Vec::new();
    for seed in 0..runs {
        let Some(readers) = steps::four_and_five() else {
            println!("not implemented for this processor");
            return false;
        };
        let pair = readers.map(|reader| Offer::local(entry, reader));
        if let [four, five] = run(pair.into(), seed).as_slice() {
            right += u64::from(four.value_ns < five.value_ns);
            difference.push(five.value_ns - four.value_ns);
        }
    }
    difference.sort_by(f64::total_cmp);
    let median = difference
        .get(difference.len() / 2)
        .copied()
        .unwrap_or_default();
    println!(
        "one more dependent addition is seen in {right} of {runs} runs; it takes {median:.3} ns"
    );
    right * 100 >= runs * 95
}
