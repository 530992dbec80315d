//! What the library promises, tried for as long as it takes. Each says what it found and whether
//! that is what was promised, as one line of JSON.

pub mod bound;
pub mod handover;
pub mod rate;
pub mod threads;
pub mod wall;

use chronoscope::machine::Machine;
use chronoscope::{Clock, Ticks};

/// The system's clock between two reads of ours.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    pub before: Ticks,
    pub os: u64,
    pub after: Ticks,
}

impl Bracket {
    /// One bracket around the clock that ours is calibrated against.
    pub fn now() -> Self {
        let clock = Clock::global();
        let before = clock.start();
        let os = clock.machine().reference();
        let after = clock.start();
        Self { before, os, after }
    }

    /// The narrowest of so many.
    pub fn narrowest(tries: u32) -> Self {
        (0..tries)
            .map(|_| Self::now())
            .min_by_key(|bracket| bracket.after.0 - bracket.before.0)
            .unwrap_or_else(Self::now)
    }

    /// The middle of it, in ticks.
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.before.0 as f64, self.after.0 as f64)
    }
}
