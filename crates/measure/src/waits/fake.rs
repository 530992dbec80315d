//! Waits in simulated time, whose every overshoot is known, through the same code as measured ones:
//! from the loop around the wait to the row of the report. Testing it, or the cost of a sample,
//! needs neither noise nor waiting.

use super::burst::Burst;
use super::clocks::Clocks;
use super::host::{Scale, Waiting};
use super::job::Job;
use super::lane::Lane;
use super::plan::{Error, Plan};
use super::ring::Ring;
use super::row::{self, Common};
use super::series::{Question, Series};
use super::tally::Tally;
use super::threads::every_series;
use super::worker::Worker;
use crate::engine::fake::{FakeTime, HZ};
use chronoscope_model::waits::{Load, StoppedBy, Wait, WaitSpec};
use chronoscope_probes::waits::{Entry, Unavailable};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How a simulated method behaves.
pub struct FakeMethod {
    /// The method that it stands for.
    pub entry: &'static Entry,
    /// The overshoot of its nth wait for `ns` nanoseconds, in nanoseconds; `Err` is a system's
    /// error number.
    pub overshoot: fn(n: u64, ns: u64) -> Result<i64, i32>,
    /// The CPU time of a wait, in nanoseconds.
    pub cpu_ns: u64,
}

/// A thread in simulated time.
struct FakeThread<F> {
    time: FakeTime,
    /// The overshoot of the next wait of a method.
    overshoot: F,
    cpu_ns: u64,
    waits: u64,
    slack: u64,
    slice: Option<u64>,
}

/// The slack of a fake thread unless it is set, in nanoseconds.
const SLACK: u64 = 50_000;
/// The duration of a read of a simulated clock, in nanoseconds.
const READ_NS: u64 = 8;

impl<F: FnMut(&'static Entry, u64) -> Result<(i64, u64), i32>> FakeThread<F> {
    fn new(time: FakeTime, overshoot: F) -> Self {
        Self { time, overshoot, cpu_ns: 0, waits: 0, slack: SLACK, slice: None }
    }

    fn read(&mut self) -> u64 {
        self.time.pass(READ_NS);
        self.time.ticks()
    }
}

impl<F: FnMut(&'static Entry, u64) -> Result<(i64, u64), i32>> Waiting for FakeThread<F> {
    type Opened = &'static Entry;

    fn open(&mut self, entry: &'static Entry) -> Result<Self::Opened, Unavailable> {
        Ok(entry)
    }

    #[inline]
    fn wait(&mut self, method: &mut Self::Opened, ns: u64) -> Result<(), i32> {
        let deadline = self.time.now_ns() + ns;
        self.until(method, deadline)
    }

    #[inline]
    fn until(&mut self, method: &mut Self::Opened, deadline: u64) -> Result<(), i32> {
        let now = self.time.now_ns();
        let (overshoot, cpu_ns) = (self.overshoot)(method, deadline.saturating_sub(now))?;
        self.waits += 1;
        self.cpu_ns += cpu_ns;
        self.time.reach(deadline.saturating_add_signed(overshoot));
        Ok(())
    }

    #[inline]
    fn start(&mut self) -> u64 {
        self.read()
    }

    #[inline]
    fn stop(&mut self) -> u64 {
        self.read()
    }

    #[inline]
    fn before(&mut self) -> u64 {
        self.time.ticks()
    }

    #[inline]
    fn after(&mut self) -> u64 {
        self.time.ticks()
    }

    #[inline]
    fn clock(&mut self) -> u64 {
        self.time.now_ns()
    }

    fn step(&self) -> u64 {
        1
    }

    fn gap(&mut self, _: i64) -> Option<&'static str> {
        None
    }

    fn cpu(&mut self) -> Option<usize> {
        None
    }

    fn cpu_time(&mut self) -> Option<u64> {
        Some(self.cpu_ns)
    }

    fn switches(&mut self) -> Option<(u64, u64)> {
        Some((self.waits, 0))
    }

    fn slack(&mut self) -> Option<u64> {
        Some(self.slack)
    }

    fn settle(&mut self, ns: u64) {
        self.time.pass(ns);
    }

    fn set_slice(&mut self, slice: Option<u64>) -> Result<Option<u64>, Unavailable> {
        self.slice = slice;
        Ok(slice)
    }

    fn set_slack(&mut self, ns: u64) -> Result<(), Unavailable> {
        self.slack = if ns == 0 { SLACK } else { ns };
        Ok(())
    }
}

