//! The rows of one CPU, and the threads that measure them, one at a time.
//!
//! Each method and setting has a thread of its own, because a thread's past affects it: the
//! scheduler makes a thread that has spun for a while pay for it when it wakes (its lag, kernel
//! `Documentation/scheduler/sched-eevdf.rst`), and the spin must pay that, not the sleep that is
//! measured after it. The other threads wait for their turns meanwhile.
//!
//! The rows are measured in rounds of all of them, each in random order.
//!
//! Who runs on the CPU of some waiting threads, which take turns: the record of its switches, or,
//! if that is not permitted, whose CPU time has grown; and the interrupts that it takes.
//!
//! The record is read after a wait, and `/proc` only between bursts, so neither makes a wait late.
//! The names of tasks are read by the thread that watches the others.

use super::job::Job;
use super::live_row::{LiveRow, RowSpec, locked};
use super::overshoots::Ring;
use super::plan::Plan;
use chronoscope_model::waits::Policy;
use chronoscope_model::why::Interrupts;
use chronoscope_probes::blame::{Found, Ran, Record, Scan, Span, Task, this_thread};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::moment::{Counts, interrupts, softirqs};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// When the thread whose turn it is checks for a neighbour on the core: between bursts, at
/// intervals, and no more often than there is memory for.
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

struct State {
    rounds: Rounds,
    looks: Looks,
    /// The channels through which each thread gets its turns; empty at the end.
    threads: Vec<Sender<Turn>>,
}

/// The rows of one CPU.
pub(super) struct CpuSchedule {
    pub(super) job: Arc<Job>,
    pub(super) plan: Arc<Plan>,
    pub(super) rows: Vec<Arc<LiveRow>>,
    pub(super) ring: Arc<Ring>,
    /// Whether the core settles before a burst of short waits.
    pub(super) settles: bool,
    /// Who runs on the CPU, for the thread whose turn it is, if that is to be explained.
    pub(super) runners: Mutex<Option<Runners>>,
    /// The thread that measures each row.
    pub(super) owners: Vec<usize>,
    state: Mutex<State>,
}

impl CpuSchedule {
    /// Returns the schedule of these rows, which take turns in the random order of `seed`, and the
    /// channels on which its threads receive their turns.
    pub(super) fn new(
        job: Arc<Job>,
        plan: Arc<Plan>,
        rows: Vec<Arc<LiveRow>>,
        seed: u64,
        settles: bool,
    ) -> (Arc<Self>, Vec<Receiver<Turn>>) {
        let owners = owners(&rows, !plan.one_thread);
        let count = owners.iter().max().map_or(0, |last| last + 1);
        let (threads, turns) = (0..count).map(|_| channel()).unzip();
        let rounds = Rounds::new(rows.len(), seed);
        let state = Mutex::new(State { rounds, looks: Looks::default(), threads });
        let (ring, runners) = (Arc::default(), Mutex::default());
        (Arc::new(Self { job, plan, rows, ring, settles, runners, owners, state }), turns)
    }

    pub(super) fn rows_of(&self, thread: usize) -> impl Iterator<Item = usize> {
        let owners = self.owners.iter().enumerate();
        owners.filter(move |(_, owner)| **owner == thread).map(|(row, _)| row)
    }

    /// Whether this thread may run on every CPU, as the kernel wants of one with a deadline.
    pub(super) fn is_free(&self, thread: usize) -> bool {
        self.rows_of(thread).any(|row| self.rows[row].spec.policy == Some(Policy::Deadline))
    }

    /// Returns the next turn; `None` if the run ends, or no row needs one.
    pub(super) fn next(&self) -> Option<Turn> {
        if self.job.stop.load(Relaxed) {
            return None;
        }
        locked(&self.state).rounds.next(|row| self.needs_one(row))
    }

