//! The loop around the wait. Its work for each sample must be cheap, because a short wait on a fast
//! grid leaves no time for more.
//!
//! Explains the lateness of a wait: queries the thread's sources after each wait, and passes their
//! results to the reasons of the row.

use super::host::{Clocks, Pair, Waiting};
use super::job::Job;
use super::live_row::{LiveRow, RowSpec, Spent, locked};
use super::overshoots::{Record, Ring};
use super::schedule::Runners;
use super::split::{Evidence, Floors, queued_before, split};
use crate::runtimes::waiting::{Asked, One, Remote, Series};
use chronoscope_model::waits::{Gap, Kind};
use chronoscope_model::why::{EXAMINED_NS, Worst};
use chronoscope_probes::blame::{Seen, Sources, Span, Switch, Task};
use chronoscope_probes::waits::Method;
use std::sync::atomic::Ordering::Relaxed;

/// From this overshoot on, in nanoseconds, check whether the process could run at all.
const SUSPICIOUS: i64 = 1_000_000;

/// One thread's view of the row that it measures.
pub(super) struct Burst<'a, H> {
    pub(super) host: &'a mut H,
    /// The sources that explain late waits, if the row asks for that.
    pub(super) sources: Option<&'a mut Sources>,
    /// Who runs on the CPU, likewise.
    pub(super) runners: Option<&'a mut Runners>,
    pub(super) job: &'a Job,
    pub(super) clocks: Clocks,
    pub(super) row: &'a LiveRow,
    pub(super) ring: &'a Ring,
    /// How long the thread computes before each wait of a grid, in nanoseconds.
    pub(super) work_ns: u64,
}

#[derive(Debug)]
pub(super) enum Cut {
    Stopped,
    /// The method failed, with the system's error number.
    Failed(i32),
    /// The process that waits is of no further use, for this reason.
    Ended(String),
}

/// The limits that all samples of a burst have in common.
#[derive(Clone, Copy)]
struct Limits {
    /// How early a wait may seem by the ruler without being early.
    tolerance: i64,
    /// The overshoot from which a sample is examined, because it is suspicious or ends the run.
    look_at: i64,
}

