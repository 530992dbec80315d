//! A whole run: the loads one after the other, the threads that wait, and the one that watches.

use super::clocks::{Clocks, calibrate};
use super::earlier::{self, joined};
use super::plan::{Error, Plan};
use super::row::{self, Common};
use super::stop::Before;
use super::threads::Threads;
use super::wall::{Wall, offset};
use crate::engine::Ruler;
use chronoscope_model::waits::{Load, LoadRun, StoppedBy, Wait};
use chronoscope_probes::load::{self, Order, Running};
use chronoscope_probes::machine::{Root, affinity};
use chronoscope_probes::waits::privilege::{self, KeepAwake, RealtimeFence};
use chronoscope_probes::waits::{Setting, os};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
/// How often rows are handed out while the run goes on: with what the watching thread sleeps and
/// what the writing takes, at most a second is lost to a kill.
const CHECKPOINT: Duration = Duration::from_millis(800);

/// Carries out a plan. To be called from a thread that lives to the end of the tool: the kernel
/// ends the processes of a load with the thread that started them.
///
/// # Errors
/// A plan that cannot be carried out; one line says why.
pub fn run(plan: &Plan, distrust: Option<String>, hooks: &mut Hooks) -> Result<Found, Error> {
    plan.check()?;
    os::hold_signals();
    let (ruler, slew) = calibrate(distrust, CALIBRATION);
    let mut plan = plan.clone();
    // What this user may not do is named, and the rest goes on.
    let mut denied = std::mem::take(&mut plan.notes);
    let awake = plan.keep_awake.then(privilege::keep_awake);
    let awake: Option<KeepAwake> = awake.and_then(|held| {
        held.map_err(|why| denied.push(format!("the CPUs are not kept awake: {why}")))
            .ok()
    });
    let fence = plan.fifo.map(|priority| {
        privilege::try_fifo(priority)?;
        RealtimeFence::new(FENCE_US)
    });
    if let Some(Err(why)) = &fence {
        plan.fifo = None;
        denied.push(format!(
            "waits are measured at the ordinary priority: {why}"
        ));
    }
    let mut notes = denied.clone();
    let plan = one_period(&plan, &mut notes);
    let mut run = Run {
        plan: Arc::new(plan.clone()),
        denied,
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
    /// What was asked for and is not done, or may not be had, in words.
    denied: Vec<String>,
    clocks: Clocks,
    setting: Setting,
    kept_awake: bool,
    done: Vec<Wait>,
}

impl Run {
    fn start_load(&self, load: Load) -> Result<Option<Running>, String> {
        if load == Load::None {
            return Ok(None);
        }
        let mut cpus = affinity::allowed();
        let fifo = self.plan.load_fifo.filter(|_| load == Load::High);
        if let Some(priority) = fifo {
            privilege::check_fifo(&Root::host(), priority, cpus.len())
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
        mut running: Option<Running>,
        hooks: &mut Hooks,
    ) -> Result<StoppedBy, Error> {
        let threads = Threads::start(&self.plan, load, self.clocks, self.setting)?;
        let mut wall = Wall::new(offset());
        let (mut last_checkpoint, mut looks) = (Instant::now(), 0u64);
        let mut before = Before::now(&threads.job, threads.switches());
        let stopped_by = loop {
            std::thread::park_timeout(TICK);
            threads.job.look_for_gaps();
            if let Some(running) = &mut running {
                running.look();
            }
            if hooks.interrupt.load(Ordering::Relaxed) {
                break StoppedBy::Interrupt;
            }
            if threads.job.tripped.get().is_some() {
                break StoppedBy::Limit;
            }
            if threads.handles.iter().all(JoinHandle::is_finished) {
                break threads.end(&self.plan);
            }
            if threads.job.left().is_some_and(|left| left.is_zero()) {
                // A burst under load can take long beyond its time; each thread ends after the
                // wait that it is in.
                break threads.end(&self.plan);
            }
            looks += 1;
            (hooks.progress)(&threads.progress(load, &self.plan, looks.is_multiple_of(10)));
            if last_checkpoint.elapsed() >= CHECKPOINT {
                last_checkpoint = Instant::now();
                wall.look(offset(), threads.job.seconds());
                if self.plan.stop_above.is_some() {
                    before = Before::now(&threads.job, threads.switches());
                }
                if let Some(checkpoint) = &mut hooks.checkpoint {
                    let load_run = running.as_mut().map(Running::so_far);
                    let common = self.common(load, load_run, StoppedBy::Interrupt, &wall);
                    let rows = threads.series.iter().map(|series| row::of(series, &common));
                    let rows: Vec<Wait> = self.done.iter().cloned().chain(rows).collect();
                    checkpoint(&rows);
                }
            }
        };
        threads.stop();
        wall.look(offset(), threads.job.seconds());
        let load_run = running.map(Running::stop);
        let common = self.common(load, load_run, stopped_by, &wall);
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
        load_run: Option<LoadRun>,
        stopped_by: StoppedBy,
        wall: &Wall,
    ) -> Common<'_> {
        let load_run = load_run.map(|now| joined(earlier::load_run(&self.plan, load), now));
        // A load that was not whole is no load for a part of the waits, which each row is to say.
        let loss = load_run.as_ref().and_then(LoadRun::loss);
        let notes = self.denied.iter().chain(&loss).chain(&wall.notes);
        Common {
            plan: &self.plan,
            load,
            kept_awake: self.kept_awake,
            stopped_by,
            notes: notes.cloned().collect(),
            load_run,
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
