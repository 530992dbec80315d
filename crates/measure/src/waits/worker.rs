//! What a waiting thread does in its turn: bursts of one of its rows.

use super::burst::{Burst, Cut, quickest};
use super::host::{Clocks, Opened, Scale, Waiting};
use super::live_row::{LiveRow, Spent, locked};
use super::plan::{Plan, ns};
use super::schedule::{CpuSchedule, Runners, Turn};
use crate::engine::children::{rest_due, rest_of};
use crate::runtimes::waiting::Asked;
use chronoscope_model::waits::{Kind, Policy, Slack};
use chronoscope_probes::blame::Sources;
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::Unavailable;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// The number of waits in one burst: many enough for the work around it to be negligible, few
/// enough for a slow period to affect all rows. Under load a wait can take many times its requested
/// duration, so the waits made so far decide how many fit.
///
/// `there`: in another process, whose request and answer cost CPU time that is no wait's.
fn burst_length(ns: u64, spent_ns: u64, samples: u64, left: u64, there: bool) -> u64 {
    let burst: u64 = if there { 50_000_000 } else { 10_000_000 };
    /// The overhead of a sleep, so that a burst of very short ones is not a long one.
    const OVERHEAD: u64 = 50_000;
    /// The factor by which a wait may be assumed to exceed its duration, because a gap counts as
    /// time too.
    const SLOWER: u64 = 32;
    let asked = ns.saturating_add(OVERHEAD);
    let mean = spent_ns.checked_div(samples).unwrap_or(0);
    let each = mean.clamp(asked, asked.saturating_mul(SLOWER));
    (burst / each).max(1).min(left)
}

/// One waiting thread.
pub(super) struct Worker<H: Waiting> {
    host: H,
    sources: Option<Sources>,
    schedule: Arc<CpuSchedule>,
    scale: Scale,
    /// The state of this thread when it had last rested.
    rested: State,
    methods: Methods,
    /// Whether it is pinned to no CPU.
    free: bool,
}

/// The time, and the CPU time of a thread and how often it has blocked, as far as the system counts
/// them.
type State = (Instant, Option<u64>, Option<u64>);

fn state(host: &mut impl Waiting) -> State {
    (Instant::now(), host.cpu_time(), host.switches().map(|switches| switches.0))
}

type Methods = BTreeMap<&'static str, Result<Opened, Unavailable>>;

/// Ends the schedule if its thread panics: the others would otherwise wait for their turns forever.
struct Leave<'a>(&'a CpuSchedule);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

impl<H: Waiting> Worker<H> {
    /// Makes the thread with this number of a schedule. Opens each of its methods once, on this
    /// thread, because what a method holds may belong to the thread. `sources` explain late waits
    /// of this thread.
    pub(super) fn new(
        mut host: H,
        mut sources: Option<Sources>,
        schedule: Arc<CpuSchedule>,
        nth: usize,
        scale: Scale,
    ) -> Self {
        let rows = || schedule.rows_of(nth).map(|row| &schedule.rows[row]);
        if let Some(sources) = &mut sources {
            let floors = quickest(&mut host, sources);
            for reasons in rows().filter_map(|row| row.why.as_ref()) {
                locked(reasons).floors = floors;
            }
        }
        let mut methods = Methods::new();
        for row in rows() {
            let entry = row.spec.entry;
            let opened = methods.entry(entry.id).or_insert_with(|| {
                if entry.runtime.is_none() {
                    return host.open(entry).map(Opened::Here);
                }
                let (plan, policy) = (&schedule.plan, row.spec.policy);
                let priority = plan.spec.priority_of(policy);
                if policy == Some(Policy::Deadline) {
                    return Err(Unavailable("no process of a runtime gets a deadline".into()));
                }
                if priority.is_some() && entry.kind != Kind::Sleep {
                    let why = "a runtime that spins gets no real-time policy: it would not rest";
                    return Err(Unavailable(why.into()));
                }
                set(&mut host, row, plan)?;
                let of = policy.unwrap_or(Policy::Fifo);
                let real_time = priority.map(|_| plan.scheduling(of, row.spec.ns));
                let remote = host.open_there(entry, policy, real_time)?;
                let job = schedule.job.clone();
                remote.stops_if(move || job.is_over());
                Ok(Opened::There(Box::new(remote)))
            });
            if let Err(reason) = opened {
                row.fail(reason.to_string());
            }
        }
        let rested = state(&mut host);
        let free = schedule.is_free(nth);
        Self { host, sources, schedule, scale, rested, methods, free }
    }

    /// Takes the thread's turns until there are none left.
    pub(super) fn work(mut self, turns: &Receiver<Turn>) {
        let schedule = self.schedule.clone();
        let _leave = Leave(&schedule);
        while let Ok(turn) = turns.recv() {
            self.turn(turn);
            schedule.pass();
        }
        // On Linux the slack ends with the thread; elsewhere it may belong to the whole process.
        let _ = self.host.set_slack(0);
    }

