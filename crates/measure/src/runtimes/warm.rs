//! Whether the batches of a runtime still become faster. A just-in-time compiler replaces a loop
//! when it has run often enough, or when a timer expires; no fixed number of batches is right for
//! all compilers.

use crate::stats::summary::quantile;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub(super) struct Trend {
    batches: Vec<Point>,
}

/// A batch of a trend.
#[derive(Clone, Copy, Debug)]
struct Point {
    cost: f64,
    /// What had passed at its end.
    passed: Passed,
}

/// What has passed since the warm-up began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Passed {
    pub time: Duration,
    /// The time for which the loop itself ran.
    pub busy: Duration,
    /// The reads that the loop made.
    pub reads: u64,
}

impl Passed {
    fn reaches(&self, least: &Self) -> bool {
        self.time >= least.time && self.busy >= least.busy && self.reads >= least.reads
    }
}

/// What makes a trend conclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Enough {
    /// The span in which batches must not become faster.
    pub span: Duration,
    /// What must have passed before.
    pub least: Passed,
}

/// When a loop may have settled. .NET waits 100 ms before it compiles what has run often enough
/// (`TieredCompilation.BackgroundWorkerTimeoutMs` and `TC_CallCountingDelayMs`). V8 was seen to
/// replace a loop after 30 ms of its own time and 100,000 reads; PyPy counts 1,039 iterations
/// before it compiles a loop, and 200 before it compiles what leaves it. HotSpot was seen to
/// compile the loop of `Instant.now()` anew, by a quarter faster, after 1,700,000 reads.
pub(super) const ENOUGH: Enough = Enough {
    span: Duration::from_millis(250),
    least: Passed { time: Duration::ZERO, busy: Duration::from_millis(100), reads: 5_000 },
};
/// What must have passed for a loop that was compiled before it ran.
pub(super) const ENOUGH_COMPILED: Enough =
    Enough { span: SHORT, least: Passed { time: Duration::ZERO, busy: Duration::ZERO, reads: 0 } };
/// The span in which the batches of a loop must not become faster if it is known when it is ready.
pub(super) const SHORT: Duration = Duration::from_millis(30);
/// A later process makes this many times the reads that the first one needed, for as much time.
pub(super) const SAFELY: u32 = 2;

impl Enough {
    /// Returns what the same loop needs in another process, if it needed this in the first.
    pub fn again(&self, needed: Passed) -> Self {
        Self {
            span: self.span.min(SHORT),
            least: Passed {
                // Compilers count reads; only their timers count time.
                time: (needed.time * SAFELY).min(self.span),
                busy: Duration::ZERO,
                reads: needed.reads * u64::from(SAFELY),
            },
        }
    }
}

/// If the newer half is lower than the older one by more than this share, the batches still become
/// faster.
const FASTER: f64 = 0.02;
/// Batches that take at most this many times as long as the fastest are as fast as they become.
const NEAR: f64 = 1.15;
/// The fewest batches in a half.
const FEWEST: usize = 6;

impl Trend {
    /// Records a batch of this many reads, which ended at this time and took this long.
    pub fn push(&mut self, time: Duration, reads: u64, took: Duration) {
        let Passed { busy, reads: before, .. } = self.passed();
        let cost = took.as_secs_f64() / reads.max(1) as f64;
        let passed = Passed { time, busy: busy + took, reads: before + reads };
        self.batches.push(Point { cost, passed });
    }

    /// The number of batches so far.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    fn passed(&self) -> Passed {
        self.batches.last().map_or(Passed::default(), |point| point.passed)
    }

    /// Whether the batches of the last span no longer become faster: the median of the newer half
    /// is not below that of the older one.
    pub fn has_settled(&self, enough: Enough) -> bool {
        let passed = self.passed();
        if !passed.reaches(&enough.least) {
            return false;
        }
        let from = passed.time.saturating_sub(enough.span);
        let first = self.batches.partition_point(|point| point.passed.time < from);
        // The window must be full and contain enough: on a busy machine, it is longer.
        let first = first.min(self.len().saturating_sub(2 * FEWEST));
        if first == 0 {
            return false;
        }
        let recent = &self.batches[first..];
        let (older, newer) = recent.split_at(recent.len() / 2);
        match (median(older), median(newer)) {
            (Some(older), Some(newer)) => newer >= older * (1.0 - FASTER),
            _ => false,
        }
    }

    /// What had passed when the batches had become fast: when [`FEWEST`] in a row came near the
    /// fastest that did. Neighbours of the core make batches slower, never faster.
    pub fn needed(&self) -> Passed {
        let parts = || self.batches.chunks_exact(FEWEST);
        let fastest = parts().filter_map(median).fold(f64::INFINITY, f64::min);
        let mut fast = parts().filter(|part| median(part).is_some_and(|it| it <= fastest * NEAR));
        fast.next().and_then(<[Point]>::last).map_or(self.passed(), |point| point.passed)
    }

    /// By what factor the first batch took longer than the last ones.
    pub fn speed_up(&self) -> Option<f64> {
        let first = self.batches.first()?.cost;
        let recent = &self.batches[self.len().saturating_sub(FEWEST)..];
        let last = median(recent).filter(|last| *last > 0.0)?;
        Some(first / last)
    }
}

