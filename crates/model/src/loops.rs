//! Loops that are timed as a whole: what timing adds to a real one, what calls take in the mean and
//! alone, and the throughput of the instruction that reads the counter.

use crate::load::Load;

/// A loop with and without two reads and a subtraction around each iteration.
#[record]
pub struct Overhead {
    /// The clock.
    pub id: String,
    /// The call, as a program writes it; absent in older reports.
    pub call: Option<String>,
    /// What ran alongside; absent if nothing did.
    pub load: Option<Load>,
    /// How many samples were asked for.
    pub samples: u64,
    /// Iterations per sample.
    pub n: u64,
    /// Integers summed in each iteration.
    pub m: u64,
    /// How many samples were taken; fewer than asked for if the time ran out.
    pub taken: u64,
    /// How many processes the samples come from; absent in reports of earlier versions, which used
    /// one.
    pub processes: Option<u32>,
    /// Iterations of the only sample, if it ended before it was complete.
    pub cut_short: Option<u64>,
    /// An iteration without timing.
    pub baseline: Centre,
    /// An iteration with timing.
    pub timed: Centre,
    /// Timed minus baseline, sample by sample.
    pub overhead: Centre,
}

/// With fewer samples there is no 95 % interval of the median: all are on one side of it in 2 of
/// 2^n cases.
pub const FEWEST: u64 = 6;

impl Overhead {
    /// Whether there are enough samples for the intervals of the medians.
    pub fn has_intervals(&self) -> bool {
        self.taken >= FEWEST
    }
}

/// The mean of all samples, and the median: the mean of the medians of the processes.
#[record(Copy)]
pub struct Centre {
    /// The mean, in nanoseconds.
    pub average_ns: f64,
    /// The median, in nanoseconds.
    pub median_ns: f64,
    /// Lower end of the 95 % interval of the median, in nanoseconds.
    pub low_ns: f64,
    /// Upper end of the same interval, in nanoseconds.
    pub high_ns: f64,
}

impl Centre {
    /// With an interval that is wider by this many nanoseconds, in quadrature.
    #[must_use]
    pub fn widened(self, by_ns: f64) -> Self {
        let Self { median_ns, low_ns, high_ns, .. } = self;
        let low_ns = median_ns - by_ns.hypot(median_ns - low_ns);
        Self { low_ns, high_ns: median_ns + by_ns.hypot(high_ns - median_ns), ..self }
    }
}

/// What one clock measures of its own calls.
#[record]
pub struct Calls {
    /// The clock.
    pub id: String,
    /// The call, as a program writes it; absent in older reports.
    pub call: Option<String>,
    /// What ran alongside; absent if nothing did.
    pub load: Option<Load>,
    /// The resolution that the API claims, in nanoseconds.
    pub nominal_ns: Option<f64>,
    /// How many calls each of the three figures is based on; fewer than usual if the clock is slow
    /// or the time short.
    pub counts: [u64; 3],
    /// The passes, in order; fewer than three if the run was interrupted.
    #[always]
    pub passes: Vec<Pass>,
}

/// One pass: the same measurement with fewer and fewer calls.
#[record]
pub struct Pass {
    /// The mean of a million calls, in nanoseconds, by the clock itself.
    pub delta1_ns: f64,
    /// The mean of ten calls, in nanoseconds, by the clock itself.
    pub delta2_ns: f64,
    /// A single call, in nanoseconds, by the clock itself.
    pub delta3_ns: f64,
    /// The same three figures, in nanoseconds, by the ruler.
    pub ruler_ns: [f64; 3],
}

/// Rows of the same instructions, one straight after the other.
#[record]
pub struct Throughput {
    /// The instruction, for example `rdtsc`.
    pub instruction: String,
    /// How many of them each row executes.
    pub times: u32,
    /// The rows, in the order in which they were measured.
    #[always]
    pub rows: Vec<ThroughputRow>,
    /// The ports, or groups of ports, whose operations were counted: `p0`, `p23`.
    pub ports: Vec<String>,
    /// How the core cycles are known; empty if they are not.
    #[absent]
    pub cycles_by: String,
    /// What was not counted, and why; empty if everything was.
    #[absent]
    pub lacking: String,
}

/// One row, without the cost of timing it.
#[record]
pub struct ThroughputRow {
    /// Ticks of the counter.
    pub clock: u64,
    /// Core cycles.
    pub core_cycles: Option<f64>,
    /// Instructions, if they were counted.
    pub instructions: Option<u64>,
    /// Micro-operations.
    pub uops: Option<u64>,
    /// Micro-operations by port, in the order of [`Throughput::ports`].
    pub by_port: Vec<u64>,
}

impl Throughput {
    /// The median of the rows' ticks, for one instruction.
    pub fn ticks(&self) -> Option<f64> {
        self.each(|row| Some(row.clock as f64))
    }

    /// The median of the rows' core cycles, for one instruction: its reciprocal throughput.
    pub fn core_cycles(&self) -> Option<f64> {
        self.each(|row| row.core_cycles)
    }

    fn each(&self, figure: impl Fn(&ThroughputRow) -> Option<f64>) -> Option<f64> {
        let mut all: Vec<f64> = self.rows.iter().filter_map(figure).collect();
        all.retain(|one| one.is_finite());
        all.sort_by(f64::total_cmp);
        let middle = |at: usize| all.get(at).copied();
        let (low, high) = (middle(all.len().saturating_sub(1) / 2)?, middle(all.len() / 2)?);
        Some((low + high) / 2.0 / f64::from(self.times.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instruction_takes_a_hundredth_of_the_median_row() {
        let row = |clock, core_cycles| ThroughputRow { clock, core_cycles, ..Default::default() };
        let mut it = Throughput {
            times: 100,
            rows: vec![row(1700, Some(2400.0)), row(1600, Some(2300.0)), row(90_000, None)],
            ..Throughput::default()
        };
        assert_eq!((it.ticks(), it.core_cycles()), (Some(17.0), Some(23.5)));
        it.rows.clear();
        assert_eq!((it.ticks(), it.core_cycles()), (None, None));
    }
}