impl<H: Waiting> Burst<'_, H> {
    fn limits(&self) -> Limits {
        Limits {
            tolerance: self.clocks.tolerance_ns(self.row.spec.ns),
            look_at: self.job.limit.map_or(SUSPICIOUS, |limit| {
                i64::try_from(limit.as_nanos()).map_or(SUSPICIOUS, |ns| ns.min(SUSPICIOUS))
            }),
        }
    }

    /// Starts a burst: nothing that happened before it belongs to a wait.
    fn start(&mut self) -> Pair {
        if let Some(sources) = &mut self.sources {
            sources.forget();
        }
        self.clocks.pair(self.host)
    }

    /// Ends the burst before a wait if the run ends; otherwise sets the mark that an interrupt
    /// removes.
    #[inline]
    fn before(&self) -> Result<(), Cut> {
        if self.job.stop.load(Relaxed) {
            return Err(Cut::Stopped);
        }
        if let Some(sources) = &self.sources {
            sources.mark();
        }
        Ok(())
    }

    /// Whether the mark is still there, if known.
    #[inline]
    fn stood(&self) -> Option<bool> {
        self.sources.as_ref()?.marked()
    }

    /// Makes `n` waits, each of which begins after the one before has ended.
    pub(super) fn single(&mut self, method: &mut dyn Method, n: u64) -> Result<(), Cut> {
        let (ns, limits) = (self.row.spec.ns, self.limits());
        let mut last = self.start();
        for _ in 0..n {
            self.before()?;
            let begin = self.clocks.begin(self.host, last);
            let deadline = begin.clock.saturating_add(ns);
            self.row.begin(deadline);
            method.wait(ns).map_err(Cut::Failed)?;
            last = self.clocks.end(self.host);
            let stood = self.stood();
            let late = self.clocks.ruler_ns(begin, last) - ns as i64;
            let end = last.clock;
            self.record(limits, Ended { deadline, end, late, stood, began: None }, 0);
        }
        Ok(())
    }

    /// Makes `n` waits for the deadlines of a grid, beginning with `next`, with the row's work
    /// before each. Returns the deadline that follows.
    pub(super) fn grid(
        &mut self,
        method: &mut dyn Method,
        n: u64,
        mut next: u64,
    ) -> Result<u64, Cut> {
        let (period, limits) = (self.row.spec.ns, self.limits());
        let mut last = self.start();
        for _ in 0..n {
            self.work();
            self.before()?;
            self.row.begin(next);
            method.until(next).map_err(Cut::Failed)?;
            let end = self.clocks.end(self.host);
            let stood = self.stood();
            // The deadline by the ruler is the deadline by the clock, relative to the end of the
            // previous wait.
            let late = self.clocks.ruler_ns(last, end) - next.wrapping_sub(last.clock) as i64;
            let ended = Ended { deadline: next, end: end.clock, late, stood, began: None };
            last = end;
            if Clocks::torn(late, ended.by_clock()) {
                last = self.clocks.pair(self.host);
            }
            let missed = u64::try_from(ended.by_clock()).unwrap_or(0) / period;
            self.record(limits, ended, missed);
            next = next.saturating_add(period.saturating_mul(missed.saturating_add(1)));
        }
        Ok(next)
    }

    /// Computes between two waits, as a game or a control loop does. What happens meanwhile belongs
    /// to no wait.
    fn work(&mut self) {
        if self.work_ns == 0 {
            return;
        }
        let until = self.host.clock().saturating_add(self.work_ns);
        while self.host.clock() < until && !self.job.stop.load(Relaxed) {
            std::hint::spin_loop();
        }
        if let Some(sources) = &mut self.sources {
            sources.forget();
        }
    }

    /// Lets the process of a runtime make `n` waits, on a grid if the row has one, whose next
    /// deadline is `next` by that process's clock. Returns the deadline that follows, and what the
    /// waits cost. The process reads the clock itself: only one clock measures them.
    pub(super) fn there(
        &mut self,
        remote: &mut Remote,
        n: u64,
        next: Option<u64>,
    ) -> Result<(Option<u64>, Spent), Cut> {
        let (RowSpec { ns, periodic, .. }, job) = (self.row.spec, self.job);
        let mut limits = self.limits();
        limits.tolerance = self.clocks.reading;
        // They see this thread, not the one that waits.
        self.sources = None;
        // To be explained, each wait is a request of its own, with looks at its thread around it.
        let singly = self.row.why.is_some();
        let (mut left, mut next, mut spent) = (n, next, Spent::default());
        while left > 0 {
            self.before()?;
            self.row.begin(self.host.clock().saturating_add(ns));
            let grid = periodic.then(|| next.unwrap_or(1));
            let asked = Asked { ns, count: left, grid, work_ns: self.work_ns };
            let (made, mut sources) = match singly {
                true => remote.watched(asked).map(|(made, sources)| (made, Some(sources))),
                false => remote.series(asked).map(|made| (made, None)),
            }
            .map_err(|why| if job.is_over() { Cut::Stopped } else { Cut::Ended(why) })?;
            let Series { waits, cpu_ns, shift, thread } = made;
            for One { begin, deadline, end } in &waits {
                let (deadline, end, began) = (*deadline, *end, Some(*begin));
                let late = end.wrapping_sub(deadline) as i64;
                let missed = if periodic { u64::try_from(late).unwrap_or(0) / ns } else { 0 };
                let wait = Ended { deadline, end, late, stood: None, began };
                let is_gap = self.record(limits, wait, missed);
                if let Some(Ok(sources)) = &mut sources {
                    let who = (&mut **sources, self.runners.as_deref_mut(), thread);
                    explain(who, self.row, job, wait, is_gap);
                }
                let after = ns.saturating_mul(missed.saturating_add(1));
                let following = deadline.saturating_add(after);
                next = periodic.then(|| following.saturating_add_signed(-shift));
            }
            if let Some(Err(why)) = sources {
                // The first reason counts.
                let _ = self.row.unexplained.set(why);
            }
            let span = waits.first().zip(waits.last());
            let ns = span.map_or(0, |(first, last)| last.end.saturating_sub(first.begin));
            spent.add(Spent { ns, cpu_ns, ..Spent::default() });
            left = if singly { left - 1 } else { 0 };
        }
        self.row.end();
        Ok((next, spent))
    }

    /// Records one wait, and the deadlines that passed during it. Returns whether it was a gap.
    #[inline]
    fn record(&mut self, limits: Limits, wait: Ended, missed: u64) -> bool {
        self.row.end();
        let odd = wait.late >= limits.look_at || missed > 0;
        let is_gap = odd && self.is_gap(&wait, missed);
        if !is_gap {
            let clock = (wait.by_clock(), self.clocks.reading);
            self.row.lateness.record((wait.late, limits.tolerance), clock);
            self.ring.push(wait.late);
            if let Some(records) = &self.row.records {
                records.push(Record { end: wait.end, late: wait.late });
            }
            if odd {
                self.job.check(wait.late, self.row.cpu, || self.host.cpu(), self.ring);
            }
        }
        if let Some(sources) = &mut self.sources {
            let runners = self.runners.as_deref_mut();
            explain((sources, runners, None), self.row, self.job, wait, is_gap);
        }
        is_gap
    }

    /// Examines an unusual sample. Returns whether it is a gap rather than a sample, because the
    /// process could not run.
    #[cold]
    fn is_gap(&mut self, wait: &Ended, missed: u64) -> bool {
        if wait.late >= SUSPICIOUS
            && let Some(cause) = self.host.gap(wait.late)
        {
            self.row.add_gap(Gap {
                cause: cause.into(),
                at_s: self.job.at_s(),
                late_ns: wait.late as u64,
                missed,
            });
            return true;
        }
        if missed > 0 {
            let late = u64::try_from(wait.by_clock()).unwrap_or(0);
            self.row.missed.record_missed(late, self.row.spec.ns);
        }
        false
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    /// The deadline and the end, by the clock that timers run on.
    pub(super) deadline: u64,
    pub(super) end: u64,
    /// The overshoot by the ruler.
    pub(super) late: i64,
    /// Whether the mark was still there, if known.
    pub(super) stood: Option<bool>,
    /// When the wait began, if another process made it at the request of this one.
    pub(super) began: Option<u64>,
}

