//! The threads of one load, and what they show while they wait.

use super::Progress;
use super::host::{Scale, Thread};
use super::job::Job;
use super::live_row::{LiveRow, RowSpec, add_switches, locked};
use super::meanwhile::{Course, Gaps};
use super::overshoots::Records;
use super::plan::{Plan, ns};
use super::row::{self, Common, begin_again, continue_row, continues, earlier_course};
use super::schedule::{CpuSchedule, Runners};
use super::worker::Worker;
use crate::engine::Ruler;
use crate::engine::schedule::RunClock;
use crate::runtimes::waiting::Waiters;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, Overshoots, Policy, StoppedBy, Throttled, Wait};
use chronoscope_probes::blame::{Sources, Trace, has_slack};
use chronoscope_probes::machine::outside::OUTLIVES;
use chronoscope_probes::machine::power::Meter;
use chronoscope_probes::machine::quota::Quota;
use chronoscope_probes::machine::{self, Root, affinity, power_source};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::os;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a wait in progress may continue when the run is to end.
const PATIENCE: Duration = Duration::from_millis(300);

pub(super) struct Threads {
    pub(super) job: Arc<Job>,
    pub(super) gaps: Arc<Gaps>,
    pub(super) handles: Vec<JoinHandle<()>>,
    pub(super) rows: Vec<Arc<LiveRow>>,
    schedules: Vec<Arc<CpuSchedule>>,
    quota: Option<(Arc<Quota>, Throttled)>,
    /// What counts the energy of the machine, or why nothing does.
    pub(super) meter: Result<Meter, String>,
    pub(super) waiters: Arc<Waiters>,
}

impl Threads {
    /// Starts the waiting threads. They begin when all of them are ready.
    ///
    /// # Errors
    /// A CPU or a priority is not available, or rows of an earlier run do not fit.
    pub(super) fn start(
        plan: &Arc<Plan>,
        load: Load,
        ruler: &Ruler,
        trace: Option<Arc<Trace>>,
        waiters: &Arc<Waiters>,
    ) -> Result<Self, String> {
        let cpus: Vec<Option<usize>> = match plan.cpus.as_slice() {
            [] => vec![None],
            cpus => cpus.iter().copied().map(Some).collect(),
        };
        let quota = Quota::of(&Root::host()).map(Arc::new);
        let mut job = Job::new(RunClock::start(), plan, load);
        let gaps = Arc::new(Gaps::watch());
        job.trace = trace;
        // Elsewhere the job's clock goes on while the machine is suspended.
        if OUTLIVES && !plan.watched {
            job.slept = gaps.slept.clone();
        }
        let mut threads = Self {
            job: Arc::new(job),
            gaps,
            handles: Vec::new(),
            rows: Vec::new(),
            schedules: Vec::new(),
            quota: quota.map(|quota| (quota.clone(), quota.throttled())),
            meter: Meter::of(&Root::host()),
            waiters: waiters.clone(),
        };
        let (say, ready) = mpsc::channel();
        for (nth, cpu) in cpus.into_iter().enumerate() {
            let slack = os::slack().is_some() && has_slack();
            let rows = every_row(plan, load, cpu, slack)?;
            threads.rows.extend(rows.iter().cloned());
            let seed = plan.seed.wrapping_add(nth as u64);
            let settles = !plan.one_thread && load.leaves_idle_time();
            let job = threads.job.clone();
            let (schedule, turns) = CpuSchedule::new(job, plan.clone(), rows, seed, settles);
            if let Some(cpu) = cpu.filter(|_| plan.finds_culprits()) {
                let (runners, unrecorded) = Runners::open(cpu);
                unrecorded.map(|why| threads.job.unrecorded.set(why));
                *locked(&schedule.runners) = Some(runners);
            }
            threads.schedules.push(schedule.clone());
            for (of_cpu, turns) in turns.into_iter().enumerate() {
                // Our own load would be the neighbour.
                let gauged = plan.gauged && load == Load::None;
                let quota = threads.quota.as_ref().map(|(quota, _)| quota.clone());
                let waiters = (waiters.clone(), cpu);
                let counts = (quota, threads.meter.clone().ok());
                let host = Thread::new(ruler, threads.gaps.clone(), gauged, counts, waiters);
                let (schedule, scale) = (schedule.clone(), Scale::of(ruler));
                let (say, watcher) = (say.clone(), std::thread::current());
                let fifo = plan.spec.priority_of(None).filter(|_| plan.spec.policy.is_empty());
                let cpu = cpu.filter(|_| !schedule.is_free(of_cpu));
                let thread = std::thread::Builder::new().name(format!("wait-{nth}-{of_cpu}"));
                let started = thread.stack_size(STACK).spawn(move || {
                    let ready = prepare(cpu, fifo).map(|pin| {
                        let (sources, missing) = schedule.plan.spec.why.then(Sources::open).unzip();
                        missing.map(|missing| schedule.job.missing.set(missing));
                        (pin, Worker::new(host, sources, schedule, of_cpu, scale))
                    });
                    // Nobody receives this if the run has been given up.
                    let _ = say.send(ready.as_ref().map(drop).map_err(Clone::clone));
                    if let Ok((_pin, worker)) = ready {
                        worker.work(&turns);
                    }
                    watcher.unpark();
                });
                match started {
                    Ok(handle) => threads.handles.push(handle),
                    Err(error) => {
                        threads.stop();
                        return Err(format!("a waiting thread cannot be started: {error}"));
                    }
                }
            }
        }
        drop(say);
        for _ in 0..threads.handles.len() {
            let ended = || Err("a waiting thread ended before it was ready".into());
            if let Err(refused) = ready.recv().unwrap_or_else(|_| ended()) {
                threads.stop();
                return Err(refused);
            }
        }
        threads.job.begin(earlier_course(plan, load).map_or(0.0, |(_, age_s)| age_s));
        threads.schedules.iter().for_each(|schedule| schedule.pass());
        Ok(threads)
    }

