//! Plain order statistics of a sample.

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

/// The mean of the middle half. Unlike a median, it resolves less than a tick; unlike a mean, it
/// ignores interrupts.
pub fn middle(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let quarter = values.len() / 4;
    let middle = values.get(quarter..values.len() - quarter)?;
    (!middle.is_empty()).then(|| middle.iter().sum::<f64>() / middle.len() as f64)
}

#[cfg(test)]
mod tests {
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
