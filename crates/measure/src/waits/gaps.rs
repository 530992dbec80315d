//! Gaps: periods in which the whole process could not run, because it was stopped or the machine
//! was suspended.

use chronoscope_probes::waits::os;
use std::sync::atomic::{AtomicU64, Ordering};

/// Watches for gaps.
pub(super) struct Gaps {
    /// When the process was last found to have been continued after a stop, by the system's clock.
    continued: Moment,
    /// For how many nanoseconds the machine had been suspended at the last check.
    suspended: AtomicU64,
    /// When the machine was last found to have been suspended, by the system's clock.
    resumed: Moment,
}

/// When something last happened, by the system's clock, if it ever did.
struct Moment(AtomicU64);

impl Moment {
    /// No clock shows this value: it is some 584 years after the machine started.
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

/// Suspends shorter than this are within the spread of the clocks.
const SHORTEST_SUSPEND: u64 = 1_000_000;

impl Gaps {
    /// Starts to watch now: an earlier stop does not concern the run.
    pub(super) fn watch() -> Self {
        os::forget_continue();
        Self {
            continued: Moment::never(),
            suspended: AtomicU64::new(os::suspended().unwrap_or(0)),
            resumed: Moment::never(),
        }
    }

    /// Why the process could not run at some time within the last `ns` nanoseconds, if that was so.
    ///
    /// A continued process finds SIGCONT pending. The signal is consumed once it has been recorded,
    /// so that it explains what it caused and nothing later.
    pub(super) fn since(&self, ns: i64) -> Option<&'static str> {
        self.look();
        let (ns, now) = (ns.unsigned_abs(), os::monotonic());
        if self.continued.within(ns, now) {
            return Some("stopped");
        }
        self.resumed.within(ns, now).then_some("suspended")
    }

    /// Records a stop or a suspend that has just ended.
    pub(super) fn look(&self) {
        if os::continued() {
            // First record, then consume: a thread that no longer sees the signal sees the record.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_happened_explains_no_overshoot() {
        let moment = Moment::never();
        // One second after the machine started, and an hour late.
        assert!(!moment.within(3_600_000_000_000, 1_000_000_000));
        assert!(!moment.within(u64::MAX, u64::MAX - 1));
        moment.set(500);
        assert!(moment.within(3_600_000_000_000, 1_000_000_000));
        assert!(moment.within(100, 600) && !moment.within(99, 600));
    }
}
