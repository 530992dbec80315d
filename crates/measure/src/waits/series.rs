//! One row under measurement: one thread writes it while any other may read it.

use super::recorder::Recorder;
use super::tally::Tally;
use chronoscope_model::waits::{Gap, Slack};
use chronoscope_probes::waits::Entry;
use std::sync::{Mutex, OnceLock, PoisonError};

/// How many gaps are kept individually.
const MOST_GAPS: usize = 1000;

/// What a row measures.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) entry: &'static Entry,
    /// `None`: slack does not affect this method.
    pub(super) slack: Option<Slack>,
    /// Nanoseconds to wait, or the period.
    pub(super) ns: u64,
    pub(super) periodic: bool,
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
    /// The notes of an earlier run on this row.
    pub(super) notes: OnceLock<Vec<String>>,
}

impl Series {
    pub(super) fn new(question: Question, cpu: Option<usize>) -> Self {
        Self {
            question,
            cpu,
            overshoot: Recorder::default(),
            missed: Recorder::default(),
            tally: Mutex::default(),
            gaps: Mutex::default(),
            failure: OnceLock::new(),
            slack_ns: OnceLock::new(),
            notes: OnceLock::new(),
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

    pub(super) fn add_gap(&self, gap: Gap) {
        let mut gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        if gaps.len() < MOST_GAPS {
            gaps.push(gap);
        }
    }

    pub(super) fn gaps(&self) -> Vec<Gap> {
        self.gaps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn fail(&self, why: String) {
        // The first reason counts.
        let _ = self.failure.set(why);
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}
