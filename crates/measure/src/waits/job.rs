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
    continued: Moment,
    /// Nanoseconds for which the machine had been suspended when that was last looked at.
    suspended: AtomicU64,
    /// When it was last found suspended, by the system's clock.
    resumed: Moment,
}

/// When something last happened, by the system's clock, if it ever did.
struct Moment(AtomicU64);

impl Moment {
    /// No clock shows this: it is some 584 years after the machine started.
    const NEVER: u64 = u64::MAX;

    const fn never() -> Self {
        Self(AtomicU64::new(Self::NEVER))
    }

    fn set(&self, clock: u64) {
        self.0.store(clock, Ordering::Release);
    }

    /// Whether it happened within the last `ns` nanoseconds before `now`. `ns` may reach back to
    /// before the machine started.
    fn within(&self, ns: u64, now: u64) -> bool {
        match self.0.load(Ordering::Acquire) {
            Self::NEVER => false,
            then => now.saturating_sub(then) <= ns,
        }
    }
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
            continued: Moment::never(),
            suspended: AtomicU64::new(os::suspended().unwrap_or(0)),
            resumed: Moment::never(),
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
        let (ns, now) = (ns.unsigned_abs(), os::monotonic());
        if self.continued.within(ns, now) {
            return Some("stopped");
        }
        self.resumed.within(ns, now).then_some("suspended")
    }

    /// Notes a stop or a suspend that has just ended.
    pub(super) fn look_for_gaps(&self) {
        if os::continued() {
            // First noted, then taken: a thread that no longer sees the signal sees the note.
            self.continued.set(os::monotonic());
            os::forget_continue();
        }
        if let Some(now) = os::suspended() {
            let before = self.suspended.load(Ordering::Acquire);
            if now > before + SHORTEST_SUSPEND {
                self.resumed.set(os::monotonic());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_happened_explains_no_lateness_however_long() {
        let moment = Moment::never();
        // A second after the machine started, and an hour late.
        assert!(!moment.within(3_600_000_000_000, 1_000_000_000));
        assert!(!moment.within(u64::MAX, u64::MAX - 1));
        moment.set(500);
        assert!(moment.within(3_600_000_000_000, 1_000_000_000));
        assert!(moment.within(100, 600) && !moment.within(99, 600));
    }
}
