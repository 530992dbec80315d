//! Scales hold for every value that a report may contain.

use chronoscope_report::scale::{Scale, Unit};
use proptest::prelude::*;
use std::collections::BTreeSet;

const UNITS: [Unit; 5] = [Unit::Ns, Unit::Count, Unit::Share, Unit::Change, Unit::Seconds];

/// Numbers of every size, and those at which arithmetic goes wrong.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -1e6..1e6f64,
        (-330..308i32).prop_map(|e| 10f64.powi(e)),
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            5e-324,
            -5e-324,
            f64::MIN_POSITIVE,
            1e308,
            -1e308,
            f64::MAX,
            f64::MIN,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ]),
    ]
}

fn any_scale() -> impl Strategy<Value = Scale> {
    let unit = || prop::sample::select(UNITS.to_vec());
    prop_oneof![
        (unit(), prop::collection::vec(any_number(), 0..5)).prop_map(|(u, v)| Scale::log(u, v)),
        (unit(), any_number(), any_number()).prop_map(|(u, a, b)| Scale::linear(u, a, b)),
        (unit(), any_number()).prop_map(|(u, a)| Scale::linear(u, a, a + a * 1e-12)),
        any::<u64>().prop_map(Scale::nines),
        (0..64u32).prop_map(|n| Scale::nines(1 << n)),
    ]
}

fn check(scale: &Scale) {
    assert!(scale.low().is_finite() && scale.high().is_finite(), "{scale:?}");
    assert!(scale.low() < scale.high(), "{scale:?}");
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    assert!(near(scale.at(scale.low()), 0.0) && near(scale.at(scale.high()), 1.0), "{scale:?}");
    let ticks = scale.ticks();
    assert!(ticks.iter().filter(|tick| tick.level < 2).count() >= 2, "{scale:?} {ticks:?}");
    assert!(ticks.len() <= 250, "{scale:?}: {}", ticks.len());
    assert!(ticks.iter().filter(|tick| tick.level == 0).count() <= 12, "{scale:?} {ticks:?}");
    assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.at)), "{scale:?} {ticks:?}");
    assert!(ticks.is_sorted_by(|a, b| a.at <= b.at), "{scale:?} {ticks:?}");
    let labels: BTreeSet<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
    assert_eq!(labels.len(), ticks.len(), "{scale:?} {ticks:?}");
    assert!(labels.iter().all(|label| !label.is_empty() && label.len() < 40), "{labels:?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_scale_has_labels(scale in any_scale()) {
        check(&scale);
    }

    #[test]
    fn places_are_finite_and_in_order(scale in any_scale(), a in any_number(), b in any_number()) {
        prop_assert!(scale.at(a).is_finite() && scale.at(b).is_finite());
        if a <= b {
            prop_assert!(scale.at(a) <= scale.at(b), "{:?} {} {}", scale, a, b);
        }
    }

    #[test]
    fn a_logarithmic_axis_holds_its_values(values in prop::collection::vec(any_number(), 0..9)) {
        let scale = Scale::log(Unit::Ns, values.iter().copied());
        for value in values.into_iter().filter(|v| v.is_finite() && *v > 0.0) {
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&scale.at(value)), "{:?} {}", scale, value);
        }
    }
}

fn labels(scale: &Scale, level: u8) -> String {
    let ticks = scale.ticks().into_iter().filter(|tick| tick.level <= level);
    ticks.map(|tick| tick.label).collect::<Vec<_>>().join(" | ")
}

#[test]
fn labels_are_round() {
    let log = |low, high| Scale::log(Unit::Ns, [low, high]);
    let linear = Scale::linear;
    let shown = [
        (log(4.42, 3_900.0), "10 ns | 100 ns | 1 us"),
        (log(21.0, 83.0), "20 ns | 50 ns | 100 ns"),
        (linear(Unit::Ns, 0.0, 80.0), "0 ns | 20 ns | 40 ns | 60 ns | 80 ns"),
        (linear(Unit::Change, -0.1, 0.1), "-10 % | -5 % | 0 % | +5 % | +10 %"),
        (linear(Unit::Share, 0.0, 1.0), "0 % | 20 % | 40 % | 60 % | 80 % | 100 %"),
        (linear(Unit::Seconds, 0.0, 60.0), "0 s | 20 s | 40 s | 60 s"),
        (Scale::log(Unit::Count, [1.0, 1e6]), "1 | 100 | 10 k | 1 M"),
        (Scale::log(Unit::Share, [0.02, 1.0]), "10 % | 100 %"),
        (Scale::nines(1000), "0 | 50 | 90 | 99 | 99.9"),
    ];
    for (scale, text) in shown {
        assert_eq!(labels(&scale, 0), text, "{scale:?}");
    }
    assert_eq!(labels(&Scale::nines(1000), 1), "0 | 50 | 90 | 95 | 99 | 99.5 | 99.9 | 99.95");
}
