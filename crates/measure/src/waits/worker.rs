//! What a waiting thread does: bursts of its rows, in random order, until all are complete.

use super::burst::{Burst, Cut};
use super::clocks::Clocks;
use super::host::{Scale, Waiting};
use super::job::Job;
use super::plan::Plan;
use super::ring::Ring;
use super::series::Series;
use super::tally::Tally;
use chronoscope_model::waits::Slack;
use chronoscope_probes::waits::Unavailable;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The number of waits in one burst: long enough that the work around it is negligible, short
/// enough that a slow period affects all rows. Under load a wait can take many times as long as it
/// was asked to, so the waits made so far decide how many fit.
fn burst_length(ns: u64, tally: &Tally, left: u64) -> u64 {
    const BURST: u64 = 10_000_000;
    /// The overhead of a sleep, so that a burst of very short ones is not a long one.
    const OVERHEAD: u64 = 50_000;
    /// How many times as long a wait may be taken to be, because a gap counts as time too.
    const SLOWER: u64 = 32;
    let asked = ns.saturating_add(OVERHEAD);
    let mean = tally.spent_ns.checked_div(tally.samples).unwrap_or(0);
    let each = mean.clamp(asked, asked.saturating_mul(SLOWER));
    (BURST / each).max(1).min(left)
}

/// How long a real-time thread may run without blocking before it pauses: the kernel ends a process
/// in which a thread does so for longer than RLIMIT_RTTIME. The pause is not a measured wait.
const UNBLOCKED: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_micros(100);

/// When this thread last gave up its CPU, as far as its context switches show.
struct Blocked {
    at: Instant,
    switches: Option<u64>,
}

impl Blocked {
    fn now(host: &mut impl Waiting) -> Self {
        Self {
            at: Instant::now(),
            switches: host.switches().map(|s| s.0),
        }
    }

    /// Whether that was longer ago than a real-time thread should allow. If so, the time starts
    /// anew, because the thread then pauses.
    fn long_ago(&mut self, host: &mut impl Waiting) -> bool {
        let now = Self::now(host);
        let long = now.switches == self.switches && now.at - self.at >= UNBLOCKED;
        if long || now.switches != self.switches {
            *self = now;
        }
        long
    }
}

/// When a waiting thread looks for a neighbour on its core: between bursts, every so often, and not
/// more often than there is memory for.
#[derive(Default)]
struct Looks {
    made: u32,
    last: Option<Instant>,
}

impl Looks {
    const EVERY: Duration = Duration::from_millis(50);
    const MOST: u32 = 20_000;

    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.made < Self::MOST && self.last.is_none_or(|last| now - last >= Self::EVERY);
        if due {
            (self.made, self.last) = (self.made + 1, Some(now));
        }
        due
    }
}

/// One waiting thread.
pub(super) struct Worker<H> {
    pub(super) host: H,
    pub(super) job: Arc<Job>,
    pub(super) plan: Arc<Plan>,
    pub(super) scale: Scale,
    pub(super) series: Vec<Arc<Series>>,
    pub(super) ring: Arc<Ring>,
    pub(super) seed: u64,
}

type Opened<H> = BTreeMap<&'static str, Result<<H as Waiting>::Opened, Unavailable>>;

impl<H: Waiting> Worker<H> {
    /// Opens each method once, on this thread, because what it holds may belong to the thread. Then
    /// calls `ready`, and measures until every row has its count or the run ends.
    pub(super) fn work(mut self, ready: impl FnOnce()) {
        let mut methods = self.open();
        ready();
        self.rounds(&mut methods);
        // On Linux the slack ends with the thread; elsewhere it may belong to the whole process.
        let _ = self.host.set_slack(0);
    }

    fn open(&mut self) -> Opened<H> {
        let mut methods = Opened::<H>::new();
        for series in &self.series {
            let entry = series.question.entry;
            let opened = methods
                .entry(entry.id)
                .or_insert_with(|| self.host.open(entry));
            if let Err(reason) = opened {
                series.fail(reason.to_string());
            }
        }
        methods
    }