    /// Looks what happened to the machine.
    pub(super) fn look(&self, course: &mut Course) {
        let clocks = os::Clocks::now();
        self.gaps.look();
        course.look(clocks, machine::online(), self.job.at_s());
        // A machine that reports no source shows no changes.
        if course.power.source.is_some() {
            course.power.look(power_source(), self.job.at_s());
        }
    }

    /// The rows so far, with the names of those who made them late.
    pub(super) fn report(&self, common: &Common) -> Vec<Wait> {
        let mut rows: Vec<Wait> =
            self.rows.iter().map(|live| row::report_row(live, common)).collect();
        if let Some(names) = &self.job.names {
            let names = locked(names);
            rows.iter_mut().filter_map(|row| row.why.as_mut()).for_each(|why| names.name_all(why));
        }
        rows
    }

    /// The context switches of all waiting threads, as far as they have reported them.
    pub(super) fn switches(&self) -> Option<(u64, u64)> {
        self.rows.iter().filter_map(|row| row.spent().switches).reduce(add_switches)
    }

    /// Returns the progress of the threads, with the percentiles of the only row if requested.
    pub(super) fn progress(&self, load: Load, plan: &Plan, percentiles: bool) -> Progress {
        // The sums saturate, because a file may contain any counts of an earlier run.
        let sum = |count: fn(&LiveRow) -> u64| {
            self.rows.iter().map(|row| count(row)).fold(0, u64::saturating_add)
        };
        let live = self.live().count() as u64;
        let mut progress = Progress {
            load,
            seconds: self.job.seconds(),
            samples: sum(|row| row.lateness.samples()),
            wanted: plan.spec.count.map(|count| count.saturating_mul(live)),
            now_ns: self.schedules.first().and_then(|first| first.ring.newest()),
            max_ns: self.rows.iter().map(|row| row.lateness.max_ns()).max().unwrap_or(0),
            missed: sum(|row| row.missed.len()),
            ..Progress::default()
        };
        progress.estimate(plan, self.job.left());
        if percentiles && self.is_one_row() {
            let mut all = Overshoots::default();
            self.rows.iter().for_each(|row| row.lateness.add_to(&mut all.histogram));
            all.spread.max_ns = progress.max_ns;
            progress.p50_ns = all.percentile(Percentile::P50);
            progress.p99_ns = all.percentile(Percentile::P99);
        }
        progress
    }

