use super::super::synthetic::{Noise, differ, gaussian};
use super::*;
use fastrand::Rng;
use proptest::prelude::*;

fn estimate(samples: &[f64]) -> Option<ModeEstimate> {
    mode_interval(samples, &mut Rng::with_seed(5))
}

#[test]
fn too_few_samples_give_none() {
    assert_eq!(estimate(&[]), None);
    assert_eq!(estimate(&[f64::NAN; 100]), None);
    assert_eq!(estimate(&[1.0, 2.0, 3.0, 4.0, f64::INFINITY]), None);
}

#[test]
fn the_interval_of_equal_samples_is_as_wide_as_the_step() {
    let none = estimate(&[7.0; 40]).unwrap();
    assert_eq!((none.low, none.value, none.high), (7.0, 7.0, 7.0));
    let known = Estimator { quantum: 0.5, ..Estimator::default() };
    let found =
        known.estimate(&[7.0; 40], &mut Rng::with_seed(5), &mut Scratch::default()).unwrap();
    assert!((found.value - 7.0).abs() < 1e-9);
    assert!(found.low <= 6.75 + 0.1 && found.high >= 7.25 - 0.1, "{found:?}");
}

#[test]
fn repeated_values_with_a_few_interrupts_are_not_a_lattice() {
    let mut samples = vec![20.0; 97];
    samples.extend([900.0, 1020.0, 5000.0]);
    assert_eq!(estimate(&samples).unwrap().value, 20.0);
}

#[test]
fn the_denser_of_two_clusters_is_chosen() {
    let mut rng = Rng::with_seed(3);
    let mut samples = vec![0.0; 200];
    Noise::Gaussian.fill(&mut samples, &mut rng);
    samples[..90].iter_mut().for_each(|x| *x += 50.0);
    let found = estimate(&samples).unwrap();
    assert!(found.value.abs() < 1.0, "{found:?}");
}

/// The replications of each case; `examples/coverage.rs` makes the full table.
const TIMES: u32 = 300;

/// The share of replications whose interval covers the truth, which `fill` sets to zero.
fn coverage(groups: usize, size: usize, mut fill: impl FnMut(&mut [f64], &mut Rng)) -> f64 {
    let mut rng = Rng::with_seed(99);
    let mut scratch = Scratch::default();
    let mut samples = vec![vec![0.0; size]; groups];
    let mut covered = 0;
    for _ in 0..TIMES {
        samples.iter_mut().for_each(|group| fill(group, &mut rng));
        let found = Estimator::default().estimate_groups(&samples, &mut rng, &mut scratch).unwrap();
        covered += u32::from(found.low <= 0.0 && 0.0 <= found.high);
    }
    f64::from(covered) / f64::from(TIMES)
}

/// This is 93 to 97 %, widened at each end by two binomial standard deviations of 300.
const COVERED: std::ops::RangeInclusive<f64> = 0.90..=0.99;

#[test]
fn the_interval_covers_the_truth() {
    let cases = [
        Noise::Gaussian,
        Noise::Delayed { share: 0.10, mean: 10.0 },
        Noise::Delayed { share: 0.25, mean: 10.0 },
        Noise::Quantised { tick: 1.0 },
        Noise::Spells { share: 0.2, shift: 10.0, length: 8.0 },
    ];
    for noise in cases {
        for size in [100, 400] {
            let share = coverage(1, size, |out, rng| noise.fill(out, rng));
            assert!(COVERED.contains(&share), "{noise:?}, {size}: {share}");
        }
    }
}

/// The truth is the mean of all possible processes.
#[test]
fn the_interval_covers_the_truth_of_other_processes() {
    for placement in [0.1, 1.0, 3.0] {
        for noise in [
            Noise::Gaussian,
            Noise::Delayed { share: 0.10, mean: 10.0 },
            Noise::Spells { share: 0.2, shift: 12.0, length: 8.0 },
            Noise::Correlated { rho: 0.5 },
        ] {
            let share = coverage(8, 50, |out, rng| {
                noise.fill(out, rng);
                let placed = placement * gaussian(rng);
                out.iter_mut().for_each(|x| *x += placed);
            });
            assert!(COVERED.contains(&share), "{noise:?} placed by {placement}: {share}");
        }
    }
}

