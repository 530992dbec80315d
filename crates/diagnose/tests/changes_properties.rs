//! What holds for a comparison of any two reports.

use crate::runs;

use chronoscope_diagnose::compare::{compare, stored};
use chronoscope_model::clock::{BuiltOn, Clock, Cost, Facts, Language, Reads};
use chronoscope_model::compare::{Change, Compared, Key, Row, Verdict};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::load::Load;
use chronoscope_model::quantile::{Interval, Intervals};
use chronoscope_model::run::{Core, Noise};
use chronoscope_model::trust::RateAgainst;
use chronoscope_model::{Estimate, Report, Ruler, Trust, Wait};
use proptest::prelude::*;
use std::collections::BTreeMap;

const READS: [Reads; 4] = [Reads::Counter, Reads::Vdso, Reads::SystemCall, Reads::File];

/// A cost that a machine may have, with an interval around it.
fn cost() -> impl Strategy<Value = Estimate> {
    (1.0..1e4_f64, 0.0..0.3_f64, 0.0..0.3_f64, 0.9..1.1_f64).prop_map(|(ns, low, high, hz)| {
        let low_ns = ns * (1.0 - low);
        Estimate { low_ns, high_ns: ns * (1.0 + high), ..runs::cost(ns * hz / hz, 0.0) }
    })
}

/// A clock with one of a few ids, so that two reports share some.
fn clock(cost: impl Strategy<Value = Estimate>) -> impl Strategy<Value = Clock> {
    let facts = (prop::sample::select(&READS[..]), any::<bool>());
    (0..12_u8, facts, prop::collection::vec(cost, 4)).prop_map(|(id, (reads, tick), costs)| {
        let [throughput, latency, cold, first] = <[_; 4]>::try_from(costs).expect("four").map(Some);
        let mut it = runs::clock(&format!("clock/{id}"), reads, Estimate::default());
        it.cost = Cost { throughput, latency, cold, first, ..Cost::default() };
        if tick {
            it.facts = it.facts.map(|facts| Facts { built_on: BuiltOn::Tick, ..facts });
        }
        it
    })
}

fn report() -> impl Strategy<Value = Report> {
    (prop::collection::vec(clock(cost()), 0..12), 3e9..5e9_f64).prop_map(|(clocks, hz)| {
        let mut report = runs::report(clocks);
        report.clocks.sort_by(|a, b| a.id.cmp(&b.id));
        report.clocks.dedup_by(|a, b| a.id == b.id);
        let core = report.ruler.as_mut().and_then(|it| it.noise.core.as_mut());
        core.expect("a core").hz = hz;
        report
    })
}

/// Numbers as a hostile file has them.
fn number() -> impl Strategy<Value = f64> {
    let odd = [0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, 1e-300, f64::NAN, f64::INFINITY, 1.0];
    prop_oneof![prop::sample::select(odd.to_vec()), any::<f64>(), 1.0..100.0_f64]
}

fn hostile_cost() -> impl Strategy<Value = Estimate> {
    (number(), number(), number(), prop::option::of(number()), any::<Option<u32>>()).prop_map(
        |(value_ns, low_ns, high_ns, core_cycles, processes)| Estimate {
            value_ns,
            low_ns,
            high_ns,
            core_cycles,
            processes,
            ..Estimate::default()
        },
    )
}

fn hostile_wait() -> impl Strategy<Value = Wait> {
    let load = prop::sample::select(Load::ALL.to_vec());
    (0..2_u8, load, any::<[u64; 3]>(), any::<i64>()).prop_map(|(id, load, ns, max_ns)| Wait {
        id: ["", "wait"][usize::from(id)].into(),
        load,
        samples: 100,
        max_ns,
        overshoot: Histogram { count: 100, p50_ns: Some(ns[0]), ..Histogram::default() },
        intervals: Intervals {
            p50: Some(Interval { low_ns: ns[1], high_ns: Some(ns[2]) }),
            ..Intervals::default()
        },
        ..Wait::default()
    })
}

fn hostile() -> impl Strategy<Value = Report> {
    let clocks = prop::collection::vec(clock(hostile_cost()), 0..20);
    let waits = prop::collection::vec(hostile_wait(), 0..8);
    (clocks, waits, any::<bool>(), number(), number(), number()).prop_map(
        |(mut clocks, waits, blank, hz, low_hz, shared)| {
            if blank {
                clocks.iter_mut().for_each(|clock| clock.id.clear());
            }
            let core = Core { hz, low_hz, high_hz: shared, elsewhere: hz };
            let noise = Noise { core: Some(core), shared: Some(shared), ..Noise::default() };
            let rate =
                RateAgainst { ppm: hz, low_ppm: low_hz, high_ppm: shared, ..Default::default() };
            Report {
                clocks_under_load: clocks.clone(),
                clocks,
                waits,
                ruler: Some(Ruler { noise, ..Ruler::default() }),
                trust: Some(Trust { rates: vec![rate; 2], ..Trust::default() }),
                ..Report::default()
            }
        },
    )
}

fn of(a: &Report, b: &Report) -> Change {
    stored(("a.json", a), ("b.json", b))
}

fn by_key(change: &Change) -> BTreeMap<&Key, &Row> {
    change.rows.iter().map(|row| (&row.key, row)).collect()
}