    /// Measures one row: a burst, or the whole rest of the row if it is alone.
    pub(super) fn turn(&mut self, turn: Turn) {
        let row = self.schedule.rows[turn.row].clone();
        let Some(Ok(mut method)) = self.methods.remove(row.spec.entry.id) else {
            return;
        };
        let schedule = self.schedule.clone();
        // Only the thread whose turn it is holds it.
        let mut runners = locked(&schedule.runners);
        // No wait is in progress when a turn begins or ends, so the lock may be waited for.
        let mut spent = row.spent();
        if let Err(reason) = set(&mut self.host, &row, &schedule.plan) {
            row.fail(reason.to_string());
        } else {
            if self.schedule.settles {
                self.settle(&row, &mut method);
            }
            // The only row of a run may take hours, and has the counts of the run.
            let several = self.schedule.rows.len() > 1;
            let throttled = several.then(|| self.host.throttled()).flatten();
            let energy = (self.host.energy_uj(), self.host.clock());
            self.bursts(turn, &row, &mut spent, &mut method, (runners.as_mut(), energy));
            if let Some(before) = throttled
                && let Some(after) = self.host.throttled()
            {
                spent.add(Spent { throttled: Some(after.since(before)), ..Spent::default() });
            }
        }
        if row.spec.policy == Some(Policy::Deadline) {
            // Other rows need its share of the CPUs.
            let _ = self.host.set_policy(None);
        }
        row.set_spent(spent);
        self.methods.insert(row.spec.entry.id, Ok(method));
    }

    /// Lets the core settle into the state that it has when only this method uses it: one sleep,
    /// and then one wait that is not recorded. This removes what a burst of another method has left
    /// behind, such as a core in no idle state and at its highest frequency, and the kernel's guess
    /// of the next idle time. A wait that is longer than the sleep settles the core itself.
    fn settle(&mut self, row: &LiveRow, method: &mut Opened) {
        let ns = row.spec.ns;
        if self.schedule.job.stop.load(Relaxed) || ns >= SETTLE_NS {
            return;
        }
        self.host.settle(SETTLE_NS);
        match method {
            Opened::Here(method) => {
                if let Err(errno) = method.wait(ns) {
                    row.fail(failed(row, errno));
                }
            }
            Opened::There(remote) => {
                let asked = Asked { ns, count: 1, grid: None, work_ns: 0 };
                if let Err(why) = remote.series(asked)
                    && !self.schedule.job.is_over()
                {
                    row.fail(why);
                }
            }
        }
    }

    fn bursts(
        &mut self,
        turn: Turn,
        row: &LiveRow,
        spent: &mut Spent,
        method: &mut Opened,
        (mut runners, mut energy): (Option<&mut Runners>, (Option<f64>, u64)),
    ) {
        let schedule = self.schedule.clone();
        let mut grid = None;
        while !schedule.job.stop.load(Relaxed) && schedule.needs_one(turn.row) {
            let made = self.burst(row, spent, method, grid, runners.as_deref_mut());
            // The meter of a row that is alone is read now and then.
            let now = self.host.clock();
            if let Some(before) = energy.0
                && now.saturating_sub(energy.1) >= if turn.alone { METER_NS } else { 0 }
                && let Some(after) = self.host.energy_uj()
            {
                row.use_energy(after - before, now.saturating_sub(energy.1));
                energy = (Some(after), now);
            }
            grid = made.filter(|_| turn.alone);
            if let Some(runners) = &mut runners {
                let stopped = schedule.job.stop.load(Relaxed);
                let last = stopped || (0..schedule.rows.len()).all(|row| !schedule.needs_one(row));
                let read = runners.between(&schedule.rows, &schedule.job, last);
                // A grid in progress may have no time for this; the next wait must not be late.
                grid = grid.filter(|next| !read || self.host.clock() < *next);
            }
            // A grid in progress has no time for this: its next deadline would pass.
            if grid.is_none() && schedule.is_look_due() {
                schedule.job.look(self.host.width());
            }
            if schedule.plan.spec.priority_of(row.spec.policy).is_some() && self.rest() {
                grid = None;
            }
            if !turn.alone {
                return;
            }
        }
    }

    /// Sleeps if a real-time thread must, unless its waits have slept enough. Returns whether it
    /// did: this is no measured wait.
    fn rest(&mut self) -> bool {
        let (before, now) = (self.rested, state(&mut self.host));
        let elapsed = now.0 - before.0;
        let cpu = before.1.zip(now.1).map(|(from, to)| Duration::from_nanos(to - from));
        let ran = cpu.unwrap_or(elapsed);
        if now.2 != before.2 && elapsed.saturating_sub(ran) >= rest_of(ran) {
            self.rested = now;
            return false;
        }
        let due = rest_due(ran);
        if let Some(rest) = due {
            chronoscope_probes::time::sleep(rest);
            self.rested = state(&mut self.host);
        }
        due.is_some()
    }

