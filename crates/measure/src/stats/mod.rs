//! Estimates from noisy samples: modes with intervals, ticks, rates, orders.
//!
//! All functions take and return plain numbers; none reads a clock. None panics on empty, NaN or
//! infinite input: such samples are left out, and if too few remain, the result is `None`. All
//! units are those of the input.
//!
//! Here are plain order statistics of a sample, and the resampling of samples that are not
//! independent of each other. If they come from several processes, whole processes are resampled:
//! their differences contain the scatter of their rounds, and resampling those too would count it
//! twice (Davison and Hinkley 1997, *Bootstrap Methods and their Application*, section 3.8). If
//! there are too few processes for that, runs of successive rounds are resampled within each
//! process drawn.

pub mod estimate;
pub mod mode;
pub mod period;
#[cfg(test)]
#[path = "../../tests/synthetic/mod.rs"]
mod synthetic;
pub mod tick;

use fastrand::Rng;
use std::ops::Range;

/// The order statistics and the mean of a sample, in the unit of the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub min: f64,
    pub median: f64,
    /// Median absolute deviation from the median, not scaled to a standard deviation.
    pub mad: f64,
    pub p99: f64,
    pub max: f64,
    pub mean: f64,
    /// Standard deviation, with `n - 1` in the denominator; zero for a single sample.
    pub sd: f64,
    /// The number of finite samples, on which all other figures are based.
    pub n: usize,
}

impl Summary {
    /// Summarises the finite values among `samples`; `None` if there are none.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = samples.iter().copied().filter(|x| x.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len();
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = quantile(&sorted, 0.5)?;
        let p99 = quantile(&sorted, 0.99)?;
        // A running mean cannot overflow as a sum can; rounding may still put it slightly outside.
        let mean = sorted
            .iter()
            .zip(1u64..)
            .fold(0.0, |mean, (x, i)| mean + (x / i as f64 - mean / i as f64))
            .clamp(min, max);
        let squares: f64 = sorted.iter().map(|x| (x - mean).powi(2)).sum();
        // Squares of huge samples overflow; their deviation is then no more than the range.
        let sd = (squares / (n - 1).max(1) as f64).sqrt().min(max - min).min(f64::MAX);
        sorted.iter_mut().for_each(|x| *x = (*x - median).abs().min(f64::MAX));
        sorted.sort_unstable_by(f64::total_cmp);
        let mad = quantile(&sorted, 0.5)?;
        Some(Self { min, median, mad, p99, max, mean, sd, n })
    }
}

/// The `q` quantile (0 to 1) of `sorted` (ascending, finite), interpolated between neighbours.
///
/// Definition 7 of Hyndman and Fan 1996, *Sample quantiles in statistical packages*, the default
/// of R and NumPy: with `h = (n - 1) q`, the value `h` places after the first. `None` if `sorted`
/// is empty or `q` is not within 0 to 1.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    if sorted.is_empty() || !(0.0..=1.0).contains(&q) {
        return None;
    }
    let place = (sorted.len() - 1) as f64 * q;
    let (below, part) = (place.floor() as usize, place.fract());
    let low = sorted[below];
    let high = sorted[(below + 1).min(sorted.len() - 1)];
    // Not `low + part * (high - low)`: the difference may overflow.
    Some((low * (1.0 - part) + high * part).clamp(low, high))
}

/// The standard deviation, with `n - 1` in the denominator; 0 of fewer than two.
pub fn deviation(values: &[f64]) -> f64 {
    let k = values.len() as f64;
    let mean = values.iter().sum::<f64>() / k;
    let squares: f64 = values.iter().map(|one| (one - mean).powi(2)).sum();
    if k > 1.0 { (squares / (k - 1.0)).sqrt() } else { 0.0 }
}

/// The mean of the middle half. Unlike a median, it resolves less than a tick; unlike a mean, it
/// ignores interrupts.
pub fn middle(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let quarter = values.len() / 4;
    let middle = values.get(quarter..values.len() - quarter)?;
    (!middle.is_empty()).then(|| middle.iter().sum::<f64>() / middle.len() as f64)
}

/// The fewest processes that are resampled as a whole.
const ENOUGH_GROUPS: usize = 4;

/// How samples depend on each other.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    groups: Vec<Range<usize>>,
    /// The number of successive rounds that are resampled together.
    length: usize,
}

