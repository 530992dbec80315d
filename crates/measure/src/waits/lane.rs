//! The rows of one CPU, and the threads that measure them, one at a time.
//!
//! Each method and setting has a thread of its own, because a thread carries its past with it: the
//! scheduler makes one that has spun for a while pay for it when it wakes (its lag, kernel
//! `Documentation/scheduler/sched-eevdf.rst`), and that must be the spin's account and not that of
//! the sleep that is measured after it. The others are parked meanwhile.

use super::job::Job;
use super::plan::Plan;
use super::ring::Ring;
use super::rounds::{Rounds, Turn};
use super::series::{Question, Series};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// When the thread whose turn it is looks for a neighbour on the core: between bursts, every so
/// often, and not more often than there is memory for.
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

/// What the threads of a lane pass on.
struct State {
    rounds: Rounds,
    looks: Looks,
    turn: Option<Turn>,
    over: bool,
}

/// The rows of one CPU.
pub(super) struct Lane {
    pub(super) job: Arc<Job>,
    pub(super) plan: Arc<Plan>,
    pub(super) series: Vec<Arc<Series>>,
    pub(super) ring: Arc<Ring>,
    /// Whether the core settles before a burst of short waits.
    pub(super) settles: bool,
    /// The thread that measures each row.
    owners: Vec<usize>,
    threads: OnceLock<Vec<Thread>>,
    state: Mutex<State>,
}

impl Lane {
    /// The lane of these rows, which takes turns in the random order of `seed`.
    pub(super) fn new(
        job: Arc<Job>,
        plan: Arc<Plan>,
        series: Vec<Arc<Series>>,
        seed: u64,
        settles: bool,
    ) -> Self {
        let state = State {
            rounds: Rounds::new(series.len(), seed),
            looks: Looks::default(),
            turn: None,
            over: false,
        };
        Self {
            owners: owners(&series, !plan.one_thread),
            job,
            plan,
            series,
            ring: Arc::default(),
            settles,
            threads: OnceLock::new(),
            state: Mutex::new(state),
        }
    }

    /// How many threads measure its rows.
    pub(super) fn threads(&self) -> usize {
        self.owners.iter().max().map_or(0, |last| last + 1)
    }

    /// The thread that measures a row.
    pub(super) fn owner(&self, row: usize) -> usize {
        self.owners[row]
    }

