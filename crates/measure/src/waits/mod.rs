//! Wait methods: the overshoot of each, at every duration, under every load.
//!
//! The overshoot is the time at which the thread ran again, less its deadline. Two clocks measure
//! it: the ruler, so that no method is judged by its own clock alone, and the clock that the
//! system's timers run on. `docs/waits.md` describes the procedure and its limits.
//!
//! A whole run takes the loads one after the other, starts the threads that wait, and shows its
//! progress in the thread that watches them.

mod burst;
mod host;
mod job;
mod live;
mod live_row;
mod meanwhile;
mod overshoots;
mod plan;
mod reasons;
mod row;
mod schedule;
#[cfg(feature = "simulation")]
#[path = "../../tests/simulation/mod.rs"]
mod simulation;
mod split;
mod threads;
mod worker;

use crate::add_new;
use crate::engine::children::{real_time_fence, start_processes};
use crate::engine::schedule::Interrupt;
use crate::engine::{Ruler, notes};
use crate::runtimes::waiting::Waiters;
use chronoscope_model::Note;
use chronoscope_model::waits::{Load, LoadRun, StoppedBy, Wait};
pub use chronoscope_model::waits::{Slack, WaitSpec};
use chronoscope_probes::blame::Trace;
use chronoscope_probes::load::{Order, Running};
use chronoscope_probes::machine::power::Meter;
use chronoscope_probes::machine::{affinity, power_source};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::privilege::{self, KeepAwake};
use chronoscope_probes::waits::{Unavailable, os};
use job::CountsBefore;
pub use live::{Live, Tap};
pub use meanwhile::ClockWatch;
use meanwhile::{Course, Power};
pub use plan::Plan;
use reasons::{about_culprits, that_matter};
use row::{Common, earlier_course, earlier_load, joined_loads};
#[cfg(feature = "simulation")]
pub use simulation::{FakeMethod, Simulation, simulate};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;
use threads::Threads;

/// A function that receives the current rows and the notes on them, and returns whether it kept
/// them.
pub type Checkpoint<'a> = &'a mut dyn FnMut(&[Wait], &[Note]) -> bool;

pub struct Hooks<'a> {
    /// Set when the user asks to stop.
    pub interrupt: &'a Interrupt,
    /// Called about ten times a second.
    pub progress: &'a mut dyn FnMut(&Progress),
    /// Called about once a second with the current rows.
    pub checkpoint: Option<Checkpoint<'a>>,
    /// Called with the rows so far when those of a load are complete and others follow, and once
    /// before, in a long run, whose reader should not wait for the first figures.
    pub done: &'a mut dyn FnMut(&[Wait], &Ruler, bool),
}

pub struct Found {
    /// The rows, in the order of the loads.
    pub rows: Vec<Wait>,
    /// The ruler that measured the rows.
    pub ruler: Ruler,
    /// The share of looks, without load, in which something else ran on the core's other hardware
    /// thread, 0 to 1; `None` if unknown.
    pub shared: Option<f64>,
    /// What could not be done as asked, and what happened during the run.
    pub notes: Vec<Note>,
}

/// The span of calibration. With brackets of some 40 ns, the error is about 1 ppm, which is 100 ns
/// of a wait of 100 ms.
const CALIBRATION: Duration = Duration::from_millis(50);
/// How often the watching thread checks.
const TICK: Duration = Duration::from_millis(100);
/// How often the current rows are passed on during the run. Together with the sleep of the watching
/// thread and the time to write, this loses at most a second if the tool is killed.
const CHECKPOINT: Duration = Duration::from_millis(800);

/// When a long run shows what it has measured so far, in seconds.
const SO_FAR_S: f64 = 10.0;

