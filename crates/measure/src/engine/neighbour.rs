//! Whether something else ran on the core's other hardware thread. Two threads of a core share its
//! execution units, so independent additions, of which a core makes several per cycle, take longer,
//! while a chain of dependent ones takes as long as before. Their ratio depends neither on the
//! frequency nor on who the neighbour is. A virtual machine has no other way to see its neighbour,
//! which is neither steal nor one of its own processes.

use super::batch::{Additions, Gauge};
use super::gauges::Look;
use crate::stats::summary::quantile;

/// A round is shared if its ratio exceeds that of an unshared core by more than this. The gauges
/// scatter by about 1 %, and a neighbour adds 20 to 70 % (measured on Zen 3 and on Ice Lake).
const LIMIT: f64 = 1.06;

/// The quantile of the ratios that stands for the unshared core. Rounds next to a neighbour lie far
/// above it, and single rounds below it are errors of the gauges.
const ALONE: f64 = 0.05;

/// The fewest rounds that determine a ratio.
const FEWEST: usize = 5;

#[derive(Clone, Debug, Default)]
pub struct Neighbour {
    ratios: Vec<Option<f64>>,
    /// The fewest additions per cycle that any core of this kind makes; absent if unknown.
    least_width: Option<f64>,
    limit: Option<f64>,
    /// The ratio of an unshared core.
    alone: Option<f64>,
}

impl Neighbour {
    /// Starts without rounds, on a core that makes at least this many additions per cycle.
    pub fn new(least_width: Option<f64>) -> Self {
        Self { least_width, ..Self::default() }
    }

    /// Records a round: the time of an independent addition as a share of a dependent one.
    pub fn push(&mut self, ratio: Option<f64>) {
        self.ratios.push(ratio);
    }

    /// Takes this many looks at the core now.
    pub fn look(&mut self, times: usize, mut gauge: impl FnMut(Additions) -> Option<Gauge>) {
        for _ in 0..times {
            self.push(Look::width_now(&mut gauge));
        }
    }

    /// Determines the ratio of an unshared core: the lowest of the rounds so far, unless no core of
    /// this kind is so narrow. In that case every round was shared.
    pub fn judge(&mut self) {
        let mut sorted: Vec<f64> = self.ratios.iter().copied().flatten().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let alone = quantile(&sorted, ALONE).filter(|_| sorted.len() >= FEWEST);
        let widest = self.least_width.map_or(f64::INFINITY, f64::recip);
        self.alone = alone.map(|alone| alone.min(widest));
        self.limit = self.alone.map(|alone| alone * LIMIT);
    }

    /// Whether the core was shared in that round; `false` if unknown.
    pub fn shared(&self, round: u32) -> bool {
        match (self.ratios.get(round as usize), self.limit) {
            (Some(Some(ratio)), Some(limit)) => *ratio > limit,
            _ => false,
        }
    }

    /// The share of rounds in which the core was shared, 0 to 1; `None` if unknown.
    pub fn share(&self) -> Option<f64> {
        let limit = self.limit?;
        let known: Vec<f64> = self.ratios.iter().copied().flatten().collect();
        let shared = known.iter().filter(|ratio| **ratio > limit).count();
        Some(shared as f64 / known.len() as f64)
    }

    /// By how much longer independent additions take in the median shared round than on an unshared
    /// core, as a share; `None` if no round was shared.
    pub fn crowded(&self) -> Option<f64> {
        let (limit, alone) = (self.limit?, self.alone?);
        let shared = self.ratios.iter().copied().flatten().filter(|ratio| *ratio > limit);
        let mut shared: Vec<f64> = shared.collect();
        shared.sort_unstable_by(f64::total_cmp);
        Some(quantile(&shared, 0.5)? / alone - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(least: Option<f64>, ratios: impl IntoIterator<Item = f64>) -> Neighbour {
        let mut neighbour = Neighbour::new(least);
        for ratio in ratios {
            neighbour.push(Some(ratio));
        }
        neighbour.judge();
        neighbour
    }

    #[test]
    fn rounds_next_to_a_neighbour_are_shared() {
        let ratio = |at: u32| if at % 10 < 3 { 0.36 } else { 0.254 };
        let found = judged(Some(4.0), (0..200).map(ratio));
        assert!((0..200).all(|at| found.shared(at) == (at % 10 < 3)));
        assert!((found.share().expect("known") - 0.3).abs() < 1e-9);
        assert!((found.crowded().expect("shared") - (0.36 / 0.25 - 1.0)).abs() < 0.02);
    }

    #[test]
    fn the_scatter_of_the_gauges_is_not_a_neighbour() {
        let found = judged(Some(4.0), (0..200).map(|at| 0.254 + f64::from(at % 7) * 0.001));
        assert_eq!(found.share(), Some(0.0));
    }

    #[test]
    fn a_neighbour_who_never_leaves_is_noticed_if_the_width_of_the_core_is_known() {
        let always = || (0..100).map(|_| 0.36);
        assert_eq!(judged(Some(4.0), always()).share(), Some(1.0));
        assert_eq!(judged(None, always()).share(), Some(0.0));
    }

    #[test]
    fn nothing_is_known_without_gauges() {
        let mut none = Neighbour::new(Some(4.0));
        (0..100).for_each(|_| none.push(None));
        none.judge();
        assert_eq!(none.share(), None);
        assert!(!none.shared(3));
    }
}
