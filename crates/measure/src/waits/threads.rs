//! The threads of one load, and what can be seen of them while they wait.

use super::earlier;
use super::gaps::Gaps;
use super::host::{Scale, Thread};
use super::job::Job;
use super::plan::{Error, Plan};
use super::progress::Progress;
use super::ring::Ring;
use super::series::{Question, Series};
use super::tally::Tally;
use super::worker::Worker;
use crate::engine::Ruler;
use crate::engine::time::RunClock;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, StoppedBy};
use chronoscope_probes::machine::affinity;
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
    rings: Vec<Arc<Ring>>,
}

impl Threads {
    /// Starts the waiting threads, one per CPU, each after the one before has begun.
    ///
    /// # Errors
    /// A CPU or a priority is not available, or rows of an earlier run do not fit.
    pub(super) fn start(plan: &Arc<Plan>, load: Load, ruler: &Ruler) -> Result<Self, Error> {
        let cpus: Vec<Option<usize>> = match plan.cpus.as_slice() {
            [] => vec![None],
            cpus => cpus.iter().copied().map(Some).collect(),
        };
        let mut threads = Self {
            job: Arc::new(Job::new(
                RunClock::start(),
                plan.stop_above,
                plan.time_left(load),
            )),
            gaps: Arc::new(Gaps::watch()),
            handles: Vec::new(),
            series: Vec::new(),
            rings: Vec::new(),
        };
        for (nth, cpu) in cpus.into_iter().enumerate() {
            let slack = plan.fifo.is_none() && os::slack().is_some();
            let series = every_series(plan, load, cpu, slack)?;
            threads.series.extend(series.iter().cloned());
            let ring = Arc::new(Ring::default());
            threads.rings.push(ring.clone());
            let worker = Worker {
                // Our own load would be the neighbour.
                host: Thread::new(
                    ruler,
                    threads.gaps.clone(),
                    plan.gauged && load == Load::None,
                ),
                job: threads.job.clone(),
                plan: plan.clone(),
                scale: Scale::of(ruler),
                series,
                ring,
                seed: plan.seed.wrapping_add(nth as u64),
            };
            let (say, ready) = mpsc::channel();
            let (watcher, fifo) = (std::thread::current(), plan.fifo);
            let started = std::thread::Builder::new()
                .name(format!("wait-{nth}"))
                .spawn(move || {
                    // Nobody receives this if the run has been given up.
                    match settle(cpu, fifo) {
                        Ok(_pin) => worker.work(|| drop(say.send(Ok(())))),
                        Err(why) => drop(say.send(Err(why))),
                    }
                    watcher.unpark();
                });
            let handle = started.map_err(|error| {
                Error(format!(
                    "a waiting thread cannot be \
                 started: {error}"
                ))
            })?;
            threads.handles.push(handle);
            let refused = match ready.recv() {
                Ok(Ok(())) => None,
                Ok(Err(why)) => Some(why),
                Err(_) => Some("a waiting thread ended before it was ready".into()),
            };
            if let Some(why) = refused {
                threads.stop();
                return Err(Error(why));
            }
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
            wanted: plan.count.map(|count| count.saturating_mul(live)),
            now_ns: self.rings.first().and_then(|ring| ring.newest()),
            max_ns: tallies.iter().map(|t| t.ruler.ends().1).max().unwrap_or(0),
            missed: all(&tallies, |t| t.missed),
            ..Progress::default()
        };
        progress.estimate(plan, self.job.left());
        if percentiles && self.series.len() == self.rings.len() {
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

    /// What ended a run whose threads have all ended.
    pub(super) fn end(&self, plan: &Plan) -> StoppedBy {
        let complete = plan.count.is_some_and(|count| {
            let mut live = self.series.iter().filter(|s| s.failure().is_none());
            live.all(|series| series.tally().samples >= count)
        });
        if complete {
            StoppedBy::Count
        } else {
            StoppedBy::Time
        }
    }

    /// Ends the threads. A thread in the middle of a wait has a moment to finish it; one that does
    /// not is left until the process ends, and its wait is not a sample.
    pub(super) fn stop(&self) {
        self.job.end();
        let patience = Instant::now();
        while !self.handles.iter().all(JoinHandle::is_finished) && patience.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
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
fn settle(cpu: Option<usize>, fifo: Option<u32>) -> Result<Option<affinity::PinGuard>, String> {
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
        let slacks = if entry.slack && slack {
            plan.slacks.iter().copied().map(Some).collect()
        } else {
            vec![None]
        };
        for duration in plan.durations() {
            for slack in slacks.iter().copied() {
                let question = Question {
                    entry,
                    slack,
                    ns: u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX),
                    periodic: plan.period.is_some(),
                };
                let series = Series::new(question, cpu);
                let rows = &plan.earlier;
                if let Some(wait) = rows
                    .iter()
                    .find(|w| earlier::answers(w, &question, load, cpu))
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
