//! The half-sample mode: where the samples are densest.
//!
//! Samples with a second mode: they gather at two values. This happens if memory is placed
//! differently in another process, or if the processor runs the loop sometimes in one rhythm and
//! sometimes in another. Both modes are reported with their shares; a mean of the two would be a
//! cost that no read has.
//!
//! If the two are nearly equally dense, it is chance which of them is the densest, and another run
//! may well settle on the other. The interval must then include both, because it predicts the
//! result of another run.
//!
//! The shape of the estimating function of [`super::estimate`], and its moments.
//!
//! With `u` the distance from the estimate in scales, the estimating function is
//!
//! ```text
//! psi(u) = u (1 - b u^2) w(u),    w(u) = (1 - u^2/k^2)^3 for |u| < k, else 0
//! ```
//!
//! `w` is Tukey's smooth redescending kind of weight: beyond `k` a sample has no weight at all. `b`
//! is chosen so that the integral of `psi(u) Phi(u)` is zero, `Phi` being the Gaussian distribution
//! function. Delays that are long compared with the noise add a density proportional to `Phi(u)`
//! around the core (the core convolved with a flat one-sided delay), and they do not move an
//! estimating function that is orthogonal to it. That costs variance but removes the bias, which
//! no narrowing of the window does: the mode itself is moved by such a background.

use super::Runs;
use fastrand::Rng;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// The half-sample mode of `sorted` (ascending, finite), in the unit of the samples.
///
/// The densest half of the samples is kept, then the densest half of that, until at most three
/// are left (Robertson and Cryer 1974, *An iterative procedure for estimating the mode*, JASA 69;
/// the rules for the last three from Bickel and Frühwirth 2006, *On a fast, robust estimator of
/// the mode*, CSDA 50). The work is linear, because each pass takes half of the one before.
///
/// Ties: if several halves are equally dense, the middle one of them is kept. So a symmetric sample
/// has its mode in the middle, and negating the samples negates the mode (up to one place if the
/// number of ties is even). Duplicates make a half of width zero, which wins, as it should: the
/// value that is repeated most often is the mode of a discrete clock.
///
/// `None` if `sorted` is empty or has a value that is not finite at either end.
pub fn half_sample_mode(sorted: &[f64]) -> Option<f64> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    if !first.is_finite() || !last.is_finite() {
        return None;
    }
    let mut rest = sorted;
    while rest.len() > 3 {
        rest = densest(rest, rest.len().div_ceil(2));
    }
    match *rest {
        [only] => Some(only),
        [low, high] => Some(middle(low, high)),
        [low, mid, high] => {
            let (left, right) = (mid - low, high - mid);
            Some(if left < right {
                middle(low, mid)
            } else if right < left {
                middle(mid, high)
            } else {
                mid
            })
        }
        _ => None,
    }
}

/// The narrowest run of `count` neighbours in `sorted`; of equally narrow runs, the middle one.
pub(crate) fn densest(sorted: &[f64], count: usize) -> &[f64] {
    let count = count.clamp(1, sorted.len().max(1));
    if sorted.len() <= count {
        return sorted;
    }
    let width = |at: usize| sorted[at + count - 1] - sorted[at];
    let starts = 0..=sorted.len() - count;
    let mut least = f64::INFINITY;
    let mut ties = 0;
    for at in starts.clone() {
        let here = width(at);
        if here < least {
            (least, ties) = (here, 1);
        } else if here == least {
            ties += 1;
        }
    }
    let chosen = starts.filter(|&at| width(at) == least).nth(ties / 2).unwrap_or(0);
    &sorted[chosen..chosen + count]
}

/// The middle between two values, without the overflow of adding them first.
fn middle(low: f64, high: f64) -> f64 {
    low * 0.5 + high * 0.5
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub value: f64,
    /// The share of all samples that gather at this mode or beyond it, 0 to 1.
    pub share: f64,
    /// The value between the two modes.
    pub(super) border: f64,
}

/// The least share of the lower mode for it to be the estimate.
pub const SHOWN: f64 = 0.2;
/// The least share of a mode that is reported.
const LEAST: f64 = 0.1;
/// Modes closer than this many scales are the same mode.
const APART: f64 = 6.0;
/// Modes closer than this share of the value are the same mode, whatever the scale.
const RELATIVE: f64 = 0.03;
/// The samples of a mode lie within this many scales, or this share of its value.
const WIDTH: f64 = 4.0;

