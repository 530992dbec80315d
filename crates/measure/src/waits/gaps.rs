//! Gaps: periods in which the whole process could not run, because it was stopped or the machine
//! was suspended.

use chronoscope_probes::waits::os;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) struct Gaps {
    /// When the process was last seen to have continued after a stop, by the system's clock.
    continued: AtomicU64,
    /// The time for which the machine had been suspended at the last check, in nanoseconds.
    suspended: AtomicU64,
    /// When the machine was last seen to have been suspended, by the system's clock.
    resumed: AtomicU64,
}

/// The time of an event that has never happened. No clock shows this value: it is some 584 years
/// after the machine started.
const NEVER: u64 = u64::MAX;

/// Whether an event that last happened at `moment` did so within the `ns` nanoseconds before `now`.
/// `ns` may reach back to before the machine started.
fn within(moment: u64, ns: u64, now: u64) -> bool {
    moment != NEVER && now.saturating_sub(moment) <= ns
}

/// Shorter suspends, in nanoseconds, are within the scatter of the clocks.
const SHORTEST_SUSPEND: u64 = 1_000_000;

impl Gaps {
    /// Starts to watch now: an earlier stop does not concern the run.
    pub(super) fn watch() -> Self {
        os::forget_continue();
        Self {
            continued: AtomicU64::new(NEVER),
            suspended: AtomicU64::new(os::suspended().unwrap_or(0)),
            resumed: AtomicU64::new(NEVER),
        }
    }

    /// Returns why the process could not run at some time within the last `ns` nanoseconds, if so.
    ///
    /// A continued process finds SIGCONT pending. The signal is consumed once it has been recorded,
    /// so that it explains the gap that it caused and nothing later.
    pub(super) fn since(&self, ns: i64) -> Option<&'static str> {
        self.look();
        let (ns, now) = (ns.unsigned_abs(), os::monotonic());
        let within = |moment: &AtomicU64| within(moment.load(Ordering::Acquire), ns, now);
        if within(&self.continued) {
            return Some("stopped");
        }
        within(&self.resumed).then_some("suspended")
    }

    /// Records a stop or a suspend that has just ended.
    pub(super) fn look(&self) {
        if os::continued() {
            // Record first, then consume: a thread that no longer sees the signal sees the record.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_happened_explains_no_overshoot() {
        // One second after the machine started, and an hour late.
        assert!(!within(NEVER, 3_600_000_000_000, 1_000_000_000));
        assert!(!within(NEVER, u64::MAX, u64::MAX - 1));
        assert!(within(500, 3_600_000_000_000, 1_000_000_000));
        assert!(within(500, 100, 600) && !within(500, 99, 600));
    }
}
