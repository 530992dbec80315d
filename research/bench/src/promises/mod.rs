//! What the library promises, tested for as long as requested. Each test reports what it found and
//! whether that is what was promised, as one line of JSON.

pub mod bound;
pub mod handover;
pub mod rate;
pub mod threads;
pub mod unsynced;
pub mod wall;

use chronoscope::machine::Machine;
use chronoscope::{Clock, Ticks};

/// The system's clock between two reads of the library's.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    pub before: Ticks,
    pub os: u64,
    pub after: Ticks,
}

impl Bracket {
    /// Makes one bracket around the clock that the library's is calibrated against.
    pub fn now() -> Self {
        let clock = Clock::global();
        let before = clock.start();
        let os = clock.machine().reference();
        let after = clock.start();
        Self { before, os, after }
    }

    /// Returns the narrowest of `tries` brackets.
    pub fn narrowest(tries: u32) -> Self {
        (0..tries)
            .map(|_| Self::now())
            .min_by_key(|bracket| bracket.after.0 - bracket.before.0)
            .unwrap_or_else(Self::now)
    }

    /// Its middle, in ticks.
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.before.0 as f64, self.after.0 as f64)
    }
}
