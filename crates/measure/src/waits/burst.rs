//! The loop around the wait: what it does for each sample must cost little, because a short wait
//! on a fast grid has no time to give.

use super::clocks::Clocks;
use super::job::Job;
use super::series::Series;
use super::tally::Tally;
use super::worker::Ring;
use chronoscope_model::waits::Gap;
use chronoscope_probes::waits::{Method, os};
use std::sync::atomic::Ordering::Relaxed;

/// An overshoot from which on it is asked whether the process could run at all.
const SUSPICIOUS: i64 = 1_000_000;

/// One thread's view of one row while it measures it.
pub(super) struct Burst<'a> {
    pub(super) job: &'a Job,
    pub(super) clocks: Clocks,
    pub(super) series: &'a Series,
    pub(super) ring: &'a Ring,
    pub(super) tally: &'a mut Tally,
    pub(super) tolerance: i64,
    /// The overshoot that needs a closer look: it is suspicious, or it ends the run.
    pub(super) look_at: i64,
}

/// What ended a burst before its last wait.
#[derive(Debug)]
pub(super) enum Cut {
    /// The run ends.
    Stopped,
    /// The method failed, with the system's number.
    Failed(i32),
}

impl Burst<'_> {
    /// So many waits, each begun when the one before has ended.
    pub(super) fn single(&mut self, method: &mut dyn Method, n: u64) -> Result<(), Cut> {
        let ns = self.series.question.ns;
        let mut last = self.clocks.pair();
        for _ in 0..n {
            if self.job.stop.load(Relaxed) {
                return Err(Cut::Stopped);
            }
            let begin = self.clocks.begin(last);
            method.wait(ns).map_err(Cut::Failed)?;
            last = self.clocks.end();
            let (ruler, clock) = self.clocks.between(begin, last);
            self.sample(ruler - ns as i64, clock - ns as i64, 0);
        }
        Ok(())
    }

    /// So many waits for the deadlines of a grid, from `next` on; gives the deadline that follows.
    pub(super) fn grid(
        &mut self,
        method: &mut dyn Method,
        n: u64,
        mut next: u64,
    ) -> Result<u64, Cut> {
        let period = self.series.question.ns;
        let mut last = self.clocks.pair();
        for _ in 0..n {
            if self.job.stop.load(Relaxed) {
                return Err(Cut::Stopped);
            }
            method.until(next).map_err(Cut::Failed)?;
            let end = self.clocks.end();
            let (ruler, _) = self.clocks.between(last, end);
            let late = end.clock().wrapping_sub(next) as i64;
            // The deadline by the ruler is that by the clock, seen from the end of the wait before.
            let overshoot = ruler - next.wrapping_sub(last.clock()) as i64;
            last = end;
            if Clocks::torn(overshoot, late) {
                last = self.clocks.pair();
            }
            let missed = u64::try_from(late).unwrap_or(0) / period;
            self.sample(overshoot, late, missed);
            next = next.saturating_add(period.saturating_mul(missed.saturating_add(1)));
        }
        Ok(next)
    }

    /// Takes in one wait: its overshoot by the ruler and by the system's clock, and the deadlines
    /// that passed in it.
    #[inline]
    pub(super) fn sample(&mut self, ruler: i64, clock: i64, missed: u64) {
        if (ruler >= self.look_at || missed > 0) && self.closer(ruler, clock, missed) {
            return;
        }
        self.series
            .overshoot
            .record(u64::try_from(ruler).unwrap_or(0));
        self.ring.push(ruler);
        self.tally.samples += 1;
        self.tally.ruler.add(ruler, self.tolerance);
        self.tally.clock.add(clock, self.clocks.reading());
    }

    /// A closer look at a sample that is out of the common; `true` where it is none, because the
    /// process could not run.
    #[cold]
    fn closer(&mut self, ruler: i64, clock: i64, missed: u64) -> bool {
        if ruler >= SUSPICIOUS
            && let Some(cause) = self.job.gap_since(ruler)
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
            let missed = self
                .series
                .missed
                .record_missed(late, self.series.question.ns);
            self.tally.missed = self.tally.missed.saturating_add(missed);
        }
        if self.job.limit.is_some_and(|limit| ruler > limit) {
            self.ring.push(ruler);
            self.job.trip(self.series.cpu, ruler, self.ring);
            // It has been put into the ring; the rest is as for any other.
            self.series.overshoot.record(ruler as u64);
            self.tally.samples += 1;
            self.tally.ruler.add(ruler, self.tolerance);
            self.tally.clock.add(clock, self.clocks.reading());
            return true;
        }
        false
    }
}

/// Keeps the first deadline of a grid off the time that setting up takes.
pub(super) fn first_deadline(period: u64) -> u64 {
    os::monotonic().saturating_add(period)
}

