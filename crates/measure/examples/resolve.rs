//! Checks the engine against a known answer, on this machine: it must find five dependent additions
//! more expensive than four, a difference of one cycle, with separate intervals in at least 95 of
//! 100 runs. The number of runs is the argument.

use chronoscope_measure::engine::rounds::{self, Plan};
use chronoscope_measure::engine::{Interrupt, Machine, Mode, Offer, Ruler, Timed};
use chronoscope_model::Estimate;
use chronoscope_probes::clocks::{self, steps};
use chronoscope_probes::machine::affinity;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let runs = std::env::args().nth(1);
    let runs = runs.and_then(|runs| runs.parse().ok()).unwrap_or(100);
    let _pin = affinity::allowed().last().and_then(|cpu| affinity::pin(*cpu).ok());
    if one_step(runs) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The estimates of all subjects offered, from one run.
fn run(offers: Vec<Offer>, seed: u64) -> Vec<Estimate> {
    let subjects: Vec<usize> = (0..offers.len()).collect();
    let ruler = Ruler::new(None, Duration::from_millis(5));
    let mut host = Machine::new(ruler, offers, Interrupt::default());
    let plan = Plan::within(Duration::from_millis(400));
    let found = rounds::run(&mut host, &subjects, &[Mode::Throughput], plan, seed, |_| ());
    let rate = host.rate();
    subjects.iter().filter_map(|subject| found.estimate(*subject, Mode::Throughput, rate)).collect()
}

fn one_step(runs: u64) -> bool {
    let Some(entry) = clocks::find("chronoscope/instant") else {
        return false;
    };
    let mut separate = 0;
    let mut difference = Vec::new();
    for seed in 0..runs {
        let Some(readers) = steps::four_and_five() else {
            println!("not implemented for this processor");
            return false;
        };
        let pair = readers.map(|reader| Offer::opened(entry, reader));
        if let [four, five] = run(pair.into(), seed).as_slice() {
            separate += u64::from(four.high_ns < five.low_ns);
            difference.push(five.value_ns - four.value_ns);
        }
    }
    difference.sort_by(f64::total_cmp);
    let median = difference.get(difference.len() / 2);
    println!(
        "one more dependent addition is separate in {separate} of {runs} runs; it takes {:.3} ns",
        median.copied().unwrap_or_default()
    );
    separate * 100 >= runs * 95
}