    /// The rows that a thread measures.
    pub(super) fn rows_of(&self, thread: usize) -> impl Iterator<Item = usize> {
        let owners = self.owners.iter().enumerate();
        owners.filter(move |(_, owner)| **owner == thread).map(|(row, _)| row)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // A thread that panicked with the lock held has left whole values.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next turn; `None` if the run ends, or no row needs one.
    pub(super) fn next(&self) -> Option<Turn> {
        if self.job.stop.load(Relaxed) {
            return None;
        }
        self.state().rounds.next(|row| self.needs_one(row))
    }

    /// Whether a row has not failed, lacks waits, and can make one before the run ends.
    fn needs_one(&self, row: usize) -> bool {
        self.goes_on(row, self.series[row].tally().samples)
    }

    /// The same for a row with so many waits.
    pub(super) fn goes_on(&self, row: usize, made: u64) -> bool {
        let series = &self.series[row];
        series.failure().is_none()
            && self.plan.spec.count.is_none_or(|count| made < count)
            && self.job.fits(series.question.ns)
    }

    /// Whether it is time to look for a neighbour on the core.
    pub(super) fn is_look_due(&self) -> bool {
        self.state().looks.is_due()
    }

    /// Lets the threads take turns, once all are there.
    pub(super) fn begin(&self, threads: Vec<Thread>) {
        let _ = self.threads.set(threads);
        self.pass();
    }

    /// Passes the turn on to the thread of the next row; there is nothing to pass on at the end.
    pub(super) fn pass(&self) {
        match self.next() {
            None => self.end(),
            Some(turn) => {
                self.state().turn = Some(turn);
                if let Some(thread) =
                    self.threads.get().and_then(|all| all.get(self.owner(turn.row)))
                {
                    thread.unpark();
                }
            }
        }
    }

    /// Waits for the next turn of a thread; `None` if there will be none.
    pub(super) fn wait_for_turn(&self, thread: usize) -> Option<Turn> {
        loop {
            {
                let mut state = self.state();
                if state.over || self.job.stop.load(Relaxed) {
                    return None;
                }
                if state.turn.is_some_and(|turn| self.owner(turn.row) == thread) {
                    return state.turn.take();
                }
            }
            std::thread::park();
        }
    }

    /// Ends the lane: whoever waits for a turn stops waiting.
    pub(super) fn end(&self) {
        self.state().over = true;
        for thread in self.threads.get().into_iter().flatten() {
            thread.unpark();
        }
    }
}

/// The thread of each row: one for each method and setting, or one for all.
fn owners(series: &[Arc<Series>], isolated: bool) -> Vec<usize> {
    let mut known: Vec<&Question> = Vec::new();
    let mut owner = |question| {
        let same = |one: &&Question| !isolated || one.has_thread_of(question);
        known.iter().position(same).unwrap_or_else(|| {
            known.push(question);
            known.len() - 1
        })
    };
    series.iter().map(|series| owner(&series.question)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::time::RunClock;
    use chronoscope_model::waits::{Load, Slack, WaitSpec};
    use chronoscope_probes::waits::find;

    fn lane(isolated: bool) -> Lane {
        let spec = WaitSpec { count: Some(1), ..WaitSpec::default() };
        let plan = Plan { one_thread: !isolated, spec, ..Plan::default() };
        let question = |id: &str, slack, slice, ns| {
            let entry = find(id).expect("everywhere");
            let question = Question { entry, slack, slice, ns, periodic: false };
            Arc::new(Series::new(question, None, false))
        };
        let (default, short) = (Some(Slack::Default), Some(Slack::Ns(1)));
        let series = vec![
            question("rust/thread-sleep", default, None, 1_000),
            question("rust/thread-sleep", short, None, 1_000),
            question("rust/thread-sleep", default, None, 2_000),
            question("rust/thread-sleep", short, Some(100_000), 1_000),
            question("chronoscope/wait", None, None, 1_000),
        ];
        let job = Arc::new(Job::new(RunClock::start(), &plan, Load::None));
        Lane::new(job, Arc::new(plan), series, 1, isolated)
    }

    #[test]
    fn each_method_and_setting_has_its_own_thread() {
        let isolated = lane(true);
        assert_eq!(isolated.owners, [0, 1, 0, 2, 3]);
        assert_eq!(isolated.threads(), 4);
        assert_eq!(isolated.rows_of(0).collect::<Vec<_>>(), [0, 2]);
        let shared = lane(false);
        assert_eq!((shared.owners.as_slice(), shared.threads()), (&[0; 5][..], 1));
    }

    #[test]
    fn one_thread_at_a_time_has_a_turn_and_all_end_with_the_last_row() {
        let lane = Arc::new(lane(true));
        let running = Arc::new(Mutex::new(()));
        let threads: Vec<_> = (0..lane.threads())
            .map(|nth| {
                let (lane, running) = (lane.clone(), running.clone());
                std::thread::spawn(move || {
                    let mut turns = 0;
                    while let Some(turn) = lane.wait_for_turn(nth) {
                        assert_eq!(lane.owner(turn.row), nth);
                        let _only = running.try_lock().expect("nobody else has a turn");
                        turns += 1;
                        let series = &lane.series[turn.row];
                        let mut tally = series.tally();
                        tally.samples += 1;
                        series.set_tally(tally);
                        drop(_only);
                        lane.pass();
                    }
                    turns
                })
            })
            .collect();
        lane.begin(threads.iter().map(|thread| thread.thread().clone()).collect());
        let turns = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        assert_eq!(turns.collect::<Vec<usize>>(), [2, 1, 1, 1]);
    }

    #[test]
    fn the_end_of_the_run_ends_those_who_wait_for_a_turn() {
        let lane = Arc::new(lane(true));
        let waiting = {
            let lane = lane.clone();
            std::thread::spawn(move || lane.wait_for_turn(7))
        };
        let _ = lane.threads.set(vec![waiting.thread().clone()]);
        lane.job.end();
        lane.end();
        assert_eq!(waiting.join().expect("no panic"), None);
        assert_eq!(lane.next(), None);
    }
}
