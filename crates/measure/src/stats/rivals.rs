//! If samples gather in two places that are nearly equally dense, it is chance which of them is the
//! densest, and another run may well settle on the other. A read gives such samples if the
//! processor sometimes runs its loop in one rhythm and sometimes in another. The interval must then
//! include both, because it predicts what another run would find.

use super::mode::densest;
use super::resample::{Resampler, Runs};
use fastrand::Rng;

/// How many resamples are examined.
const RESAMPLES: usize = 80;
/// A place found in this many of them, 2.5 %, is a rival: the tail that a 95 % interval leaves out
/// on one side.
const ENOUGH: usize = 2;
/// Places closer than this many scales are the same place.
const APART: f64 = 4.0;
/// The most samples kept of a resample; they determine a share precisely enough.
const MOST: usize = 1000;

/// Widens `low` and `high` to include the places, further than a few scales from `value`, where the
/// densest third of a resample of `samples` is found in at least 2.5 % of resamples (the bootstrap
/// applied only to the choice of the place).
pub(super) fn widen(
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
    // The place of each sample among the sorted ones; equal samples share the first.
    let rank: Vec<usize> =
        samples.iter().map(|x| sorted.partition_point(|other| other < x)).collect();
    let mut times = vec![0u16; sorted.len()];
    let mut resample = Vec::with_capacity(sorted.len());
    let (mut below, mut above) = (Vec::new(), Vec::new());
    for _ in 0..RESAMPLES {
        times.fill(0);
        let mut drawn = 0;
        Resampler::new(runs, rng).each(|at| {
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
        if place < value - APART * scale {
            below.push(place);
        } else if place > value + APART * scale {
            above.push(place);
        }
    }
    let far = |places: &mut Vec<f64>, at_end: fn(&[f64]) -> f64| {
        places.sort_unstable_by(f64::total_cmp);
        (places.len() >= ENOUGH).then(|| at_end(places))
    };
    // The second outermost place, so that a single stray resample does not make a rival.
    let low = far(&mut below, |places| places[1]).map_or(low, |place| place.min(low));
    let high =
        far(&mut above, |places| places[places.len() - 2]).map_or(high, |place| place.max(high));
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::super::estimate::mode_interval;
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

    #[test]
    fn the_interval_includes_both_of_two_equal_clusters() {
        let both = (0..20)
            .filter(|seed| {
                let found = mode_interval(&two(2, *seed), &mut Rng::with_seed(*seed)).unwrap();
                found.low < 10.2 && found.high > 11.8
            })
            .count();
        assert!(both >= 18, "{both} of 20");
    }

    #[test]
    fn a_small_cluster_is_not_a_rival() {
        for seed in 0..20 {
            let found = mode_interval(&two(5, seed), &mut Rng::with_seed(seed)).unwrap();
            assert!(found.low > 9.9 && found.high < 10.1, "{found:?}");
        }
    }
}
