//! One row under measurement: one thread writes it, and any other thread may read it meanwhile.
//! [`RowSpec`] is what it measures. [`Spent`] is what its waits cost: the time of their bursts, and
//! the system's counts meanwhile.

use super::overshoots::{Lateness, Recorder, Records};
use super::reasons::Reasons;
pub(super) use crate::locked;
use crate::{add_up_to, either};
use chronoscope_model::waits::{Censored, Energy, Gap, Policy, Slack, Throttled};
use chronoscope_probes::waits::Entry;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock};

/// The most gaps that are kept individually.
const MOST_GAPS: usize = 1000;

pub(super) struct LiveRow {
    pub(super) spec: RowSpec,
    pub(super) cpu: Option<usize>,
    pub(super) lateness: Lateness,
    /// The lateness for the deadlines that were missed.
    pub(super) missed: Recorder,
    /// What the row's waits cost up to the end of the last burst.
    spent: Mutex<Spent>,
    /// The gaps, and how many more there were.
    gaps: Mutex<(Vec<Gap>, u64)>,
    failure: OnceLock<String>,
    /// The energy that the machine used meanwhile.
    energy: Mutex<Used>,
    /// What an earlier run says of it, and how long its bursts had taken then, in nanoseconds.
    pub(super) earlier_energy: OnceLock<(Option<Energy>, u64)>,
    /// The slack in effect, as the system reports it.
    pub(super) slack_ns: OnceLock<u64>,
    /// The slice in effect, as the system reports it, if one was asked for.
    pub(super) slice_ns: OnceLock<u64>,
    /// The deadline of the wait in progress, by the system's clock; 0 if there is none.
    deadline: AtomicU64,
    /// The waits that were still in progress when a run ended.
    censored: Mutex<Option<Censored>>,
    /// The notes of an earlier run on this row.
    pub(super) notes: OnceLock<Vec<String>>,
    /// Why the row's waits ended late, if that was requested.
    pub(super) why: Option<Mutex<Reasons>>,
    /// Why the system's sources explain some of its waits not, or none.
    pub(super) unexplained: OnceLock<String>,
    /// Each wait for a reader that takes them away, if there is one.
    pub(super) records: Option<Records>,
}

impl LiveRow {
    pub(super) fn new(spec: RowSpec, cpu: Option<usize>, why: bool) -> Self {
        Self {
            spec,
            cpu,
            lateness: Lateness::default(),
            missed: Recorder::default(),
            spent: Mutex::default(),
            gaps: Mutex::default(),
            failure: OnceLock::new(),
            energy: Mutex::default(),
            earlier_energy: OnceLock::new(),
            slack_ns: OnceLock::new(),
            slice_ns: OnceLock::new(),
            deadline: AtomicU64::new(0),
            censored: Mutex::default(),
            notes: OnceLock::new(),
            why: why.then(Mutex::default),
            unexplained: OnceLock::new(),
            records: None,
        }
    }

    pub(super) fn spent(&self) -> Spent {
        *locked(&self.spent)
    }

    /// Sets the costs of the waits, for a caller that has time to wait for the lock.
    pub(super) fn set_spent(&self, spent: Spent) {
        *locked(&self.spent) = spent;
    }

    /// Publishes the costs of the waits, unless another thread is reading them. The waiting thread
    /// never waits for a lock. Its costs only grow, so the next call catches up.
    pub(super) fn show(&self, spent: &Spent) {
        if let Ok(mut shown) = self.spent.try_lock() {
            *shown = *spent;
        }
    }

    /// Records that a wait until `deadline` begins.
    #[inline]
    pub(super) fn begin(&self, deadline: u64) {
        self.deadline.store(deadline, Relaxed);
    }

    /// Records that the wait has ended.
    #[inline]
    pub(super) fn end(&self) {
        self.deadline.store(0, Relaxed);
    }

    /// Counts the wait in progress, if there is one, as censored: the run ends at `now`, by the
    /// system's clock, and the overshoot remains unknown.
    pub(super) fn censor(&self, now: u64) {
        let deadline = self.deadline.swap(0, Relaxed);
        if deadline > 0 {
            self.add_censored(&Censored { count: 1, late_ns: now.saturating_sub(deadline) });
        }
    }

    pub(super) fn add_censored(&self, more: &Censored) {
        let mut all = locked(&self.censored);
        let all = all.get_or_insert_default();
        all.count = all.count.saturating_add(more.count);
        all.late_ns = all.late_ns.max(more.late_ns);
    }

    pub(super) fn censored(&self) -> Option<Censored> {
        locked(&self.censored).clone()
    }

