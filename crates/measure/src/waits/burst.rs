//! The loop around the wait. Its work for each sample must be cheap, because a short wait on a fast
//! grid leaves no time for more.

use super::clocks::Clocks;
use super::host::Waiting;
use super::job::Job;
use super::ring::Ring;
use super::series::Series;
use super::tally::Tally;
use super::why::Ended;
use chronoscope_model::waits::Gap;
use std::sync::atomic::Ordering::Relaxed;

/// From this overshoot on, check whether the process could run at all.
const SUSPICIOUS: i64 = 1_000_000;

/// One thread's view of the row that it measures.
pub(super) struct Burst<'a, H> {
    pub(super) host: &'a mut H,
    pub(super) job: &'a Job,
    pub(super) clocks: Clocks,
    pub(super) series: &'a Series,
    pub(super) ring: &'a Ring,
    pub(super) tally: &'a mut Tally,
}

/// Why a burst ended before its last wait.
#[derive(Debug)]
pub(super) enum Cut {
    /// The run ends.
    Stopped,
    /// The method failed, with the system's error number.
    Failed(i32),
}

/// What is the same for all samples of a burst.
#[derive(Clone, Copy)]
struct Limits {
    /// How early a wait may seem by the ruler without being early.
    tolerance: i64,
    /// The overshoot from which a sample is examined: it is suspicious, or it ends the run.
    look_at: i64,
}