    /// Makes one burst, and reads the costs before and after it.
    fn burst(
        &mut self,
        row: &LiveRow,
        spent: &mut Spent,
        method: &mut Opened,
        grid: Option<u64>,
        runners: Option<&mut Runners>,
    ) -> Option<u64> {
        let (spec, samples) = (row.spec, row.lateness.samples());
        let (plan, job) = (&self.schedule.plan, &self.schedule.job);
        let left = plan.spec.count.map_or(u64::MAX, |count| count.saturating_sub(samples));
        let mut n =
            burst_length(spec.ns, spent.ns, samples, left, matches!(method, Opened::There(_)));
        let work_ns = plan.work_ns().unwrap_or(0);
        if work_ns > 0 {
            // Work that overruns its period shows only in the deadlines that follow.
            n = n.max(PERIODS).min(left);
        }
        if let Some(left) = job.left() {
            let fits = ns(left) / spec.ns;
            n = n.min(fits.max(1));
        }
        let host = &mut self.host;
        let before = (host.clock(), host.cpu_time(), host.switches());
        let clocks = Clocks::new(self.scale, host.step());
        let (sources, ring) = (self.sources.as_mut(), &self.schedule.ring);
        let mut burst = Burst { clocks, host, sources, runners, job, row, ring, work_ns };
        let mut there = None;
        let done = match method {
            Opened::Here(method) if spec.periodic => {
                // The first deadline allows for the time that setting up takes.
                let next = grid.unwrap_or_else(|| burst.host.clock().saturating_add(spec.ns));
                burst.grid(method.as_mut(), n, next).map(Some)
            }
            Opened::Here(method) => burst.single(method.as_mut(), n).map(|()| None),
            Opened::There(remote) => burst.there(remote, n, grid).map(|(next, spent)| {
                there = Some(spent);
                next
            }),
        };
        let host = &mut self.host;
        let (cpu_ns, switches, now) = (host.cpu_time(), host.switches(), host.clock());
        let since = |(from, to): (u64, u64)| to.saturating_sub(from);
        spent.add(there.unwrap_or_else(|| Spent {
            ns: since((before.0, now)),
            cpu_ns: before.1.zip(cpu_ns).map(since),
            switches: before.2.zip(switches).map(|(a, b)| (since((a.0, b.0)), since((a.1, b.1)))),
            throttled: None,
        }));
        row.show(spent);
        let (pinned, cpu) = (row.cpu.filter(|_| !self.free), host.cpu());
        if let Some(records) = &row.records {
            records.is_on(cpu);
        }
        if let Some((pinned, cpu)) = pinned.zip(cpu).filter(|(pinned, cpu)| pinned != cpu) {
            // It went offline, or somebody else pinned the thread. The figures are those before.
            let at_s = job.at_s();
            row.fail(format!(
                "after {at_s:.1} s, CPU {pinned} was taken away, and the thread ran on CPU {cpu}"
            ));
        }
        match done {
            Ok(next) => next,
            Err(Cut::Stopped) => None,
            Err(Cut::Failed(errno)) => {
                row.fail(failed(row, errno));
                None
            }
            Err(Cut::Ended(why)) => {
                row.fail(why);
                None
            }
        }
    }
}

/// Sets the row's policy, slack and slice, if it has them, and otherwise the thread's own slice.
fn set(host: &mut impl Waiting, row: &LiveRow, plan: &Plan) -> Result<(), Unavailable> {
    if let Some(policy) = row.spec.policy {
        host.set_policy(Some(plan.scheduling(policy, row.spec.ns)))?;
    }
    if let Some(slack) = row.spec.slack {
        // If no particular slack is requested, whatever slack there is applies.
        match slack {
            Slack::Default => drop(host.set_slack(0)),
            Slack::Ns(ns) => host.set_slack(ns)?,
        }
        if row.slack_ns.get().is_none()
            && let Some(slack) = host.slack()
        {
            let _ = row.slack_ns.set(slack);
        }
    }
    let slice = host.set_slice(row.spec.slice);
    if row.spec.slice.is_some()
        && let Some(slice) = slice?
    {
        let _ = row.slice_ns.set(slice);
    }
    Ok(())
}

/// How often the energy of a row that is alone is read, in nanoseconds.
const METER_NS: u64 = 200_000_000;
/// The least number of periods in a burst of a loop that works.
const PERIODS: u64 = 8;
/// How long a core settles, in nanoseconds, before a burst of waits that are shorter than this.
const SETTLE_NS: u64 = 1_000_000;

fn failed(row: &LiveRow, errno: i32) -> String {
    let error = std::io::Error::from_raw_os_error(errno);
    format!("{}: {error}", row.spec.entry.call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_bounded_in_time_and_number() {
        let new = |ns| burst_length(ns, 0, 0, u64::MAX, false);
        assert_eq!((new(1), new(1_000_000), new(u64::MAX)), (199, 9, 1));
        assert_eq!(burst_length(1_000, 0, 0, 3, false), 3);
        let after = |spent_ns| burst_length(100_000, spent_ns, 10, u64::MAX, false);
        // Waits of 100 us that take 2 ms each under load.
        assert_eq!((after(20_000_000), after(1_500_000)), (5, 66));
        // The process was stopped for an hour.
        assert_eq!(after(3_600_000_000_000), 2);
    }
}
