//! A whole run: the loads one after the other, the threads that wait, and the one that watches.

use super::clocks::{Clocks, calibrate};
use super::job::Job;
use super::plan::{Error, Plan};
use super::row::{self, Common};
use super::series::{Question, Series};
use super::stop::Before;
use super::worker::{Ring, Worker};
use crate::engine::Ruler;
use chronoscope_model::waits::{Load, StoppedBy, Wait};
use chronoscope_probes::load::{self, Order, Running};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::privilege::{self, KeepAwake, RealtimeFence};
use chronoscope_probes::waits::{Setting, os};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What is given every row as it stands.
pub type Checkpoint<'a> = &'a mut dyn FnMut(&[Wait]);

/// How a run is watched.
pub struct Hooks<'a> {
    /// Set when the user asks to stop.
    pub interrupt: &'a AtomicBool,
    /// Called about ten times a second.
    pub progress: &'a mut dyn FnMut(&Progress),
    /// Called once a second with every row as it stands.
    pub checkpoint: Option<Checkpoint<'a>>,
}

/// How far a run has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The load that runs.
    pub load: Load,
    /// Seconds since it began.
    pub seconds: f64,
    /// Waits measured under it.
    pub samples: u64,
    /// Waits asked for, where there is a count.
    pub wanted: Option<u64>,
    /// The last overshoot, in nanoseconds.
    pub now_ns: Option<i64>,
    /// Median of the only row, or of all of them where they are of one question.
    pub p50_ns: Option<u64>,
    /// Its 99th percentile.
    pub p99_ns: Option<u64>,
    /// The largest overshoot of all rows.
    pub max_ns: i64,
    /// Deadlines missed.
    pub missed: u64,
}

/// What a run found.
pub struct Found {
    /// The rows, load by load.
    pub rows: Vec<Wait>,
    /// The ruler that they were measured by.
    pub ruler: Ruler,
    /// What could not be done as asked, and why.
    pub notes: Vec<String>,
    /// Whether the user ended it.
    pub interrupted: bool,
}

/// The span of calibration: with brackets of some 40 ns it is good to about 1 ppm, which is 100 ns
/// of a wait of 100 ms.
const CALIBRATION: Duration = Duration::from_millis(50);
/// How often the watching thread looks up.
const TICK: Duration = Duration::from_millis(100);
/// How often rows are handed out while the run goes on.
const CHECKPOINT: Duration = Duration::from_secs(1);
/// How long a wait that is under way may go on when the run is to end.
const PATIENCE: Duration = Duration::from_millis(300);

/// Carries out a plan. To be called from a thread that lives to the end of the tool: the kernel
/// ends the processes of a load with the thread that started them.
///
/// # Errors
/// A plan that cannot be carried out; one line says why.
pub fn run(plan: &Plan, distrust: Option<String>, hooks: &mut Hooks) -> Result<Found, Error> {
    plan.check()?;
    os::hold_continue();
    let (ruler, slew) = calibrate(distrust, CALIBRATION);
    let mut notes = Vec::new();
    let awake = plan.keep_awake.then(privilege::keep_awake);
    let awake: Option<KeepAwake> = match awake {
        Some(Ok(held)) => Some(held),
        Some(Err(reason)) => return Err(Error(format!("--keep-awake: {reason}"))),
        None => None,
    };
    let _fence = match plan.fifo {
        Some(_) => Some(RealtimeFence::new(FENCE_US).map_err(|why| Error(why.0))?),
        None => None,
    };
    let plan = &one_period(plan, &mut notes);
    let mut run = Run {
        plan: Arc::new(plan.clone()),
        clocks: Clocks::new(&ruler, slew),
        setting: Setting {
            counter_hz: ruler.hz(),
        },
        kept_awake: awake.is_some(),
        done: Vec::new(),
    };
    let mut interrupted = false;
    for &load in &plan.loads {
        let running = match run.start_load(load) {
            Ok(running) => running,
            Err(reason) => {
                notes.push(reason.clone());
                for entry in &plan.methods {
                    run.done.push(row::unavailable(entry, load, &reason));
                }
                continue;
            }
        };
        let stopped_by = run.under(load, running, hooks)?;
        interrupted = stopped_by == StoppedBy::Interrupt;
        if interrupted || stopped_by == StoppedBy::Limit {
            break;
        }
    }
    Ok(Found {
        rows: run.done,
        ruler,
        notes,
        interrupted,
    })
}