/// Carries out a plan. Must be called from a thread that lives until the tool ends: the kernel
/// ends the processes of a load together with the thread that started them.
///
/// # Errors
/// The plan cannot be carried out. The error is one line with the reason.
pub fn run(plan: &Plan, distrust: Option<String>, hooks: &mut Hooks) -> Result<Found, String> {
    plan.check()?;
    os::hold_signals();
    let ruler = Ruler::new(distrust, CALIBRATION);
    let mut plan = plan.clone();
    // What this user may not do is noted, and the rest is measured.
    let mut notes = std::mem::take(&mut plan.notes);
    let awake = plan.spec.keep_awake.then(privilege::keep_awake);
    let awake: Option<KeepAwake> = awake.and_then(|held| {
        let refused = |why: Unavailable| {
            notes::refused("not-kept-awake", "the CPUs are not kept awake", &why.0)
        };
        held.map_err(|why| notes.push(refused(why))).ok()
    });
    let trace = plan.spec.trace_marker.then(Trace::open);
    let trace = trace.and_then(|opened| {
        let refused = |why: String| {
            notes::refused("no-trace-marker", "the kernel's trace will not be marked", &why)
        };
        opened.map_err(|why| notes.push(refused(why))).map(Arc::new).ok()
    });
    let _fence = real_time_fence(plan.spec.fifo())?;
    one_period(&mut plan, &mut notes);
    let mut run = Run {
        plan: Arc::new(plan.clone()),
        ruler,
        kept_awake: awake.is_some(),
        trace,
        done: Vec::new(),
        shared: None,
        on_every_row: notes.clone(),
        notes,
    };
    let waiters = Arc::new(Waiters::of(&plan.methods, hooks.interrupt));
    let loads = plan.loads();
    for (nth, &load) in loads.iter().enumerate() {
        let running = match start_load(&run.plan, load) {
            Ok(running) => running,
            Err(reason) => {
                for entry in &plan.methods {
                    run.done.push(row::unavailable_row(entry, load, &reason));
                }
                run.notes.push(notes::load("load-refused", reason));
                continue;
            }
        };
        let stopped_by = run.under(load, running, &waiters, hooks)?;
        if matches!(stopped_by, StoppedBy::Interrupt | StoppedBy::Limit) {
            break;
        }
        if nth + 1 < loads.len() {
            (hooks.done)(&run.done, &run.ruler, true);
        }
    }
    let over = |row: &Wait| row.stopped_by == StoppedBy::Time;
    if plan.spec.count.is_some() && run.done.iter().any(over) {
        run.notes.push(notes::time_over());
    }
    Ok(Found { rows: run.done, ruler: run.ruler, shared: run.shared, notes: run.notes })
}

/// Keeps only the first slack if the whole process has one timer period, because threads that wait
/// at the same time cannot have different ones.
fn one_period(plan: &mut Plan, notes: &mut Vec<Note>) {
    if os::period_ms(1).is_some() && plan.cpus.len() > 1 && plan.slacks().len() > 1 {
        plan.spec.slack.truncate(1);
        notes.push(notes::refused(
            "one-timer-period",
            "threads on several CPUs are measured with the first --slack only",
            "timeBeginPeriod applies to the whole process",
        ));
    }
}

struct Run {
    plan: Arc<Plan>,
    ruler: Ruler,
    kept_awake: bool,
    trace: Option<Arc<Trace>>,
    done: Vec<Wait>,
    shared: Option<f64>,
    /// Notes on what is not done as requested or not permitted, whatever the load.
    on_every_row: Vec<Note>,
    /// The notes of `on_every_row`, and those on what happened under each load.
    notes: Vec<Note>,
}

/// Starts the load of a plan.
pub(super) fn start_load(plan: &Plan, load: Load) -> Result<Option<Running>, String> {
    if load == Load::None {
        return Ok(None);
    }
    let (spec, high) = (&plan.spec, load == Load::High);
    let order = Order {
        load,
        processes: 0,
        cpus: affinity::allowed(),
        fifo: spec.load_priority.filter(|_| high),
        whole: spec.load_all_cpus && high,
    };
    start_processes(order, spec.load_processes, &plan.cpus).map(Some)
}

