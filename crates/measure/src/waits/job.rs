//! What the threads of a run share.

use super::plan::Plan;
use super::worker::Ring;
use chronoscope_model::waits::Load;
use chronoscope_probes::machine::noise;
use chronoscope_probes::waits::os;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// An overshoot above the limit, as the thread that suffered it saw it.
pub(super) struct Trip {
    pub(super) at_s: f64,
    pub(super) overshoot: i64,
    /// The thread's processor as it was pinned.
    pub(super) pinned: Option<usize>,
    /// The one it ran on.
    pub(super) cpu: Option<usize>,
    pub(super) last: Vec<i64>,
}

/// Shared by the waiting threads and the one that watches them.
pub(super) struct Job {
    /// Set to end the run.
    pub(super) stop: AtomicBool,
    /// The overshoot that ends it, in nanoseconds.
    pub(super) limit: Option<i64>,
    pub(super) tripped: OnceLock<Trip>,
    started: Instant,
    deadline: Option<Instant>,
    watcher: Thread,
    /// When the process was last seen to have been continued after a stop, by the system's clock.
    continued: AtomicU64,
    /// Nanoseconds for which the machine had been suspended when that was last looked at.
    suspended: AtomicU64,
    /// When it was last found suspended, by the system's clock.
    resumed: AtomicU64,
}

/// Suspends shorter than this are the clocks' own spread.
const SHORTEST_SUSPEND: u64 = 1_000_000;

impl Job {
    pub(super) fn new(plan: &Plan, load: Load) -> Self {
        let started = Instant::now();
        // What a stop before this run has left behind is none of its gaps.
        os::forget_continue();
        Self {
            stop: AtomicBool::new(false),
            limit: plan
                .stop_above
                .map(|limit| i64::try_from(limit.as_nanos()).unwrap_or(i64::MAX)),
            tripped: OnceLock::new(),
            started,
            // A time beyond what the clock can count to is no limit.
            deadline: plan
                .time_left(load)
                .and_then(|time| started.checked_add(time)),
            watcher: std::thread::current(),
            continued: AtomicU64::new(0),
            suspended: AtomicU64::new(os::suspended().unwrap_or(0)),
            resumed: AtomicU64::new(0),
        }
    }

    /// Seconds since the run began.
    pub(super) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// What is left of its time.
    pub(super) fn left(&self) -> Option<Duration> {
        Some(self.deadline?.saturating_duration_since(Instant::now()))
    }

    /// Why the process could not run at some time within the last `ns` nanoseconds, if so.
    ///
    /// A continued process finds SIGCONT pending. The signal is taken when it has been noted, so
    /// that it explains what it caused and nothing later.
    pub(super) fn gap_since(&self, ns: i64) -> Option<&'static str> {
        self.look_for_gaps();
        let from = os::monotonic().saturating_sub(ns.unsigned_abs());
        if self.continued.load(Ordering::Acquire) >= from {
            return Some("stopped");
        }
        (self.resumed.load(Ordering::Acquire) >= from).then_some("suspended")
    }

    /// Notes a stop or a suspend that has just ended.
    pub(super) fn look_for_gaps(&self) {
        if os::continued() {
            // First noted, then taken: a thread that no longer sees the signal sees the note.
            self.continued.store(os::monotonic(), Ordering::Release);
            os::forget_continue();
        }
        if let Some(now) = os::suspended() {
            let before = self.suspended.load(Ordering::Acquire);
            if now > before + SHORTEST_SUSPEND {
                self.resumed.store(os::monotonic(), Ordering::Release);
                self.suspended.store(now, Ordering::Release);
            }
        }
    }

    /// Ends the run because of an overshoot above the limit, and wakes whoever watches.
    pub(super) fn trip(&self, pinned: Option<usize>, overshoot: i64, ring: &Ring) {
        let trip = Trip {
            at_s: self.seconds(),
            overshoot,
            pinned,
            cpu: noise::current_cpu(),
            last: ring.last(),
        };
        // The first counts; a second thread's is a consequence as often as not.
        let _ = self.tripped.set(trip);
        self.end();
    }

    /// Ends the run.
    pub(super) fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}