    /// Whether a row has not failed, lacks waits, and can make one before the run ends.
    pub(super) fn needs_one(&self, row: usize) -> bool {
        let row = &self.rows[row];
        row.failure().is_none()
            && self.plan.spec.count.is_none_or(|count| row.lateness.samples() < count)
            && self.job.fits(row.spec.ns)
    }

    /// Whether it is time to check for a neighbour on the core.
    pub(super) fn is_look_due(&self) -> bool {
        locked(&self.state).looks.is_due()
    }

    /// Gives the next turn to the thread of its row. At the end, it gives none.
    pub(super) fn pass(&self) {
        match self.next() {
            None => self.end(),
            Some(turn) => {
                if let Some(thread) = locked(&self.state).threads.get(self.owners[turn.row]) {
                    // A thread that has ended takes no turn.
                    let _ = thread.send(turn);
                }
            }
        }
    }

    /// Ends the schedule: all threads that wait for a turn stop waiting.
    pub(super) fn end(&self) {
        locked(&self.state).threads.clear();
    }
}

/// Returns the thread of each row: one for each method and setting, or one for all.
fn owners(rows: &[Arc<LiveRow>], isolated: bool) -> Vec<usize> {
    let mut known: Vec<&RowSpec> = Vec::new();
    let mut owner = |spec| {
        let same = |one: &&RowSpec| !isolated || one.has_thread_of(spec);
        known.iter().position(same).unwrap_or_else(|| {
            known.push(spec);
            known.len() - 1
        })
    };
    rows.iter().map(|row| owner(&row.spec)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) row: usize,
    /// Whether this is the only row left to measure.
    pub(super) alone: bool,
}

pub(super) struct Rounds {
    random: fastrand::Rng,
    rows: usize,
    /// The rest of the current round, in reverse order.
    left: Vec<usize>,
    alone: bool,
}

impl Rounds {
    pub(super) fn new(rows: usize, seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), rows, left: Vec::new(), alone: false }
    }

    /// Returns the next turn, of a row that still needs one; `None` if none does.
    pub(super) fn next(&mut self, needs_one: impl Fn(usize) -> bool) -> Option<Turn> {
        loop {
            while let Some(row) = self.left.pop() {
                if needs_one(row) {
                    let alone = self.alone;
                    return Some(Turn { row, alone });
                }
            }
            self.left = (0..self.rows).filter(|&row| needs_one(row)).collect();
            if self.left.is_empty() {
                return None;
            }
            self.alone = self.left.len() == 1;
            self.random.shuffle(&mut self.left);
        }
    }
}

pub(super) struct Runners {
    cpu: usize,
    how: How,
    /// Tasks that ran in this burst.
    ran: Vec<Task>,
    /// Threads of runtimes that wait, and are nobody's culprits.
    waiting: Vec<Task>,
    scanned: Instant,
    /// The interrupts as they were last counted, and when.
    interrupts: [Option<Counts>; 2],
    counted: Instant,
}

enum How {
    Seen(Record),
    Likely(Scan),
}

/// With late wake-ups that wait for it, `/proc` is read after this time, and otherwise after the
/// longer one, so that the figures are never older.
const SOON: Duration = Duration::from_millis(50);
const LATEST: Duration = Duration::from_secs(1);

impl Runners {
    /// Begins to watch a CPU, and returns why its switches cannot be recorded, if so.
    pub(super) fn open(cpu: usize) -> (Self, Option<String>) {
        let (how, refused) = match Record::open(cpu) {
            Ok(record) => (How::Seen(record), None),
            Err(why) => (How::Likely(Scan::new(cpu)), Some(why)),
        };
        let now = Instant::now();
        let mut runners = Self {
            cpu,
            how,
            ran: Vec::new(),
            waiting: Vec::new(),
            scanned: now,
            interrupts: [interrupts(), softirqs()],
            counted: now,
        };
        if let How::Likely(scan) = &mut runners.how {
            scan.look();
        }
        (runners, refused)
    }

    /// To be called after a wait that was on time.
    #[inline]
    pub(super) fn look(&mut self) {
        if let How::Seen(record) = &mut self.how {
            record.look();
        }
    }

