//! The threads of one load, and what can be seen of them while they wait.

use super::earlier;
use super::gaps::Gaps;
use super::host::{Scale, Thread};
use super::job::Job;
use super::lane::Lane;
use super::plan::{Error, Plan};
use super::progress::Progress;
use super::series::{Question, Series};
use super::tally::Tally;
use super::worker::Worker;
use crate::engine::Ruler;
use crate::engine::time::RunClock;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, StoppedBy};
use chronoscope_probes::blame::has_slack;
use chronoscope_probes::machine::quota::{Quota, Throttled};
use chronoscope_probes::machine::{Root, affinity};
use chronoscope_probes::waits::os;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a wait in progress may continue when the run is to end.
const PATIENCE: Duration = Duration::from_millis(300);

/// The threads of one load.
pub(super) struct Threads {
    pub(super) job: Arc<Job>,
    pub(super) gaps: Arc<Gaps>,
    pub(super) handles: Vec<JoinHandle<()>>,
    pub(super) series: Vec<Arc<Series>>,
    lanes: Vec<Arc<Lane>>,
    quota: Option<(Arc<Quota>, Throttled)>,
}

impl Threads {
    /// Starts the waiting threads. They begin when all of them are ready.
    ///
    /// # Errors
    /// A CPU or a priority is not available, or rows of an earlier run do not fit.
    pub(super) fn start(plan: &Arc<Plan>, load: Load, ruler: &Ruler) -> Result<Self, Error> {
        let cpus: Vec<Option<usize>> = match plan.cpus.as_slice() {
            [] => vec![None],
            cpus => cpus.iter().copied().map(Some).collect(),
        };
        let quota = Quota::of(&Root::host()).map(Arc::new);
        let mut threads = Self {
            job: Arc::new(Job::new(RunClock::start(), plan, load)),
            gaps: Arc::new(Gaps::watch()),
            handles: Vec::new(),
            series: Vec::new(),
            lanes: Vec::new(),
            quota: quota.map(|quota| (quota.clone(), quota.throttled())),
        };
        let (say, ready) = mpsc::channel();
        for (nth, cpu) in cpus.into_iter().enumerate() {
            let slack = plan.spec.priority.is_none() && os::slack().is_some() && has_slack();
            let series = every_series(plan, load, cpu, slack)?;
            threads.series.extend(series.iter().cloned());
            let seed = plan.seed.wrapping_add(nth as u64);
            let settles = !plan.one_thread && load.leaves_idle_time();
            let lane = Lane::new(threads.job.clone(), plan.clone(), series, seed, settles);
            let lane = Arc::new(lane);
            threads.lanes.push(lane.clone());
            for of_lane in 0..lane.threads() {
                // Our own load would be the neighbour.
                let gauged = plan.gauged && load == Load::None;
                let place =
                    Place { cpu, fifo: plan.spec.priority, name: format!("wait-{nth}-{of_lane}") };
                let quota = threads.quota.as_ref().map(|(quota, _)| quota.clone());
                let host = Thread::new(ruler, threads.gaps.clone(), gauged, quota);
                let (lane, scale) = (lane.clone(), Scale::of(ruler));
                let started = spawn(place, say.clone(), move |ready| {
                    let worker = Worker::new(host, lane, of_lane, scale);
                    ready();
                    worker.work();
                });
                match started {
                    Ok(handle) => threads.handles.push(handle),
                    Err(why) => {
                        threads.stop();
                        return Err(Error(why));
                    }
                }
            }
        }
        drop(say);
        for _ in 0..threads.handles.len() {
            let refused = match ready.recv() {
                Ok(Ok(())) => continue,
                Ok(Err(why)) => why,
                Err(_) => "a waiting thread ended before it was ready".into(),
            };
            threads.stop();
            return Err(Error(refused));
        }
        let mut handles = threads.handles.iter().map(|handle| handle.thread().clone());
        for lane in &threads.lanes {
            lane.begin(handles.by_ref().take(lane.threads()).collect());
        }
        Ok(threads)
    }

    /// Context switches of all waiting threads, as far as they have reported them.
    pub(super) fn switches(&self) -> Option<(u64, u64)> {
        let all = self.series.iter();
        let all = all.filter_map(|series| series.tally().switches);
        all.reduce(|a, b| (a.0.saturating_add(b.0), a.1.saturating_add(b.1)))
    }