impl Run {
    /// Measures the rows of one load to their end.
    fn under(
        &mut self,
        load: Load,
        mut running: Option<Running>,
        waiters: &Arc<Waiters>,
        hooks: &mut Hooks,
    ) -> Result<StoppedBy, String> {
        // Only now, so that the processes of the load are scheduled as the tool was started.
        let _raised = self.plan.raised().map_err(|why| why.0)?;
        let threads = Threads::start(&self.plan, load, &self.ruler, self.trace.clone(), waiters)?;
        let ended = self.plan.has_ended(load);
        let earlier = earlier_course(&self.plan, load).map(|(course, _)| course);
        let mut course = Course::new(earlier, ended, threads.job.at_s());
        // A run that continues another began with the power source of its first rows.
        let mut earlier = self.plan.earlier.iter().filter(|row| row.load == load);
        let began_with = earlier.find_map(|row| row.power.clone()).or_else(power_source);
        course.power = Power::new(began_with);
        course.power.look(power_source(), threads.job.at_s());
        let (mut last_checkpoint, mut looks) = (Instant::now(), 0u64);
        let long = self.plan.expected().is_some_and(|it| it.0.as_secs_f64() > 3.0 * SO_FAR_S);
        let mut unshown = long && self.done.is_empty();
        let mut before = CountsBefore::now(&threads.job, threads.switches());
        let stopped_by = loop {
            chronoscope_probes::time::park(TICK);
            threads.gaps.look();
            threads.job.read_names();
            if let Some(running) = &mut running {
                running.look();
            }
            if hooks.interrupt.is_set() {
                break StoppedBy::Interrupt;
            }
            if threads.job.tripped.get().is_some() {
                break StoppedBy::Limit;
            }
            if threads.handles.iter().all(JoinHandle::is_finished) {
                break threads.end(&self.plan);
            }
            if threads.job.left().is_some_and(|left| left.is_zero()) {
                // Under load a burst can take far longer than its time; each thread ends after the
                // wait in progress.
                break threads.end(&self.plan);
            }
            looks += 1;
            (hooks.progress)(&threads.progress(load, &self.plan, looks.is_multiple_of(10)));
            if last_checkpoint.elapsed() >= CHECKPOINT {
                last_checkpoint = Instant::now();
                threads.look(&mut course);
                if threads.job.limit.is_some() {
                    before = CountsBefore::now(&threads.job, threads.switches());
                }
                let early = unshown && threads.job.seconds() >= SO_FAR_S;
                if early || hooks.checkpoint.is_some() {
                    let load_run = running.as_mut().map(Running::so_far);
                    let stopped_by = StoppedBy::Interrupt;
                    let common = self.common(load, load_run, stopped_by, &course, &threads);
                    let rows = threads.report(&common);
                    let rows: Vec<Wait> = self.done.iter().cloned().chain(rows).collect();
                    let mut notes = self.notes.clone();
                    add_new(&mut notes, common.notes);
                    if early {
                        unshown = false;
                        (hooks.done)(&rows, &self.ruler, false);
                    }
                    if let Some(checkpoint) = &mut hooks.checkpoint {
                        course.kept(checkpoint(&rows, &notes), threads.job.at_s());
                    }
                }
            }
        };
        threads.stop();
        self.shared = self.shared.or(threads.job.shared());
        threads.look(&mut course);
        let load_run = running.map(Running::stop);
        let common = self.common(load, load_run, stopped_by, &course, &threads);
        let mut rows = threads.report(&common);
        if let Some((pinned, moment)) = threads.job.tripped.get() {
            let after = CountsBefore::now(&threads.job, threads.switches());
            let is_it = |row: &Wait| row.max_ns >= moment.overshoot_ns.cast_signed();
            if let Some(row) = rows.iter_mut().find(|row| row.cpu == *pinned && is_it(row)) {
                row.moment = Some(before.around(moment, &after));
            }
        }
        let missing = threads.job.missing.get().map_or(&[][..], Vec::as_slice);
        let missing = that_matter(missing, &rows).into_iter();
        let mut missing: Vec<Note> = missing.map(notes::not_separated).collect();
        let job = &threads.job;
        missing.extend(about_culprits(
            job.unrecorded.get().map(String::as_str),
            job.left_out.load(Relaxed),
            job.names.is_some(),
            &rows,
        ));
        missing.extend(threads.rows.iter().filter_map(|live| row::unexplained(live)));
        missing.extend(threads.job.marked.get().map(notes::marked));
        let notes = common.notes;
        add_new(&mut self.notes, notes);
        add_new(&mut self.notes, missing);
        self.done.append(&mut once_unavailable(rows));
        Ok(stopped_by)
    }

    fn common(
        &self,
        load: Load,
        load_run: Option<LoadRun>,
        stopped_by: StoppedBy,
        course: &Course,
        threads: &Threads,
    ) -> Common<'_> {
        let load_run = load_run.map(|now| joined_loads(earlier_load(&self.plan, load), now));
        // If the load was incomplete, some waits were measured without it, and each row must say
        // so.
        let loss = load_run.as_ref().and_then(LoadRun::loss);
        let loss = loss.map(|text| notes::load("load-not-whole", text));
        Common {
            plan: &self.plan,
            load,
            counter_hz: self.ruler.hz(),
            power: course.power.source.clone(),
            kept_awake: self.kept_awake,
            stopped_by,
            throttled: threads.throttled(),
            meter: threads.meter.as_ref().map(Meter::name).map_err(Clone::clone),
            notes: self
                .on_every_row
                .iter()
                .chain(&loss)
                .chain(&course.notes)
                .chain(&course.power.notes)
                .cloned()
                .collect(),
            load_run,
            course: Some(course.report(threads.job.at_s())),
        }
    }
}

