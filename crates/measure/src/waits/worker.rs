//! The thread that waits.

use super::burst::{Burst, Cut, first_deadline, look_at};
use super::clocks::Clocks;
use super::job::Job;
use super::plan::{Plan, Slack};
use super::series::Series;
use super::tally::Tally;
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::{Method, Setting, Unavailable, os};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How many of the last overshoots are told.
const LAST: u64 = 1000;
/// How many are kept: a power of two, so that the place of one is found without a division.
const KEPT: usize = (LAST as usize).next_power_of_two();

/// The last overshoots: one thread writes, any may read.
pub(super) struct Ring {
    overshoots: Box<[AtomicI64; KEPT]>,
    written: AtomicU64,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            overshoots: Box::new([const { AtomicI64::new(0) }; KEPT]),
            written: AtomicU64::new(0),
        }
    }
}

impl Ring {
    #[inline]
    pub(super) fn push(&self, ns: i64) {
        let n = self.written.load(Relaxed);
        self.overshoots[n as usize % KEPT].store(ns, Relaxed);
        self.written.store(n + 1, Relaxed);
    }

    /// Oldest first.
    pub(super) fn last(&self) -> Vec<i64> {
        let n = self.written.load(Relaxed);
        (n.saturating_sub(LAST)..n)
            .map(|i| self.overshoots[i as usize % KEPT].load(Relaxed))
            .collect()
    }

    /// The newest.
    pub(super) fn newest(&self) -> Option<i64> {
        let n = self.written.load(Relaxed).checked_sub(1)?;
        Some(self.overshoots[n as usize % KEPT].load(Relaxed))
    }
}

/// Waits in one burst: long enough that what is done around it does not count, short enough that
/// a slow spell is shared by all rows.
fn burst_length(ns: u64, left: u64) -> u64 {
    const BURST: u64 = 10_000_000;
    /// What a sleep takes besides, so that a burst of very short ones is not a long one.
    const OVERHEAD: u64 = 50_000;
    (BURST / ns.saturating_add(OVERHEAD)).max(1).min(left)
}

/// How long a real-time thread may go without blocking before it pauses: the kernel ends a process
/// of which one does so for longer than RLIMIT_RTTIME, and a pause is no wait that is measured.
const UNBLOCKED: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_micros(100);

/// When this thread last gave its processor up, as far as its context switches tell.
struct Blocked {
    at: Instant,
    switches: Option<u64>,
}

impl Blocked {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            switches: os::switches().map(|s| s.0),
        }
    }

    /// Whether that was longer ago than a real-time thread should let pass. It begins anew then,
    /// for the thread is to pause.
    fn long_ago(&mut self) -> bool {
        let now = Self::now();
        let long = now.switches == self.switches && now.at - self.at >= UNBLOCKED;
        if long || now.switches != self.switches {
            *self = now;
        }
        long
    }
}

/// One waiting thread.
pub(super) struct Worker {
    pub(super) job: Arc<Job>,
    pub(super) plan: Arc<Plan>,
    pub(super) clocks: Clocks,
    pub(super) setting: Setting,
    pub(super) cpu: Option<usize>,
    pub(super) series: Vec<Arc<Series>>,
    pub(super) ring: Arc<Ring>,
    pub(super) seed: u64,
}

type Opened = BTreeMap<&'static str, Result<Box<dyn Method>, Unavailable>>;

impl Worker {
    /// Measures until every row has its count, or the run ends. `ready` is called when all that
    /// comes before the first wait is done.
    ///
    /// # Errors
    /// The processor or the priority asked for cannot be had.
    pub(super) fn work(&self, ready: impl FnOnce(Result<(), String>)) {
        os::block_signals();
        let pin = self.cpu.map(affinity::pin);
        if let Some(Err(error)) = &pin {
            return ready(Err(error.to_string()));
        }
        if let Some(priority) = self.plan.fifo
            && let Err(error) = os::set_fifo(priority)
        {
            return ready(Err(error.0));
        }
        let mut methods = self.open();
        ready(Ok(()));
        self.rounds(&mut methods);
        // On Linux the slack ends with the thread; elsewhere it may be the whole process's.
        let _ = os::set_slack(0);
    }

    /// Each method once, on this thread: what it holds may belong to it.
    fn open(&self) -> Opened {
        let mut methods = Opened::new();
        for series in &self.series {
            let entry = series.question.entry;
            let opened = methods
                .entry(entry.id)
                .or_insert_with(|| (entry.open)(&self.setting));
            if let Err(reason) = opened {
                series.fail(reason.to_string());
            }
        }
        methods
    }