fn mirrored(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Worse => Verdict::Better,
        Verdict::Better => Verdict::Worse,
        other => other,
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn exchanging_the_reports_mirrors_every_row(a in report(), b in report()) {
        let (there, back) = (of(&a, &b), of(&b, &a));
        prop_assert_eq!(there.unit, back.unit);
        prop_assert_eq!(there.rows.len(), back.rows.len());
        let back = by_key(&back);
        for row in &there.rows {
            let other = back[&row.key];
            prop_assert_eq!(mirrored(row.verdict), other.verdict);
            prop_assert!(near(1.0 + row.change, 1.0 / (1.0 + other.change)));
            prop_assert!(near(1.0 + row.change_low, 1.0 / (1.0 + other.change_high)));
            prop_assert!(near(row.at_most, other.at_most));
            prop_assert!(row.p.zip(other.p).is_none_or(|(a, b)| near(a, b)));
        }
    }

    /// Only the least change in nanoseconds has a scale, and costs stay above ten of it.
    #[test]
    fn the_scale_of_both_reports_changes_nothing(
        a in report(), b in report(), scale in 10.0..1e6_f64,
    ) {
        let scaled = |report: &Report, scale: f64| {
            let mut report = report.clone();
            for cost in report.clocks.iter_mut().map(|clock| &mut clock.cost) {
                let [a, b] = [&mut cost.throughput, &mut cost.latency];
                for it in [a, b, &mut cost.cold, &mut cost.first].into_iter().flatten() {
                    for ns in [&mut it.value_ns, &mut it.low_ns, &mut it.high_ns] {
                        *ns *= scale;
                    }
                    it.core_cycles = it.core_cycles.map(|cycles| cycles * scale);
                }
            }
            report
        };
        let small = of(&scaled(&a, 10.0), &scaled(&b, 10.0));
        let large = of(&scaled(&a, 10.0 * scale), &scaled(&b, 10.0 * scale));
        let large = by_key(&large);
        for row in &small.rows {
            let other = large[&row.key];
            prop_assert_eq!(row.verdict, other.verdict);
            prop_assert!(near(row.change, other.change) && near(row.at_most, other.at_most));
        }
    }

    #[test]
    fn the_order_of_rows_changes_nothing(a in report(), b in report(), seed in any::<u64>()) {
        let mut other = b.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut other.clocks);
        prop_assert_eq!(of(&a, &b), of(&a, &other));
        let (mut there, mut turned) = (of(&b, &a), of(&other, &a));
        for change in [&mut there, &mut turned] {
            change.rows.sort_by(|a, b| a.key.cmp(&b.key));
        }
        prop_assert_eq!(there, turned);
    }

    #[test]
    fn a_report_has_not_changed_since_itself(a in report()) {
        let it = of(&a, &a);
        prop_assert!(it.rows.iter().all(|row| !row.verdict.changed() && row.change == 0.0));
        prop_assert!(it.environment.iter().all(|it| it.is_same() && !it.matters));
        prop_assert!(it.findings.is_empty() && it.verdicts.is_empty() && it.trust.is_empty());
    }

    /// Whatever a file holds, nothing panics, each key has one row, and a program can read it all.
    #[test]
    fn hostile_reports_are_compared_without_harm(a in hostile(), b in hostile()) {
        let named = [&a, &b, &a].map(|report| (String::new(), report.clone()));
        let compared = compare(&named);
        let change = compared.change.clone().expect("a change");
        prop_assert_eq!(by_key(&change).len(), change.rows.len());
        for row in &change.rows {
            let all = [row.change, row.change_low, row.change_high, row.at_most];
            prop_assert!(all.iter().chain(&row.p).all(|it| it.is_finite()), "{row:?}");
        }
        let counts = change.counts;
        let counted = counts.worse + counts.better + counts.same + counts.cannot_tell;
        prop_assert_eq!(counted, change.rows.len());
        let json = serde_json::to_string(&compared).expect("JSON");
        let read: Compared = serde_json::from_str(&json).expect("a comparison");
        // The parser may round the last digit.
        let read = read.change.expect("a change");
        prop_assert_eq!(read.counts, counts);
        prop_assert!(by_key(&read).keys().eq(by_key(&change).keys()));
    }
}

/// Each language's reads are told apart by name, as reports spell them.
#[test]
fn what_changed_rows_share_is_named_as_in_the_report() {
    let language = |it: &mut Clock, language| it.language = language;
    let of_cost = |ns: f64| {
        let each = (0..12_u8).map(|at| {
            let slow = at < 5;
            let cost = runs::cost(if slow { ns } else { 40.0 }, 0.001);
            let reads = if slow { Reads::SystemCall } else { Reads::Vdso };
            let mut it = runs::clock(&format!("clock/{at}"), reads, cost);
            language(&mut it, if at % 2 == 0 { Language::Cxx } else { Language::Rust });
            it
        });
        runs::report(each.collect())
    };
    let it = of(&of_cost(40.0), &of_cost(60.0));
    let [shared] = &it.shared[..] else { panic!("{:?}", it.shared) };
    assert_eq!((&*shared.fact, &*shared.value), ("reads", "system-call"));
    assert_eq!((shared.changed, shared.of, shared.same), (5, 5, 0));
    assert_eq!((it.counts.worse, it.counts.same), (5, 7));
    assert!(of(&of_cost(40.0), &of_cost(40.0)).shared.is_empty());
}
