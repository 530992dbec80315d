//! What a waiting thread does when it is its turn: bursts of one of its rows.

use super::burst::{Burst, Cut};
use super::clocks::Clocks;
use super::host::{Scale, Waiting};
use super::lane::Lane;
use super::rounds::Turn;
use super::series::Series;
use super::tally::Tally;
use super::why::quickest;
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
        Self { at: Instant::now(), switches: host.switches().map(|s| s.0) }
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

/// One waiting thread.
pub(super) struct Worker<H: Waiting> {
    host: H,
    lane: Arc<Lane>,
    nth: usize,
    scale: Scale,
    blocked: Blocked,
    methods: Opened<H>,
    tallies: BTreeMap<usize, Tally>,
}

type Opened<H> = BTreeMap<&'static str, Result<<H as Waiting>::Opened, Unavailable>>;

/// Ends the lane if its thread panics: the others would wait for their turn forever.
struct Leave<'a>(&'a Lane);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

impl<H: Waiting> Worker<H> {
    /// The thread with that number of a lane. Opens each of its methods once, on this thread,
    /// because what a method holds may belong to the thread.
    pub(super) fn new(mut host: H, lane: Arc<Lane>, nth: usize, scale: Scale) -> Self {
        if lane.plan.spec.why {
            let _ = lane.job.missing.set(host.watch());
            let sleep = |ns| std::thread::sleep(Duration::from_nanos(ns));
            let floors = quickest(&mut host, sleep);
            for row in lane.rows_of(nth) {
                lane.series[row].start_from(floors);
            }
        }
        let mut methods = Opened::<H>::new();
        let mut tallies = BTreeMap::new();
        for row in lane.rows_of(nth) {
            let series = &lane.series[row];
            let entry = series.question.entry;
            let opened = methods.entry(entry.id).or_insert_with(|| host.open(entry));
            if let Err(reason) = opened {
                series.fail(reason.to_string());
            }
            tallies.insert(row, series.tally());
        }
        Self { blocked: Blocked::now(&mut host), host, lane, nth, scale, methods, tallies }
    }

    /// Takes the thread's turns until there are none left.
    pub(super) fn work(mut self) {
        let lane = self.lane.clone();
        let _leave = Leave(&lane);
        while let Some(turn) = lane.wait_for_turn(self.nth) {
            self.turn(turn);
            lane.pass();
        }
        // On Linux the slack ends with the thread; elsewhere it may belong to the whole process.
        let _ = self.host.set_slack(0);
    }

    /// Measures one row: a burst, or all that is left of it if it is alone.
    pub(super) fn turn(&mut self, turn: Turn) {
        let lane = self.lane.clone();
        let series = lane.series[turn.row].clone();
        let Some(Ok(mut method)) = self.methods.remove(series.question.entry.id) else {
            return;
        };
        let mut tally = self.tallies.remove(&turn.row).unwrap_or_default();
        if self.set_slack(&series).and_then(|()| self.set_slice(&series)).is_some() {
            if lane.settles {
                self.settle(&series, &mut method);
            }
            // The only row of a run may take hours, and has the counts of the run.
            let several = lane.series.len() > 1;
            let throttled = several.then(|| self.host.throttled()).flatten();
            self.bursts(turn, &series, &mut tally, &mut method);
            if let Some(before) = throttled
                && let Some(after) = self.host.throttled()
            {
                tally.throttle(after.since(before));
            }
        }
        // Nobody waits while the turn is passed on, so the lock may be waited for.
        series.set_tally(tally);
        self.tallies.insert(turn.row, tally);
        self.methods.insert(series.question.entry.id, Ok(method));
    }

    /// Lets the core become what it is when nothing but this method uses it: one sleep, and then
    /// one wait that is not recorded. What a burst of another method has left behind, such as a
    /// core in no idle state and at its highest frequency, and the kernel's guess of the next idle
    /// time, is gone by then. A wait that is longer than the sleep settles the core itself.
    fn settle(&mut self, series: &Series, method: &mut H::Opened) {
        let ns = series.question.ns;
        if self.lane.job.stop.load(Relaxed) || ns >= SETTLE_NS {
            return;
        }
        self.host.settle(SETTLE_NS);
        if let Err(errno) = self.host.wait(method, ns) {
            series.fail(failed(series, errno));
        }
    }

    fn bursts(&mut self, turn: Turn, series: &Series, tally: &mut Tally, method: &mut H::Opened) {
        let lane = self.lane.clone();
        let mut grid = None;
        loop {
            if lane.job.stop.load(Relaxed) || !lane.goes_on(turn.row, tally.samples) {
                return;
            }
            grid = self.burst(series, tally, method, grid).filter(|_| turn.alone);
            // A grid that goes on has no time for it: its next deadline would pass.
            if grid.is_none() && lane.is_look_due() {
                lane.job.look(self.host.width());
            }
            if lane.plan.spec.priority.is_some() && self.blocked.long_ago(&mut self.host) {
                std::thread::sleep(PAUSE);
                grid = None;
            }
            if !turn.alone {
                return;
            }
        }
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
        let (plan, job) = (&self.lane.plan, &self.lane.job);
        let left = plan.spec.count.map_or(u64::MAX, |count| count.saturating_sub(tally.samples));
        let mut n = burst_length(question.ns, tally, left);
        if let Some(left) = job.left() {
            let fits = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX) / question.ns;
            n = n.min(fits.max(1));
        }
        let host = &mut self.host;
        let before = (host.clock(), host.cpu_time(), host.switches());
        let mut burst = Burst {
            clocks: Clocks::new(self.scale, host),
            host,
            job,
            series,
            ring: &self.lane.ring,
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
                series.fail(failed(series, errno));
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

    /// Sets the row's slice, if it has one, or the thread's own; `None` if it is refused, and the
    /// row has then failed.
    fn set_slice(&mut self, series: &Series) -> Option<()> {
        match (self.host.set_slice(series.question.slice), series.question.slice) {
            (Err(reason), Some(_)) => {
                series.fail(reason.to_string());
                None
            }
            (Ok(Some(slice)), Some(_)) => {
                let _ = series.slice_ns.set(slice);
                Some(())
            }
            _ => Some(()),
        }
    }
}

/// For how long a core settles, in nanoseconds, before a burst of waits that are shorter than this.
const SETTLE_NS: u64 = 1_000_000;

fn failed(series: &Series, errno: i32) -> String {
    let error = std::io::Error::from_raw_os_error(errno);
    format!("{}: {error}", series.question.entry.call)
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
        let after = |spent_ns| Tally { samples: 10, spent_ns, ..Tally::default() };
        // Waits of 100 us that take 2 ms each under load.
        assert_eq!(burst_length(100_000, &after(20_000_000), u64::MAX), 5);
        assert_eq!(burst_length(100_000, &after(1_500_000), u64::MAX), 66);
        // The process was stopped for an hour.
        assert_eq!(burst_length(100_000, &after(3_600_000_000_000), u64::MAX), 2);
    }
}
