//! A duration with its uncertainty, and what a read of a clock costs.

use crate::units;

/// Why sampling ended.
#[record]
pub enum SampledTo {
    /// The interval became as narrow as requested.
    Precision,
    /// The time ran out, or the limit on iterations was reached.
    #[default]
    Budget,
}

/// A second place where the costs of batches gather, such as that of another placement in memory.
#[record(Copy)]
pub struct Second {
    /// The cost there, per read, in nanoseconds.
    pub value_ns: f64,
    /// The share of batches that gather there, 0 to 1.
    pub share: f64,
}

/// The cost of one read, in nanoseconds, with the empty loop subtracted.
#[record]
pub struct Estimate {
    /// The estimate: the mode of the batches' cost per read, less that of the empty loop.
    pub value_ns: f64,
    /// Lower end of the 95 % interval, which includes the error of the ruler's rate.
    pub low_ns: f64,
    /// Upper end of the 95 % interval, which includes the error of the ruler's rate.
    pub high_ns: f64,
    /// The cheapest batch, per read. Here and below, only the ruler's own cost is subtracted.
    pub min_ns: f64,
    /// The median batch, per read.
    pub median_ns: f64,
    /// Median absolute deviation of the batches, per read.
    pub mad_ns: f64,
    /// Standard deviation of the batches, per read; absent in reports of earlier versions.
    pub sd_ns: Option<f64>,
    /// The 99th percentile of the batches, per read.
    pub p99_ns: f64,
    /// The slowest batch, per read.
    pub max_ns: f64,
    /// The mode before the empty loop was subtracted.
    pub raw_ns: f64,
    /// The empty loop (the same loop and sink without a read), per iteration.
    pub empty_ns: f64,
    /// How many batches the estimate is based on.
    pub batches: u64,
    /// Reads in each batch.
    pub reads_per_batch: u64,
    /// How many batches were left out because they were disturbed.
    pub disturbed: u64,
    /// Why sampling ended.
    pub stopped_by: SampledTo,
    /// The estimate in ticks of the time-stamp counter, if that is the ruler.
    pub cycles: Option<f64>,
    /// The estimate in core cycles, at the core's frequency while this was measured. It stays the
    /// same when the frequency changes from run to run.
    pub core_cycles: Option<f64>,
    /// How many processes the batches come from. The interval covers what another run would report
    /// only if there are several; absent in reports of earlier versions, which used one.
    pub processes: Option<u32>,
    /// The estimate of each process alone, in nanoseconds, rounded well below the interval. Those
    /// with too few samples are left out. Absent if there are fewer than two, and in reports of
    /// earlier versions.
    pub by_process: Vec<f64>,
    /// The processes differ by more than their samples explain, and by enough to matter.
    pub processes_disagree: bool,
    /// The cost while something else ran on the core's other hardware thread; absent if that was
    /// not seen.
    pub shared_ns: Option<f64>,
    /// The estimate itself is from a core that was shared, at least in part, because there were too
    /// few rounds in which it was not.
    pub only_shared: bool,
    /// The other place where the batches gather, if there is one.
    pub second: Option<Second>,
    /// The read is cheaper than the empty loop plus its interval, so `high_ns` is an upper bound
    /// and `value_ns` only an indication.
    pub below_resolution: bool,
}

impl Estimate {
    /// The value, or its upper bound if it is too small to be resolved; `None` if that is not a
    /// finite number of nanoseconds.
    pub fn known_ns(&self) -> Option<f64> {
        let ns = if self.below_resolution { self.high_ns } else { self.value_ns };
        (ns.is_finite() && ns >= 0.0).then_some(ns)
    }

    /// The larger distance from the value to an end of the interval, in nanoseconds.
    pub fn half_ns(&self) -> f64 {
        (self.value_ns - self.low_ns).max(self.high_ns - self.value_ns)
    }

    /// The least and the most that a process found, in nanoseconds, if they disagree.
    pub fn apart(&self) -> Option<[f64; 2]> {
        let each = self.by_process.iter().copied();
        let range = [each.clone().fold(f64::INFINITY, f64::min), each.fold(0.0, f64::max)];
        self.processes_disagree.then_some(range)
    }

    /// Widens the interval by this share of the value, in quadrature. A cost whose interval then
    /// reaches zero is below the resolution.
    pub fn widen(&mut self, share: f64) {
        let more = self.value_ns.abs() * share;
        self.low_ns = self.value_ns - more.hypot(self.value_ns - self.low_ns);
        self.high_ns = self.value_ns + more.hypot(self.high_ns - self.value_ns);
        self.below_resolution |= self.low_ns <= 0.0;
    }

    /// Whether only the upper end means anything: a cost cannot be below zero, so nothing is known
    /// of one whose interval reaches that.
    pub fn is_bound(&self) -> bool {
        self.below_resolution || self.low_ns <= 0.0 && self.high_ns > 0.0
    }

    /// The value in words, with no digit that the interval does not support: `22.2 ns`, or
    /// `<0.0421 ns`; `None` if it is not known.
    pub fn human(&self) -> Option<String> {
        let ns = self.known_ns()?;
        Some(match self.is_bound() {
            true => format!("<{}", units::human_ns_within(self.high_ns, f64::NAN)),
            false => units::human_ns_within(ns, self.half_ns()),
        })
    }

    /// Whether it is less than another by more than their intervals, so that a second run would
    /// find the same.
    pub fn is_below(&self, other: &Self) -> bool {
        let known = self.known_ns().is_some() && other.known_ns().is_some();
        known && self.high_ns < other.low_ns
    }
}

/// The costs of one read. Each answers a different question.
#[record]
pub struct Cost {
    /// Independent reads back to back.
    pub throughput: Option<Estimate>,
    /// Each read ordered after the one before.
    pub latency: Option<Estimate>,
    /// One read after caches and branch history were displaced.
    pub cold: Option<Estimate>,
    /// What was displaced before each cold read; absent in reports of earlier versions, which
    /// walked 4 MiB.
    pub displaced: Option<Displaced>,
    /// The first read in a new process.
    pub first: Option<Estimate>,
    /// The instructions that a read back to back executes in user mode, without those of the empty
    /// loop; absent if no counter shows them.
    pub instructions: Option<f64>,
}

/// What was displaced before a cold read.
#[record(Copy, Eq)]
pub struct Displaced {
    /// The memory that was walked, in bytes.
    pub bytes: u64,
    /// The level of the largest cache that it fills; absent if the caches are not known.
    pub level: Option<u32>,
    /// Whether that is the last cache before memory.
    pub last: bool,
}
