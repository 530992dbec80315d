//! The tick of a clock that advances in steps shorter than a read takes.
//!
//! Reads back to back differ by the duration of one loop, which is next to no evidence: a loop of
//! 20 to 22 cycles fits a tick of 7 as well as one of 21. So this module works on differences
//! between reads with a varying amount of work between them. If the clock has a tick, the
//! differences pile up at its multiples; if it has none, they spread over all values.

use super::summary::quantile;
use super::tick::least_squares;
use std::f64::consts::TAU;

/// The fewest differences that can show a tick, or that there is none.
const FEWEST: usize = 150;
/// The shortest tick that the rounding of both ends leaves visible, in units.
const SHORTEST: f64 = 4.0;
/// The most ticks in a difference that is considered.
const MOST: f64 = 400.0;
/// The least concentration at the multiples of the tick, the mean of `cos(2 pi d / tick)`. It is 1
/// for exact multiples, `exp(-2 pi^2 s^2 / tick^2)` with rounding errors of standard deviation `s`
/// (0.81 for the shortest tick and `s` of 0.41, two rounded ends), and within
/// `4 / sqrt(2 n) = 0.23` of 0 for [`FEWEST`] differences without structure (Mardia and Jupp 2000,
/// *Directional Statistics*, section 4.8.1).
const CONCENTRATED: f64 = 0.75;
/// A multiple counts as seen if this share of the differences is there ...
const SEEN: f64 = 0.02;
/// ... and this many must be seen: with fewer, clusters of another origin may fit.
const MULTIPLES: usize = 4;
/// Long differences that vary little fit ticks around the right one nearly as well, with one tick
/// more or less in each. Up to this factor, the best tick counts.
const ALIAS: f64 = 1.3;
/// Differences longer than this many ticks are beyond the first multiple ...
const FIRST: f64 = 1.5;
/// ... and at least this share of the differences must be.
const BEYOND: f64 = 0.25;

/// What the differences between reads with a varying amount of work between them show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Structure {
    /// The tick of which the differences are multiples, in units; `None` if there is none of this
    /// length.
    pub tick: Option<f64>,
    /// The longest tick that the differences could show, in units.
    pub longest: f64,
}

/// Searches for a tick in differences between reads, zeros included. `None` if there are too few
/// differences, or if they vary too little.
///
/// The tick is the longest at whose multiples all differences concentrate. For it to count, the
/// differences from the second multiple on must concentrate by themselves, because any tick much
/// longer than the differences has all of them near its multiple of zero.
pub fn structure(differences: &[u64]) -> Option<Structure> {
    let mut sorted: Vec<f64> = differences.iter().map(|delta| *delta as f64).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    // Longer differences were interrupted.
    let most = quantile(&sorted, 0.95)?;
    sorted.truncate(sorted.partition_point(|delta| *delta <= most));
    if sorted.len() < FEWEST {
        return None;
    }
    let longest = quantile(&sorted, 1.0 - BEYOND)? / FIRST;
    let shortest = SHORTEST.max(most / MOST);
    if longest < shortest {
        return None;
    }
    Some(Structure { tick: scan(&sorted, shortest, longest), longest })
}

/// Tries all ticks from the longest to the shortest, in steps by which the phase of the longest
/// difference changes by a fifth of a turn. The phases advance by rotation, without a cosine for
/// each.
fn scan(sorted: &[f64], shortest: f64, longest: f64) -> Option<f64> {
    let most = *sorted.last()?;
    let (first, step) = (1.0 / longest, 0.2 / most);
    let turn = |angle: f64| (angle.cos(), angle.sin());
    let mut phases: Vec<(f64, f64)> = sorted.iter().map(|d| turn(TAU * d * first)).collect();
    let rotations: Vec<(f64, f64)> = sorted.iter().map(|d| turn(TAU * d * step)).collect();
    let steps = ((1.0 / shortest - first) / step).ceil() as usize + 1;
    let mut best: Option<(f64, f64)> = None;
    for at in 0..steps {
        let rough = 1.0 / (first + step * at as f64);
        // Half of the tick would fit too, so the search ends before it.
        if best.is_some_and(|(_, tick)| rough < tick / ALIAS) {
            break;
        }
        let mean = phases.iter().map(|phase| phase.0).sum::<f64>() / sorted.len() as f64;
        // Half a step away from the tick, little more than this is left.
        if mean > 0.8 * CONCENTRATED
            && let Some(tick) = confirmed(sorted, refined(sorted, rough))
                .filter(|tick| (shortest..=longest * 1.01).contains(tick))
        {
            let found = (concentration(sorted, tick), tick);
            best = Some(best.map_or(found, |best| if found.0 > best.0 { found } else { best }));
        }
        for (phase, rotation) in phases.iter_mut().zip(&rotations) {
            *phase = (
                phase.0 * rotation.0 - phase.1 * rotation.1,
                phase.0 * rotation.1 + phase.1 * rotation.0,
            );
        }
    }
    best.map(|(_, tick)| tick)
}

/// Returns the tick that best fits the differences near its multiples.
fn refined(sorted: &[f64], tick: f64) -> f64 {
    let differences = || sorted.iter().map(|delta| (*delta, 1.0));
    (0..4).fold(tick, |tick, _| least_squares(differences(), tick, f64::INFINITY))
}

