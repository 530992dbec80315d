//! The CPU time that measuring takes, without that of the thread that answers.

use crate::process::threads;
use chronoscope_probes::waits::os;
use std::collections::HashMap;
use std::time::Instant;

/// Counts the CPU time of the calling thread, and of the threads that it starts for a round.
#[derive(Debug)]
pub struct Meter {
    /// CPU time of this thread up to here is counted, in nanoseconds.
    counted: Option<u64>,
    /// What was counted since the start, in seconds.
    all_s: f64,
}

impl Meter {
    /// Begins with what this thread has taken since it was started.
    pub fn start() -> Self {
        Self { counted: Some(0), all_s: 0.0 }
    }

    /// What was counted since the start, in seconds.
    pub fn all_s(&self) -> f64 {
        self.all_s
    }

    /// Counts and returns what this thread took since it was last counted, in seconds. A system
    /// that does not count the time of threads has none: all is counted with the rounds.
    pub fn thread(&mut self) -> f64 {
        let now = os::thread_cpu();
        let ns = now.zip(self.counted).map_or(0, |(now, counted)| now.saturating_sub(counted));
        self.counted = now;
        self.add(ns as f64 / 1e9)
    }

    /// Counts a round with all threads that it starts: what the process takes meanwhile, without
    /// the threads that run before and after it, as far as the system counts these. Returns its
    /// result and its CPU time in seconds; where the system counts none, the time that it took.
    pub fn round<T>(&mut self, make: impl FnOnce() -> T) -> (T, f64) {
        let (began, others) = (Instant::now(), others());
        let before = os::process_cpu();
        let made = make();
        let all = os::process_cpu().zip(before).map(|(after, before)| after.saturating_sub(before));
        let s = all.map_or_else(
            || began.elapsed().as_secs_f64(),
            |all| {
                let after = threads();
                let grew = |(id, ns): (&u64, &u64)| Some(after.get(id)?.saturating_sub(*ns));
                all.saturating_sub(others.iter().filter_map(grew).sum()) as f64 / 1e9
            },
        );
        self.counted = os::thread_cpu();
        (made, self.add(s))
    }

    fn add(&mut self, s: f64) -> f64 {
        self.all_s += s;
        s
    }
}

/// The CPU time of the other threads of this process.
fn others() -> HashMap<u64, u64> {
    let mut all = threads();
    if let Some(own) = os::thread_id() {
        all.remove(&own);
    }
    all
}
