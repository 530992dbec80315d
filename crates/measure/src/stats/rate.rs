//! The slope of one clock against another.

/// A slope with its 95 % interval, in units of the second of each pair per unit of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The estimate.
    pub slope: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// More points than this are thinned out; 500 points have some 125 000 slopes between them.
const MOST_POINTS: usize = 500;

/// The 97.5 % point of the Gaussian distribution.
const Z_975: f64 = 1.959_963_985;

/// The median of the slopes between all pairs of points `(x, y)` (Theil 1950), with the interval of
/// Sen 1968, *Estimates of the regression coefficient based on Kendall's tau*, JASA 63.
///
/// Up to 29 % of the points may be anywhere. The interval ends at the slopes `C / 2` places on
/// either side of the median, `C = 1.96 sd(S)`, `S` being Kendall's score. Its variance is
/// corrected for ties among the `x` and among the residuals, but not for the correlation of
/// neighbouring residuals: read pairs far enough apart.
///
/// Of more than 500 points, 500 evenly spaced ones are used, first and last included, so the work
/// is bounded and the result is always the same. Pairs that are not finite are left out. `None` if
/// fewer than three points, or fewer than two different `x`, remain.
pub fn theil_sen(pairs: &[(f64, f64)]) -> Option<Slope> {
    let mut points: Vec<(f64, f64)> =
        pairs.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    if points.len() > MOST_POINTS {
        let last = points.len() - 1;
        points = (0..MOST_POINTS).map(|i| points[i * last / (MOST_POINTS - 1)]).collect();
    }
    if points.len() < 3 {
        return None;
    }
    let mut slopes = Vec::with_capacity(points.len() * (points.len() - 1) / 2);
    for (i, (x0, y0)) in points.iter().enumerate() {
        for (x1, y1) in &points[i + 1..] {
            let slope = (y1 - y0) / (x1 - x0);
            if x1 > x0 && slope.is_finite() {
                slopes.push(slope);
            }
        }
    }
    if slopes.is_empty() {
        return None;
    }
    slopes.sort_unstable_by(f64::total_cmp);
    let count = slopes.len();
    let slope = slopes[(count - 1) / 2] * 0.5 + slopes[count / 2] * 0.5;

    let spread = Z_975 * score_variance(&points, slope).sqrt();
    // Ranks from one: (N - C) / 2 and (N + C) / 2 + 1, kept within the list.
    let below = ((count as f64 - spread) / 2.0).floor().max(1.0) as usize;
    let above = ((count as f64 + spread) / 2.0 + 1.0).ceil().min(count as f64) as usize;
    Some(Slope { slope, low: slopes[below - 1].min(slope), high: slopes[above - 1].max(slope) })
}

/// Variance of Kendall's score with ties in both, under independence (Kendall 1970, *Rank
/// Correlation Methods*, section 4.6).
fn score_variance(points: &[(f64, f64)], slope: f64) -> f64 {
    let n = points.len() as f64;
    let ties_x = ties(points.iter().map(|point| point.0).collect());
    let ties_y = ties(points.iter().map(|(x, y)| y - slope * x).collect());
    let full = n * (n - 1.0) * (2.0 * n + 5.0);
    let first = (full - ties_x[0] - ties_y[0]) / 18.0;
    let second = ties_x[1] * ties_y[1] / (9.0 * n * (n - 1.0) * (n - 2.0));
    let third = ties_x[2] * ties_y[2] / (2.0 * n * (n - 1.0));
    (first + second + third).max(0.0)
}

/// Sums over runs of `t` equal values: `t(t-1)(2t+5)`, `t(t-1)(t-2)`, `t(t-1)`.
fn ties(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_unstable_by(f64::total_cmp);
    let mut sums = [0.0; 3];
    for run in values.chunk_by(|a, b| a == b) {
        let t = run.len() as f64;
        let pairs = t * (t - 1.0);
        sums[0] += pairs * (2.0 * t + 5.0);
        sums[1] += pairs * (t - 2.0);
        sums[2] += pairs;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::{exponential, gaussian};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn too_few_points_give_none() {
        assert_eq!(theil_sen(&[]), None);
        assert_eq!(theil_sen(&[(0.0, 0.0), (1.0, 1.0)]), None);
        assert_eq!(theil_sen(&[(1.0, 0.0), (1.0, 1.0), (1.0, 5.0)]), None);
        assert_eq!(theil_sen(&[(f64::NAN, 0.0), (1.0, f64::INFINITY), (2.0, 5.0)]), None);
    }

    #[test]
    fn wild_points_up_to_a_fifth_change_little() {
        let mut points: Vec<_> = (0..100).map(|i| (f64::from(i), 3.0 * f64::from(i))).collect();
        points.iter_mut().step_by(5).for_each(|point| point.1 += 1e6);
        let found = theil_sen(&points).unwrap();
        assert!((found.slope - 3.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn many_points_are_thinned_out_not_rejected() {
        let points: Vec<_> = (0..20_000).map(|i| (f64::from(i), 0.5 * f64::from(i))).collect();
        assert_eq!(theil_sen(&points).unwrap().slope, 0.5);
    }

    #[test]
    fn the_interval_covers_the_true_slope_with_late_reads() {
        let mut rng = fastrand::Rng::with_seed(11);
        let times = 400;
        let covered = (0..times)
            .filter(|_| {
                let points: Vec<_> = (0..30)
                    .map(|i| {
                        let late = if rng.f64() < 0.1 { 10.0 * exponential(&mut rng) } else { 0.0 };
                        (f64::from(i), 2.0 * f64::from(i) + gaussian(&mut rng) + late)
                    })
                    .collect();
                let found = theil_sen(&points).unwrap();
                found.low <= 2.0 && 2.0 <= found.high
            })
            .count();
        // 95 % of 400 is 380, with a standard deviation of 4.4.
        assert!((366..=394).contains(&covered), "{covered}");
    }

    proptest! {
        #[test]
        fn order_does_not_matter_and_the_interval_contains_the_slope(
            mut points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..40),
        ) {
            let before = theil_sen(&points);
            points.reverse();
            prop_assert_eq!(before, theil_sen(&points));
            if let Some(found) = before {
                prop_assert!(found.low <= found.slope && found.slope <= found.high);
            }
        }

        #[test]
        fn the_slope_scales_with_y(
            points in prop::collection::vec((-1000i32..1000, -1000i32..1000), 3..40),
        ) {
            let at = |scale: f64| {
                let scaled: Vec<_> =
                    points.iter().map(|(x, y)| (f64::from(*x), scale * f64::from(*y))).collect();
                theil_sen(&scaled).map(|found| found.slope)
            };
            prop_assert_eq!(at(1.0).map(|slope| slope * 4.0), at(4.0));
        }
    }
}
