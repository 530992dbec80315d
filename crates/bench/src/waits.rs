//! Compares the waits of every method: how late they are, and at what cost of CPU time.

use std::time::Duration;

use chronoscope::counter;
use chronoscope::wait::{Effort, Waiter};
use hdrhistogram::Histogram;
use serde::Serialize;
use spin_sleep::{SpinSleeper, SpinStrategy};

use crate::load::{Load, Spinning};
use crate::os::{monotonic_ns, thread_cpu_ns};

/// How late a method woke after waits of one length.
#[derive(Clone, Debug, Serialize)]
pub struct Lateness {
    pub method: &'static str,
    pub load: Load,
    pub wait_us: u64,
    pub waits: u64,
    /// Waits that ended before their time, by the system's monotonic clock.
    pub early: u64,
    pub p50_ns: u64,
    pub p90_ns: u64,
    pub p99_ns: u64,
    pub max_ns: u64,
    /// The median by the counter instead, whose rate may differ from that of the system's clock.
    pub counter_p50_ns: i64,
    /// CPU time of the thread, relative to the time that passed.
    pub cpu_percent: f64,
}

struct Method {
    name: &'static str,
    wait: Box<dyn FnMut(Duration)>,
}

fn methods() -> Vec<Method> {
    fn ours(name: &'static str, effort: Effort) -> Method {
        let mut waiter = Waiter::new(effort);
        Method {
            name,
            wait: Box::new(move |time| _ = waiter.sleep(time)),
        }
    }
    fn theirs(name: &'static str, strategy: SpinStrategy) -> Method {
        let sleeper = SpinSleeper::default().with_spin_strategy(strategy);
        Method {
            name,
            wait: Box::new(move |time| sleeper.sleep(time)),
        }
    }
    vec![
        // The best that the machine allows any method if nothing else runs.
        Method {
            name: "loop, no sleep",
            wait: Box::new(|time| {
                let deadline = monotonic_ns() + time.as_nanos() as u64;
                while monotonic_ns() < deadline {}
            }),
        },
        Method {
            name: "std sleep",
            wait: Box::new(std::thread::sleep),
        },
        theirs("spin_sleep yield", SpinStrategy::YieldThread),
        theirs("spin_sleep hint", SpinStrategy::SpinLoopHint),
        ours("chronoscope economy", Effort::Economy),
        ours("chronoscope balanced", Effort::Balanced),
        ours("chronoscope precise", Effort::Precise),
    ]
}

struct Tally {
    late: Histogram<u64>,
    by_counter: Vec<i64>,
    early: u64,
    cpu: u64,
    passed: u64,
}

/// Waits in blocks of up to 20, with methods and lengths in random order, for about `seconds` in
/// all.
pub fn run(load: Load, lengths_us: &[u64], seconds: u64) -> anyhow::Result<Vec<Lateness>> {
    let _spinning = Spinning::start(load)?;
    let scale = chronoscope::Clock::global().scale();
    let mut methods = methods();
    let mut tallies = Vec::new();
    let mut jobs = Vec::new();
    for method in 0..methods.len() {
        for &length in lengths_us {
            jobs.push((method, length, tallies.len()));
            let late = Histogram::new_with_bounds(1, 60_000_000_000, 3)?;
            tallies.push(Tally {
                late,
                by_counter: Vec::new(),
                early: 0,
                cpu: 0,
                passed: 0,
            });
        }
    }
    let start = std::time::Instant::now();
    let mut first = true;
    while start.elapsed().as_secs() < seconds {
        fastrand::shuffle(&mut jobs);
        for &(method, length, tally) in &jobs {
            // Short waits are many and long ones few, so that the longest do not take all the time.
            let count = (50_000 / length).clamp(1, 20);
            let time = Duration::from_micros(length);
            for _ in 0..count {
                let cpu = thread_cpu_ns();
                let before = counter::start();
                let start = monotonic_ns();
                (methods[method].wait)(time);
                // The system's clock first, because all methods wait by it.
                let passed = monotonic_ns() - start;
                let after = counter::start();
                let cpu = thread_cpu_ns() - cpu;
                let counted = scale.ns(after - before) as i64;
                let tally = &mut tallies[tally];
                // What is learnt in the first round counts in no figures.
                if first {
                    continue;
                }
                match passed.checked_sub(length * 1000) {
                    Some(late) => tally.late.saturating_record(late),
                    None => tally.early += 1,
                }
                tally.by_counter.push(counted - (length * 1000) as i64);
                tally.cpu += cpu;
                tally.passed += passed;
            }
        }
        first = false;
    }
    jobs.sort_by_key(|&(method, length, _)| (length, method));
    Ok(jobs
        .iter()
        .map(|&(method, length, tally)| {
            let tally = &mut tallies[tally];
            tally.by_counter.sort_unstable();
            Lateness {
                method: methods[method].name,
                load,
                wait_us: length,
                waits: tally.late.len() + tally.early,
                early: tally.early,
                p50_ns: tally.late.value_at_quantile(0.5),
                p90_ns: tally.late.value_at_quantile(0.9),
                p99_ns: tally.late.value_at_quantile(0.99),
                max_ns: tally.late.max(),
                counter_p50_ns: tally
                    .by_counter
                    .get(tally.by_counter.len() / 2)
                    .copied()
                    .unwrap_or(0),
                cpu_percent: 100.0 * tally.cpu as f64 / tally.passed.max(1) as f64,
            }
        })
        .collect())
}
