//! What the waits of a row cost: the time of their bursts, and the system's counts meanwhile.

use chronoscope_model::waits::Throttled;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    /// The time in bursts of this row, in nanoseconds by the system's clock.
    pub(super) ns: u64,
    /// The CPU time of the bursts, in nanoseconds, if the system reports it.
    pub(super) cpu_ns: Option<u64>,
    /// The context switches, voluntary and involuntary, if the system reports them.
    pub(super) switches: Option<(u64, u64)>,
    /// The time that a CPU quota throttled, if there is a quota.
    pub(super) throttled: Option<Throttled>,
}

impl Spent {
    /// Adds figures to those of an earlier run, which may be anything, so the addition saturates.
    pub(super) fn add(&mut self, more: Self) {
        self.ns = self.ns.saturating_add(more.ns);
        self.cpu_ns = either(self.cpu_ns, more.cpu_ns, u64::saturating_add);
        self.switches = either(self.switches, more.switches, add_switches);
        self.throttled = either(self.throttled, more.throttled, Throttled::and);
    }
}

/// Adds voluntary and involuntary context switches.
pub(super) fn add_switches(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
}

/// Combines two figures, or returns the only one that is known.
fn either<T>(a: Option<T>, b: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_to_an_earlier_runs_counts_does_not_wrap() {
        let mut spent = Spent {
            ns: u64::MAX - 1,
            cpu_ns: Some(u64::MAX - 1),
            switches: Some((u64::MAX - 1, 3)),
            throttled: None,
        };
        spent.add(Spent { ns: 5, cpu_ns: Some(5), switches: Some((5, 5)), throttled: None });
        assert_eq!((spent.ns, spent.cpu_ns), (u64::MAX, Some(u64::MAX)));
        assert_eq!(spent.switches, Some((u64::MAX, 8)));
    }
}
