//! What one thread has counted for one row, apart from the histogram.

use chronoscope_probes::machine::quota::Throttled;

/// Smallest, largest and sum of overshoots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) sum: i64,
    pub(super) early: u64,
}

impl Default for Spread {
    fn default() -> Self {
        Self { min: i64::MAX, max: i64::MIN, sum: 0, early: 0 }
    }
}

impl Spread {
    #[inline]
    pub(super) fn add(&mut self, ns: i64, tolerance: i64) {
        // Branches, because a new extreme is rare and a predicted branch costs nothing.
        if ns < self.min {
            self.min = ns;
        }
        if ns > self.max {
            self.max = ns;
        }
        self.sum = self.sum.wrapping_add(ns);
        if ns < -tolerance {
            self.early += 1;
        }
    }

    /// Mean of `n` overshoots; 0 if there are none.
    pub(super) fn mean(&self, n: u64) -> f64 {
        if n == 0 { 0.0 } else { self.sum as f64 / n as f64 }
    }

    /// The smallest and the largest; 0 if there are none.
    pub(super) fn ends(&self) -> (i64, i64) {
        if self.min > self.max { (0, 0) } else { (self.min, self.max) }
    }
}

/// Everything counted for one row. It only grows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) samples: u64,
    /// By the ruler.
    pub(super) ruler: Spread,
    /// By the system's clock.
    pub(super) clock: Spread,
    /// Time spent in bursts of this row, in nanoseconds by the system's clock.
    pub(super) spent_ns: u64,
    /// The CPU time of those bursts, if the system reports it.
    pub(super) cpu_ns: Option<u64>,
    /// Context switches, voluntary and involuntary, if the system reports them.
    pub(super) switches: Option<(u64, u64)>,
    pub(super) missed: u64,
    pub(super) gaps: u64,
    /// What a CPU quota throttled, if there is one.
    pub(super) throttled: Option<Throttled>,
}

impl Tally {
    /// Adds time spent, in nanoseconds. Like the functions below it adds to the figures of an
    /// earlier run, and so it saturates.
    pub(super) fn spend(&mut self, ns: u64) {
        self.spent_ns = self.spent_ns.saturating_add(ns);
    }

    /// Adds CPU time, in nanoseconds.
    pub(super) fn burn(&mut self, ns: u64) {
        let burnt = self.cpu_ns.get_or_insert(0);
        *burnt = burnt.saturating_add(ns);
    }

    /// Adds what was throttled.
    pub(super) fn throttle(&mut self, more: Throttled) {
        let sum = self.throttled.unwrap_or_default();
        self.throttled = Some(sum.and(more));
    }

    /// Adds context switches, voluntary and involuntary.
    pub(super) fn switch(&mut self, own: u64, forced: u64) {
        let sum = self.switches.get_or_insert((0, 0));
        *sum = (sum.0.saturating_add(own), sum.1.saturating_add(forced));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_to_an_earlier_runs_counts_does_not_wrap() {
        let mut tally = Tally {
            spent_ns: u64::MAX - 1,
            cpu_ns: Some(u64::MAX - 1),
            switches: Some((u64::MAX - 1, 3)),
            ..Tally::default()
        };
        tally.spend(5);
        tally.burn(5);
        tally.switch(5, 5);
        assert_eq!((tally.spent_ns, tally.cpu_ns), (u64::MAX, Some(u64::MAX)));
        assert_eq!(tally.switches, Some((u64::MAX, 8)));
    }
}
