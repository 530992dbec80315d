//! Overshoots, added up as waits end.

use super::{ByClock, Grid, Wait};
use crate::histogram::{Decoded, Histogram, empty};
use crate::quantile::{Intervals, Percentile};

/// The overshoots of a row's waits, however they become known: measured, recorded or watched.
#[derive(Clone, Debug)]
pub struct Overshoots {
    /// An early wait counts as zero.
    pub histogram: Decoded,
    /// The same overshoots with their signs.
    pub spread: Spread,
}

/// The extremes, the mean and the deviation of overshoots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many there are.
    pub samples: u64,
    /// Those of waits that ended before their deadline, by more than their tolerance.
    pub early: u64,
    /// The smallest, in nanoseconds.
    pub min_ns: i64,
    /// The largest, in nanoseconds.
    pub max_ns: i64,
    /// The mean, in nanoseconds.
    pub mean_ns: f64,
    /// The sum of the squares about the mean; not a number if it is not known.
    pub squares: f64,
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            samples: 0,
            early: 0,
            min_ns: i64::MAX,
            max_ns: i64::MIN,
            mean_ns: 0.0,
            squares: 0.0,
        }
    }
}

impl Spread {
    /// Adds an overshoot that was seen this often (Welford 1962, Technometrics 4, 419-420).
    fn add(&mut self, late_ns: i64, tolerance_ns: u64, times: u64) {
        self.samples = self.samples.saturating_add(times);
        let is_early = late_ns < 0 && late_ns.unsigned_abs() > tolerance_ns;
        self.early = self.early.saturating_add(if is_early { times } else { 0 });
        self.min_ns = self.min_ns.min(late_ns);
        self.max_ns = self.max_ns.max(late_ns);
        let off = late_ns as f64 - self.mean_ns;
        self.mean_ns += off * (times as f64 / self.samples as f64);
        self.squares += off * (late_ns as f64 - self.mean_ns) * times as f64;
    }

    /// The smallest and the largest; zero if there are none.
    fn ends(&self) -> (i64, i64) {
        if self.samples == 0 { (0, 0) } else { (self.min_ns, self.max_ns) }
    }

    /// The standard deviation, in nanoseconds: to the picosecond, so that a run that continues
    /// another one begins with the same figure.
    fn std_dev_ns(&self) -> Option<f64> {
        let std_dev = (self.squares.max(0.0) / self.samples as f64).sqrt();
        let known = self.samples > 0 && self.squares.is_finite();
        known.then_some((std_dev * 1e3).round() / 1e3)
    }

    /// The figures by a second clock.
    pub fn by_clock(&self, clock: &str) -> ByClock {
        let (min_ns, max_ns) = self.ends();
        ByClock {
            clock: clock.into(),
            early: self.early,
            min_ns,
            mean_ns: self.mean_ns,
            max_ns,
            std_dev_ns: self.std_dev_ns(),
        }
    }
}

impl Default for Overshoots {
    fn default() -> Self {
        Self { histogram: empty(), spread: Spread::default() }
    }
}

impl Overshoots {
    /// Adds an overshoot that was seen this often. A wait that is early by no more than its
    /// tolerance does not count as early. What more than 2^64 waits would add up to is left out.
    pub fn add(&mut self, late_ns: i64, tolerance_ns: u64, times: u64) {
        if times == 0 || u64::MAX - self.spread.samples < times {
            return;
        }
        self.histogram.saturating_record_n(u64::try_from(late_ns).unwrap_or(0), times);
        self.spread.add(late_ns, tolerance_ns, times);
    }

    /// The largest overshoot, in nanoseconds, exactly; zero if no wait was late.
    pub fn largest_ns(&self) -> u64 {
        u64::try_from(self.spread.max_ns).unwrap_or(0)
    }

    /// A percentile, in nanoseconds; `None` if there are too few waits for it.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        let supported = percentile.is_supported_by(self.histogram.len());
        let value = || self.histogram.value_at_quantile(percentile.share()).min(self.largest_ns());
        supported.then(value)
    }

    /// The figures of a grid with this period in nanoseconds, from the overshoots including those
    /// of missed deadlines.
    pub fn grid(&self, corrected: &Decoded, period_ns: u64) -> Grid {
        let (kept, all) = (self.histogram.len(), corrected.len());
        let hz = 1e9 / period_ns.max(1) as f64;
        Grid {
            missed: all.saturating_sub(kept),
            frames_per_s: (kept > 0).then(|| hz * kept as f64 / all.max(kept) as f64),
            corrected: Histogram::of(corrected).capped(self.largest_ns()),
        }
    }

    /// Writes the figures into a row. `above` more waits are known to be late by an unknown amount.
    #[must_use]
    pub fn fill(&self, above: u64, row: Wait) -> Wait {
        let (min_ns, max_ns) = self.spread.ends();
        let largest_ns = self.largest_ns();
        Wait {
            samples: self.histogram.len(),
            early: self.spread.early,
            min_ns,
            mean_ns: self.spread.mean_ns,
            max_ns,
            std_dev_ns: self.spread.std_dev_ns(),
            overshoot: Histogram::of(&self.histogram).capped(largest_ns),
            intervals: Intervals::of(&self.histogram, above).capped(largest_ns),
            ..row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_early_wait_counts_as_zero_and_as_early_beyond_its_tolerance() {
        let mut all = Overshoots::default();
        for late_ns in [-101, -100, 0, 50, i64::MIN] {
            all.add(late_ns, 100, 1);
        }
        let row = all.fill(0, Wait::default());
        assert_eq!((row.samples, row.early, row.overshoot.min_ns), (5, 2, 0));
        assert_eq!((row.min_ns, row.max_ns, all.largest_ns()), (i64::MIN, 50, 50));
        assert_eq!(Overshoots::default().fill(0, Wait::default()).max_ns, 0);
    }

    #[test]
    fn many_at_once_are_the_same_as_one_by_one_and_do_not_overflow() {
        let (mut at_once, mut single) = (Overshoots::default(), Overshoots::default());
        for (late_ns, times) in [(1_000, 3), (4_000, 2), (-7, 5)] {
            at_once.add(late_ns, 0, times);
            (0..times).for_each(|_| single.add(late_ns, 0, 1));
        }
        let (one, other) = (at_once.spread, single.spread);
        assert!((one.mean_ns - other.mean_ns).abs() < 1e-9 && one.early == 5);
        assert_eq!(one.std_dev_ns(), other.std_dev_ns());
        at_once.add(1, 0, u64::MAX);
        assert_eq!(at_once.spread.samples, 10);
        assert!(at_once.percentile(Percentile::P50).is_some());
        assert_eq!(at_once.percentile(Percentile::P90), None);
    }
}