fn median(batches: &[Point]) -> Option<f64> {
    let mut costs: Vec<f64> = batches.iter().map(|point| point.cost).collect();
    costs.sort_unstable_by(f64::total_cmp);
    quantile(&costs, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Passed = Passed { time: Duration::ZERO, busy: Duration::ZERO, reads: 0 };
    const QUICK: Enough = Enough { span: Duration::from_millis(200), least: ANY };

    /// Returns the trend of a loop whose reads take this many nanoseconds, with a batch per
    /// millisecond, and after how many batches it settles.
    fn trend_of(enough: Enough, cost: impl Fn(u64) -> f64) -> (Trend, Option<u64>) {
        let mut trend = Trend::default();
        let settled = (0..5000).find(|at| {
            let took = Duration::from_secs_f64(cost(*at) * 1e-9 * 100.0);
            trend.push(Duration::from_millis(*at), 100, took);
            trend.has_settled(enough)
        });
        (trend, settled)
    }

    fn settles_with(enough: Enough, cost: impl Fn(u64) -> f64) -> Option<u64> {
        trend_of(enough, cost).1
    }

    fn settles(cost: impl Fn(u64) -> f64) -> Option<u64> {
        settles_with(QUICK, cost)
    }

    #[test]
    fn a_loop_that_is_replaced_settles_after_the_last_replacement() {
        // Interpreted, then compiled, then compiled better, with some noise.
        let noise = |at: u64| 1.0 + (at * 37 % 11) as f64 * 1e-3;
        let tiers = |at: u64| match at {
            0..100 => 200.0,
            100..190 => 40.0,
            _ => 25.0,
        };
        let settled = settles(|at| tiers(at) * noise(at)).expect("it settles");
        assert!((290..450).contains(&settled), "{settled}");
    }

    #[test]
    fn what_never_changes_settles_as_soon_as_that_is_seen() {
        assert_eq!(settles(|_| 25.0), Some(201));
        // A loop that becomes slower is no reason to wait.
        assert_eq!(settles(|at| 25.0 + at as f64), Some(201));
    }

    #[test]
    fn a_loop_that_hardly_ran_has_not_settled() {
        // Of many loops in turn, each runs for a small part of the time; a compiler counts the runs
        // of each loop. This one is replaced after 60,000 reads.
        let replaced = |at: u64| if at < 600 { 320.0 } else { 180.0 };
        let busy = Duration::from_millis(20);
        let busy = Enough { least: Passed { busy, ..ANY }, ..QUICK };
        assert_eq!(settles(replaced), Some(201));
        let settled = settles_with(busy, replaced).expect("it settles");
        assert!(settled > 600, "{settled}");
        let many = Enough { least: Passed { reads: 70_000, ..ANY }, ..QUICK };
        assert!(settles_with(many, replaced).is_some_and(|at| at >= 699));
    }

    #[test]
    fn a_later_process_makes_twice_the_reads_that_the_first_one_needed() {
        // A loop that is replaced after 90 batches; later, a neighbour slows it down.
        let tiers = |at: u64| match at {
            0..90 => 9_000.0,
            90..300 => 1_000.0,
            _ => 1_500.0,
        };
        let (trend, settled) = trend_of(QUICK, tiers);
        assert!(settled.is_some_and(|at| at > 200), "{settled:?}");
        let needed = trend.needed();
        assert!((9_000..=9_600).contains(&needed.reads), "{needed:?}");
        let again = QUICK.again(needed);
        assert_eq!((again.least.reads, again.span), (needed.reads * 2, SHORT));
        let later = settles_with(again, tiers);
        assert!(later.is_some_and(|at| (180..260).contains(&at)), "{later:?}");
        // What was fast from the start is soon ready.
        let (trend, _) = trend_of(QUICK, |_| 1_000.0);
        let soon = settles_with(QUICK.again(trend.needed()), |_| 1_000.0);
        assert!(soon.is_some_and(|at| at < 40), "{soon:?}");
    }

    #[test]
    fn what_becomes_ever_faster_does_not_settle() {
        assert_eq!(settles(|at| 100.0 * 0.999f64.powi(at as i32)), None);
    }

    #[test]
    fn a_single_slow_batch_is_no_trend() {
        let settled = settles(|at| if at % 50 == 7 { 900.0 } else { 25.0 });
        assert_eq!(settled, Some(201));
    }
}
