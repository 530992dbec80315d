//! State that the threads of a run share, and what is known of the overshoot that ends it.

use super::live_row::locked;
use super::overshoots::Ring;
use super::plan::{Plan, ns};
use crate::engine::machine::Neighbour;
use crate::engine::schedule::RunClock;
use crate::grown;
use chronoscope_model::waits::{Load, Moment};
use chronoscope_probes::blame::{Missing, Names, Trace, read_task};
use chronoscope_probes::clocks::steps;
use chronoscope_probes::machine::noise;
use chronoscope_probes::waits::moment::{Counts, interrupts, khz};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::Thread;
use std::time::Duration;

/// State shared by the waiting threads and the thread that watches them.
pub(super) struct Job {
    /// Set to end the run.
    pub(super) stop: AtomicBool,
    /// The overshoot above which the run ends.
    pub(super) limit: Option<Duration>,
    /// The overshoot above the limit, as seen by the thread in which it happened, and the CPU that
    /// this thread was pinned to.
    pub(super) tripped: OnceLock<(Option<usize>, Moment)>,
    /// The kernel's trace, which an overshoot above the limit marks and stops.
    pub(super) trace: Option<Arc<Trace>>,
    /// Whether it did.
    pub(super) marked: OnceLock<Result<(), String>>,
    /// The sources that the explanation of late wake-ups lacks.
    pub(super) missing: OnceLock<Vec<Missing>>,
    /// Why it is not recorded who runs on a CPU, if so.
    pub(super) unrecorded: OnceLock<String>,
    /// The most processes that a search for those who ran had no time for.
    pub(super) left_out: AtomicU64,
    /// The names of those who ran, unless no names are wanted.
    pub(super) names: Option<Mutex<Names>>,
    /// Whether the cores of the waiting threads were shared.
    neighbour: Mutex<Neighbour>,
    clock: RunClock,
    /// When the first wait could begin, in nanoseconds of the run's clock.
    began: AtomicU64,
    /// How long before that the first wait of an earlier run could begin, in nanoseconds.
    before: AtomicU64,
    /// For how long the machine has been suspended since, in nanoseconds.
    pub(super) slept: Arc<AtomicU64>,
    time: Option<Duration>,
    pub(super) watcher: Thread,
}

impl Job {
    /// Starts the job of a load. It ends when its time is over, or at an overshoot above the limit.
    pub(super) fn new(clock: RunClock, plan: &Plan, load: Load) -> Self {
        let began = AtomicU64::new(ns(clock.elapsed()));
        Self {
            stop: AtomicBool::new(false),
            limit: plan.spec.stop_above,
            tripped: OnceLock::new(),
            trace: None,
            marked: OnceLock::new(),
            missing: OnceLock::new(),
            unrecorded: OnceLock::new(),
            left_out: AtomicU64::new(0),
            names: (plan.finds_culprits() && !plan.spec.no_names).then(Mutex::default),
            neighbour: Mutex::new(Neighbour::new(steps::least_width())),
            clock,
            began,
            before: AtomicU64::new(0),
            slept: Arc::default(),
            time: plan.time_left(load),
            watcher: std::thread::current(),
        }
    }

    /// Records a look at a waiting thread's core, as [`Neighbour::push`] does.
    pub(super) fn look(&self, width: Option<f64>) {
        locked(&self.neighbour).push(width);
    }

    /// The share of looks in which the core was shared, 0 to 1; `None` if unknown.
    pub(super) fn shared(&self) -> Option<f64> {
        let mut neighbour = locked(&self.neighbour);
        neighbour.judge();
        neighbour.share()
    }

    /// Begins to count the time, once all that waits is ready. An earlier run began so many seconds
    /// before.
    pub(super) fn begin(&self, before_s: f64) {
        self.before.store((before_s * 1e9) as u64, Ordering::Relaxed);
        self.began.store(ns(self.clock.elapsed()), Ordering::Relaxed);
    }

    fn elapsed(&self) -> Duration {
        let began = Duration::from_nanos(self.began.load(Ordering::Relaxed));
        self.clock.elapsed().saturating_sub(began)
    }