impl Ended {
    /// The overshoot by the clock that timers run on.
    #[inline]
    pub(super) fn by_clock(&self) -> i64 {
        self.end.wrapping_sub(self.deadline) as i64
    }
}

/// Explains a wait of this thread or of the given one, if its row asks for that. `stopped`: whether
/// the process could not run at all.
pub(super) fn explain(
    (sources, mut runners, thread): (&mut Sources, Option<&mut Runners>, Option<Task>),
    row: &LiveRow,
    job: &Job,
    wait: Ended,
    stopped: bool,
) {
    let Some(reasons) = &row.why else {
        return;
    };
    let at_s = job.at_s();
    let late = u64::try_from(wait.late).unwrap_or(0);
    let mut seen = sources.look(late >= EXAMINED_NS, wait.stood);
    if let (Some(began), Some(queued)) = (wait.began, seen.queued_ns) {
        seen.queued_ns = Some(queued - queued_before(&seen, began, queued));
    }
    if late < EXAMINED_NS
        && let Some(runners) = &mut runners
    {
        runners.look();
    }
    let spec = &row.spec;
    let slack = spec.slack.and(row.slack_ns.get().copied());
    let cpus = seen.switches.unwrap_or_default();
    let worst = Worst {
        at_s,
        late_ns: late,
        cpu: cpus.last().map(|switch| switch.cpu as usize).or(row.cpu),
        moved: moved(cpus),
        smis: seen.smis.unwrap_or(0),
        ..Worst::default()
    };
    let evidence = Evidence {
        kind: spec.entry.kind,
        asked_ns: spec.ns,
        deadline: wait.deadline,
        end: wait.deadline.saturating_add(late),
        slack_ns: slack.map_or(0, |ns| spec.entry.facts.timer_slack.of(ns, spec.ns)),
        stopped,
        runtime: spec.entry.runtime.map(|_| spec.entry.facts.unit_ns),
        seen,
    };
    // Only a reader of the row holds the lock, for as long as a copy takes.
    let by_clock = wait.end.saturating_sub(wait.deadline);
    let who = |spans: &[Span], late| runners?.ran(thread, spans, late);
    locked(reasons).add(&evidence, by_clock, worst, who);
}