impl<H: Waiting> Burst<'_, H> {
    fn limits(&self) -> Limits {
        Limits {
            tolerance: self.clocks.tolerance_ns(self.series.question.ns),
            look_at: self.job.limit.map_or(SUSPICIOUS, |limit| SUSPICIOUS.min(limit)),
        }
    }

    /// Makes `n` waits, each of which begins after the one before has ended.
    pub(super) fn single(&mut self, method: &mut H::Opened, n: u64) -> Result<(), Cut> {
        let (ns, limits) = (self.series.question.ns, self.limits());
        self.host.forget();
        let mut last = self.clocks.pair(self.host);
        for _ in 0..n {
            if self.job.stop.load(Relaxed) {
                return Err(Cut::Stopped);
            }
            self.host.mark();
            let begin = self.clocks.begin(self.host, last);
            self.series.begin(begin.clock().saturating_add(ns));
            self.host.wait(method, ns).map_err(Cut::Failed)?;
            last = self.clocks.end(self.host);
            let stood = self.host.marked();
            let (ruler, clock) = self.clocks.between(begin, last);
            let stopped = self.sample(limits, ruler - ns as i64, clock - ns as i64, 0);
            self.explain(Ended {
                deadline: begin.clock().saturating_add(ns),
                end: last.clock(),
                late: ruler - ns as i64,
                stood,
                stopped,
            });
        }
        Ok(())
    }

    /// Makes `n` waits for the deadlines of a grid, beginning with `next`; returns the deadline
    /// that follows.
    pub(super) fn grid(
        &mut self,
        method: &mut H::Opened,
        n: u64,
        mut next: u64,
    ) -> Result<u64, Cut> {
        let (period, limits) = (self.series.question.ns, self.limits());
        self.host.forget();
        let mut last = self.clocks.pair(self.host);
        for _ in 0..n {
            if self.job.stop.load(Relaxed) {
                return Err(Cut::Stopped);
            }
            self.host.mark();
            self.series.begin(next);
            self.host.until(method, next).map_err(Cut::Failed)?;
            let end = self.clocks.end(self.host);
            let stood = self.host.marked();
            let (ruler, _) = self.clocks.between(last, end);
            let late = end.clock().wrapping_sub(next) as i64;
            // The deadline by the ruler is the deadline by the clock, relative to the end of the
            // wait before.
            let overshoot = ruler - next.wrapping_sub(last.clock()) as i64;
            last = end;
            if Clocks::torn(overshoot, late) {
                last = self.clocks.pair(self.host);
            }
            let missed = u64::try_from(late).unwrap_or(0) / period;
            let stopped = self.sample(limits, overshoot, late, missed);
            self.explain(Ended {
                deadline: next,
                end: end.clock(),
                late: overshoot,
                stood,
                stopped,
            });
            next = next.saturating_add(period.saturating_mul(missed.saturating_add(1)));
        }
        Ok(next)
    }

    /// Records one wait: its overshoot by the ruler and by the system's clock, and the deadlines
    /// that passed during it. Returns whether it was a gap rather than a sample.
    #[inline]
    fn sample(&mut self, limits: Limits, ruler: i64, clock: i64, missed: u64) -> bool {
        self.series.end();
        let odd = ruler >= limits.look_at || missed > 0;
        if odd && self.is_gap(ruler, clock, missed) {
            return true;
        }
        self.series.overshoot.record(u64::try_from(ruler).unwrap_or(0));
        self.ring.push(ruler);
        self.tally.samples += 1;
        self.tally.ruler.add(ruler, limits.tolerance);
        self.tally.clock.add(clock, self.clocks.reading());
        if odd && self.job.limit.is_some_and(|limit| ruler > limit) {
            let cpu = self.host.cpu();
            self.job.trip(self.series.cpu, cpu, ruler, self.ring);
        }
        false
    }

    /// Examines a sample that is out of the ordinary. Returns whether it is a gap rather than a
    /// sample, because the process could not run.
    #[cold]
    fn is_gap(&mut self, ruler: i64, clock: i64, missed: u64) -> bool {
        if ruler >= SUSPICIOUS
            && let Some(cause) = self.host.gap(ruler)
        {
            self.tally.gaps += 1;
            self.series.add_gap(Gap {
                cause: cause.into(),
                at_s: self.job.seconds(),
                late_ns: ruler as u64,
                missed,
            });
            return true;
        }
        if missed > 0 {
            let late = u64::try_from(clock).unwrap_or(0);
            let missed = self.series.missed.record_missed(late, self.series.question.ns);
            self.tally.missed = self.tally.missed.saturating_add(missed);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Ruler;
    use crate::engine::time::RunClock;
    use crate::waits::gaps::Gaps;
    use crate::waits::host::{Scale, Thread};
    use crate::waits::plan::Plan;
    use crate::waits::series::Question;
    use chronoscope_model::waits::Load;
    use chronoscope_probes::waits::{self, Method, os};
    use std::sync::Arc;
    use std::time::Duration;

    /// A method that does nothing, so that only the loop around it is left.
    struct Nothing;

    impl Method for Nothing {
        fn wait(&mut self, _: u64) -> Result<(), i32> {
            Ok(())
        }

        fn until(&mut self, _: u64) -> Result<(), i32> {
            Ok(())
        }
    }

    /// A row on this machine, and everything needed to measure it.
    struct Bed {
        host: Thread,
        job: Job,
        clocks: Clocks,
        series: Series,
        ring: Ring,
        tally: Tally,
        method: Box<dyn Method>,
    }

    impl Bed {
        fn new(periodic: bool, ns: u64) -> Self {
            let ruler = Ruler::new(None, Duration::from_millis(5));
            let host = Thread::new(&ruler, Arc::new(Gaps::watch()), false, None);
            let question = Question {
                entry: waits::find("rust/thread-sleep").expect("everywhere"),
                slack: None,
                slice: None,
                ns,
                periodic,
            };
            Self {
                clocks: Clocks::new(Scale::of(&ruler), &host),
                host,
                job: Job::new(RunClock::start(), &Plan::default(), Load::None),
                series: Series::new(question, None, false),
                ring: Ring::default(),
                tally: Tally::default(),
                method: Box::new(Nothing),
            }
        }

        fn burst(&mut self) -> (Burst<'_, Thread>, &mut Box<dyn Method>) {
            let burst = Burst {
                host: &mut self.host,
                job: &self.job,
                clocks: self.clocks,
                series: &self.series,
                ring: &self.ring,
                tally: &mut self.tally,
            };
            (burst, &mut self.method)
        }
    }

    /// Longer than the loop takes for an empty wait, even under an emulator.
    const NOT_WAITED: u64 = 1_000_000;

    #[test]
    fn every_wait_is_a_sample_and_an_early_one_is_counted() {
        for periodic in [false, true] {
            let mut bed = Bed::new(periodic, NOT_WAITED);
            let (mut burst, method) = bed.burst();
            if periodic {
                let far = os::monotonic() + 3_600_000_000_000;
                let next = burst.grid(method, 10_000, far).expect("it does nothing");
                assert_eq!(next, far + 10_000 * NOT_WAITED);
            } else {
                burst.single(method, 10_000).expect("it does nothing");
            }
            let tally = bed.tally;
            assert_eq!(tally.samples + tally.gaps, 10_000);
            assert_eq!(bed.series.overshoot.len(), tally.samples);
            // A millisecond that was not waited for, unless an interruption took part of it.
            assert!(tally.ruler.early > 9_000 && tally.clock.early > 9_000, "{tally:?}");
            assert!(tally.ruler.min < 0);
        }
    }

    #[test]
    fn a_grid_in_the_past_misses_its_deadlines_once() {
        let mut bed = Bed::new(true, 1_000);
        let start = os::monotonic() - 500_000;
        let (mut burst, method) = bed.burst();
        let next = burst.grid(method, 1, start).expect("it does nothing");
        let tally = bed.tally;
        assert!(tally.missed >= 500, "{tally:?}");
        assert_eq!(tally.missed, bed.series.missed.len());
        assert_eq!(next, start + (tally.missed + 1) * 1_000);
        // The first that passed is late by one period less, to the width of a bucket.
        let (missed, late) = (bed.series.missed.histogram(), tally.clock.max as u64);
        assert_eq!(missed.max(), missed.highest_equivalent(late - 1_000));
    }

    /// The cost of a sample apart from its wait; `cargo test --release -- --nocapture` shows it.
    #[test]
    fn the_cost_of_a_sample_is_shown() {
        for periodic in [false, true] {
            let mut bed = Bed::new(periodic, 1_000);
            let mut least = f64::INFINITY;
            for _ in 0..50 {
                let far = os::monotonic() + 3_600_000_000_000;
                let (mut burst, method) = bed.burst();
                let start = os::reference();
                if periodic {
                    burst.grid(method, 10_000, far).expect("it does nothing");
                } else {
                    burst.single(method, 10_000).expect("it does nothing");
                }
                least = least.min((os::reference() - start) as f64 / 10_000.0);
            }
            println!("a sample costs {least:.1} ns, periodic: {periodic}");
            assert!(least.is_finite() && least > 0.0);
        }
    }
}