impl Runs {
    /// Groups the samples, each group ending where `ends` says. The length of a run follows from
    /// the correlation of neighbouring `terms`, the first of each pair:
    /// `(2 rho / (1 - rho^2))^(2/3) n^(1/3)` (Carlstein 1986, *Annals of Statistics* 14, for a
    /// first-order autoregression), or one if the correlation is within its own noise.
    pub(super) fn of(terms: &[(f64, f64)], ends: &[usize]) -> Self {
        let mut groups = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            groups.push(start..end);
            start = end;
        }
        let (mut square, mut product) = (0.0, 0.0);
        for group in &groups {
            let terms = &terms[group.clone()];
            // What is common to a group is resampled with the groups.
            let sum = || terms.iter().map(|term| term.0).sum::<f64>();
            let mean = if ends.len() == 1 { 0.0 } else { sum() / terms.len() as f64 };
            square += terms.iter().map(|t| (t.0 - mean).powi(2)).sum::<f64>();
            let pairs = terms.windows(2);
            product += pairs.map(|p| (p[0].0 - mean) * (p[1].0 - mean)).sum::<f64>();
        }
        let rho = if square > 0.0 { (product / square).min(0.99) } else { 0.0 };
        let count = terms.len() as f64;
        let length = if rho * count.sqrt() <= 2.0 {
            1
        } else {
            let odds = 2.0 * rho / (1.0 - rho * rho);
            ((odds * odds * count).cbrt().ceil() as usize).clamp(1, (terms.len() / 4).max(1))
        };
        Self { groups, length }
    }

    /// Returns the number of groups, each counted by its share of the weights (the second of each
    /// pair in `terms`): `(sum w)^2 / sum w^2` (Kish 1965, *Survey Sampling*). `None` if there is
    /// only one group.
    pub(super) fn groups(&self, terms: &[(f64, f64)]) -> Option<f64> {
        if self.groups.len() < 2 {
            return None;
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        for group in &self.groups {
            let mass = terms[group.clone()].iter().map(|term| term.1).sum::<f64>();
            sum += mass;
            squares += mass * mass;
        }
        (squares > 0.0).then(|| (sum * sum / squares).max(1.5))
    }

    /// Draws one resample: calls `take` with the place of each sample drawn. Each group drawn
    /// contributes as many samples as it has.
    pub(super) fn resample(&self, rng: &mut Rng, mut take: impl FnMut(usize)) {
        for _ in 0..self.groups.len() {
            let group = &self.groups[drawn(rng, 0..self.groups.len())];
            if self.groups.len() >= ENOUGH_GROUPS {
                group.clone().for_each(&mut take);
                continue;
            }
            let mut left = group.len();
            while left > 0 {
                let run = self.length.min(left);
                left -= run;
                let mut at = drawn(rng, group.clone());
                for _ in 0..run {
                    take(at);
                    at = if at + 1 == group.end { group.start } else { at + 1 };
                }
            }
        }
    }
}

#[cfg(test)]
mod summary_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_agree_with_r() {
        // R: quantile(c(1, 2, 4, 8, 16), c(0, .1, .25, .5, .99, 1))
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        let expected =
            [(0.0, 1.0), (0.1, 1.4), (0.25, 2.0), (0.5, 4.0), (0.99, 15.68), (1.0, 16.0)];
        for (q, value) in expected {
            assert!((quantile(&sorted, q).unwrap() - value).abs() < 1e-12);
        }
        let summary = Summary::of(&sorted).unwrap();
        assert_eq!((summary.mad, summary.n), (3.0, 5));
        assert!((summary.mean - 6.2).abs() < 1e-12);
        // R: sd(c(1, 2, 4, 8, 16))
        assert!((summary.sd - 6.099180).abs() < 1e-6);
    }

    #[test]
    fn no_samples_have_no_summary() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[f64::NAN, f64::INFINITY]), None);
        assert_eq!(Summary::of(&[f64::NAN, 3.0]).unwrap().n, 1);
        assert_eq!(quantile(&[1.0], f64::NAN), None);
        assert_eq!(quantile(&[1.0], 1.5), None);
    }

    proptest! {
        #[test]
        fn the_figures_are_ordered_and_finite(
            samples in prop::collection::vec(any::<f64>(), 0..50),
        ) {
            if let Some(s) = Summary::of(&samples) {
                prop_assert!(s.min <= s.median && s.median <= s.p99 && s.p99 <= s.max);
                prop_assert!(s.min <= s.mean && s.mean <= s.max);
                prop_assert!(s.mad >= 0.0 && s.mad.is_finite());
                prop_assert!(s.sd >= 0.0 && s.sd.is_finite());
            }
        }

        #[test]
        fn the_order_does_not_matter(mut samples in prop::collection::vec(any::<f64>(), 1..50)) {
            let before = Summary::of(&samples);
            samples.reverse();
            prop_assert_eq!(before, Summary::of(&samples));
        }
    }
}

/// A place in a range, by a generator that is the same on machines of 32 bits, such as WebAssembly.
fn drawn(rng: &mut Rng, range: Range<usize>) -> usize {
    rng.u64(range.start as u64..range.end as u64) as usize
}

#[cfg(test)]
mod resample_tests {
    use super::*;

    #[test]
    fn a_resample_has_whole_groups_and_runs() {
        let terms = vec![(0.0, 1.0); 30];
        let runs = Runs { length: 4, ..Runs::of(&terms, &[10, 20, 30]) };
        let mut rng = Rng::with_seed(3);
        for _ in 0..50 {
            let mut drawn = Vec::new();
            runs.resample(&mut rng, |at| drawn.push(at));
            assert_eq!(drawn.len(), 30);
            for part in drawn.chunks(10) {
                assert!(part.iter().all(|at| at / 10 == part[0] / 10), "{part:?}");
                assert_eq!(part[0] % 10 + 1, if part[1] % 10 == 0 { 10 } else { part[1] % 10 });
            }
        }
        assert!((runs.groups(&terms).expect("three") - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_shift_of_a_whole_group_is_not_a_correlation_within_it() {
        let mut rng = Rng::with_seed(1);
        let terms: Vec<(f64, f64)> =
            (0..400).map(|at| (f64::from(at / 50 % 2) * 3.0 + rng.f64(), 1.0)).collect();
        let ends: Vec<usize> = (1..=8).map(|group| group * 50).collect();
        assert_eq!(Runs::of(&terms, &ends).length, 1);
        assert!(Runs::of(&terms, &[400]).length > 10);
    }
}