/// Carries out a plan without load in simulated time, and returns its rows. The plan's methods are
/// replaced by `methods`; a time limit is one of simulated time.
///
/// # Errors
/// The plan cannot be carried out.
pub fn simulate(plan: &Plan, methods: &[FakeMethod]) -> Result<Vec<Wait>, Error> {
    let mut plan = plan.clone();
    plan.methods = methods.iter().map(|method| method.entry).collect();
    plan.check()?;
    let time = FakeTime::default();
    let job = Arc::new(Job::new(time.run_clock(), &plan, Load::None));
    let series = every_series(&plan, Load::None, None, true)?;
    let made = RefCell::new(vec![0; methods.len()]);
    let plan = Arc::new(plan);
    let lane = Lane::new(job.clone(), plan.clone(), series.clone(), plan.seed, !plan.one_thread);
    let lane = Arc::new(lane);
    let overshoot = |entry: &'static Entry, ns| {
        let at = methods.iter().position(|m| std::ptr::eq(m.entry, entry));
        let method = &methods[at.unwrap_or_default()];
        let mut made = made.borrow_mut();
        let n = &mut made[at.unwrap_or_default()];
        *n += 1;
        Ok(((method.overshoot)(*n - 1, ns)?, method.cpu_ns))
    };
    // Simulated time passes for one thread at a time, so one real thread does the work of all.
    let mut workers: Vec<_> = (0..lane.threads())
        .map(|nth| {
            let host = FakeThread::new(time.clone(), &overshoot);
            Worker::new(host, lane.clone(), nth, Scale::new(HZ, 0.0))
        })
        .collect();
    while let Some(turn) = lane.next() {
        workers[lane.owner(turn.row)].turn(turn);
    }
    let stopped_by = match (job.stop.load(Ordering::Relaxed), plan.spec.count) {
        (true, _) => StoppedBy::Limit,
        (false, Some(_)) => StoppedBy::Count,
        (false, None) => StoppedBy::Time,
    };
    let common = common(&plan, stopped_by);
    Ok(series.iter().map(|s| row::of(s, &common)).collect())
}

fn common(plan: &Plan, stopped_by: StoppedBy) -> Common<'_> {
    Common {
        plan,
        load: Load::None,
        counter_hz: HZ,
        load_run: None,
        power: None,
        kept_awake: false,
        stopped_by,
        throttled: None,
        notes: Vec::new(),
    }
}

/// One row of a grid in simulated time, stored as a single row of a long run is.
pub struct Simulation {
    plan: Plan,
    time: FakeTime,
    job: Job,
    series: Series,
    ring: Ring,
    tally: Tally,
}

impl Simulation {
    /// An empty row of this method and period.
    pub fn new(entry: &'static Entry, period: Duration) -> Self {
        let spec = WaitSpec { period: Some(period), ..WaitSpec::default() };
        let plan = Plan { methods: vec![entry], spec, ..Plan::default() };
        let question = Question {
            entry,
            slack: None,
            slice: None,
            ns: u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1),
            periodic: true,
        };
        let series = Series::new(question, None, false);
        series.touch();
        let time = FakeTime::default();
        Self {
            job: Job::new(time.run_clock(), &plan, Load::None),
            time,
            series,
            ring: Ring::default(),
            tally: Tally::default(),
            plan,
        }
    }

    /// Waits for one deadline of the grid for each of these overshoots, in nanoseconds.
    pub fn feed(&mut self, overshoots: impl ExactSizeIterator<Item = i64>) {
        let (n, mut overshoots) = (overshoots.len() as u64, overshoots);
        let mut host = FakeThread::new(self.time.clone(), |_: &'static Entry, _| {
            Ok((overshoots.next().unwrap_or(0), 0))
        });
        let next = self.time.now_ns() + self.series.question.ns;
        let mut method = self.series.question.entry;
        let mut burst = Burst {
            clocks: Clocks::new(Scale::new(HZ, 0.0), &host),
            host: &mut host,
            job: &self.job,
            series: &self.series,
            ring: &self.ring,
            tally: &mut self.tally,
        };
        // A simulated method without an error never fails, and nothing stops the job.
        let _ = burst.grid(&mut method, n, next);
        self.series.show(&self.tally);
    }

    /// The row as a report shows it.
    pub fn row(&self) -> Wait {
        row::of(&self.series, &common(&self.plan, StoppedBy::Time))
    }
}