    /// Seconds since the run began.
    pub(super) fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }

    /// Seconds since the first wait of the load could begin, in this run or in the earlier one that
    /// it continues, with all the time for which the run was stopped or the machine suspended.
    pub(super) fn at_s(&self) -> f64 {
        let more = self.before.load(Ordering::Relaxed) + self.slept.load(Ordering::Relaxed);
        (self.elapsed() + Duration::from_nanos(more)).as_secs_f64()
    }

    /// The part of the job's time that is left.
    pub(super) fn left(&self) -> Option<Duration> {
        Some(self.time?.saturating_sub(self.elapsed()))
    }

    /// Whether the run is to end.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether a wait of `ns` nanoseconds ends before the run does.
    pub(super) fn fits(&self, ns: u64) -> bool {
        self.left().is_none_or(|left| u128::from(ns) <= left.as_nanos())
    }

    /// Ends the run, and wakes the watching thread, if an overshoot is above the limit. `pinned` is
    /// the CPU that the thread was pinned to, and `cpu` returns the one that it ran on.
    pub(super) fn check(
        &self,
        late: i64,
        pinned: Option<usize>,
        cpu: impl FnOnce() -> Option<usize>,
        ring: &Ring,
    ) {
        let found = self.limit.and_then(|limit| Moment::above(limit, late, self.at_s()));
        let Some(mut moment) = found else { return };
        let cpu = cpu();
        if let Some(trace) = &self.trace
            && self.tripped.get().is_none()
        {
            let cpu = cpu.map_or(String::new(), |cpu| format!(" on CPU {cpu}"));
            let limit = moment.limit_ns;
            let mark = format!("chronoscope: late by {late} ns{cpu} (limit {limit} ns)");
            let _ = self.marked.set(trace.stop(&mark).map_err(|error| error.to_string()));
        }
        (moment.cpu, moment.last_ns) = (cpu.or(pinned), ring.last());
        // The first overshoot counts; another one in a second thread is often a consequence of it.
        let _ = self.tripped.set((pinned, moment));
        self.end();
    }

    /// Reads the names of tasks that ran. For the watching thread.
    pub(super) fn read_names(&self) {
        let Some(names) = &self.names else {
            return;
        };
        let wanted = locked(names).wanted();
        // Files are read without the lock, so that a waiting thread never waits for them.
        let read = wanted.into_iter().map(|task| (task, read_task(task))).collect();
        locked(names).learn(read);
    }

    pub(super) fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}

/// The system's counts, before the overshoot that ends a run and just after it.
pub(super) struct CountsBefore {
    at_s: f64,
    steal_ns: Option<u64>,
    interrupts: Option<Counts>,
    switches: Option<(u64, u64)>,
}

impl CountsBefore {
    /// Reads the counts now; `switches` are those of the waiting threads.
    pub(super) fn now(job: &Job, switches: Option<(u64, u64)>) -> Self {
        Self {
            at_s: job.seconds(),
            steal_ns: noise::steal_ns(None),
            interrupts: interrupts(),
            switches,
        }
    }

    /// Adds to an overshoot what happened around it, from the counts `self` to the counts `after`.
    pub(super) fn around(&self, moment: &Moment, after: &Self) -> Moment {
        // Before the end of the first burst there are no counts, so they start from zero.
        let switch = |which: fn((u64, u64)) -> u64| {
            let before = self.switches.map_or(0, which);
            grown(Some(before), after.switches.map(which))
        };
        let interrupts = match (&self.interrupts, &after.interrupts) {
            (Some(before), Some(after)) => after.since(before, moment.cpu),
            _ => Vec::new(),
        };
        Moment {
            span_s: after.at_s - self.at_s,
            steal_ms: grown(self.steal_ns, after.steal_ns).map(|ns| ns as f64 / 1e6),
            voluntary_switches: switch(|s| s.0),
            involuntary_switches: switch(|s| s.1),
            khz: moment.cpu.and_then(khz),
            interrupts,
            ..moment.clone()
        }
    }
}