/// The number of resamples that are examined.
const RESAMPLES: usize = 80;
/// A choice made in this many resamples, 2.5 %, belongs to the interval: this is the tail that a 95
/// % interval leaves out on one side.
const ENOUGH: usize = 2;
/// Bulks of resamples that are closer than this many scales are at the same mode.
const SAME: f64 = 4.0;
/// The most samples kept of a resample; they determine a share precisely enough.
const MOST: usize = 1000;

/// Finds the mode, other than `value` with its scatter `scale`, where most samples gather.
pub(super) fn second_mode(sorted: &[f64], value: f64, scale: f64) -> Option<Place> {
    let far = (APART * scale).max(RELATIVE * value.abs());
    let least = ((sorted.len() as f64 * LEAST).ceil() as usize).max(5);
    let below = &sorted[..sorted.partition_point(|x| *x < value - far)];
    let above = &sorted[sorted.partition_point(|x| *x <= value + far)..];
    let tight = (WIDTH * scale).max(RELATIVE * value.abs());
    let gathered = |part: &[f64], is_below: bool| {
        if part.len() < least {
            return None;
        }
        let bulk = densest(part, least);
        if bulk[bulk.len() - 1] - bulk[0] > tight {
            return None;
        }
        let place = bulk[bulk.len() / 2];
        let border = (place + value) / 2.0;
        let beyond = if is_below {
            sorted.partition_point(|x| *x < border)
        } else {
            let reach = place + far;
            sorted.partition_point(|x| *x <= reach) - sorted.partition_point(|x| *x < border)
        };
        Some(Place { value: place, share: beyond as f64 / sorted.len() as f64, border })
    };
    let (below, above) = (gathered(below, true), gathered(above, false));
    // A lower mode is what the code can reach; a higher one may come from a disturbance.
    below.or(above)
}

/// Widens the interval to include the other mode if another run may well choose it: if the share of
/// the lower mode is so near [`SHOWN`] that resamples disagree about it.
pub(super) fn widen_by_share(
    samples: &[f64],
    runs: &Runs,
    value: f64,
    other: Place,
    (low, high): (f64, f64),
    rng: &mut Rng,
) -> (f64, f64) {
    let mut lower_chosen = 0;
    for _ in 0..RESAMPLES {
        let (mut below, mut all) = (0usize, 0usize);
        runs.resample(rng, |at| {
            below += usize::from(samples[at] < other.border);
            all += 1;
        });
        lower_chosen += usize::from(below as f64 >= all as f64 * SHOWN);
    }
    let otherwise = if other.value > value { RESAMPLES - lower_chosen } else { lower_chosen };
    if otherwise < ENOUGH { (low, high) } else { (low.min(other.value), high.max(other.value)) }
}

/// Widens `low` and `high` to include the values, further than a few scales from `value`, where at
/// least 2.5 % of resamples of `samples` have their densest third (the bootstrap applied only to
/// the choice of the mode).
pub(super) fn widen_by_density(
    samples: &[f64],
    sorted: &[f64],
    runs: &Runs,
    value: f64,
    scale: f64,
    (low, high): (f64, f64),
    rng: &mut Rng,
) -> (f64, f64) {
    let every = sorted.len().div_ceil(MOST);
    let share = (((sorted.len() / every) as f64 * 0.35).ceil() as usize).max(3);
    // The place of each sample among the sorted ones; equal samples have the place of the first.
    let rank: Vec<usize> =
        samples.iter().map(|x| sorted.partition_point(|other| other < x)).collect();
    let mut times = vec![0u16; sorted.len()];
    let mut resample = Vec::with_capacity(sorted.len());
    let (mut below, mut above) = (Vec::new(), Vec::new());
    for _ in 0..RESAMPLES {
        times.fill(0);
        let mut drawn = 0;
        runs.resample(rng, |at| {
            drawn += 1;
            if drawn % every == 0 {
                times[rank[at]] += 1;
            }
        });
        resample.clear();
        for (x, times) in sorted.iter().zip(&times) {
            resample.extend((0..*times).map(|_| *x));
        }
        if resample.len() < share {
            continue;
        }
        let bulk = densest(&resample, share);
        let place = bulk[bulk.len() / 2];
        if place < value - SAME * scale {
            below.push(place);
        } else if place > value + SAME * scale {
            above.push(place);
        }
    }
    let far = |places: &mut Vec<f64>, at_end: fn(&[f64]) -> f64| {
        places.sort_unstable_by(f64::total_cmp);
        (places.len() >= ENOUGH).then(|| at_end(places))
    };
    // Takes the second outermost value, so that a single stray resample does not make a rival.
    let low = far(&mut below, |places| places[1]).map_or(low, |place| place.min(low));
    let high =
        far(&mut above, |places| places[places.len() - 2]).map_or(high, |place| place.max(high));
    (low, high)
}

