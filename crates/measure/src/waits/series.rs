//! One row under measurement: one thread writes it while any other may read it.

use super::recorder::Recorder;
use super::tally::Tally;
use super::why::{Floors, Reasons};
use chronoscope_model::waits::{Censored, Gap, Slack};
use chronoscope_model::why::Why;
use chronoscope_probes::waits::Entry;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How many gaps are kept individually.
const MOST_GAPS: usize = 1000;

/// What a row measures.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) entry: &'static Entry,
    /// `None`: slack does not affect this method.
    pub(super) slack: Option<Slack>,
    /// The scheduler's slice to ask for, in nanoseconds; `None`: the thread's own.
    pub(super) slice: Option<u64>,
    /// Nanoseconds to wait, or the period.
    pub(super) ns: u64,
    pub(super) periodic: bool,
}

impl Question {
    /// Whether the same thread may answer both: they have the same method and setting.
    pub(super) fn has_thread_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.entry, other.entry)
            && self.slack == other.slack
            && self.slice == other.slice
    }
}

/// A row under measurement.
pub(super) struct Series {
    pub(super) question: Question,
    pub(super) cpu: Option<usize>,
    /// Overshoots by the ruler.
    pub(super) overshoot: Recorder,
    /// The lateness for the deadlines that were missed.
    pub(super) missed: Recorder,
    /// What was counted up to the end of the last burst.
    tally: Mutex<Tally>,
    gaps: Mutex<Vec<Gap>>,
    /// Why the method failed.
    failure: OnceLock<String>,
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
    /// Why its waits ended late, if that was asked for.
    pub(super) why: Option<Mutex<Reasons>>,
}

impl Series {
    pub(super) fn new(question: Question, cpu: Option<usize>, why: bool) -> Self {
        Self {
            question,
            cpu,
            overshoot: Recorder::default(),
            missed: Recorder::default(),
            tally: Mutex::default(),
            gaps: Mutex::default(),
            failure: OnceLock::new(),
            slack_ns: OnceLock::new(),
            slice_ns: OnceLock::new(),
            deadline: AtomicU64::new(0),
            censored: Mutex::default(),
            notes: OnceLock::new(),
            why: why.then(Mutex::default),
        }
    }

    /// Allocates all the memory that it may need.
    pub(super) fn touch(&self) {
        self.overshoot.touch();
        self.missed.touch();
    }

    /// What was counted so far. A thread that panicked with the lock held would have left plain
    /// numbers, so a poisoned lock is as good as any.
    pub(super) fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what was counted, for a caller that has time to wait for the lock.
    pub(super) fn set_tally(&self, tally: Tally) {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner) = tally;
    }

    /// Publishes what was counted, unless another thread is reading it. The waiting thread waits
    /// for no one, and its tally only grows, so the next call makes up for it.
    pub(super) fn show(&self, tally: &Tally) {
        if let Ok(mut shown) = self.tally.try_lock() {
            *shown = *tally;
        }
    }

    /// A wait until `deadline` begins.
    #[inline]
    pub(super) fn begin(&self, deadline: u64) {
        self.deadline.store(deadline, Relaxed);
    }

    /// The wait has ended.
    #[inline]
    pub(super) fn end(&self) {
        self.deadline.store(0, Relaxed);
    }

    /// Counts the wait in progress, if there is one, as censored: the run ends `now`, by the
    /// system's clock, and nobody will know how late it was.
    pub(super) fn censor(&self, now: u64) {
        match self.deadline.swap(0, Relaxed) {
            0 => {}
            deadline => {
                self.add_censored(Censored { count: 1, late_ns: now.saturating_sub(deadline) })
            }
        }
    }

    /// Adds censored waits.
    pub(super) fn add_censored(&self, more: Censored) {
        let mut all = self.censored.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.take().unwrap_or_default();
        *all = Some(Censored {
            count: before.count.saturating_add(more.count),
            late_ns: before.late_ns.max(more.late_ns),
        });
    }

    pub(super) fn censored(&self) -> Option<Censored> {
        self.censored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn add_gap(&self, gap: Gap) {
        let mut gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        if gaps.len() < MOST_GAPS {
            gaps.push(gap);
        }
    }

    pub(super) fn gaps(&self) -> Vec<Gap> {
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Why its waits ended late, if that was asked for.
    pub(super) fn why(&self) -> Option<Why> {
        let reasons = self.why.as_ref()?;
        let reasons = reasons.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Some(reasons.report())
    }

    /// Begins with what the quickest wake-up of the thread took.
    pub(super) fn start_from(&self, floors: Floors) {
        if let Some(reasons) = &self.why {
            let mut reasons = reasons.lock().unwrap_or_else(PoisonError::into_inner);
            reasons.begin(floors);
        }
    }

    /// Continues what an earlier run found.
    pub(super) fn go_on_with(&self, why: &Why) {
        if let Some(reasons) = &self.why {
            *reasons.lock().unwrap_or_else(PoisonError::into_inner) = Reasons::of(why);
        }
    }

    pub(super) fn fail(&self, why: String) {
        // The first reason counts.
        let _ = self.failure.set(why);
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}
