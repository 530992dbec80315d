//! Runs that take turns, simulated with known truth.

use chronoscope_diagnose::compare::runs::{LEAST_PAIRS, Runs, pairs};
use chronoscope_model::clock::{Clock, Cost};
use chronoscope_model::compare::{Compared, Row, Verdict};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::quantile::{Interval, Intervals};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::{Estimate, Report};

/// A report of clocks with these costs, in nanoseconds.
pub fn clocks(costs: impl IntoIterator<Item = f64>) -> Report {
    let estimate = |value_ns| Estimate {
        value_ns,
        low_ns: value_ns,
        high_ns: value_ns,
        ..Estimate::default()
    };
    let clock = |(at, ns)| Clock {
        id: format!("clock/{at}"),
        available: true,
        cost: Cost { throughput: Some(estimate(ns)), ..Cost::default() },
        ..Clock::default()
    };
    Report { clocks: costs.into_iter().enumerate().map(clock).collect(), ..Report::default() }
}

fn compared(runs: impl IntoIterator<Item = [Report; 2]>, seed: u64) -> Compared {
    let (mut a, mut b) = (Runs::of_command("a"), Runs::of_command("b"));
    for [of_a, of_b] in runs {
        a.add(&of_a);
        b.add(&of_b);
    }
    pairs(&a, &b, seed)
}

fn rows(compared: &Compared) -> &[Row] {
    &compared.change.as_ref().expect("a change").rows
}