/// Reduces the rows of a method that cannot be used here to one, instead of one for each duration.
fn once_unavailable(rows: Vec<Wait>) -> Vec<Wait> {
    let mut kept: Vec<Wait> = Vec::with_capacity(rows.len());
    for mut row in rows {
        if row.available || row.samples > 0 {
            kept.push(row);
        } else if !kept.iter().any(|k| k.id == row.id && !k.available && k.samples == 0) {
            row.requested_ns = None;
            row.period_ns = None;
            kept.push(row);
        }
    }
    kept
}

#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The load in progress.
    pub load: Load,
    /// Seconds since the load began.
    pub seconds: f64,
    /// The number of waits measured under the load.
    pub samples: u64,
    /// The number of waits requested, if there is a count.
    pub wanted: Option<u64>,
    /// The share of the whole run that is done, 0 to 1, including loads to come; absent if it is
    /// not known yet.
    pub share: Option<f64>,
    /// The seconds that the rest will take.
    pub left_s: Option<f64>,
    /// The last overshoot, in nanoseconds.
    pub now_ns: Option<i64>,
    /// The median of the only row, or of all rows if they belong to one question; absent if there
    /// are too few waits.
    pub p50_ns: Option<u64>,
    /// The 99th percentile of the rows that `p50_ns` covers.
    pub p99_ns: Option<u64>,
    /// The largest overshoot of all rows.
    pub max_ns: i64,
    /// The number of missed deadlines.
    pub missed: u64,
}

/// From this share on, the time that a count of waits will take is estimated from the time so far.
const FORESEEABLE: f64 = 0.01;

impl Progress {
    /// Estimates how much of the plan is done. `left` is the rest of the time for this load.
    ///
    /// If there are both a count and a time, the one that ends first decides. Loads to come are
    /// expected to take as long as this one.
    pub(super) fn estimate(&mut self, plan: &Plan, left: Option<Duration>) {
        let by_time = plan.spec.duration.zip(left).map(|(time, left)| {
            let share = 1.0 - left.as_secs_f64() / time.as_secs_f64().max(1e-9);
            (share, left.as_secs_f64())
        });
        let counted = |wanted: u64| self.samples as f64 / wanted.max(1) as f64;
        let by_count = self.wanted.map(counted).filter(|share| *share >= FORESEEABLE);
        let by_count = by_count.map(|share| (share, self.seconds * (1.0 / share - 1.0)));
        let candidates = [by_time, by_count].into_iter().flatten();
        let Some((share, left_s)) = candidates.min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        let loads = plan.loads();
        let place = loads.iter().position(|load| *load == self.load);
        let (all, place) = (loads.len() as f64, place.unwrap_or(0) as f64);
        let whole = self.seconds + left_s;
        let whole = plan.spec.duration.map_or(whole, |time| whole.min(time.as_secs_f64()));
        self.share = Some(((place + share.clamp(0.0, 1.0)) / all).min(1.0));
        self.left_s = Some((left_s + (all - place - 1.0) * whole).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::waits::WaitSpec;

    fn plan(spec: WaitSpec) -> Plan {
        Plan { spec, ..Plan::default() }
    }

    fn estimated(plan: &Plan, progress: Progress, left: Option<f64>) -> Option<(f64, f64)> {
        let mut progress = progress;
        progress.estimate(plan, left.map(Duration::from_secs_f64));
        progress.share.zip(progress.left_s)
    }

    #[test]
    fn share_and_time_left_include_the_loads_to_come() {
        let plan = plan(WaitSpec {
            duration: Some(Duration::from_secs(10)),
            load: vec![Load::None, Load::Normal],
            ..WaitSpec::default()
        });
        let at = |load, seconds| Progress { load, seconds, ..Progress::default() };
        let early = estimated(&plan, at(Load::None, 4.0), Some(6.0));
        assert_eq!(early, Some((0.2, 16.0)));
        let late = estimated(&plan, at(Load::Normal, 4.0), Some(6.0));
        assert_eq!(late, Some((0.7, 6.0)));
    }

    #[test]
    fn a_count_is_extrapolated_once_enough_of_it_is_done() {
        let spec = WaitSpec { count: Some(500), ..WaitSpec::default() };
        let after =
            |samples| Progress { samples, wanted: Some(1000), seconds: 2.0, ..Progress::default() };
        assert_eq!(estimated(&plan(spec.clone()), after(3), None), None);
        assert_eq!(estimated(&plan(spec.clone()), after(250), None), Some((0.25, 6.0)));
        // The time is over first.
        let timed = plan(WaitSpec { duration: Some(Duration::from_secs(4)), ..spec });
        assert_eq!(estimated(&timed, after(250), Some(2.0)), Some((0.5, 2.0)));
    }
}
