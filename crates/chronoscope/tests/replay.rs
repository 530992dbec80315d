//! Recorded wake-ups (`tests/data`), replayed: the margins of this library against its former rule,
//! and against its own promises.
#![cfg(not(miri))]

use std::time::Duration;

use crate::common::{World, started};
use chronoscope::wait::{Effort, Waiter};

const EFFORTS: [Effort; 3] = [Effort::Economy, Effort::Balanced, Effort::Precise];
const BUDGET_NS: f64 = 14_000.0;
const CAP_NS: f64 = 150_000.0;

/// Waits of a length, and how late the sleeps in them wake: nanoseconds, and the share in the
/// queue.
struct Series {
    name: &'static str,
    nanos: u64,
    late: Vec<f64>,
    queues: Vec<f64>,
}

fn series() -> Vec<Series> {
    let parse = |name, nanos, text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let wakes = lines.map(|line| {
            let (late, queued) = line.split_once(' ').expect("two numbers");
            let number = |text: &str| text.parse::<f64>().expect("a number") * 100.0;
            (number(late), number(queued) / number(late).max(1.0))
        });
        let (late, queues) = wakes.unzip();
        Series { name, nanos, late, queues }
    };
    macro_rules! recorded {
        ($($name:literal: $nanos:literal,)*) => {
            vec![$(parse($name, $nanos, include_str!(concat!("data/", $name, ".txt")))),*]
        };
    }
    recorded! {
        "idle-60us": 120_000,
        "idle-1ms": 1_000_000,
        "idle-10ms": 10_000_000,
        "equal-1ms": 1_000_000,
        "equal-10ms": 10_000_000,
    }
}

/// What a rule makes of a series.
#[derive(Debug)]
struct Outcome {
    p90: f64,
    p95: f64,
    spun: f64,
}

impl Outcome {
    fn new(mut late: Vec<f64>, spun: f64) -> Self {
        let count = late.len();
        late.sort_by(f64::total_cmp);
        Self { p90: late[count * 9 / 10], p95: late[count * 95 / 100], spun: spun / count as f64 }
    }
}

fn replay(series: &Series, effort: Effort, budget: Option<Duration>) -> Outcome {
    let mut world = World::new(2.6e9).hint(2.6e9, 0.01);
    // Spins of few steps.
    (world.counter_cost, world.os_cost) = (1_000.0, 100.0);
    world.late = series.late.clone();
    world.queues = series.queues.clone();
    world.queued = Some(0.0);
    let clock = started(world);
    let mut waiter = Waiter::on(&clock, effort);
    if let Some(budget) = budget {
        waiter.set_budget(budget);
    }
    let (mut late, mut spun) = (Vec::new(), 0.0);
    while clock.machine().tell(|world| world.sleeps) < series.late.len() {
        let waited = waiter.sleep(Duration::from_nanos(series.nanos));
        late.push(waited.late_ns as f64);
        spun += waited.spun_ns as f64;
    }
    Outcome::new(late, spun)
}

/// The rule before: a quantile over some 300 wakes, without those that were later than any timer.
fn former(series: &Series, quantile: f64, budget: f64) -> Outcome {
    let (mut known, mut late, mut spun) = (vec![(60_000.0, 1.0)], Vec::new(), 0.0);
    for &wake in &series.late {
        let margin = former_margin(&known, quantile, budget).min(CAP_NS);
        late.push((wake - margin).max(0.0));
        spun += (margin - wake).max(0.0);
        if wake <= CAP_NS {
            known.iter_mut().for_each(|(_, weight)| *weight *= 0.997);
            let place = known.partition_point(|(late, _)| *late < wake);
            known.insert(place, (wake, 1.0));
        }
    }
    Outcome::new(late, spun)
}

/// From the weighted wakes, in the order of their lateness.
fn former_margin(sorted: &[(f64, f64)], quantile: f64, budget: f64) -> f64 {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let (mut below, mut spun, mut margin) = (0.0, 0.0, 0.0);
    for &(late, weight) in sorted {
        let more = below * (late - margin);
        if spun + more > budget * total {
            return margin + (budget * total - spun) / below;
        }
        spun += more;
        margin = late;
        below += weight;
        if below >= quantile * total {
            return margin;
        }
    }
    margin
}

#[test]
fn more_effort_spins_more_and_is_less_late() {
    for series in series() {
        let [economy, balanced, precise] = EFFORTS.map(|it| replay(&series, it, None));
        let name = series.name;
        assert!(economy.spun < balanced.spun, "{name}: {economy:?} {balanced:?}");
        assert!(balanced.p90 <= economy.p90, "{name}: {economy:?} {balanced:?}");
        // Precise waits of 4 ms and more sleep twice, and so follow other sleeps of the series.
        if series.nanos < 4_000_000 {
            assert!(balanced.spun < precise.spun, "{name}: {balanced:?} {precise:?}");
            assert!(precise.p95 <= balanced.p95, "{name}: {balanced:?} {precise:?}");
        }
    }
}

#[test]
fn a_budget_is_what_is_spun_on_average() {
    for series in series() {
        for budget in [5_000, 14_000, 25_000] {
            let outcome = replay(&series, Effort::Balanced, Some(Duration::from_nanos(budget)));
            // A wait too short for its margin is spun through, and what wakes late spins less.
            let most = budget as f64 * 1.25 + 2_000.0;
            assert!(outcome.spun < most, "{} {budget}: {outcome:?}", series.name);
        }
    }
}

/// The reason for following the regime: at the same budget, waits are less late.
#[test]
fn the_margin_is_better_than_the_former_one() {
    let mut ratios = Vec::new();
    for series in series() {
        let now = replay(&series, Effort::Balanced, None);
        let then = former(&series, 0.99, BUDGET_NS);
        println!("{}: now {now:?}, formerly {then:?}", series.name);
        // The simulated reads take a microsecond, so a few of them are not compared.
        ratios.push((now.p90 + 3_000.0) / (then.p90 + 3_000.0));
        ratios.push((now.p95 + 3_000.0) / (then.p95 + 3_000.0));
        assert!(now.spun < then.spun.max(BUDGET_NS) * 1.25, "{}", series.name);
    }
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    assert!(mean.exp() < 0.95, "{ratios:?}");
    assert!(ratios.iter().all(|ratio| *ratio < 1.12), "{ratios:?}");
}