/// Where the whole process has one period of its timer, threads that wait at the same time cannot
/// have several: then the first is measured.
fn one_period(plan: &Plan, notes: &mut Vec<String>) -> Plan {
    let mut plan = plan.clone();
    if os::period_ms(1).is_some() && plan.cpus.len() > 1 && plan.slacks.len() > 1 {
        plan.slacks.truncate(1);
        notes.push(
            "timeBeginPeriod holds for the whole process, so that threads on several CPUs are measured with the first \
             --slack only"
                .into(),
        );
    }
    plan
}

/// What a real-time thread may run without blocking: more than the longest spin that is allowed,
/// and less than what locks a machine up for long. In microseconds.
const FENCE_US: u64 = 3_000_000;

struct Run {
    plan: Arc<Plan>,
    clocks: Clocks,
    setting: Setting,
    kept_awake: bool,
    done: Vec<Wait>,
}

/// The threads of one load.
struct Threads {
    job: Arc<Job>,
    handles: Vec<JoinHandle<()>>,
    series: Vec<Arc<Series>>,
    rings: Vec<Arc<Ring>>,
}

impl Run {
    fn start_load(&self, load: Load) -> Result<Option<Running>, String> {
        if load == Load::None {
            return Ok(None);
        }
        let mut cpus = affinity::allowed();
        let fifo = self.plan.load_fifo.filter(|_| load == Load::High);
        if let Some(priority) = fifo {
            privilege::check_fifo(priority, cpus.len())
                .map_err(|why| format!("load high: {why}"))?;
        }
        if load::leaves_one_free(load, fifo.is_some()) {
            // One processor is left free, and not one on which waits are measured.
            let free = cpus.iter().rposition(|cpu| !self.plan.cpus.contains(cpu));
            let free = free.ok_or(
                "load high: a priority above all others leaves one CPU free, and none is left",
            )?;
            cpus.remove(free);
        }
        let order = Order {
            load,
            processes: self.plan.load_processes.unwrap_or(cpus.len()).max(1),
            cpus,
            fifo,
        };
        load::start(&order).map(Some).map_err(|reason| reason.0)
    }

    /// The rows of one load, measured to their end.
    fn under(
        &mut self,
        load: Load,
        running: Option<Running>,
        hooks: &mut Hooks,
    ) -> Result<StoppedBy, Error> {
        let threads = self.start(load)?;
        let wall = os::wall().wrapping_sub(os::monotonic());
        let (mut last_checkpoint, mut looks) = (Instant::now(), 0u64);
        let mut before = Before::now(&threads.job, threads.switches());
        let mut notes = Notes::default();
        let stopped_by = loop {
            std::thread::park_timeout(TICK);
            threads.job.look_for_gaps();
            if hooks.interrupt.load(Ordering::Relaxed) {
                break StoppedBy::Interrupt;
            }
            if threads.job.tripped.get().is_some() {
                break StoppedBy::Limit;
            }
            if threads.handles.iter().all(JoinHandle::is_finished) {
                break threads.end(&self.plan);
            }
            looks += 1;
            (hooks.progress)(&threads.progress(load, &self.plan, looks.is_multiple_of(10)));
            if last_checkpoint.elapsed() >= CHECKPOINT {
                last_checkpoint = Instant::now();
                notes.look_at_the_wall(wall, &threads.job);
                if self.plan.stop_above.is_some() {
                    before = Before::now(&threads.job, threads.switches());
                }
                if let Some(checkpoint) = &mut hooks.checkpoint {
                    let common = self.common(load, &running, StoppedBy::Interrupt, &notes);
                    let rows = threads.series.iter().map(|series| row::of(series, &common));
                    let rows: Vec<Wait> = self.done.iter().cloned().chain(rows).collect();
                    checkpoint(&rows);
                }
            }
        };
        threads.stop();
        notes.look_at_the_wall(wall, &threads.job);
        let mut common = self.common(load, &running, stopped_by, &notes);
        common.load_run = running.map(Running::stop);
        let mut rows: Vec<Wait> = threads.series.iter().map(|s| row::of(s, &common)).collect();
        if let (Some(trip), Some(limit)) = (threads.job.tripped.get(), threads.job.limit) {
            let after = Before::now(&threads.job, threads.switches());
            let moment = before.moment(trip, limit, &after);
            let at = rows
                .iter_mut()
                .find(|r| r.cpu == trip.pinned && r.max_ns >= trip.overshoot);
            if let Some(row) = at {
                row.moment = Some(moment);
            }
        }
        self.done.append(&mut once_unavailable(rows));
        Ok(stopped_by)
    }