    /// Who ran in the spans in which the calling thread or this one was ready to run, and the
    /// interrupts while it was `late`, if that is recorded; an error is the number of records that
    /// are missing.
    pub(super) fn ran(
        &mut self,
        thread: Option<Task>,
        spans: &[Span],
        late: Option<Span>,
    ) -> Option<Result<Found, u64>> {
        let How::Seen(record) = &mut self.how else {
            let new = thread.filter(|task| !self.waiting.contains(task));
            self.waiting.extend(new);
            return None;
        };
        let found = record.ran(thread.unwrap_or_else(this_thread), spans, late);
        self.ran.extend(found.iter().flat_map(|found| &found.ran).map(|ran| ran.task));
        Some(found)
    }

    /// To be called between bursts. `last`: whether no other burst follows. Returns whether that
    /// took long.
    pub(super) fn between(&mut self, rows: &[Arc<LiveRow>], job: &Job, last: bool) -> bool {
        self.tell(job);
        let reasons = || rows.iter().filter_map(|row| row.why.as_ref());
        let wanted = reasons().map(|reasons| locked(reasons).wanted());
        let (tasks, counts) = wanted.fold((false, false), |all, it| (all.0 | it.0, all.1 | it.1));
        let due = |wanted: bool, since: Instant| {
            let passed = since.elapsed();
            (wanted && (last || passed >= SOON)) || (!last && passed >= LATEST)
        };
        let (scans, counts) = (due(tasks, self.scanned), due(counts, self.counted));
        let mut read = counts;
        if scans && let How::Likely(scan) = &mut self.how {
            read = true;
            let scanned = scan.look();
            self.scanned = Instant::now();
            job.left_out.fetch_max(scanned.left_out, Relaxed);
            let ran = scanned.grown.iter().map(|(ran, _)| *ran);
            let ran: Vec<Ran> = ran.filter(|ran| !self.waiting.contains(&ran.task)).collect();
            reasons().for_each(|reasons| locked(reasons).likely(&ran));
            if let Some(names) = &job.names {
                let mut names = locked(names);
                scanned.grown.into_iter().for_each(|(ran, named)| names.saw(ran.task, named));
            }
        }
        if counts {
            let counted = self.count();
            reasons().for_each(|reasons| locked(reasons).interrupts(&counted));
        }
        read
    }

    /// Passes on what was heard of tasks, and asks for the names of those that ran.
    fn tell(&mut self, job: &Job) {
        let How::Seen(record) = &mut self.how else {
            return;
        };
        let heard = record.heard();
        let Some(names) = &job.names else {
            self.ran.clear();
            return;
        };
        // Whoever holds the lock does nothing else meanwhile.
        let mut names = locked(names);
        names.hear(heard);
        let mut unknown = false;
        for task in self.ran.drain(..) {
            unknown |= names.want(task);
        }
        drop(names);
        if unknown {
            // Before it ends.
            job.watcher.unpark();
        }
    }

    /// Counts the interrupts of the CPU since the last time, the most frequent first.
    fn count(&mut self) -> Vec<Interrupts> {
        let now = [interrupts(), softirqs()];
        self.counted = Instant::now();
        let pairs = now.iter().zip(&self.interrupts);
        let since = pairs
            .filter_map(|(now, then)| Some(now.as_ref()?.since(then.as_ref()?, Some(self.cpu))));
        let mut all: Vec<Interrupts> = since.flatten().collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.count));
        self.interrupts = now;
        all
    }
}

#[cfg(test)]
mod schedule_tests {
    use super::*;
    use crate::engine::schedule::RunClock;
    use chronoscope_model::waits::{Load, Slack, WaitSpec};
    use chronoscope_probes::waits::find;

