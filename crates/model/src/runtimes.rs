//! The clocks of language runtimes, read by programs in those languages.

use crate::clock::Kind;
use crate::estimate::Estimate;

/// A runtime, in one version and built in one way.
#[record]
pub struct Runtime {
    /// The runtime's id, and how it was built if there are several ways: `python`, `c:gcc-O2`.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The language.
    pub language: String,
    /// The system, such as `Linux 6.12.9`.
    pub system: String,
    /// What the system keeps time with, such as `tsc`; empty if that is not known.
    #[serde(default)]
    pub hardware_timer: String,
    /// The processor's model, by which reports of several machines are told apart; empty if that
    /// is not known.
    #[serde(default)]
    pub processor: String,
    /// Why it could not be measured, or not to the end; absent if it was.
    pub reason: Option<String>,
    /// Its version; absent if it did not say.
    pub version: Option<String>,
    /// What else identifies it: its compiler, or its engine.
    pub build: Option<String>,
    /// The program that was run or that compiled it.
    pub program: Option<String>,
    /// The clock that timed its batches.
    pub stopwatch: Option<Stopwatch>,
    /// How long it took until its batches no longer became faster.
    pub warm_up: Option<WarmUp>,
    /// The processes that the costs come from.
    #[serde(default)]
    pub processes: u32,
    /// The clock of C that costs are compared with; absent if none was measured.
    pub relative_to: Option<String>,
    /// Its clocks.
    pub clocks: Vec<RuntimeClock>,
    /// Its ways to wait.
    pub sleeps: Vec<RuntimeSleep>,
    /// Settings that change its clocks.
    pub settings: Vec<Setting>,
}

/// The clock of a runtime that timed its batches.
#[record]
pub struct Stopwatch {
    /// The call.
    pub call: String,
    /// Its units per second, as the runtime claims.
    pub hz: f64,
    /// How much faster than claimed it ran by the ruler, in parts per million; absent if it was
    /// not compared.
    pub fast_ppm: Option<f64>,
    /// The largest error of `fast_ppm`, in parts per million, which includes that of the ruler;
    /// absent in reports of earlier versions.
    pub fast_error_ppm: Option<f64>,
}

/// The warm-up of a runtime's first process.
#[record(Copy)]
pub struct WarmUp {
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Batches of each cost until they no longer became faster.
    pub batches: u64,
    /// Whether they had settled when measuring began.
    #[always]
    pub settled: bool,
    /// How many times as long the first batch was as the last, for the cost that changed most.
    pub speed_up: f64,
}

/// A clock of a runtime.
#[record]
pub struct RuntimeClock {
    /// Its id within the runtime.
    pub id: String,
    /// The call, as a user writes it.
    pub call: String,
    /// What it counts.
    pub kind: Kind,
    /// The length of its unit, in nanoseconds.
    pub unit_ns: f64,
    /// The resolution that the runtime claims, in nanoseconds.
    pub claimed_ns: Option<f64>,
    /// Whether the runtime claims that it is of high resolution.
    pub high_resolution: Option<bool>,
    /// The smallest amount by which its value changed, in nanoseconds.
    pub tick_ns: Option<f64>,
    /// The smallest difference that can be seen, in nanoseconds: the tick, or a read if that takes
    /// longer.
    pub resolution_ns: Option<f64>,
    /// The cost of reads back to back, less that of the same loop without a read.
    pub throughput: Option<Estimate>,
    /// The cost of reads of which each needs the value before, less that of the same loop without
    /// a read.
    pub latency: Option<Estimate>,
    /// What makes the interval of `throughput` as wide as it is; absent in reports of earlier
    /// versions.
    pub limited_by: Option<LimitedBy>,
    /// The two costs of reads back to back between which the processes differ, if they do, in
    /// nanoseconds. The interval then spans more than a cost.
    pub states_ns: Option<[f64; 2]>,
    /// The cost of reads back to back as a multiple of that of C.
    pub relative: Option<Ratio>,
    /// Its latency and resolution as benchmarks of stopwatches define them; absent in reports of
    /// earlier versions.
    pub benchmark: Option<Benchmark>,
    /// The median difference between successive reads, in nanoseconds.
    pub median_delta_ns: Option<f64>,
    /// What a long series of reads back to back showed.
    pub watched: Option<Watched>,
    /// The call of the system that the runtime says it makes.
    pub claims: Option<String>,
    /// Whether the call is not part of the documented interface, and so no advice.
    pub internal: bool,
    /// The calls of the system that were counted while it was read; absent if nothing counted.
    pub calls: Option<Vec<Called>>,
    /// How many system calls that read a clock a read makes; absent if they were not counted.
    pub system_calls: Option<f64>,
    /// How many futex calls a read makes, which a contended mutex needs; absent if they were not
    /// counted.
    pub futex_calls: Option<f64>,
    /// How they were counted, or why not.
    #[absent]
    pub counted_by: String,
    /// What a read allocates; absent if the runtime does not report that.
    pub allocates: Option<Allocates>,
}

