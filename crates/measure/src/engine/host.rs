//! The interface between the engine and what it measures. The engine refers to subjects by number
//! and asks a host to read them. The real host is [`Machine`](super::Machine); the host
//! [`Fake`](super::fake::Fake) has clocks, costs and disturbances that are all known.
//!
//! A measurement names the parts of a host that it uses, one trait each.

use super::batch::{Additions, Around, Batch, Gauge, Job, Mode, Pairs, Rate, Sampled, spin};
use super::time::Time;
use chronoscope_model::between::Shares;
use std::time::Duration;

/// A host with a ruler.
pub trait Timed: Time {
    /// Returns the ruler's value now, in ticks.
    fn ticks(&mut self) -> u64;

    /// Ticks of the ruler per second, as far as known.
    fn hz(&self) -> f64;

    /// Calibrates again, and returns the rate that follows from everything known so far.
    fn rate(&mut self) -> Rate;

    /// Works for this many iterations of about one cycle, so that the reads before and after are
    /// that far apart.
    fn spin(&mut self, iterations: u32) {
        spin(iterations);
    }
}

/// A host that times batches of reads, and detects what disturbs whole rounds of them.
pub trait Batches: Timed {
    /// Times `reads` reads of a subject. With 0 reads, it times the cost of the ruler and of the
    /// call of an empty batch.
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch;

    /// Sets how many bytes of memory a cold batch walks first. With 0, the host frees the memory.
    fn displace(&mut self, bytes: usize);

    /// Ends a round: checks for disturbances that no single batch can show, and returns whether the
    /// round was disturbed.
    fn end_round(&mut self) -> bool;

    /// Measures how fast the core adds now; `None` if unknown.
    fn gauge(&mut self, what: Additions) -> Option<Gauge>;

    /// The fewest independent additions that an unshared core of this kind makes per cycle; `None`
    /// if unknown.
    fn least_width(&self) -> Option<f64>;

    /// What whole runs of this machine differ by.
    fn shares(&self) -> Shares;

    /// Whether other processes can make rounds.
    fn has_children(&self) -> bool;

    /// Makes the rounds of this job in another process; `None` if that fails or the user asked to
    /// stop.
    fn child_rounds(&mut self, job: &Job) -> Option<Sampled>;
}

/// A host that uses its clocks as programs do: for values, around work, and in new processes.
pub trait Values: Timed {
    /// Fills `out` with successive raw values of a subject.
    fn fill(&mut self, subject: usize, out: &mut [u64]);

    /// Reads one raw value of a subject.
    fn value(&mut self, subject: usize) -> u64 {
        let mut one = [0];
        self.fill(subject, &mut one);
        one[0]
    }

    /// Fills `out` like [`Values::fill`], and returns whether an interrupt entered the kernel
    /// meanwhile, if that can be determined.
    fn fill_watched(&mut self, subject: usize, out: &mut [u64]) -> Option<bool> {
        self.fill(subject, out);
        None
    }

    /// Makes `calls` calls after a first one, storing nothing, and returns the last raw value less
    /// the first.
    fn span(&mut self, subject: usize, calls: u64) -> u64;

    /// Sums `v` `n` times, times each sum with the subject, and returns the ticks of the whole.
    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64;

    /// Makes these samples in another process; `None` if that fails or the user asked to stop.
    fn child_around(&mut self, job: &Around) -> Option<Pairs>;

    /// Makes the first read of a subject in a new process, and returns it in ticks of the ruler;
    /// `None` if no process could be started.
    fn first(&mut self, subject: usize) -> Option<u64>;

    /// The instructions that this thread has executed in user mode; `None` if nothing counts them.
    fn instructions(&mut self) -> Option<u64>;
}

/// Converts a span to ticks of a host's ruler.
pub fn ticks(host: &impl Timed, span: Duration) -> u64 {
    (span.as_secs_f64() * host.hz()) as u64
}
