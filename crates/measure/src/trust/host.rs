//! The interface between a test of trust and a machine. The real machine is in `real.rs`; tests
//! simulate one.

use crate::engine::schedule::Time;
use chronoscope_model::trust::Contended;
use chronoscope_probes::order::Handed;
use std::time::Duration;

/// A value of another CPU between two values of this one, in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bracket {
    pub before: u64,
    pub there: u64,
    pub after: u64,
}

/// Values that two threads handed to each other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Played {
    /// What each of the threads saw.
    pub players: [Handed; 2],
    /// How long the threads played.
    pub time: Duration,
}

impl Played {
    /// The turns of both threads.
    pub fn turns(&self) -> u64 {
        self.players.iter().map(|player| player.turns).sum()
    }
}

/// What two CPUs showed about their counters.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Values that were handed over, read with fences on both sides.
    pub played: Played,
    /// Values of the second CPU between two values of the first.
    pub brackets: Vec<Bracket>,
}

/// A machine whose clocks can be tested. Clocks and sandwiches are identified by number. Each call
/// ends after a bounded number of reads, whatever a clock returns.
pub trait Host: Time {
    /// Fills `out` with successive values of a clock.
    fn fill(&mut self, clock: usize, out: &mut [u64]);

    /// Fills `out` with values of a clock read right before and right after a move of the thread
    /// between two CPUs.
    ///
    /// # Errors
    /// The thread cannot be moved there.
    fn moved(&mut self, clock: usize, cpus: [usize; 2], out: &mut [[u64; 2]])
    -> Result<(), String>;

    /// Lets two threads, one on each CPU, hand over this many values of a clock each.
    ///
    /// # Errors
    /// The two threads could not be started there.
    fn hand(&mut self, clock: usize, cpus: [usize; 2], turns: u64) -> Result<Played, String>;

    /// Compares the counters of two CPUs through a page of memory at the home of the first or the
    /// second CPU.
    ///
    /// # Errors
    /// The two threads could not be started there.
    fn compare(&mut self, cpus: [usize; 2], home: usize, turns: u64) -> Result<Compared, String>;

    /// Fills `out` with a system call, a read through the vDSO, and a system call.
    fn sandwich(&mut self, which: usize, out: &mut [[u64; 3]]);

    /// Measures the cost of a read of a clock while a thread on each of these CPUs reads it, for
    /// about this time: the quartiles of the slowest thread's batches.
    ///
    /// # Errors
    /// The threads could not be started there.
    fn contend(
        &mut self,
        clock: usize,
        cpus: &[usize],
        time: Duration,
    ) -> Result<Contended, String>;
}