/// What makes an interval as wide as it is.
#[record]
pub enum LimitedBy {
    /// There are two costs: some processes have one, the others the other.
    TwoStates,
    /// The number of processes is too small to show how far they differ.
    NumberOfProcesses,
    /// Processes differ.
    DifferencesBetweenProcesses,
    /// The batches scatter, so more of them, and thus more time, would make it narrower.
    Time,
    /// Whole runs differ, by the core's frequency above all.
    DifferencesBetweenRuns,
}

impl LimitedBy {
    /// In words: *limited by the number of processes*.
    pub fn words(self) -> &'static str {
        match self {
            Self::TwoStates => "two states of processes",
            Self::NumberOfProcesses => "the number of processes",
            Self::DifferencesBetweenProcesses => "differences between processes",
            Self::Time => "time",
            Self::DifferencesBetweenRuns => "differences between runs",
        }
    }
}

/// Two methods of a benchmark, `Latency()`, which reads the clock, and `Resolution()`, which reads
/// it until the value changes, with the figures of BenchmarkDotNet.
#[record(Copy)]
pub struct Benchmark {
    /// A read, less the empty loop. An iteration is a batch.
    pub latency: Option<Spread>,
    /// Reads until the value changes, at least two. An iteration is a series of successive reads,
    /// or one change if reads hardly ever see one.
    pub resolution: Option<Spread>,
}

/// The means of iterations, without those above the upper fence of Tukey.
#[record(Copy)]
pub struct Spread {
    /// Their mean, in nanoseconds.
    pub mean_ns: f64,
    /// Their median, in nanoseconds.
    pub median_ns: f64,
    /// Their standard deviation, with `n - 1` in the denominator, in nanoseconds.
    pub sd_ns: f64,
    /// How many iterations count.
    pub iterations: u64,
}

impl Spread {
    /// Their standard deviation, in nanoseconds; one iteration has none.
    pub fn sd_ns(&self) -> Option<f64> {
        (self.iterations > 1).then_some(self.sd_ns)
    }
}

/// A multiple with its 95 % interval.
#[record(Copy)]
pub struct Ratio {
    /// The multiple.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Ratio {
    /// One estimate as a multiple of another, with an interval from both: the relative distances of
    /// the ends add in quadrature, because the two are independent. `None` if either is not above
    /// zero by more than its interval.
    pub fn of(own: &Estimate, other: &Estimate) -> Option<Self> {
        let sound = |e: &Estimate| e.value_ns.is_finite() && e.low_ns > 0.0 && !e.below_resolution;
        if !sound(own) || !sound(other) {
            return None;
        }
        let value = own.value_ns / other.value_ns;
        let below = (own.value_ns - own.low_ns) / own.value_ns;
        let above = (own.high_ns - own.value_ns) / own.value_ns;
        let other_below = (other.value_ns - other.low_ns) / other.value_ns;
        let other_above = (other.high_ns - other.value_ns) / other.value_ns;
        Some(Self {
            value,
            low: value * (1.0 - below.hypot(other_above)).max(0.0),
            high: value * (1.0 + above.hypot(other_below)),
        })
    }
}