/// Returns the tick if the differences concentrate at its multiples, and do so at several of them.
fn confirmed(sorted: &[f64], tick: f64) -> Option<f64> {
    let beyond = &sorted[sorted.partition_point(|delta| *delta < FIRST * tick)..];
    let multiples = sorted
        .chunk_by(|a, b| (a / tick).round() == (b / tick).round())
        .filter(|group| group.len() as f64 >= SEEN * sorted.len() as f64)
        .count();
    // Differences that are too short to show a tick are at the multiples of its fractions too.
    let all = concentration(sorted, tick);
    let longer = sorted.last()? / FIRST / tick;
    let fraction = (2..=longer as u32).any(|by| concentration(sorted, f64::from(by) * tick) >= all);
    (beyond.len() as f64 >= BEYOND * sorted.len() as f64
        && multiples >= MULTIPLES
        && all >= CONCENTRATED
        && concentration(beyond, tick) >= CONCENTRATED
        && !fraction)
        .then_some(tick)
}

/// The mean of `cos(2 pi d / tick)`.
fn concentration(differences: &[f64], tick: f64) -> f64 {
    let each = differences.iter().map(|delta| (TAU * delta / tick).cos());
    each.sum::<f64>() / differences.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Differences of a clock whose values are `shown`, between reads that take `cost` and are a
    /// varying amount of work apart, as `resolution` makes them.
    fn differences(rng: &mut Rng, cost: f64, shown: impl Fn(f64) -> u64) -> Vec<u64> {
        let mut now = 1e6 * rng.f64();
        let mut last = shown(now);
        (0..400)
            .map(|_| {
                now += cost * (1.0 + 0.01 * rng.f64()) + 300f64.powf(rng.f64());
                if rng.f64() < 0.01 {
                    now += 9000.0 * rng.f64();
                }
                let value = shown(now);
                value - std::mem::replace(&mut last, value)
            })
            .collect()
    }

    fn tick(differences: &[u64]) -> Option<f64> {
        structure(differences).and_then(|found| found.tick)
    }

    #[test]
    fn ticks_below_the_cost_of_a_read_are_found() {
        let mut rng = Rng::with_seed(4);
        // The TSC of Zen at 2.45 and 2.596 GHz, the same in nanoseconds, Arm's counters of 54, 24
        // and 19.2 MHz and an HPET in nanoseconds.
        let periods = [24.5, 25.96, 10.0, 10.0149, 18.52, 41.667, 52.083, 69.841];
        for period in periods {
            for cost in [12.0, 22.0, 60.0, 170.0, 520.0] {
                let shown = |now: f64| ((now / period).floor() * period) as u64;
                let found = tick(&differences(&mut rng, cost, shown));
                // Reads in a row show a tick that is much longer than they take.
                let error = found.map(|found| (found / period - 1.0).abs());
                assert!(error.is_none_or(|error| error < 2e-3), "{period} at {cost}: {found:?}");
                assert!(error.is_some() || period > 3.0 * cost, "{period} at {cost}");
            }
        }
    }

    #[test]
    fn a_counter_that_never_returns_a_value_twice_has_its_tick_found() {
        // A second read within a tick returns one more: differences of 1, 25 and 26.
        let mut rng = Rng::with_seed(5);
        let mut last = 0;
        let mut now = 0.0f64;
        let differences: Vec<u64> = (0..400)
            .map(|_| {
                now += 14.0 + 300f64.powf(rng.f64());
                let value = ((now / 26.0).floor() as u64 * 26).max(last + 1);
                value - std::mem::replace(&mut last, value)
            })
            .collect();
        let found = tick(&differences).unwrap_or(0.0);
        assert!((found - 26.0).abs() < 0.05, "{found}");
    }

    #[test]
    fn data_without_structure_have_no_tick() {
        for seed in 0..400 {
            let mut rng = Rng::with_seed(seed);
            let cost = 5.0 + 600.0 * rng.f64();
            let found = structure(&differences(&mut rng, cost, |now| now as u64));
            assert_eq!(found.and_then(|found| found.tick), None, "{seed}: {found:?}");
        }
    }

    #[test]
    fn a_loop_of_constant_length_is_not_taken_for_a_tick() {
        let mut rng = Rng::with_seed(6);
        // 20 to 22 units, with interrupts; two modes; and three at random distances.
        let near: Vec<u64> = (0..400).map(|_| rng.u64(20..23)).collect();
        assert_eq!(tick(&near), None);
        for _ in 0..200 {
            let modes = [rng.u64(10..60), rng.u64(10..90), rng.u64(10..120)];
            let some: Vec<u64> = (0..400).map(|_| modes[rng.usize(0..3)] + rng.u64(0..2)).collect();
            assert_eq!(tick(&some), None, "{modes:?}");
        }
    }

    #[test]
    fn edge_cases_have_no_tick() {
        assert_eq!(structure(&[]), None);
        assert_eq!(structure(&[0; 500]), None);
        assert_eq!(structure(&[1; 500]), None);
        assert_eq!(structure(&[100; 20]), None);
        assert_eq!(tick(&[u64::MAX; 500]), None);
        let mut rng = Rng::with_seed(7);
        let wild: Vec<u64> = (0..500).map(|_| rng.u64(..)).collect();
        assert_eq!(tick(&wild), None);
    }
}