/// About standard normal: the sum of twelve uniform numbers.
pub fn normal(rng: &mut fastrand::Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

/// Pairs of runs of twelve clocks. A run is off as a whole by 1 %, and the second of a pair costs
/// 2 % more than the first. Each figure is off by half a percent, and one in twenty by 30 %. The
/// first `slower` clocks of B cost `change` more.
fn simulated(rng: &mut fastrand::Rng, pairs: usize, slower: usize, change: f64) -> Compared {
    let runs: Vec<[Report; 2]> = (0..pairs)
        .map(|_| {
            let second = usize::from(rng.bool());
            [0, 1].map(|side| {
                let whole = 0.01 * normal(rng) + if side == second { 0.02 } else { 0.0 };
                clocks((0..12).map(|at| {
                    let spike = if rng.u8(0..20) == 0 { 0.3 } else { 0.0 };
                    let planted = if side == 1 && at < slower { change } else { 0.0 };
                    20.0 * (whole + 0.005 * normal(rng) + spike + planted).exp()
                }))
            })
        })
        .collect();
    compared(runs, rng.u64(..))
}

fn changed(row: &Row) -> bool {
    row.verdict.changed()
}

#[test]
fn identical_commands_rarely_differ_even_though_all_rows_move_together() {
    let mut rng = fastrand::Rng::with_seed(1);
    for pairs in [6, 8, 16] {
        let trials = if pairs == 16 { 20 } else { 200 };
        let alarms = (0..trials).filter(|_| {
            let compared = simulated(&mut rng, pairs, 0, 0.0);
            // Any p, not only that of a change which is not small.
            rows(&compared).iter().any(|row| row.p.is_some_and(|p| p < 0.05))
        });
        // 5 % of 200 are 10, and 20 is beyond three standard deviations.
        let most = if pairs == 16 { 5 } else { 20 };
        let alarms = alarms.count();
        assert!(alarms < most, "{alarms} of {trials} with {pairs} pairs");
    }
}

#[test]
fn a_change_is_found_where_it_is_and_nowhere_else() {
    let mut rng = fastrand::Rng::with_seed(2);
    let (mut found, mut others) = (0, 0);
    for _ in 0..40 {
        let compared = simulated(&mut rng, 12, 4, 0.25);
        found += rows(&compared)[..1].iter().filter(|row| row.verdict == Verdict::Worse).count();
        let same = rows(&compared).iter().filter(|row| row.key.id.as_str() > "clock/3");
        others += usize::from(same.filter(|row| row.key.id.len() == 7).any(changed));
    }
    assert!(found > 30 && others < 8, "{found} {others}");
}

/// Runs whose ratios are these, of one clock.
fn of_ratios(ratios: &[f64]) -> Row {
    let runs = ratios.iter().map(|ratio| [clocks([20.0]), clocks([20.0 * ratio])]);
    rows(&compared(runs, 1))[0].clone()
}

#[test]
fn a_probability_is_a_share_of_the_ways_to_flip_the_signs() {
    // All six point the same way, which one in 2^5 ways does.
    let row = of_ratios(&[1.03, 1.031, 1.029, 1.03, 1.032, 1.028]);
    assert_eq!((row.p, row.verdict), (Some(1.0 / 32.0), Verdict::Worse));
    assert!(row.change_low > 0.02 && row.change < 0.031 && row.at_most < 0.04);
    let mut rng = fastrand::Rng::with_seed(3);
    let p = rows(&simulated(&mut rng, 8, 0, 0.0))[3].p.expect("a probability") * 128.0;
    assert!((p - p.round()).abs() < 1e-9 && p >= 1.0);
    // Five of five would be one in 16, which proves nothing.
    assert!(of_ratios(&[1.03; 5]).p > Some(0.05));
    assert_eq!(LEAST_PAIRS, 6);
    // Of more pairs than can be flipped in every way, some ways are drawn.
    assert_eq!(of_ratios(&[1.03; 20]).p, Some(1.0 / 4096.0));
}

#[test]
fn what_is_small_or_uncertain_is_not_called_a_change() {
    let small = of_ratios(&[1.005; 8]);
    assert_eq!((small.verdict, small.p), (Verdict::Same, Some(1.0 / 128.0)));
    let uncertain = of_ratios(&[1.1, 0.95, 1.0, 0.9, 1.1, 0.93, 1.08, 1.0]);
    assert_eq!(uncertain.verdict, Verdict::CannotTell);
    assert_eq!(uncertain.why.as_deref(), Some("--pairs 32 may tell"));
    let hopeless = of_ratios(&[3.0, 0.3, 1.0, 0.2, 5.0, 0.9, 1.1, 1.0]);
    assert_eq!(hopeless.why.as_deref(), Some("the runs differ too much"));
    // A tenth of a nanosecond is the least.
    let runs = (0..8).map(|_| [clocks([2.0]), clocks([2.06])]);
    assert_eq!(rows(&compared(runs, 1))[0].verdict, Verdict::Same);
}

#[test]
fn exchanging_the_commands_exchanges_the_verdicts() {
    let ratios = [1.03, 1.05, 1.029, 1.01, 1.032, 1.028, 1.04, 1.03];
    let there = of_ratios(&ratios);
    let back = of_ratios(&ratios.map(f64::recip));
    assert_eq!((there.verdict, back.verdict), (Verdict::Worse, Verdict::Better));
    assert_eq!(there.p, back.p);
    let product = (1.0 + there.change) * (1.0 + back.change);
    assert!((product - 1.0).abs() < 1e-9);
}

#[test]
fn a_side_is_the_median_of_its_runs_with_the_values_that_enclose_it() {
    let runs = [5.0, 1.0, 3.0, 2.0, 8.0, 7.0, 6.0, 4.0].map(|ns| [clocks([ns]), clocks([9.0])]);
    let compared = compared(runs, 1);
    let a = rows(&compared)[0].a;
    assert_eq!([a.value_ns, a.low_ns, a.high_ns], [4.5, 1.0, 8.0]);
    assert_eq!(compared.pairs, Some(8));
    // Of nine, the outermost are not needed: 2 of 2^9 and 18 of 2^9 ways are outside.
    let runs = (1..=9).map(|ns| [clocks([f64::from(ns)]), clocks([9.0])]);
    let a = rows(&self::compared(runs, 1))[0].a;
    assert_eq!([a.value_ns, a.low_ns, a.high_ns], [5.0, 2.0, 8.0]);
}

#[test]
fn only_what_all_runs_have_is_compared() {
    let full = || [clocks([1.0, 2.0]), clocks([1.0, 2.0])];
    let runs = (0..7).map(|_| full()).chain([[clocks([1.0, 2.0]), clocks([1.0])]]);
    assert_eq!(rows(&compared(runs, 1)).len(), 1);
}

/// A report of one wait whose p50 and p99 are this.
fn wait(slack_ns: u64, ns: u64) -> Report {
    let interval = Some(Interval { low_ns: ns, high_ns: Some(ns) });
    let wait = Wait {
        id: "sleep".into(),
        available: true,
        samples: 1000,
        requested_ns: Some(1_000_000),
        slack_ns: Some(slack_ns),
        load: Load::None,
        max_ns: i64::MAX,
        overshoot: Histogram {
            count: 1000,
            p50_ns: Some(ns),
            p99_ns: Some(ns),
            ..Histogram::default()
        },
        intervals: Intervals { p50: interval, p99: interval, ..Intervals::default() },
        ..Wait::default()
    };
    Report { waits: vec![wait], ..Report::default() }
}

#[test]
fn waits_are_compared_across_the_setting_that_differs() {
    let runs = (0..8).map(|at| [wait(50_000, 55_000 + at), wait(1, 5_000 + at)]);
    let compared = compared(runs, 1);
    let [row] = rows(&compared) else { panic!("one percentile") };
    assert_eq!((row.verdict, row.key.slack_ns), (Verdict::Better, None));
    assert_eq!(row.key.percentile.as_deref(), Some("p50"));
    let environment = &compared.change.as_ref().expect("a change").environment;
    let slack = environment.iter().find(|it| it.key == "slack of the waits").expect("a fact");
    let (a, b) = (slack.a.as_deref(), slack.b.as_deref());
    assert_eq!((a, b, slack.matters), (Some("50 us"), Some("1 ns"), true));
    // Less than 5 % is small for a wait.
    let runs = (0..8).map(|_| [wait(1, 5_000), wait(1, 5_200)]);
    assert_eq!(rows(&self::compared(runs, 1))[0].verdict, Verdict::Same);
}