/// What a long series of reads showed.
#[record(Copy)]
pub struct Watched {
    /// Differences looked at.
    pub reads: u64,
    /// The share of differences of zero, 0 to 1.
    pub same: f64,
    /// The largest difference, in nanoseconds: the longest interval in which the program did not
    /// run.
    pub longest_ns: f64,
    /// How often the value was less than the one before.
    pub backwards: u64,
    /// The largest step back, in nanoseconds.
    pub worst_ns: f64,
}

/// A call of the system that was counted.
#[record]
pub struct Called {
    /// The call, such as `clock_gettime(CLOCK_MONOTONIC)`.
    pub call: String,
    /// How often it was made per read.
    pub per_read: f64,
}

/// What a read allocates, by the runtime's own count.
#[record(Copy)]
pub struct Allocates {
    /// Bytes per read.
    pub bytes: Option<f64>,
    /// Objects per read.
    pub objects: Option<f64>,
}

/// Waits of a runtime for one duration, by its own stopwatch.
#[record]
pub struct RuntimeSleep {
    /// Its id within the runtime.
    pub id: String,
    /// The call, as a user writes it.
    pub call: String,
    /// The duration that was asked for, in nanoseconds.
    pub asked_ns: f64,
    /// The unit of its argument, in nanoseconds.
    pub unit_ns: f64,
    /// How many there were.
    pub count: u64,
    /// How many ended before the duration had passed by more than the tick of the stopwatch.
    pub early: u64,
    /// How long before it the earliest ended, in nanoseconds.
    pub earliest_ns: f64,
    /// The median overshoot, in nanoseconds; negative if most ended early.
    pub median_ns: f64,
    /// The 90th percentile of the overshoot, in nanoseconds.
    pub p90_ns: f64,
    /// The largest overshoot, in nanoseconds.
    pub max_ns: f64,
}

/// A setting that changes a runtime's clocks.
#[record]
pub struct Setting {
    /// The setting as a user writes it.
    pub name: String,
    /// What it changes.
    pub effect: String,
}

impl Runtime {
    /// Whether it has figures.
    pub fn is_measured(&self) -> bool {
        self.clocks.iter().any(|clock| clock.throughput.is_some())
    }

    /// Whether it has figures from a process of its own, not from the tool that measured.
    pub fn is_measured_elsewhere(&self) -> bool {
        self.is_measured() && self.program.is_some()
    }

    /// The id without what distinguishes its builds.
    pub fn family(&self) -> &str {
        self.id.split_once(':').map_or(&self.id, |(family, _)| family)
    }
}

impl RuntimeClock {
    /// The cost of a read, in nanoseconds, if it is known.
    pub fn read_ns(&self) -> Option<f64> {
        self.throughput.as_ref().and_then(Estimate::known_ns)
    }

    /// Whether a tick is shorter than a read, so that reading limits the resolution.
    pub fn is_limited_by_read(&self) -> bool {
        self.tick_ns.zip(self.read_ns()).is_some_and(|(tick, read)| tick < read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low_ns: f64, value_ns: f64, high_ns: f64) -> Estimate {
        Estimate { low_ns, value_ns, high_ns, ..Estimate::default() }
    }

    #[test]
    fn the_interval_of_a_ratio_contains_both_uncertainties() {
        let ratio = Ratio::of(&estimate(57.0, 60.0, 63.0), &estimate(27.0, 30.0, 33.0));
        let ratio = ratio.expect("both are sound");
        assert!((ratio.value - 2.0).abs() < 1e-12);
        assert!(ratio.low < 2.0 * 0.9 && ratio.low > 2.0 * 0.88);
        assert!(ratio.high > 2.0 * 1.1 && ratio.high < 2.0 * 1.12);
    }

    #[test]
    fn there_is_no_ratio_to_what_may_be_nothing() {
        let sound = estimate(9.0, 10.0, 11.0);
        for bad in [estimate(-1.0, 1.0, 3.0), estimate(0.0, f64::NAN, 1.0)] {
            assert!(Ratio::of(&sound, &bad).is_none() && Ratio::of(&bad, &sound).is_none());
        }
    }
}