    pub(super) fn add_gap(&self, gap: Gap) {
        let (gaps, left_out) = &mut *locked(&self.gaps);
        if !add_up_to(gaps, MOST_GAPS, gap) {
            *left_out = left_out.saturating_add(1);
        }
    }

    /// Takes over the gaps of an earlier run.
    pub(super) fn load_gaps(&self, gaps: &[Gap], left_out: u64) {
        locked(&self.gaps).1 = left_out;
        gaps.iter().for_each(|gap| self.add_gap(gap.clone()));
    }

    /// The gaps, and how many more there were.
    pub(super) fn gaps(&self) -> (Vec<Gap>, u64) {
        locked(&self.gaps).clone()
    }

    /// Takes the gaps away.
    pub(super) fn take_gaps(&self) -> Vec<Gap> {
        std::mem::take(&mut locked(&self.gaps).0)
    }

    /// Adds what the machine used while the row was measured, in microjoules and nanoseconds.
    pub(super) fn use_energy(&self, uj: f64, ns: u64) {
        locked(&self.energy).add(uj, ns as f64);
    }

    /// Takes over what an earlier run counted while its bursts took so many nanoseconds.
    pub(super) fn load_energy(&self, earlier: Option<Energy>, ns: u64) {
        if let Some(counted) = earlier.as_ref().and_then(|energy| energy.counted) {
            *locked(&self.energy) = Used(counted);
        }
        let _ = self.earlier_energy.set((earlier, ns));
    }

    /// The energy that the machine used meanwhile.
    pub(super) fn used(&self) -> Used {
        *locked(&self.energy)
    }

    pub(super) fn fail(&self, why: String) {
        // The first reason counts.
        let _ = self.failure.set(why);
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}

#[derive(Clone, Copy)]
pub(super) struct RowSpec {
    pub(super) entry: &'static Entry,
    /// The slack; `None` if it does not affect this method.
    pub(super) slack: Option<Slack>,
    /// The scheduler's slice to request, in nanoseconds; `None`: the thread's own.
    pub(super) slice: Option<u64>,
    /// The scheduling policy; `None`: that of the tool, or of its priority.
    pub(super) policy: Option<Policy>,
    /// The nanoseconds to wait, or the period.
    pub(super) ns: u64,
    pub(super) periodic: bool,
}

impl RowSpec {
    /// Whether the same thread may measure both rows: they have the same method and setting.
    pub(super) fn has_thread_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.entry, other.entry)
            && self.slack == other.slack
            && self.slice == other.slice
            && self.policy == other.policy
    }
}

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

/// The energy and the time of bursts, as the sums of [`Energy::counted`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Used(pub(super) [f64; 6]);

impl Used {
    fn add(&mut self, uj: f64, ns: f64) {
        for (sum, more) in self.0.iter_mut().zip([1.0, uj, ns, uj * uj, uj * ns, ns * ns]) {
            *sum += more;
        }
    }

    /// The power in watts, and its 95 % interval: the error of a ratio of two sums follows from
    /// what each burst differs from it (Cochran, Sampling Techniques, 6.3). Counters that are
    /// updated now and then are right in the mean.
    pub(super) fn watts(&self) -> Option<[f64; 3]> {
        const LEAST: f64 = 10.0;
        let [bursts, uj, ns, ee, et, tt] = self.0;
        if bursts < LEAST || ns <= 0.0 {
            return None;
        }
        let power = uj / ns;
        let apart = (ee - 2.0 * power * et + power * power * tt).max(0.0);
        let error = (apart * bursts / (bursts - 1.0)).sqrt() / ns;
        // 2.26 is Student's factor for ten bursts; it is 1.96 for many.
        let half = error * (1.96 + 3.0 / bursts);
        // A microjoule per nanosecond is a kilowatt.
        Some([power, power - half, power + half].map(|it| it * 1e3))
    }
}

/// Adds voluntary and involuntary context switches.
pub(super) fn add_switches(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_the_power_holds_what_bursts_use_on_average() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut held, runs) = (0, 400);
        for _ in 0..runs {
            let mut used = Used::default();
            for _ in 0..40 {
                // 5 W, counted in steps of a millisecond that begin anywhere in a burst of 10 ms.
                let steps = 10.0 + random.f64().round() * 2.0 - 1.0;
                used.add(steps * 5e3, 10e6);
            }
            let [_, low, high] = used.watts().expect("enough");
            held += i32::from((low..=high).contains(&5.0));
        }
        assert!(held > runs * 9 / 10, "{held}");
        assert_eq!(Used::default().watts(), None);
    }

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