    fn schedule(isolated: bool) -> (Arc<CpuSchedule>, Vec<Receiver<Turn>>) {
        let spec = WaitSpec { count: Some(1), ..WaitSpec::default() };
        let plan = Plan { one_thread: !isolated, spec, ..Plan::default() };
        let row = |id: &str, slack, slice, ns| {
            let entry = find(id).expect("everywhere");
            let spec = RowSpec { entry, slack, slice, policy: None, ns, periodic: false };
            Arc::new(LiveRow::new(spec, None, false))
        };
        let (default, short) = (Some(Slack::Default), Some(Slack::Ns(1)));
        let rows = vec![
            row("rust/thread-sleep", default, None, 1_000),
            row("rust/thread-sleep", short, None, 1_000),
            row("rust/thread-sleep", default, None, 2_000),
            row("rust/thread-sleep", short, Some(100_000), 1_000),
            row("chronoscope/wait", None, None, 1_000),
        ];
        let job = Arc::new(Job::new(RunClock::start(), &plan, Load::None));
        CpuSchedule::new(job, Arc::new(plan), rows, 1, isolated)
    }

    #[test]
    fn each_method_and_setting_has_its_own_thread() {
        let (isolated, turns) = schedule(true);
        assert_eq!(isolated.owners, [0, 1, 0, 2, 3]);
        assert_eq!(turns.len(), 4);
        assert_eq!(isolated.rows_of(0).collect::<Vec<_>>(), [0, 2]);
        let (shared, turns) = schedule(false);
        assert_eq!((shared.owners.as_slice(), turns.len()), (&[0; 5][..], 1));
    }

    #[test]
    fn one_thread_at_a_time_has_a_turn_and_all_end_with_the_last_row() {
        let (schedule, turns) = schedule(true);
        let running = Arc::new(Mutex::new(()));
        let start = |(nth, turns): (usize, Receiver<Turn>)| {
            let (schedule, running) = (schedule.clone(), running.clone());
            std::thread::spawn(move || {
                let mut taken = 0;
                while let Ok(turn) = turns.recv() {
                    assert_eq!(schedule.owners[turn.row], nth);
                    let _only = running.try_lock().expect("nobody else has a turn");
                    taken += 1;
                    schedule.rows[turn.row].lateness.record((0, 0), (0, 0));
                    drop(_only);
                    schedule.pass();
                }
                taken
            })
        };
        let threads: Vec<_> = turns.into_iter().enumerate().map(start).collect();
        schedule.pass();
        let taken = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        assert_eq!(taken.collect::<Vec<usize>>(), [2, 1, 1, 1]);
    }

    #[test]
    fn the_end_of_the_run_ends_those_who_wait_for_a_turn() {
        let (schedule, mut turns) = schedule(true);
        let last = turns.pop().expect("four threads");
        let waiting = std::thread::spawn(move || last.recv().ok());
        schedule.job.end();
        schedule.end();
        assert_eq!(waiting.join().expect("no panic"), None);
        assert_eq!(schedule.next(), None);
    }
}

#[cfg(test)]
mod rounds_tests {
    use super::*;

    #[test]
    fn each_round_has_every_row_that_needs_a_turn_once() {
        let mut rounds = Rounds::new(5, 3);
        let mut orders = Vec::new();
        for _ in 0..20 {
            let order: Vec<usize> =
                (0..5).map(|_| rounds.next(|_| true).expect("all need one").row).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            orders.push(order);
        }
        orders.dedup();
        assert!(orders.len() > 1, "the order is random");
    }

    #[test]
    fn the_last_row_is_alone_and_then_the_rounds_are_over() {
        let mut rounds = Rounds::new(3, 1);
        let turns: Vec<Turn> = (0..6).filter_map(|_| rounds.next(|_| true)).collect();
        assert!(turns.len() == 6 && !turns.iter().any(|turn| turn.alone));
        let last = Turn { row: 1, alone: true };
        assert_eq!(rounds.next(|row| row == 1), Some(last));
        assert_eq!(rounds.next(|_| false), None);
        assert_eq!(Rounds::new(0, 1).next(|_| true), None);
    }
}
