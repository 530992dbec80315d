//! How steady clocks ran, against the published figures of NIST Special Publication 1065.

use chronoscope_diagnose::stability::{
    freedom, interval, interval_error, modified_freedom, of, overlapping, time_deviation,
};
use chronoscope_model::trust::{Course, Series};

/// The phases of the test set of 1,000 frequencies (SP 1065, section 12.4), in units of the
/// averaging time.
fn phases() -> Vec<f64> {
    let mut number = 1_234_567_890_u64;
    let mut phases = vec![0.0];
    for _ in 0..1000 {
        phases.push(phases.last().unwrap_or(&0.0) + number as f64 / 2_147_483_647.0);
        number = 16_807 * number % 2_147_483_647;
    }
    phases
}

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within * expected, "{found} is not {expected}");
}

/// SP 1065, table 31, has seven digits.
#[test]
fn the_published_figures_of_the_1000_points_are_found() {
    let x = phases();
    for (m, overlapped, time) in [
        (1, 2.922319e-1, 1.687202e-1),
        (10, 9.159953e-2, 3.563623e-1),
        (100, 3.241343e-2, 1.253382e0),
    ] {
        near(overlapping(&x, m).expect("enough") / m as f64, overlapped, 5e-7);
        near(time_deviation(&x, m).expect("enough"), time, 5e-7);
    }
}

/// By allantools 2024.6, as research/python/stability.py prints them. The step `analysis` of the
/// tests runs it on whole series.
#[test]
fn allantools_finds_the_same() {
    let x = phases();
    for &[m, adev, tdev, mtie, freedom_tdev, low, high] in &ALLANTOOLS {
        let points = m as usize;
        near(overlapping(&x, points).expect("enough") / m, adev, 1e-9);
        near(time_deviation(&x, points).expect("enough"), tdev, 1e-9);
        near(interval_error(&x, points).expect("enough"), mtie, 1e-9);
        // It approximates sums of more than 100 parts, by 0.04 %.
        let within = if points > 33 { 1e-3 } else { 1e-9 };
        near(modified_freedom(x.len(), points, 0), freedom_tdev, within);
        let [found_low, found_high] =
            interval(adev, freedom(x.len(), points, 0)).expect("an interval");
        near(found_low, low, 1e-9);
        near(found_high, high, 1e-9);
    }
}

/// The averaging factor; deviations; degrees of freedom of the modified variance, and the 95 %
/// interval of the Allan deviation, both for white noise of frequency.
const ALLANTOOLS: [[f64; 7]; 7] = [
    [
        1.0,
        0.2922318781067595,
        0.1687201534907272,
        0.9957452942597342,
        782.0302990727438,
        0.277344307275771,
        0.3088211045702126,
    ],
    [
        2.0,
        0.20101604217093852,
        0.1826819370493213,
        1.9130324050379102,
        478.9961522792087,
        0.1899936321904404,
        0.2134063989533071,
    ],
    [
        4.0,
        0.14479130721843791,
        0.24894737283029325,
        3.463204352400851,
        239.99577218956824,
        0.13476008437567497,
        0.1564484504102805,
    ],
    [
        8.0,
        0.10570385007869976,
        0.34267909372473715,
        6.379349588593172,
        118.87305158862726,
        0.09586913399696687,
        0.11780467598705224,
    ],
    [
        16.0,
        0.06191477841874535,
        0.3822146195259489,
        10.787563470559064,
        58.275184664438356,
        0.054090402750264104,
        0.07240654237110469,
    ],
    [
        32.0,
        0.0480821426212821,
        0.6328679175771642,
        19.557738383560377,
        27.979686667403787,
        0.03986791686328161,
        0.060591122649190664,
    ],
    [
        100.0,
        0.03241343026056978,
        1.2533817739107496,
        55.3817733406936,
        7.416542005159031,
        0.023498820032192606,
        0.05221660062765679,
    ],
];

/// Some seconds after the start; a step, a late point and a gap.
#[test]
fn steps_gaps_and_rates_are_left_out() {
    let course = |at: &dyn Fn(usize) -> f64, count: usize, stepped_ns| Course {
        id: "a".into(),
        offset_ns: (0..count).map(at).collect(),
        stepped_ns,
        ..Course::default()
    };
    let series = |at_s: Vec<f64>, clock: Course| Series {
        against: "b".into(),
        at_s,
        clocks: vec![clock],
        ..Series::default()
    };
    // A constant rate of 10 ppm, and points that are late by up to a twentieth of a second.
    let at_s: Vec<f64> = (0..64).map(|s| f64::from(s) + f64::from(s * 7 % 10) / 200.0).collect();
    let late = series(at_s.clone(), course(&|nth| at_s[nth] * 1e4, 64, Vec::new()));
    let rows = &of(&late)[0].1;
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row.adev < 1e-15 && row.tdev_ns < 1e-6), "{rows:?}");
    near(rows[4].mtie_ns, 16e4, 0.01);
    // A step of a second in the middle.
    let stepped = |nth: usize| if nth < 30 { 0.0 } else { 1e9 };
    let even: Vec<f64> = (0..64).map(f64::from).collect();
    let steps = (0..64).map(stepped).collect();
    let stepped = series(even, course(&stepped, 64, steps));
    let rows = of(&stepped);
    assert!(rows[0].1.iter().all(|row| row.mtie_ns == 0.0 && row.adev == 0.0), "{rows:?}");
    // Of two parts with a gap between them, the longer one counts.
    let parts = (0..20).map(f64::from).chain((0..40).map(|s| 1e5 + f64::from(s)));
    let clock = course(&|nth| if nth < 20 { 1e9 * nth as f64 } else { 0.0 }, 60, Vec::new());
    let parted = series(parts.collect(), clock);
    let rows = of(&parted);
    assert!(rows[0].1.iter().all(|row| row.mtie_ns == 0.0), "{rows:?}");
    assert_eq!(rows[0].1.len(), 4);
    // Too few points, and times that cannot be.
    let few = (0..7).map(f64::from).collect();
    assert!(of(&series(few, course(&|_| 0.0, 7, Vec::new()))).is_empty());
    for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let _ = of(&series(vec![bad; 40], course(&|_| bad, 40, vec![bad; 3])));
    }
}

/// The interval is that of the noise that makes it widest, so it holds more than its share.
#[test]
fn intervals_contain_the_figure_and_narrow_with_more_points() {
    let width = |n: usize, m: usize| {
        let least = (-2..=2).map(|alpha| freedom(n, m, alpha)).fold(f64::MAX, f64::min);
        let [low, high] = interval(1.0, least).expect("an interval");
        assert!(low < 1.0 && 1.0 < high, "{n} {m}");
        high - low
    };
    assert!(width(64, 1) > width(512, 1) && width(512, 64) > width(512, 1));
    assert!(interval(1.0, f64::NAN).is_none() && interval(1.0, 0.0).is_none());
}