    fn rounds(&mut self, methods: &mut Opened<H>) {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut tallies: Vec<Tally> = self.series.iter().map(|s| s.tally()).collect();
        let mut grids: Vec<Option<u64>> = vec![None; self.series.len()];
        let mut blocked = Blocked::now(&mut self.host);
        let mut looks = Looks::default();
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
                let series = self.series[i].clone();
                let Some(Ok(method)) = methods.get_mut(series.question.entry.id) else {
                    continue;
                };
                // A grid continues if nothing comes between its bursts, and begins anew otherwise.
                let grid = grids[i].take().filter(|_| alone);
                grids[i] = self.burst(&series, &mut tallies[i], method, grid);
                // A grid that goes on has no time for it: its next deadline would pass.
                if grids[i].is_none() && looks.is_due() {
                    self.job.look(self.host.width());
                }
                if self.plan.fifo.is_some() && blocked.long_ago(&mut self.host) {
                    std::thread::sleep(PAUSE);
                    grids[i] = None;
                }
            }
        }
    }

    /// Whether a wait of `ns` nanoseconds ends before the run does.
    fn fits(&self, ns: u64) -> bool {
        let left = self.job.left();
        left.is_none_or(|left| u128::from(ns) <= left.as_nanos())
    }

    /// Makes one burst, with the figures that are read before and after it.
    fn burst(
        &mut self,
        series: &Series,
        tally: &mut Tally,
        method: &mut H::Opened,
        grid: Option<u64>,
    ) -> Option<u64> {
        let question = series.question;
        let left = self
            .plan
            .count
            .map_or(u64::MAX, |count| count - tally.samples);
        let mut n = burst_length(question.ns, tally, left);
        if let Some(left) = self.job.left() {
            let fits = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX) / question.ns;
            n = n.min(fits.max(1));
        }
        self.set_slack(series)?;
        let host = &mut self.host;
        let before = (host.clock(), host.cpu_time(), host.switches());
        let mut burst = Burst {
            clocks: Clocks::new(self.scale, host),
            host,
            job: &self.job,
            series,
            ring: &self.ring,
            tally,
        };
        let done = if question.periodic {
            // The first deadline allows for the time that setting up takes.
            let next = grid.unwrap_or_else(|| burst.host.clock().saturating_add(question.ns));
            burst.grid(method, n, next).map(Some)
        } else {
            burst.single(method, n).map(|()| None)
        };
        let host = &mut self.host;
        let after = (host.cpu_time(), host.switches(), host.clock());
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

    /// Sets the row's slack, if it has one; `None` if it is refused, and the row has then failed.
    fn set_slack(&mut self, series: &Series) -> Option<()> {
        let Some(slack) = series.question.slack else {
            return Some(());
        };
        let ns = match slack {
            Slack::Default => 0,
            Slack::Ns(ns) => ns,
        };
        if let Err(reason) = self.host.set_slack(ns)
            && ns != 0
        {
            series.fail(reason.to_string());
            return None;
        }
        if series.slack_ns.get().is_none()
            && let Some(slack) = self.host.slack()
        {
            let _ = series.slack_ns.set(slack);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_bounded_in_time_and_number() {
        let new = Tally::default();
        assert_eq!(burst_length(1, &new, u64::MAX), 199);
        assert_eq!(burst_length(1_000_000, &new, u64::MAX), 9);
        assert_eq!(burst_length(u64::MAX, &new, u64::MAX), 1);
        assert_eq!(burst_length(1_000, &new, 3), 3);
        let after = |spent_ns| Tally {
            samples: 10,
            spent_ns,
            ..Tally::default()
        };
        // Waits of 100 us that take 2 ms each under load.
        assert_eq!(burst_length(100_000, &after(20_000_000), u64::MAX), 5);
        assert_eq!(burst_length(100_000, &after(1_500_000), u64::MAX), 66);
        // The process was stopped for an hour.
        assert_eq!(
            burst_length(100_000, &after(3_600_000_000_000), u64::MAX),
            2
        );
    }
}