/// Finds the quickest wake-up of a thread: the shortest of a few short sleeps without slack.
pub(super) fn quickest(host: &mut impl Waiting, sources: &mut Sources) -> Floors {
    const SLEEPS: usize = 16;
    const NS: u64 = 200_000;
    let mut floors = Floors::default();
    // If the sleep is refused, the floors come from the rows.
    let _ = host.set_slack(1);
    for _ in 0..SLEEPS {
        sources.forget();
        let deadline = host.clock().saturating_add(NS);
        host.settle(NS);
        let end = host.clock();
        let seen = Seen { throttled_ns: None, idle: None, ..sources.look(false, None) };
        let evidence = Evidence {
            kind: Kind::Sleep,
            asked_ns: NS,
            deadline,
            end,
            slack_ns: 0,
            stopped: false,
            runtime: None,
            seen,
        };
        split(&evidence, &mut floors);
    }
    let _ = host.set_slack(0);
    floors
}

/// Whether the thread ran on more than one CPU.
fn moved(switches: &[Switch]) -> bool {
    switches.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

#[cfg(test)]
mod burst_tests {
    use super::*;
    use crate::engine::schedule::RunClock;
    use crate::engine::{Interrupt, Ruler};
    use crate::runtimes::waiting::Waiters;
    use crate::waits::host::{Scale, Thread};
    use crate::waits::meanwhile::Gaps;
    use crate::waits::overshoots::{Recorded, Records};
    use crate::waits::plan::Plan;
    use chronoscope_model::waits::Load;
    use chronoscope_probes::waits::{self, os};
    use std::sync::Arc;
    use std::time::Duration;

    /// A method that does nothing, so that only the surrounding loop is measured.
    struct Nothing;

    impl Method for Nothing {
        fn wait(&mut self, _: u64) -> Result<(), i32> {
            Ok(())
        }

        fn until(&mut self, _: u64) -> Result<(), i32> {
            Ok(())
        }
    }

    /// A row on this machine, with everything needed to measure it.
    struct Bed {
        host: Thread,
        job: Job,
        clocks: Clocks,
        row: LiveRow,
        ring: Ring,
        method: Box<dyn Method>,
    }

    impl Bed {
        fn new(periodic: bool, ns: u64) -> Self {
            let ruler = Ruler::new(None, Duration::from_millis(5));
            let waiters = (Arc::new(Waiters::of(&[], &Interrupt::default())), None);
            let host = Thread::new(&ruler, Arc::new(Gaps::watch()), false, (None, None), waiters);
            let spec = RowSpec {
                entry: waits::find("rust/thread-sleep").expect("everywhere"),
                slack: None,
                slice: None,
                policy: None,
                ns,
                periodic,
            };
            Self {
                clocks: Clocks::new(Scale::of(&ruler), host.step()),
                host,
                job: Job::new(RunClock::start(), &Plan::default(), Load::None),
                row: LiveRow::new(spec, None, false),
                ring: Ring::default(),
                method: Box::new(Nothing),
            }
        }

        fn burst(&mut self) -> (Burst<'_, Thread>, &mut dyn Method) {
            let burst = Burst {
                host: &mut self.host,
                sources: None,
                runners: None,
                job: &self.job,
                clocks: self.clocks,
                row: &self.row,
                ring: &self.ring,
                work_ns: 0,
            };
            (burst, self.method.as_mut())
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
            let (samples, (gaps, left_out)) = (bed.row.lateness.samples(), bed.row.gaps());
            assert_eq!(samples + gaps.len() as u64 + left_out, 10_000);
            let Recorded { ruler, clock } = bed.row.lateness.read();
            assert_eq!(ruler.histogram.len(), samples);
            let ruler = ruler.spread;
            // This is a millisecond that was not waited for, unless an interruption took part of
            // it.
            assert!(ruler.early > 9_000 && clock.early > 9_000, "{ruler:?} {clock:?}");
            assert!(ruler.min_ns < 0);
        }
    }

    #[test]
    fn a_reader_gets_each_wait_that_is_a_sample() {
        for periodic in [false, true] {
            let mut bed = Bed::new(periodic, NOT_WAITED);
            bed.row.records = Some(Records::new(1_000));
            let (mut burst, method) = bed.burst();
            if periodic {
                let far = os::monotonic() + 3_600_000_000_000;
                burst.grid(method, 1_000, far).expect("it does nothing");
            } else {
                burst.single(method, 1_000).expect("it does nothing");
            }
            let (mut taken, mut last) = (chronoscope_model::histogram::empty(), 0);
            bed.row.records.as_ref().expect("set").take(|record| {
                assert!(record.end >= last);
                last = record.end;
                taken.saturating_record(u64::try_from(record.late).unwrap_or(0));
            });
            assert!(taken == bed.row.lateness.read().ruler.histogram);
        }
    }

    #[test]
    fn a_grid_in_the_past_misses_its_deadlines_once() {
        let mut bed = Bed::new(true, 1_000);
        let start = os::monotonic() - 500_000;
        let (mut burst, method) = bed.burst();
        let next = burst.grid(method, 1, start).expect("it does nothing");
        let missed = bed.row.missed.histogram();
        assert!(missed.len() >= 500, "{}", missed.len());
        assert_eq!(missed.len(), bed.row.missed.len());
        assert_eq!(next, start + (missed.len() + 1) * 1_000);
        // The first missed deadline is late by one period less, to the width of a bucket.
        let late = bed.row.lateness.read().clock.max_ns as u64;
        assert_eq!(missed.max(), missed.highest_equivalent(late - 1_000));
    }

    /// A loop that sleeps for a whole period after its work, whatever the deadline is.
    struct Drifting;

    impl Method for Drifting {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            std::thread::sleep(Duration::from_nanos(ns));
            Ok(())
        }

        fn until(&mut self, _: u64) -> Result<(), i32> {
            self.wait(PERIOD)
        }
    }

    const PERIOD: u64 = 2_000_000;

    /// The waits per deadline of a loop that works for a quarter of each period.
    fn kept(method: Box<dyn Method>) -> f64 {
        let mut bed = Bed::new(true, PERIOD);
        bed.method = method;
        let next = os::monotonic() + PERIOD;
        let (mut burst, method) = bed.burst();
        burst.work_ns = PERIOD / 4;
        let last = burst.grid(method, 5, next).expect("it waits");
        5.0 * PERIOD as f64 / (last - next) as f64
    }

    #[test]
    fn a_loop_that_sleeps_for_a_period_drifts_and_one_until_a_deadline_does_not() {
        // No sleep is too short, so the loop takes at least one and a quarter periods, and misses a
        // deadline in five.
        let drifting = kept(Box::new(Drifting));
        assert!(drifting < 0.85, "{drifting}");
        let until = || {
            let entry = waits::find("rust/thread-sleep").expect("everywhere");
            let setting = waits::Setting { counter_hz: waits::NOMINAL_HZ };
            kept(entry.open(&setting).expect("everywhere"))
        };
        // A busy machine may take the CPU away, but not every time.
        assert!((0..200).any(|_| until() > 0.9));
    }

    #[test]
    fn the_work_is_done_in_each_period() {
        let mut bed = Bed::new(true, PERIOD);
        let start = os::monotonic();
        let (mut burst, method) = bed.burst();
        burst.work_ns = PERIOD / 4;
        burst.grid(method, 20, start + 3_600_000_000_000).expect("it does nothing");
        assert!(os::monotonic() - start >= 20 * PERIOD / 4);
    }

    /// The cost of a sample without its wait; `cargo test --release -- --nocapture` shows it.
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

#[cfg(test)]
mod explain_tests {
    use super::*;
    use chronoscope_probes::blame::Turn;

    #[test]
    fn a_thread_that_came_back_on_another_cpu_has_moved() {
        let on = |cpu, turn| Switch { at: 1, cpu, turn };
        assert!(!moved(&[]));
        assert!(!moved(&[on(1, Turn::Out), on(1, Turn::In)]));
        assert!(moved(&[on(1, Turn::Out), on(2, Turn::In)]));
        assert!(moved(&[on(1, Turn::Out), on(1, Turn::In), on(0, Turn::Preempted)]));
    }
}