#[test]
fn the_estimate_is_far_more_stable_than_its_anchor() {
    let mut rng = Rng::with_seed(17);
    let mut samples = vec![0.0; 300];
    let (mut own, mut anchors) = (0.0, 0.0);
    for _ in 0..60 {
        Noise::Delayed { share: 0.1, mean: 10.0 }.fill(&mut samples, &mut rng);
        own += mode_interval(&samples, &mut rng).unwrap().value.powi(2);
        samples.sort_by(f64::total_cmp);
        anchors += half_sample_mode(&samples).unwrap().powi(2);
    }
    assert!(own * 4.0 < anchors, "{own} {anchors}");
}

#[test]
fn student_quantiles_agree_with_tables() {
    for (freedom, t) in [(3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (1e9, 1.960)] {
        assert!((student_975(freedom) / t - 1.0).abs() < 0.01, "{freedom}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn it_never_panics_and_the_interval_contains_the_value(
        samples in prop::collection::vec(any::<f64>(), 0..60),
    ) {
        if let Some(found) = estimate(&samples) {
            prop_assert!(found.low <= found.value && found.value <= found.high);
        }
    }

    #[test]
    fn the_value_does_not_depend_on_the_order(
        samples in prop::collection::vec(0.0..100.0f64, 5..80),
    ) {
        let mut shuffled = samples.clone();
        Rng::with_seed(1).shuffle(&mut shuffled);
        prop_assert_eq!(estimate(&samples).unwrap().value, estimate(&shuffled).unwrap().value);
    }

    // Powers of two leave the arithmetic exact, so the answer must be the same to the last bit.
    #[test]
    fn the_value_scales_with_the_samples(
        samples in prop::collection::vec(1.0..100.0f64, 5..80),
        power in -30i32..30,
    ) {
        let scale = 2f64.powi(power);
        let scaled: Vec<f64> = samples.iter().map(|x| x * scale).collect();
        let (a, b) = (estimate(&samples).unwrap(), estimate(&scaled).unwrap());
        prop_assert_eq!(a.value * scale, b.value);
        prop_assert_eq!(a.low * scale, b.low);
    }

    #[test]
    fn the_value_shifts_with_the_samples(seed: u64, shift in -1000i32..1000) {
        let mut rng = Rng::with_seed(seed);
        let mut samples = vec![0.0; 60];
        Noise::Delayed { share: 0.1, mean: 10.0 }.fill(&mut samples, &mut rng);
        let shift = f64::from(shift);
        let moved: Vec<f64> = samples.iter().map(|x| x + shift).collect();
        let (a, b) = (estimate(&samples).unwrap(), estimate(&moved).unwrap());
        prop_assert!((a.value + shift - b.value).abs() < 1e-4, "{a:?} {b:?}");
    }

    #[test]
    fn the_value_is_within_the_samples(samples in prop::collection::vec(-100.0..100.0f64, 5..80)) {
        let value = estimate(&samples).unwrap().value;
        let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
        let most = samples.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(least <= value && value <= most, "{value} of {least}..{most}");
    }
}

#[test]
fn two_estimates_differ_by_more_than_the_root_of_the_sum_of_squares() {
    assert!(!differ((10.0, 3.0), (14.9, 4.0)));
    assert!(differ((10.0, 3.0), (15.1, 4.0)));
    assert!(!differ((1.0, 0.0), (1.0, 0.0)));
    assert!(!differ((f64::NAN, 1.0), (1.0, 0.0)));
}

#[test]
fn two_series_of_the_same_thing_seldom_differ() {
    let mut rng = Rng::with_seed(7);
    let mut scratch = Scratch::default();
    let mut samples = vec![0.0; 100];
    let trials = 300;
    let mut called = 0;
    for _ in 0..trials {
        let [a, b] = [(); 2].map(|()| {
            Noise::Delayed { share: 0.1, mean: 10.0 }.fill(&mut samples, &mut rng);
            let found = Estimator::default().estimate(&samples, &mut rng, &mut scratch).unwrap();
            (found.value, found.half_width())
        });
        called += usize::from(differ(a, b));
    }
    // 5 % of 300 is 15; 27 is more than three of its standard deviations above.
    assert!(called <= 27, "{called} of {trials}");
}
