//! Samples with a second mode: they gather at two values. This happens if memory is placed
//! differently in another process, or if the processor runs the loop sometimes in one rhythm and
//! sometimes in another. Both modes are reported with their shares; a mean of the two would be a
//! cost that no read has.
//!
//! If the two are nearly equally dense, it is chance which of them is the densest, and another run
//! may well settle on the other. The interval must then include both, because it predicts the
//! result of another run.

use super::mode::densest;
use super::resample::Runs;
use fastrand::Rng;

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
pub(super) fn second(sorted: &[f64], value: f64, scale: f64) -> Option<Place> {
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

#[cfg(test)]
mod tests {
    use super::super::estimate::{ModeEstimate, mode_interval};
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
        mode_interval(samples, &mut Rng::with_seed(seed)).unwrap()
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