/// The overshoot from which on a closer look is due.
pub(super) fn look_at(limit: Option<i64>) -> i64 {
    limit.map_or(SUSPICIOUS, |limit| SUSPICIOUS.min(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waits::clocks::calibrate;
    use crate::waits::plan::Plan;
    use crate::waits::series::Question;
    use chronoscope_model::waits::Load;
    use chronoscope_probes::waits;
    use std::time::Duration;

    /// A method that does nothing, so that the loop around it is all there is.
    struct Nothing;

    impl Method for Nothing {
        fn wait(&mut self, _: u64) -> Result<(), i32> {
            Ok(())
        }

        fn until(&mut self, _: u64) -> Result<(), i32> {
            Ok(())
        }
    }

    fn question(periodic: bool) -> Question {
        Question {
            entry: waits::find("rust/thread-sleep").expect("everywhere"),
            slack: None,
            ns: 1_000,
            periodic,
        }
    }

    /// Longer than the loop takes for a wait of nothing, under an emulator too.
    const NOT_WAITED: u64 = 1_000_000;

    #[test]
    fn every_wait_is_a_sample_and_an_early_one_is_counted() {
        let (ruler, slew) = calibrate(None, Duration::from_millis(5));
        let clocks = Clocks::new(&ruler, slew);
        let job = Job::new(&Plan::default(), Load::None);
        for periodic in [false, true] {
            let question = Question {
                ns: NOT_WAITED,
                ..question(periodic)
            };
            let series = Series::new(question, None);
            let (ring, mut tally) = (Ring::default(), Tally::default());
            let mut burst = Burst {
                job: &job,
                clocks,
                series: &series,
                ring: &ring,
                tally: &mut tally,
                tolerance: clocks.tolerance_ns(NOT_WAITED),
                look_at: look_at(None),
            };
            if periodic {
                let far = os::monotonic() + 3_600_000_000_000;
                let next = burst
                    .grid(&mut Nothing, 10_000, far)
                    .expect("it does nothing");
                assert_eq!(next, far + 10_000 * NOT_WAITED);
            } else {
                burst.single(&mut Nothing, 10_000).expect("it does nothing");
            }
            assert_eq!(tally.samples + tally.gaps, 10_000);
            assert_eq!(series.overshoot.len(), tally.samples);
            // A millisecond not waited for; an interruption may have waited for some.
            assert!(
                tally.ruler.early > 9_000 && tally.clock.early > 9_000,
                "{tally:?}"
            );
            assert!(tally.ruler.min < 0);
        }
    }

    #[test]
    fn a_grid_in_the_past_misses_its_deadlines_once() {
        let (ruler, slew) = calibrate(None, Duration::from_millis(5));
        let clocks = Clocks::new(&ruler, slew);
        let job = Job::new(&Plan::default(), Load::None);
        let series = Series::new(question(true), None);
        let (ring, mut tally) = (Ring::default(), Tally::default());
        let start = os::monotonic() - 500_000;
        let mut burst = Burst {
            job: &job,
            clocks,
            series: &series,
            ring: &ring,
            tally: &mut tally,
            tolerance: clocks.tolerance_ns(1_000),
            look_at: look_at(None),
        };
        let next = burst.grid(&mut Nothing, 1, start).expect("it does nothing");
        assert!(tally.missed >= 500, "{tally:?}");
        assert_eq!(tally.missed, series.missed.len());
        assert_eq!(next, start + (tally.missed + 1) * 1_000);
        // The first that passed is late by a period less, to the width of a bucket.
        let (missed, late) = (series.missed.histogram(), tally.clock.max as u64);
        assert_eq!(missed.max(), missed.highest_equivalent(late - 1_000));
    }

    /// What a sample costs besides its wait; `cargo test --release -- --nocapture` shows it.
    #[test]
    fn what_a_sample_costs_is_told() {
        for periodic in [false, true] {
            what_a_sample_costs(periodic);
        }
    }

    fn what_a_sample_costs(periodic: bool) {
        let (ruler, slew) = calibrate(None, Duration::from_millis(20));
        let clocks = Clocks::new(&ruler, slew);
        let job = Job::new(&Plan::default(), Load::None);
        let series = Series::new(question(periodic), None);
        let (ring, mut tally) = (Ring::default(), Tally::default());
        let mut burst = Burst {
            job: &job,
            clocks,
            series: &series,
            ring: &ring,
            tally: &mut tally,
            tolerance: clocks.tolerance_ns(1_000),
            look_at: look_at(None),
        };
        let mut least = f64::INFINITY;
        for _ in 0..50 {
            let far = os::monotonic() + 3_600_000_000_000;
            let start = os::reference();
            if periodic {
                burst
                    .grid(&mut Nothing, 10_000, far)
                    .expect("it does nothing");
            } else {
                burst.single(&mut Nothing, 10_000).expect("it does nothing");
            }
            least = least.min((os::reference() - start) as f64 / 10_000.0);
        }
        println!("a sample costs {least:.1} ns, periodic: {periodic}");
        assert!(least.is_finite() && least > 0.0);
    }
}