/// Panels of Simpson's rule. The integrands are smooth, and with 64 the error is below 1e-5.
const PANELS: usize = 64;

/// The longest reach, in scales: the Gaussian mass beyond it is below 1e-30.
const WIDEST: f64 = 12.0;

/// An estimating function of a given reach, with its moments under a standard Gaussian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Reach `k`, in scales.
    pub reach: f64,
    /// Factor `b` of the cubic term.
    bend: f64,
    /// Mean weight, `E w(u)`.
    pub mass: f64,
    /// Weighted mean square, `E u^2 w / E w`, which the scale is matched to.
    pub square: f64,
    /// `E psi' / E w`: how fast the mean of `psi` falls as the estimate moves.
    pub slope: f64,
}

impl Shape {
    pub fn with_reach(reach: f64) -> Self {
        let reach = reach.clamp(1.0, WIDEST);
        let step = reach / PANELS as f64;
        let density = |u: f64| 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (-0.5 * u * u).exp();
        // Odd functions see only the odd part of Phi, so half of the line is enough. `above` is
        // Phi(u) - 1/2, accumulated along the way by the trapezoidal rule.
        let (mut m0, mut m2, mut m4, mut ramp1, mut ramp3) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (mut above, mut before) = (0.0, density(0.0));
        for i in 0..=PANELS {
            let u = i as f64 * step;
            let here = density(u);
            if i > 0 {
                above += 0.5 * step * (here + before);
            }
            before = here;
            let simpson = match i {
                0 | PANELS => 1.0,
                _ if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let square = u * u;
            let part = simpson * step / 3.0 * weight(square, reach);
            m0 += part * here;
            m2 += part * here * square;
            m4 += part * here * square * square;
            ramp1 += part * above * u;
            ramp3 += part * above * u * square;
        }
        let bend = ramp1 / ramp3;
        // E psi' = E u psi under a standard Gaussian (Stein's identity).
        Self { reach, bend, mass: 2.0 * m0, square: m2 / m0, slope: (m2 - bend * m4) / m0 }
    }

    /// `(psi(u), w(u))`.
    pub fn at(&self, u: f64) -> (f64, f64) {
        let weight = weight(u * u, self.reach);
        (u * (1.0 - self.bend * u * u) * weight, weight)
    }
}

fn weight(square: f64, reach: f64) -> f64 {
    let rest = (1.0 - square / (reach * reach)).max(0.0);
    rest * rest * rest
}

#[cfg(test)]
mod mode_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_samples_follow_the_published_rules() {
        assert_eq!(half_sample_mode(&[]), None);
        assert_eq!(half_sample_mode(&[f64::NAN]), None);
        assert_eq!(half_sample_mode(&[7.0]), Some(7.0));
        assert_eq!(half_sample_mode(&[1.0, 2.0]), Some(1.5));
        assert_eq!(half_sample_mode(&[1.0, 2.0, 4.0]), Some(1.5));
        assert_eq!(half_sample_mode(&[1.0, 3.0, 4.0]), Some(3.5));
        assert_eq!(half_sample_mode(&[1.0, 2.0, 3.0]), Some(2.0));
    }

    #[test]
    fn repeated_values_win() {
        assert_eq!(half_sample_mode(&[1.0, 5.0, 5.0, 5.0, 5.0, 9.0, 11.0]), Some(5.0));
        assert_eq!(half_sample_mode(&[4.0; 50]), Some(4.0));
    }

    #[test]
    fn a_long_upper_tail_does_not_move_the_mode() {
        let mut samples: Vec<f64> = (0..60).map(|i| 100.0 + f64::from(i) * 0.01).collect();
        samples.extend((0..40).map(|i| 200.0 + f64::from(i * i)));
        let mode = half_sample_mode(&samples).unwrap();
        assert!((100.0..=100.6).contains(&mode), "{mode}");
    }