    fn common(
        &self,
        load: Load,
        running: &Option<Running>,
        stopped_by: StoppedBy,
        notes: &Notes,
    ) -> Common<'_> {
        Common {
            plan: &self.plan,
            load,
            load_run: running.as_ref().map(Running::so_far),
            kept_awake: self.kept_awake,
            stopped_by,
            notes: notes.0.clone(),
        }
    }

    /// Starts the waiting threads, one for each processor, and lets them begin together.
    fn start(&self, load: Load) -> Result<Threads, Error> {
        let cpus: Vec<Option<usize>> = match self.plan.cpus.as_slice() {
            [] => vec![None],
            cpus => cpus.iter().copied().map(Some).collect(),
        };
        let mut threads = Threads {
            job: Arc::new(Job::new(&self.plan, load)),
            handles: Vec::new(),
            series: Vec::new(),
            rings: Vec::new(),
        };
        for (nth, cpu) in cpus.into_iter().enumerate() {
            let series = self.series(load, cpu)?;
            threads.series.extend(series.iter().cloned());
            let ring = Arc::new(Ring::default());
            threads.rings.push(ring.clone());
            let worker = Worker {
                job: threads.job.clone(),
                plan: self.plan.clone(),
                clocks: self.clocks,
                setting: self.setting,
                cpu,
                series,
                ring,
                seed: self.plan.seed.wrapping_add(nth as u64),
            };
            let (said, ready) = mpsc::channel();
            let watcher = std::thread::current();
            let started = std::thread::Builder::new()
                .name(format!("wait-{nth}"))
                .spawn(move || {
                    worker.work(|result| {
                        // Nobody listens where the run has been given up.
                        let _ = said.send(result);
                    });
                    watcher.unpark();
                });
            let handle = started.map_err(|error| Error(format!("no thread: {error}")))?;
            threads.handles.push(handle);
            let refused = match ready.recv() {
                Ok(Ok(())) => None,
                Ok(Err(why)) => Some(why),
                Err(_) => Some("a waiting thread ended before it began".into()),
            };
            if let Some(why) = refused {
                threads.stop();
                return Err(Error(why));
            }
        }
        Ok(threads)
    }

    fn series(&self, load: Load, cpu: Option<usize>) -> Result<Vec<Arc<Series>>, Error> {
        let mut all = Vec::new();
        for entry in &self.plan.methods {
            let slacks = if entry.slack && os::slack().is_some() {
                self.plan.slacks.iter().copied().map(Some).collect()
            } else {
                vec![None]
            };
            for duration in self.plan.durations() {
                for slack in slacks.iter().copied() {
                    let question = Question {
                        entry,
                        slack,
                        ns: u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX),
                        periodic: self.plan.period.is_some(),
                    };
                    let series = Series::new(question, cpu);
                    let earlier = &self.plan.earlier;
                    if let Some(wait) = earlier
                        .iter()
                        .find(|w| row::answers(w, &question, load, cpu))
                    {
                        row::go_on(&series, wait).map_err(Error)?;
                    }
                    all.push(Arc::new(series));
                }
            }
        }
        // A single row runs long as often as not, and asks for its memory beforehand.
        if let [only] = all.as_slice() {
            only.overshoot.touch();
            only.missed.touch();
        }
        Ok(all)
    }
}

