//! Samples that gather in two places. A read does that if memory is placed differently in another
//! process, or if the processor runs its loop sometimes in one rhythm and sometimes in another.
//! Both places are reported with their shares; a mean of the two would be a cost that no read has.

use super::mode::densest;
use super::resample::{Resampler, Runs};
use fastrand::Rng;

/// The other place where samples gather.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Where it is.
    pub value: f64,
    /// The share of all samples that gather there or beyond it, 0 to 1.
    pub share: f64,
    /// Between the two places.
    pub(super) border: f64,
}

/// The least share of the lower place for it to be the estimate.
pub const SHOWN: f64 = 0.2;
/// The least share of a place that is reported.
const LEAST: f64 = 0.1;
/// Places closer than this many scales are the same place.
const APART: f64 = 6.0;
/// Places closer than this share of the value are the same place, whatever the scale.
const RELATIVE: f64 = 0.03;
/// The samples of a place lie within this many scales, or this share of its value.
const WIDTH: f64 = 4.0;

/// How many resamples are examined.
const RESAMPLES: usize = 80;
/// The other choice in this many of them, 2.5 %, belongs to the interval.
const ENOUGH: usize = 2;

/// The place other than `value`, whose samples scatter by `scale`, where samples gather most.
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
    // A lower place is what the code can reach; a higher one may be what disturbed it.
    below.or(above)
}

/// Widens the interval to include the other place if another run may well choose it: if the share
/// of the lower place is so near [`SHOWN`] that resamples disagree about it.
pub(super) fn widen(
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
        Resampler::new(runs, rng).each(|at| {
            below += usize::from(samples[at] < other.border);
            all += 1;
        });
        lower_chosen += usize::from(below as f64 >= all as f64 * SHOWN);
    }
    let otherwise = if other.value > value { RESAMPLES - lower_chosen } else { lower_chosen };
    if otherwise < ENOUGH { (low, high) } else { (low.min(other.value), high.max(other.value)) }
}
