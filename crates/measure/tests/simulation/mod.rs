//! Waits in simulated time, whose overshoots are all known, through the same code as measured
//! waits: from the loop around the wait to the row of the report. Tests of this code, or of the
//! cost of a sample, need neither noise nor waiting.

use super::burst::Burst;
use super::host::{Clocks, Scale, Waiting};
use super::job::Job;
use super::live_row::{LiveRow, RowSpec};
use super::overshoots::Ring;
use super::plan::Plan;
use super::row::{self, Common};
use super::schedule::CpuSchedule;
use super::threads::every_row;
use super::worker::Worker;
use crate::engine::fake::{FakeTime, HZ};
use crate::engine::ruler::Bracket;
use chronoscope_model::waits::{Load, StoppedBy, Wait, WaitSpec};
use chronoscope_probes::waits::{Entry, Method, Unavailable};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How a simulated method behaves.
#[derive(Clone, Copy)]
pub struct FakeMethod {
    /// The method that the simulated one stands for.
    pub entry: &'static Entry,
    /// The overshoot of the method's nth wait for `ns` nanoseconds, in nanoseconds; `Err` is an
    /// error number of the system.
    pub overshoot: fn(n: u64, ns: u64) -> Result<i64, i32>,
    /// The CPU time of a wait, in nanoseconds.
    pub cpu_ns: u64,
}

/// A thread in simulated time.
struct FakeThread {
    time: FakeTime,
    methods: Methods,
    used: Used,
    slack: u64,
}

/// The methods, each with the waits that all threads have made with it.
type Methods = Rc<[(FakeMethod, Cell<u64>)]>;
/// The CPU time and the waits of one thread.
type Used = Rc<Cell<(u64, u64)>>;

/// A method of a thread in simulated time, with the overshoot and the CPU time of its next wait.
struct FakeWait<F> {
    time: FakeTime,
    used: Used,
    next: F,
}

impl<F: FnMut(u64) -> Result<(i64, u64), i32>> Method for FakeWait<F> {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.until(self.time.now_ns() + ns)
    }

    fn until(&mut self, deadline: u64) -> Result<(), i32> {
        let (overshoot, cpu_ns) = (self.next)(deadline.saturating_sub(self.time.now_ns()))?;
        let (before, waits) = self.used.get();
        self.used.set((before + cpu_ns, waits + 1));
        self.time.reach(deadline.saturating_add_signed(overshoot));
        Ok(())
    }
}

/// The slack of a fake thread unless it is set, in nanoseconds.
const SLACK: u64 = 50_000;
/// The duration of a read of a simulated clock, in nanoseconds.
const READ_NS: u64 = 8;

impl FakeThread {
    fn new(time: FakeTime, methods: Methods) -> Self {
        Self { time, methods, used: Used::default(), slack: SLACK }
    }
}

impl Waiting for FakeThread {
    fn open(&mut self, entry: &'static Entry) -> Result<Box<dyn Method>, Unavailable> {
        let at = self.methods.iter().position(|(m, _)| std::ptr::eq(m.entry, entry));
        let (at, methods) = (at.unwrap_or_default(), self.methods.clone());
        let next = move |ns| {
            let (method, made) = &methods[at];
            let n = made.replace(made.get() + 1);
            Ok(((method.overshoot)(n, ns)?, method.cpu_ns))
        };
        Ok(Box::new(FakeWait { time: self.time.clone(), used: self.used.clone(), next }))
    }

    fn bracket(&mut self) -> Bracket {
        self.time.pass(READ_NS);
        let (before, value) = (self.time.ticks(), self.time.now_ns());
        self.time.pass(READ_NS);
        Bracket { before, value, after: self.time.ticks() }
    }

    fn before(&mut self) -> u64 {
        self.time.ticks()
    }

    fn after(&mut self) -> u64 {
        self.time.ticks()
    }

    fn clock(&mut self) -> u64 {
        self.time.now_ns()
    }

    fn step(&self) -> u64 {
        1
    }

    fn cpu_time(&mut self) -> Option<u64> {
        Some(self.used.get().0)
    }