impl Threads {
    /// Context switches of all waiting threads, as far as they have told.
    fn switches(&self) -> Option<(u64, u64)> {
        self.series
            .iter()
            .filter_map(|series| series.tally().switches)
            .reduce(|a, b| (a.0 + b.0, a.1 + b.1))
    }

    fn progress(&self, load: Load, plan: &Plan, percentiles: bool) -> Progress {
        let tallies: Vec<_> = self.series.iter().map(|s| s.tally()).collect();
        let live = self.series.iter().filter(|s| s.failure().is_none()).count() as u64;
        let mut progress = Progress {
            load,
            seconds: self.job.seconds(),
            samples: tallies.iter().map(|t| t.samples).sum(),
            wanted: plan.count.map(|count| count.saturating_mul(live)),
            now_ns: self.rings.first().and_then(|ring| ring.newest()),
            max_ns: tallies.iter().map(|t| t.ruler.ends().1).max().unwrap_or(0),
            missed: tallies.iter().map(|t| t.missed).sum(),
            ..Progress::default()
        };
        if percentiles && self.series.len() == self.rings.len() {
            let mut all = chronoscope_model::histogram::empty();
            for series in &self.series {
                series.overshoot.add_to(&mut all);
            }
            progress.p50_ns = Some(all.value_at_quantile(0.5));
            progress.p99_ns = Some(all.value_at_quantile(0.99));
        }
        progress
    }

    /// What ended a run whose threads have all come to their end.
    fn end(&self, plan: &Plan) -> StoppedBy {
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

    /// Ends the threads. One that is in the middle of a wait has a moment to come out of it; one
    /// that does not is left to the end of the process, and its wait is no sample.
    fn stop(&self) {
        self.job.end();
        let patience = Instant::now();
        while !self.handles.iter().all(JoinHandle::is_finished) && patience.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A method that cannot be used here has one row, and not one for each duration.
fn once_unavailable(rows: Vec<Wait>) -> Vec<Wait> {
    let mut kept: Vec<Wait> = Vec::with_capacity(rows.len());
    for mut row in rows {
        if row.available || row.samples > 0 {
            kept.push(row);
        } else if !kept
            .iter()
            .any(|k| k.id == row.id && !k.available && k.samples == 0)
        {
            row.requested_ns = None;
            row.period_ns = None;
            kept.push(row);
        }
    }
    kept
}

/// What happened to the wall clock.
#[derive(Default)]
struct Notes(Vec<String>);

/// The most steps that are told.
const MOST_NOTES: usize = 20;

impl Notes {
    /// A step of the wall clock touches no wait here, since none runs on it; but who looks for the
    /// cause of an overshoot wants to know. Slewing moves the two apart by at most 500 ppm.
    fn look_at_the_wall(&mut self, before: u64, job: &Job) {
        let now = os::wall().wrapping_sub(os::monotonic());
        let moved = now.wrapping_sub(before) as i64;
        let slewed = (job.seconds() * 500e3) as i64 + 1_000_000;
        if moved.abs() > slewed && self.0.len() < MOST_NOTES {
            let note = format!(
                "the wall clock was stepped by {:+.3} s during the run; waits here do not run on it",
                moved as f64 / 1e9
            );
            if self.0.last() != Some(&note) {
                self.0.push(note);
            }
        }
    }
}