    /// Whether each CPU has a single row.
    fn is_one_row(&self) -> bool {
        self.rows.len() == self.schedules.len()
    }

    /// The rows whose methods have not failed.
    fn live(&self) -> impl Iterator<Item = &LiveRow> {
        self.rows.iter().map(Arc::as_ref).filter(|row| row.failure().is_none())
    }

    /// The time that a CPU quota has throttled since the threads were started, if each CPU has a
    /// single row, and so a single turn: the row's own count is complete only at the end of its
    /// turns.
    pub(super) fn throttled(&self) -> Option<Throttled> {
        let (quota, before) = self.quota.as_ref().filter(|_| self.is_one_row())?;
        Some(quota.throttled().since(*before))
    }

    /// Returns what ended a run whose threads have all ended.
    pub(super) fn end(&self, plan: &Plan) -> StoppedBy {
        let is_complete = |count| self.live().all(|row| row.lateness.samples() >= count);
        let complete = plan.spec.count.is_some_and(is_complete);
        if complete { StoppedBy::Count } else { StoppedBy::Time }
    }

    /// Ends the threads. A thread in the middle of a wait has a moment to finish it; a thread that
    /// does not finish is left until the process ends, and its wait is censored.
    pub(super) fn stop(&self) {
        self.job.end();
        self.schedules.iter().for_each(|schedule| schedule.end());
        let patience = Instant::now();
        while !self.handles.iter().all(JoinHandle::is_finished) && patience.elapsed() < PATIENCE {
            chronoscope_probes::time::sleep(Duration::from_millis(1));
        }
        for row in &self.rows {
            row.censor(os::monotonic());
        }
        self.job.read_names();
        self.waiters.end();
    }
}

/// The stack of a waiting thread, in bytes: there can be hundreds of them.
const STACK: usize = 512 << 10;

/// Pins the calling thread to its CPU, at its priority, with all signals blocked.
///
/// # Errors
/// The CPU or the priority is not available.
fn prepare(cpu: Option<usize>, fifo: Option<u32>) -> Result<Option<affinity::PinGuard>, String> {
    os::block_signals();
    let pin = cpu.map(affinity::pin).transpose();
    let pin = pin.map_err(|error| error.to_string())?;
    if let Some(priority) = fifo {
        os::set_fifo(priority).map_err(|error| error.0)?;
    }
    Ok(pin)
}

/// Makes the rows of one thread, with the figures of an earlier run.
///
/// `slack`: whether the system has any timer slack.
pub(super) fn every_row(
    plan: &Plan,
    load: Load,
    cpu: Option<usize>,
    slack: bool,
) -> Result<Vec<Arc<LiveRow>>, String> {
    let mut all = Vec::new();
    for entry in &plan.methods {
        let settings = plan.settings(entry, entry.slack && slack);
        for duration in plan.durations() {
            for &(slack, slice, policy) in &settings {
                let cpu = cpu.filter(|_| policy != Some(Policy::Deadline));
                let spec = RowSpec {
                    entry,
                    slack,
                    slice,
                    policy,
                    ns: ns(duration),
                    periodic: plan.spec.period.is_some(),
                };
                let mut row = LiveRow::new(spec, cpu, plan.spec.why);
                row.records = plan.watched.then(|| Records::new(spec.ns));
                let mut earlier = plan.earlier.iter();
                let same =
                    |w: &&Wait| w.work_ns == plan.work_ns() && continues(w, &spec, load, cpu);
                match earlier.find(same) {
                    Some(wait) if wait.available => continue_row(&row, wait)?,
                    Some(wait) => begin_again(&row, wait),
                    None => {}
                }
                all.push(Arc::new(row));
            }
        }
    }
    // A run with a single row is often long, so it allocates its memory in advance.
    if let [only] = all.as_slice() {
        only.lateness.touch();
        only.missed.touch();
    }
    Ok(all)
}
