//! The time of a run: how long it has lasted, how long it may last, and whether the user asked to
//! stop it. Clocks and waits share it, on this machine and on a simulated one.

use chronoscope_probes::time::Instant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The user's request to stop, shared between the run and what receives it (a signal handler).
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the run to stop. May be called from a signal handler.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The clock for time limits. On this machine it is the system's monotonic clock rather than the
/// ruler, so that a counter that stands still cannot hang a run.
#[derive(Clone, Debug)]
pub enum RunClock {
    /// The system's clock, from this moment on.
    System(Instant),
    /// A simulated clock, in nanoseconds.
    Simulated(Arc<AtomicU64>),
}

impl RunClock {
    pub fn start() -> Self {
        Self::System(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        match self {
            Self::System(start) => start.elapsed(),
            Self::Simulated(ns) => Duration::from_nanos(ns.load(Ordering::Relaxed)),
        }
    }
}

pub trait Time {
    /// The time since the run began.
    fn elapsed(&self) -> Duration;

    fn sleep(&mut self, duration: Duration);

    fn interrupted(&self) -> bool;
}

/// A time limit with a limit on iterations, so that a clock that stands still cannot hang the tool.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    end: Duration,
    turns: u64,
}

impl Limit {
    pub fn new(time: &impl Time, span: Duration, turns: u64) -> Self {
        Self { end: time.elapsed().saturating_add(span), turns }
    }

    /// Counts one iteration. Returns whether the limit is reached or the user asked to stop.
    pub fn reached(&mut self, time: &impl Time) -> bool {
        if self.turns == 0 {
            return true;
        }
        self.turns -= 1;
        self.spent(time)
    }

    /// Whether the time is over or the user asked to stop. Counts no iteration, so the loop around
    /// it must have a bound of its own.
    pub fn spent(&self, time: &impl Time) -> bool {
        time.interrupted() || time.elapsed() >= self.end
    }

    pub fn left(&self, time: &impl Time) -> Duration {
        self.end.saturating_sub(time.elapsed())
    }
}