    fn rounds(&self, methods: &mut Opened) {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut tallies: Vec<Tally> = self.series.iter().map(|s| s.tally()).collect();
        let mut grids: Vec<Option<u64>> = vec![None; self.series.len()];
        let mut blocked = Blocked::now();
        loop {
            let mut open: Vec<usize> = (0..self.series.len())
                .filter(|&i| self.series[i].failure().is_none())
                .filter(|&i| {
                    self.plan
                        .count
                        .is_none_or(|count| tallies[i].samples < count)
                })
                .filter(|&i| self.fits(self.series[i].question.ns))
                .collect();
            if open.is_empty() {
                return;
            }
            random.shuffle(&mut open);
            let alone = open.len() == 1;
            for i in open {
                if self.job.stop.load(Relaxed) {
                    return;
                }
                if !self.fits(self.series[i].question.ns) {
                    continue;
                }
                let series = &self.series[i];
                let Some(Ok(method)) = methods.get_mut(series.question.entry.id) else {
                    continue;
                };
                // A grid goes on where nothing comes between its bursts, and begins anew else.
                let grid = grids[i].take().filter(|_| alone);
                grids[i] = self.burst(series, &mut tallies[i], method.as_mut(), grid);
                if self.plan.fifo.is_some() && blocked.long_ago() {
                    std::thread::sleep(PAUSE);
                    grids[i] = None;
                }
            }
        }
    }

    /// Whether a wait of so many nanoseconds ends before the run does.
    fn fits(&self, ns: u64) -> bool {
        let left = self.job.left();
        left.is_none_or(|left| u128::from(ns) <= left.as_nanos())
    }

    /// One burst, with what is to be read before and after it.
    fn burst(
        &self,
        series: &Series,
        tally: &mut Tally,
        method: &mut dyn Method,
        grid: Option<u64>,
    ) -> Option<u64> {
        let question = series.question;
        let left = self
            .plan
            .count
            .map_or(u64::MAX, |count| count - tally.samples);
        let mut n = burst_length(question.ns, left);
        if let Some(left) = self.job.left() {
            let fits = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX) / question.ns;
            n = n.min(fits.max(1));
        }
        let slack = question.slack.map(|slack| match slack {
            Slack::Default => 0,
            Slack::Ns(ns) => ns,
        });
        if let Some(slack) = slack
            && let Err(reason) = os::set_slack(slack)
            && slack != 0
        {
            series.fail(reason.to_string());
            return None;
        }
        if question.slack.is_some()
            && series.slack_ns.get().is_none()
            && let Some(slack) = os::slack()
        {
            let _ = series.slack_ns.set(slack);
        }
        let before = (os::monotonic(), os::thread_cpu(), os::switches());
        let mut burst = Burst {
            job: &self.job,
            clocks: self.clocks,
            series,
            ring: &self.ring,
            tally,
            tolerance: self.clocks.tolerance_ns(question.ns),
            look_at: look_at(self.job.limit),
        };
        let done = if question.periodic {
            let next = grid.unwrap_or_else(|| first_deadline(question.ns));
            burst.grid(method, n, next).map(Some)
        } else {
            burst.single(method, n).map(|()| None)
        };
        let after = (os::thread_cpu(), os::switches(), os::monotonic());
        tally.spend(after.2.saturating_sub(before.0));
        if let (Some(from), Some(to)) = (before.1, after.0) {
            tally.burn(to.saturating_sub(from));
        }
        if let (Some(from), Some(to)) = (before.2, after.1) {
            tally.switch(to.0.saturating_sub(from.0), to.1.saturating_sub(from.1));
        }
        series.show(tally);
        match done {
            Ok(next) => next,
            Err(Cut::Stopped) => None,
            Err(Cut::Failed(errno)) => {
                let error = std::io::Error::from_raw_os_error(errno);
                series.fail(format!("{}: {error}", question.entry.call));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_keeps_the_last_thousand_in_order() {
        let ring = Ring::default();
        assert_eq!((ring.last(), ring.newest()), (vec![], None));
        for n in 0..2500 {
            ring.push(n);
        }
        assert_eq!(ring.last(), (1500..2500).collect::<Vec<_>>());
        assert_eq!(ring.newest(), Some(2499));
    }

    #[test]
    fn a_burst_is_bounded_in_time_and_number() {
        assert_eq!(burst_length(1, u64::MAX), 199);
        assert_eq!(burst_length(1_000_000, u64::MAX), 9);
        assert_eq!(burst_length(u64::MAX, u64::MAX), 1);
        assert_eq!(burst_length(1_000, 3), 3);
    }
}