    fn switches(&mut self) -> Option<(u64, u64)> {
        Some((self.used.get().1, 0))
    }

    fn slack(&mut self) -> Option<u64> {
        Some(self.slack)
    }

    fn settle(&mut self, ns: u64) {
        self.time.pass(ns);
    }

    fn set_slice(&mut self, slice: Option<u64>) -> Result<Option<u64>, Unavailable> {
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
pub fn simulate(plan: &Plan, methods: &[FakeMethod]) -> Result<Vec<Wait>, String> {
    let mut plan = plan.clone();
    plan.methods = methods.iter().map(|method| method.entry).collect();
    plan.check()?;
    let time = FakeTime::default();
    let job = Arc::new(Job::new(time.run_clock(), &plan, Load::None));
    let rows = every_row(&plan, Load::None, None, true)?;
    let methods: Methods = methods.iter().map(|method| (*method, Cell::default())).collect();
    let plan = Arc::new(plan);
    let (settles, seed) = (!plan.one_thread, plan.seed);
    let (schedule, turns) =
        CpuSchedule::new(job.clone(), plan.clone(), rows.clone(), seed, settles);
    // Simulated time passes for one thread at a time, so one real thread does the work of all.
    let mut workers: Vec<_> = (0..turns.len())
        .map(|nth| {
            let host = FakeThread::new(time.clone(), methods.clone());
            Worker::new(host, None, schedule.clone(), nth, Scale::new(HZ, 0.0))
        })
        .collect();
    while let Some(turn) = schedule.next() {
        workers[schedule.owners[turn.row]].turn(turn);
    }
    let stopped_by = match (job.stop.load(Ordering::Relaxed), plan.spec.count) {
        (true, _) => StoppedBy::Limit,
        (false, Some(_)) => StoppedBy::Count,
        (false, None) => StoppedBy::Time,
    };
    let common = common(&plan, stopped_by);
    Ok(rows.iter().map(|row| row::report_row(row, &common)).collect())
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
        meter: Err(String::new()),
        notes: Vec::new(),
        course: None,
    }
}

/// One row of a grid in simulated time, stored like the single row of a long run.
pub struct Simulation {
    plan: Plan,
    host: FakeThread,
    job: Job,
    row: LiveRow,
    ring: Ring,
}

impl Simulation {
    /// Makes an empty row of this method and period.
    pub fn new(entry: &'static Entry, period: Duration) -> Self {
        let spec = WaitSpec { period: Some(period), ..WaitSpec::default() };
        let plan = Plan { methods: vec![entry], spec, ..Plan::default() };
        let spec = RowSpec {
            entry,
            slack: None,
            slice: None,
            policy: None,
            ns: u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1),
            periodic: true,
        };
        let row = LiveRow::new(spec, None, false);
        row.lateness.touch();
        row.missed.touch();
        let host = FakeThread::new(FakeTime::default(), Rc::new([]));
        let job = Job::new(host.time.run_clock(), &plan, Load::None);
        Self { plan, host, job, row, ring: Ring::default() }
    }

    /// Waits for one deadline of the grid for each of these overshoots, in nanoseconds.
    pub fn feed(&mut self, overshoots: impl ExactSizeIterator<Item = i64>) {
        let (n, mut overshoots) = (overshoots.len() as u64, overshoots);
        let host = &mut self.host;
        let first = host.time.now_ns() + self.row.spec.ns;
        let next = |_| Ok((overshoots.next().unwrap_or(0), 0));
        let mut method = FakeWait { time: host.time.clone(), used: host.used.clone(), next };
        let mut burst = Burst {
            clocks: Clocks::new(Scale::new(HZ, 0.0), host.step()),
            host,
            sources: None,
            runners: None,
            job: &self.job,
            row: &self.row,
            ring: &self.ring,
            work_ns: 0,
        };
        // A simulated method without an error never fails, and nothing stops the job.
        let _ = burst.grid(&mut method, n, first);
    }

    /// The row as a report shows it.
    pub fn row(&self) -> Wait {
        row::report_row(&self.row, &common(&self.plan, StoppedBy::Time))
    }
}