    /// How far they have come, with the percentiles of the only row if asked for.
    pub(super) fn progress(&self, load: Load, plan: &Plan, percentiles: bool) -> Progress {
        let tallies: Vec<_> = self.series.iter().map(|s| s.tally()).collect();
        let live = self.series.iter().filter(|s| s.failure().is_none()).count() as u64;
        let mut progress = Progress {
            load,
            seconds: self.job.seconds(),
            samples: all(&tallies, |t| t.samples),
            wanted: plan.spec.count.map(|count| count.saturating_mul(live)),
            now_ns: self.lanes.first().and_then(|lane| lane.ring.newest()),
            max_ns: tallies.iter().map(|t| t.ruler.ends().1).max().unwrap_or(0),
            missed: all(&tallies, |t| t.missed),
            ..Progress::default()
        };
        progress.estimate(plan, self.job.left());
        if percentiles && self.is_one_row() {
            let mut all = chronoscope_model::histogram::empty();
            for series in &self.series {
                series.overshoot.add_to(&mut all);
            }
            let largest = u64::try_from(progress.max_ns).unwrap_or(0);
            let of = |percentile: Percentile| {
                let supported = percentile.is_supported_by(all.len());
                supported.then(|| all.value_at_quantile(percentile.share()).min(largest))
            };
            progress.p50_ns = of(Percentile::P50);
            progress.p99_ns = of(Percentile::P99);
        }
        progress
    }

    /// Whether each CPU has a single row.
    fn is_one_row(&self) -> bool {
        self.series.len() == self.lanes.len()
    }

    /// What a CPU quota has throttled since the threads were started, if each CPU has a single row,
    /// and so a single turn: what a row counts itself is complete at the end of its turns only.
    pub(super) fn throttled(&self) -> Option<Throttled> {
        let (quota, before) = self.quota.as_ref().filter(|_| self.is_one_row())?;
        Some(quota.throttled().since(*before))
    }

    /// What ended a run whose threads have all ended.
    pub(super) fn end(&self, plan: &Plan) -> StoppedBy {
        let complete = plan.spec.count.is_some_and(|count| {
            let mut live = self.series.iter().filter(|s| s.failure().is_none());
            live.all(|series| series.tally().samples >= count)
        });
        if complete { StoppedBy::Count } else { StoppedBy::Time }
    }

    /// Ends the threads. A thread in the middle of a wait has a moment to finish it; one that does
    /// not is left until the process ends, and its wait is censored.
    pub(super) fn stop(&self) {
        self.job.end();
        self.lanes.iter().for_each(|lane| lane.end());
        // If the run has not begun, the lanes do not know their threads.
        self.handles.iter().for_each(|handle| handle.thread().unpark());
        let patience = Instant::now();
        while !self.handles.iter().all(JoinHandle::is_finished) && patience.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        for series in &self.series {
            series.censor(os::monotonic());
        }
    }
}

/// Where a thread waits, and its name.
struct Place {
    cpu: Option<usize>,
    fifo: Option<u32>,
    name: String,
}

/// The stack of a waiting thread, in bytes: there can be hundreds of them.
const STACK: usize = 512 << 10;

/// Starts a thread in its place. It reports to `say` when it is ready, or why it cannot be, and
/// wakes the calling thread when it ends.
///
/// # Errors
/// The system does not start it.
fn spawn(
    place: Place,
    say: mpsc::Sender<Result<(), String>>,
    work: impl FnOnce(&mut dyn FnMut()) + Send + 'static,
) -> Result<JoinHandle<()>, String> {
    let watcher = std::thread::current();
    let thread = std::thread::Builder::new().name(place.name).stack_size(STACK);
    let started = thread.spawn(move || {
        // Nobody receives this if the run has been given up.
        match prepare(place.cpu, place.fifo) {
            Ok(_pin) => work(&mut || drop(say.send(Ok(())))),
            Err(why) => drop(say.send(Err(why))),
        }
        watcher.unpark();
    });
    started.map_err(|error| format!("a waiting thread cannot be started: {error}"))
}

/// The sum of a count. It saturates, because the counts of an earlier run are whatever its file
/// contains.
fn all(tallies: &[Tally], count: impl Fn(&Tally) -> u64) -> u64 {
    tallies.iter().map(count).fold(0, u64::saturating_add)
}

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

/// The rows of one thread, with the figures of an earlier run.
///
/// `slack`: whether there is a timer slack. A real-time thread has none, whatever is set (Linux
/// kernel/time/hrtimer.c, hrtimer_nanosleep).
pub(super) fn every_series(
    plan: &Plan,
    load: Load,
    cpu: Option<usize>,
    slack: bool,
) -> Result<Vec<Arc<Series>>, Error> {
    let mut all = Vec::new();
    for entry in &plan.methods {
        let settings = plan.settings(entry, entry.slack && slack);
        for duration in plan.durations() {
            for &(slack, slice) in &settings {
                let question = Question {
                    entry,
                    slack,
                    slice,
                    ns: u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX),
                    periodic: plan.spec.period.is_some(),
                };
                let series = Series::new(question, cpu, plan.spec.why);
                let rows = &plan.earlier;
                if let Some(wait) = rows.iter().find(|w| earlier::answers(w, &question, load, cpu))
                {
                    earlier::go_on(&series, wait).map_err(Error)?;
                }
                all.push(Arc::new(series));
            }
        }
    }
    // A run with a single row is often long, so it allocates its memory in advance.
    if let [only] = all.as_slice() {
        only.touch();
    }
    Ok(all)
}