    #[test]
    fn the_widest_finite_range_does_not_overflow() {
        let mode = half_sample_mode(&[f64::MIN, f64::MAX]).unwrap();
        assert!(mode.is_finite());
    }

    proptest! {
        #[test]
        fn the_mode_is_within_the_samples(
            mut samples in prop::collection::vec(any::<f64>(), 0..60),
        ) {
            samples.retain(|x| x.is_finite());
            samples.sort_by(f64::total_cmp);
            match half_sample_mode(&samples) {
                Some(mode) => {
                    prop_assert!(samples[0] <= mode && mode <= samples[samples.len() - 1])
                }
                None => prop_assert!(samples.is_empty()),
            }
        }

        // Whole numbers and powers of two keep the arithmetic exact, so equality can be required.
        #[test]
        fn the_mode_shifts_and_scales_with_the_samples(
            whole in prop::collection::vec(-1000i32..1000, 1..80),
            shift in -1000i32..1000,
            power in -4i32..5,
        ) {
            let mut samples: Vec<f64> = whole.into_iter().map(f64::from).collect();
            samples.sort_by(f64::total_cmp);
            let (shift, scale) = (f64::from(shift), 2f64.powi(power));
            let moved: Vec<f64> = samples.iter().map(|x| x * scale + shift).collect();
            let mode = half_sample_mode(&samples).unwrap();
            prop_assert_eq!(half_sample_mode(&moved).unwrap(), mode * scale + shift);
        }
    }
}

#[cfg(test)]
mod second_mode_tests {
    use crate::stats::estimate::{Estimator, ModeEstimate};
    use fastrand::Rng;

    /// Two narrow clusters, 20 scales apart: every `nth` sample lies in the upper one.
    fn two(nth: usize, seed: u64) -> Vec<f64> {
        let mut rng = Rng::with_seed(seed);
        (0..300)
            .map(|at| {
                let place = if at % nth == 0 { 12.0 } else { 10.0 };
                place + 0.1 * ((0..12).map(|_| rng.f64()).sum::<f64>() - 6.0)
            })
            .collect()
    }

    fn interval(samples: &[f64], seed: u64) -> ModeEstimate {
        Estimator::default().estimate(samples, &mut Rng::with_seed(seed)).unwrap()
    }

    #[test]
    fn the_interval_includes_both_of_two_equal_clusters() {
        let both = (0..20)
            .filter(|seed| {
                let found = interval(&two(2, *seed), *seed);
                found.low < 10.2 && found.high > 11.8
            })
            .count();
        assert!(both >= 18, "{both} of 20");
    }

    #[test]
    fn a_small_cluster_is_not_a_rival() {
        for seed in 0..20 {
            let found = interval(&two(5, seed), seed);
            assert!(found.low > 9.9 && found.high < 10.1, "{found:?}");
        }
    }
}

#[cfg(test)]
mod shape_tests {
    use super::*;

    /// An integral over the whole line by a fine sum, as an independent way to the moments.
    fn integral(f: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let step = 1e-3;
        let mut below = 0.0;
        let mut sum = 0.0;
        for i in -12_000..=12_000 {
            let u = f64::from(i) * step;
            let density = (-0.5 * u * u).exp() / (2.0 * std::f64::consts::PI).sqrt();
            below += 0.5 * step * density;
            sum += step * f(u, density, below);
            below += 0.5 * step * density;
        }
        sum
    }

    #[test]
    fn moments_agree_with_a_direct_sum() {
        for reach in [3.0, 4.2, 6.0, 9.0] {
            let shape = Shape::with_reach(reach);
            let mass = integral(|u, density, _| shape.at(u).1 * density);
            let square = integral(|u, density, _| u * u * shape.at(u).1 * density) / mass;
            let slope = integral(|u, density, _| u * shape.at(u).0 * density) / mass;
            assert!((shape.mass - mass).abs() < 1e-4, "{reach}");
            assert!((shape.square - square).abs() < 1e-4, "{reach}");
            assert!((shape.slope - slope).abs() < 1e-4, "{reach}");
        }
    }

    #[test]
    fn a_flat_one_sided_background_does_not_move_the_estimate() {
        let shape = Shape::with_reach(4.2);
        let pull = integral(|u, _, below| shape.at(u).0 * below);
        let without = integral(|u, _, below| u * shape.at(u).1 * below);
        assert!(pull.abs() < 2e-3 * without, "{pull} of {without}");
    }
}
