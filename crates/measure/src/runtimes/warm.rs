//! Whether the batches of a runtime still become faster. A just-in-time compiler replaces a loop
//! when it has run often enough, or when a timer expires; no fixed number of batches is right for
//! all compilers.

use crate::stats::summary::quantile;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub(super) struct Trend {
    batches: Vec<(Duration, f64)>,
    /// The reads in all batches, and the time that they took.
    reads: u64,
    busy: Duration,
}

/// What must have passed before a trend is conclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Enough {
    /// The span in which batches must not become faster.
    pub span: Duration,
    /// The time for which the loop itself ran.
    pub busy: Duration,
    /// The reads that the loop made.
    pub reads: u64,
}

/// If the newer half is lower than the older one by more than this share, the batches still become
/// faster.
const FASTER: f64 = 0.02;
/// The fewest batches in a half.
const FEWEST: usize = 6;

impl Trend {
    /// Records a batch of this many reads, which took this long.
    pub fn push(&mut self, at: Duration, reads: u64, took: Duration) {
        let cost = took.as_secs_f64() / reads.max(1) as f64;
        self.batches.push((at, cost));
        self.reads += reads;
        self.busy += took;
    }

    /// The number of batches so far.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether the batches of the last span no longer become faster: the median of the newer half
    /// is not below that of the older one.
    pub fn has_settled(&self, enough: Enough) -> bool {
        let Some((last, _)) = self.batches.last() else {
            return false;
        };
        if self.busy < enough.busy || self.reads < enough.reads {
            return false;
        }
        let from = last.saturating_sub(enough.span);
        let first = self.batches.partition_point(|(at, _)| *at < from);
        // The window must be full and contain enough.
        let recent = &self.batches[first..];
        if first == 0 || recent.len() < 2 * FEWEST {
            return false;
        }
        let (older, newer) = recent.split_at(recent.len() / 2);
        match (median(older), median(newer)) {
            (Some(older), Some(newer)) => newer >= older * (1.0 - FASTER),
            _ => false,
        }
    }

    /// By what factor the first batch took longer than the last ones.
    pub fn speed_up(&self) -> Option<f64> {
        let (_, first) = self.batches.first()?;
        let recent = &self.batches[self.batches.len().saturating_sub(FEWEST)..];
        let last = median(recent).filter(|last| *last > 0.0)?;
        Some(first / last)
    }
}

fn median(batches: &[(Duration, f64)]) -> Option<f64> {
    let mut costs: Vec<f64> = batches.iter().map(|(_, cost)| *cost).collect();
    costs.sort_unstable_by(f64::total_cmp);
    quantile(&costs, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOUGH: Enough =
        Enough { span: Duration::from_millis(200), busy: Duration::ZERO, reads: 0 };

    /// Returns after how many batches, one per millisecond, a loop settles whose reads take this
    /// many nanoseconds.
    fn settles_with(enough: Enough, cost: impl Fn(u64) -> f64) -> Option<u64> {
        let mut trend = Trend::default();
        (0..5000).find(|at| {
            let took = Duration::from_secs_f64(cost(*at) * 1e-9 * 100.0);
            trend.push(Duration::from_millis(*at), 100, took);
            trend.has_settled(enough)
        })
    }

    fn settles(cost: impl Fn(u64) -> f64) -> Option<u64> {
        settles_with(ENOUGH, cost)
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
        let busy = Enough { busy: Duration::from_millis(20), ..ENOUGH };
        assert_eq!(settles(replaced), Some(201));
        let settled = settles_with(busy, replaced).expect("it settles");
        assert!(settled > 600, "{settled}");
        let many = Enough { reads: 70_000, ..ENOUGH };
        assert!(settles_with(many, replaced).is_some_and(|at| at >= 699));
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
