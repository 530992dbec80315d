//! The tick of a clock: the step by which its values advance, and the slope of one clock against
//! another.

use super::quantile;
use fastrand::Rng;

/// The tick found in a series of deltas, in the unit of the deltas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// The greatest whole number that divides at least 99.9 % of the non-zero deltas.
    pub ticks: u64,
    /// The share of the non-zero deltas that `ticks` divides, 0.999 to 1.
    pub support: f64,
    /// A period that is not a whole number and explains the deltas better than `ticks` does: for
    /// example, a clock with a tick of 52.083 ns that returns whole nanoseconds (52, 52, 53, 104,
    /// ...).
    pub fractional: Option<f64>,
}

/// The share of the deltas that a divisor may leave over: 1 in this many.
const OUTLIERS: usize = 1000;
/// The number of chains of divisors to try. A chain is spoilt if it meets an outlier; with one
/// outlier in a thousand and some ten draws, this happens to one chain in a hundred.
const CHAINS: u64 = 12;
/// The number of draws after which a chain is given up.
const DRAWS: usize = 256;

/// The tick that `deltas` have in common; zeros are left out. `None` if all are zero.
///
/// Divisors of randomly drawn deltas (with a fixed seed, so the result is always the same) come
/// down by Euclid's algorithm to the tick or to a multiple of it. The first that divides 99.9 % of
/// all deltas ends the chain, and the greatest of several chains is the tick. Few chains meet an
/// outlier that breaks divisibility, so it does not destroy the result. With fewer than a thousand
/// deltas no outlier is allowed, because none could be distinguished from a small tick.
pub fn tick(deltas: &[u64]) -> Option<Tick> {
    let mut drawn: Vec<u64> = deltas.iter().copied().filter(|delta| *delta > 0).collect();
    let nonzero = drawn.len();
    if nonzero == 0 {
        return None;
    }
    // Sorted, so that the same deltas in another order have the same result.
    drawn.sort_unstable();
    let runs: Vec<(u64, usize)> =
        drawn.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
    let allowed = nonzero / OUTLIERS;
    let mut best = 0;
    for seed in 0..CHAINS {
        let mut rng = Rng::with_seed(seed);
        let mut divisor = 0;
        for _ in 0..DRAWS {
            let next = gcd(divisor, drawn[super::drawn(&mut rng, 0..nonzero)]);
            if next == divisor {
                continue;
            }
            divisor = next;
            if divisor <= best {
                break;
            }
            if left_over(&runs, divisor, allowed).is_some() {
                best = divisor;
                break;
            }
        }
    }
    // Every chain may have run out of draws among equal deltas, or met an outlier. One always
    // divides.
    if best == 0 {
        best = runs.iter().fold(0, |divisor, run| gcd(divisor, run.0));
    }
    let over = left_over(&runs, best, allowed).unwrap_or(0);
    let support = (nonzero - over) as f64 / nonzero as f64;
    Some(Tick { ticks: best, support, fractional: fractional(&runs, best) })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns how many deltas `divisor` does not divide; `None` if more than `allowed`.
fn left_over(runs: &[(u64, usize)], divisor: u64, allowed: usize) -> Option<usize> {
    let over = runs.iter().filter(|run| run.0 % divisor != 0).map(|run| run.1).sum();
    (over <= allowed).then_some(over)
}

/// The most periods in a delta that is considered. Beyond that, an error in the period of one part
/// in ten thousand would decide the result.
const MOST_PERIODS: f64 = 1000.0;
/// The shortest period that rounding leaves visible, in steps of the clock's unit.
const SHORTEST: f64 = 4.0;
/// The number of deltas of two periods or more that have to agree.
const WITNESSES: usize = 20;
/// The period, in steps, from which deltas of a single period are sufficient evidence: the duration
/// of a loop does not repeat to one part in a thousand by chance.
const EVIDENT: f64 = 1000.0;

/// A period that is not a multiple of `unit` and explains the deltas, if there is one.
///
/// Both ends of a delta are rounded to `unit`, so a delta of `k` periods is within one unit of
/// `k` times the period. Candidates come from the spacing of the clusters. Each is refined by least
/// squares (`sum k d / sum k^2`) over more and more periods, and is accepted if 99 % of the deltas
/// are then within that one unit, which by chance would be true of a share of `2 / period`.
fn fractional(runs: &[(u64, usize)], unit: u64) -> Option<f64> {
    let steps: Vec<(f64, usize)> = runs
        .iter()
        .filter(|(delta, _)| delta % unit == 0)
        .map(|(delta, count)| ((delta / unit) as f64, *count))
        .collect();
    let total: usize = steps.iter().map(|step| step.1).sum();
    let centres = clusters(&steps, total / OUTLIERS);
    let first = *centres.first()?;
    let mut gaps: Vec<f64> = centres.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    let candidates =
        [Some(first), quantile(&gaps, 0.5), quantile(&gaps, 0.1), quantile(&gaps, 0.0)];
    candidates
        .into_iter()
        .flatten()
        .filter(|period| *period >= SHORTEST)
        .filter_map(|period| explains(&steps, refine(&steps, period)?))
        .max_by(f64::total_cmp)
        .map(|period| period * unit as f64)
}

/// Mean of each group of neighbouring steps (at most one apart), with rare groups left out.
fn clusters(steps: &[(f64, usize)], rare: usize) -> Vec<f64> {
    steps
        .chunk_by(|a, b| b.0 - a.0 <= 1.0)
        .map(|group| {
            let count: usize = group.iter().map(|step| step.1).sum();
            (group.iter().map(|step| step.0 * step.1 as f64).sum::<f64>() / count as f64, count)
        })
        .filter(|(_, count)| *count > rare)
        .map(|(centre, _)| centre)
        .collect()
}

fn refine(steps: &[(f64, usize)], mut period: f64) -> Option<f64> {
    let mut most = 2.0;
    while most <= MOST_PERIODS {
        let counted = steps.iter().map(|(delta, count)| (*delta, *count as f64));
        period = least_squares(counted, period, most);
        most *= 2.0;
    }
    (period >= SHORTEST).then_some(period)
}

/// The period that fits deltas best, `sum k d / sum k^2`, over those that are near one to `most`
/// times this period. Each delta comes with its count.
pub(super) fn least_squares(
    deltas: impl Iterator<Item = (f64, f64)>,
    period: f64,
    most: f64,
) -> f64 {
    let (mut product, mut square) = (0.0, 0.0);
    for (delta, count) in deltas {
        let k = (delta / period).round();
        if (1.0..=most).contains(&k) && (delta - k * period).abs() < 0.25 * period {
            product += k * delta * count;
            square += k * k * count;
        }
    }
    if square > 0.0 { product / square } else { period }
}

/// Returns the period if it explains the steps and is not a whole number of them.
fn explains(steps: &[(f64, usize)], period: f64) -> Option<f64> {
    let (mut near, mut all, mut witnesses, mut whole) = (0, 0, 0, 0);
    for (delta, count) in steps {
        let k = (delta / period).round();
        if k > MOST_PERIODS {
            continue;
        }
        all += count;
        if k >= 1.0 && (delta - k * period).abs() <= 1.0 + 1e-3 * k.min(100.0) {
            near += count;
            witnesses += if k >= 2.0 { *count } else { 0 };
            whole += if delta % period.round() == 0.0 { *count } else { 0 };
        }
    }
    let evident = witnesses >= WITNESSES || (period >= EVIDENT && all >= WITNESSES);
    // A period that is a whole number would itself divide nearly all deltas.
    let broken = whole * 100 < all * 99;
    (evident && broken && near * 100 >= all * 99).then_some(period)
}

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
mod tick_tests {
    use super::*;
    use fastrand::Rng;
    use proptest::prelude::*;

    fn multiples(step: u64, count: usize, most: u64, seed: u64) -> Vec<u64> {
        let mut rng = Rng::with_seed(seed);
        (0..count).map(|_| step * rng.u64(1..=most)).collect()
    }

    #[test]
    fn constant_ticks_are_found() {
        for step in [1, 2, 10, 26, 100, 1_000_000, 4_000_000] {
            let found = tick(&multiples(step, 5000, 40, step)).unwrap();
            assert_eq!((found.ticks, found.support), (step, 1.0));
            assert_eq!(found.fractional, None, "{step}");
        }
    }

    #[test]
    fn a_counter_of_step_one_has_no_fraction() {
        // A loop of 20 to 24 cycles, with interrupts of any length.
        let mut rng = Rng::with_seed(1);
        let deltas: Vec<u64> = (0..20_000)
            .map(|_| if rng.f64() < 0.01 { rng.u64(500..9000) } else { rng.u64(20..25) })
            .collect();
        let found = tick(&deltas).unwrap();
        assert_eq!((found.ticks, found.fractional), (1, None));
    }

    #[test]
    fn outliers_do_not_change_the_tick() {
        for step in [10, 26, 100, 1_000_000] {
            let mut deltas = multiples(step, 20_000, 60, step);
            deltas.iter_mut().step_by(2000).for_each(|delta| *delta = *delta * 7 + 3);
            deltas[1] = 1;
            let found = tick(&deltas).unwrap();
            assert_eq!(found.ticks, step);
            assert!(found.support >= 0.999 && found.support < 1.0);
        }
    }

    #[test]
    fn odd_deltas_too_frequent_to_be_outliers_count() {
        // 0.5 % of the deltas are odd: too many for outliers, so the tick is one and not two.
        let mut deltas = multiples(2, 20_000, 30, 4);
        deltas.iter_mut().step_by(200).for_each(|delta| *delta += 1);
        assert_eq!(tick(&deltas).unwrap().ticks, 1);
    }

    #[test]
    fn edge_cases_have_the_right_tick() {
        assert_eq!(tick(&[]), None);
        assert_eq!(tick(&[0, 0]), None);
        assert_eq!(tick(&[0, 42, 0]).unwrap().ticks, 42);
        assert_eq!(tick(&[u64::MAX]).unwrap().ticks, u64::MAX);
        assert_eq!(tick(&[u64::MAX, u64::MAX - 1]).unwrap().ticks, 1);
        assert_eq!(tick(&[1 << 63, 1 << 62]).unwrap().ticks, 1 << 62);
        assert_eq!(tick(&[4, 4, 4, 6]).unwrap().ticks, 2);
    }

    /// Deltas in whole units of a clock with the real `period`, `cost` units apart on average.
    fn rounded(period: f64, cost: f64, count: usize) -> Vec<u64> {
        let mut rng = Rng::with_seed(8);
        let mut now = 0.0;
        let mut last = 0;
        (0..count)
            .map(|_| {
                now += cost * (0.5 + rng.f64());
                let shown = ((now / period).floor() * period) as u64;
                let delta = shown - last;
                last = shown;
                delta
            })
            .collect()
    }

    #[test]
    fn periods_that_are_not_whole_numbers_are_found() {
        let cases = [
            (1000.0 / 19.2, 40.0),
            (1000.0 / 24.0, 60.0),
            (1000.0 / 54.0, 30.0),
            (1000.0 / 54.0, 90.0),
            (1e9 / 300.0, 1e6),
            (1e9 / 32_768.0, 1e5),
        ];
        for (period, cost) in cases {
            let found = tick(&rounded(period, cost, 20_000)).unwrap();
            assert_eq!(found.ticks, 1, "{period}");
            let fraction = found.fractional.unwrap_or(0.0);
            assert!((fraction / period - 1.0).abs() < 1e-3, "{period}: {found:?}");
        }
    }

    proptest! {
        #[test]
        fn the_tick_of_few_deltas_divides_them_all(
            deltas in prop::collection::vec(any::<u64>(), 0..60),
        ) {
            match tick(&deltas) {
                Some(found) => {
                    let exact = deltas.iter().fold(0, |divisor, delta| gcd(divisor, *delta));
                    prop_assert_eq!(found.ticks, exact);
                    prop_assert_eq!(found.support, 1.0);
                }
                None => prop_assert!(deltas.iter().all(|delta| *delta == 0)),
            }
        }

        #[test]
        fn the_tick_scales_with_the_deltas_and_ignores_their_order(
            mut deltas in prop::collection::vec(0u64..5000, 1..200),
            scale in 1u64..1000,
        ) {
            let before = tick(&deltas);
            deltas.reverse();
            prop_assert_eq!(before, tick(&deltas));
            deltas.iter_mut().for_each(|delta| *delta *= scale);
            prop_assert_eq!(
                before.map(|found| found.ticks * scale),
                tick(&deltas).map(|found| found.ticks)
            );
        }
    }
}

#[cfg(test)]
mod rate_tests {
    use super::*;
    use crate::stats::synthetic::{exponential, gaussian};
    use fastrand::Rng;
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
        let mut rng = Rng::with_seed(11);
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
