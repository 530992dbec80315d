//! When and how a report was made, and what was left out or done differently.

use crate::between::Between;
use crate::change::Change;
use crate::clock::Comparison;
use crate::timekeeping::Moved;

/// The run that made the report.
#[record]
pub struct Run {
    /// Sixteen hexadecimal digits that distinguish this run from others.
    pub id: String,
    /// The start, in UTC as RFC 3339.
    pub started: String,
    /// The end, in UTC as RFC 3339.
    pub finished: String,
    /// The command line.
    #[always]
    pub argv: Vec<String>,
    /// The screen that the report was made for, for example `clocks`; absent if a program made the
    /// report.
    pub screen: Option<String>,
    /// The version of the tool.
    pub tool_version: String,
    /// The compilers that built the tool, and the readers of clocks in it, with their versions.
    pub compilers: Vec<String>,
    /// The seed of the random order in which entries were measured within each round.
    pub order_seed: u64,
    /// Whether the run was complete. `false`: it was interrupted, and the report holds what was
    /// measured until then.
    #[always]
    pub complete: bool,
    /// Whether the run only glanced: at facts, and at the costs of a few clocks.
    pub quick: bool,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
    /// What was different on the machine when the run ended;
    /// [`Report::environment`](crate::Report) is the machine as it was when the run began.
    pub changed: Vec<Change>,
    /// Why the run may be off as a whole, beyond what its samples show; empty for a calm run, and
    /// absent in reports of earlier versions. The intervals of its costs are wider for it.
    pub disturbed: Vec<Disturbed>,
    /// What whole runs of this machine differ by, which the intervals of its costs include; absent
    /// without costs, and in reports of earlier versions.
    pub between: Option<Between>,
    /// By how much the system's clocks moved against each other during the run; absent if they
    /// could not be read together.
    pub moved: Option<Moved>,
}

/// One reason why a run may be off as a whole.
#[record(Eq)]
pub struct Disturbed {
    /// A stable name: `core-shared` or `frequency-spread`.
    pub id: String,
    /// What was seen, in a few words.
    pub text: String,
}

/// The clock that all durations of the report were measured with.
#[record]
pub struct Ruler {
    /// How it is read at start and stop, for example `lfence-rdtsc-lfence/rdtscp-lfence`.
    pub id: String,
    /// Whether it is the processor's counter rather than a clock of the system.
    pub is_counter: bool,
    /// Ticks per second, by calibration against [`Ruler::reference`].
    pub hz: f64,
    /// Bound on the relative error of `hz` against the reference, in parts per million.
    pub hz_error_ppm: f64,
    /// The clock it was calibrated against.
    pub reference: String,
    /// What that clock can show about the rate.
    pub compared: Option<Comparison>,
    /// The cost of an empty start and stop, in nanoseconds; already subtracted from every figure.
    pub cost_ns: f64,
    /// Its tick, in nanoseconds.
    pub tick_ns: f64,
    /// 95 of 100 empty intervals, from a start to the stop right after it, differ from their mean
    /// by at most this, in nanoseconds; absent in reports of earlier versions.
    pub empty_spread_ns: Option<f64>,
    /// The CPU that the measuring thread was pinned to; absent if it could not be pinned.
    pub cpu: Option<usize>,
    /// The real-time priority (SCHED_FIFO) at which it measured; absent for an ordinary thread.
    pub fifo: Option<u32>,
    /// The other CPUs of the same core, as the system numbers them; empty if there are none or it
    /// does not say.
    pub siblings: Vec<usize>,
    /// How quiet the machine was.
    pub noise: Noise,
}

/// What disturbed the run.
#[record]
pub struct Noise {
    /// How many batches were measured.
    pub batches: u64,
    /// Batches hit by an involuntary context switch, a migration or steal. They are counted here
    /// and are part of no estimate.
    pub disturbed: u64,
    /// Involuntary context switches of the measuring thread; absent if the system does not report
    /// them.
    pub involuntary_switches: Option<u64>,
    /// Time that the hypervisor took from the machine's CPUs during the run, in milliseconds;
    /// absent if the system does not report it.
    pub steal_ms: Option<f64>,
    /// What was taken from a spinning thread on the CPU of the measurement; absent if that cannot
    /// be determined.
    pub taken: Option<Taken>,
    /// Time that the measuring thread was ready to run and something else had its CPU, in
    /// milliseconds; absent if the system does not report it.
    pub run_queue_ms: Option<f64>,
    /// The share of rounds, 0 to 1, in which something else ran on the core's other hardware
    /// thread; absent if that cannot be determined.
    pub shared: Option<f64>,
    /// By how much longer independent additions took in the median of these rounds, as a share: how
    /// much the neighbour takes of the core's units. Absent if no round was shared.
    pub crowded: Option<f64>,
    /// The frequency of the core that was measured on; absent if it cannot be determined, as on an
    /// emulated processor.
    pub core: Option<Core>,
}

/// Time that was taken from a spinning thread in gaps of more than a microsecond between two reads
/// of the counter.
#[record(Copy)]
pub struct Taken {
    /// For how long it was watched, in nanoseconds.
    pub watched_ns: f64,
    /// By the kernel: interrupts, faults, and the threads that it ran meanwhile.
    pub kernel: Gaps,
    /// By something below the kernel, which was not entered: the hypervisor or the firmware.
    pub below: Gaps,
}

/// Gaps of one kind.
#[record(Copy)]
pub struct Gaps {
    /// How many there were.
    pub count: u64,
    /// Their length together, in nanoseconds.
    pub total_ns: f64,
    /// The length of the longest, in nanoseconds.
    pub longest_ns: f64,
}

impl Taken {
    /// The share of time that gaps took, 0 to 1.
    pub fn share(&self, gaps: Gaps) -> f64 {
        gaps.total_ns / self.watched_ns.max(1.0)
    }
}

/// The core's frequency while costs were measured, from chains of dependent additions in each
/// round. Costs in nanoseconds are inversely proportional to it.
#[record(Copy)]
pub struct Core {
    /// The usual frequency: the mean of the rounds within 1 % of their median, in hertz. Costs that
    /// follow the frequency are given at this one.
    pub hz: f64,
    /// The first percentile of the frequency, in hertz.
    pub low_hz: f64,
    /// The 99th percentile of the frequency, in hertz.
    pub high_hz: f64,
    /// The share of rounds more than 1 % away from the usual frequency, 0 to 1.
    pub elsewhere: f64,
}

impl Core {
    /// A core keeps its frequency if 98 of 100 rounds are within this share of it. The gauge alone
    /// spreads them by less than that on a ruler that ticks every 10 ns.
    const STEADY: f64 = 0.01;

    /// The unit in which costs on this core are to be compared between runs. If the frequency
    /// moves, nanoseconds move with it, and core cycles do not. If it does not, costs that follow
    /// it repeat alike in both, and the others only in nanoseconds.
    pub fn repeats_in(&self) -> &'static str {
        let moves = self.high_hz - self.low_hz > Self::STEADY * self.hz;
        if moves { "core cycles" } else { "nanoseconds" }
    }
}

/// One note.
#[record(Eq)]
pub struct Note {
    /// A stable name for what happened.
    pub id: String,
    /// What it concerns: the id of a clock or a wait method, or the name of a section; absent if it
    /// concerns the whole run.
    pub about: Option<String>,
    /// What happened, in one sentence without a full stop.
    pub text: String,
    /// What to do about it; empty if there is nothing to do.
    #[absent]
    pub fix: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_compared_in_cycles_only_if_the_frequency_moves() {
        let core = |low_hz, high_hz| Core { hz: 4.2e9, low_hz, high_hz, elsewhere: 0.0 };
        assert_eq!(core(4.195e9, 4.205e9).repeats_in(), "nanoseconds");
        assert_eq!(core(4.1e9, 4.3e9).repeats_in(), "core cycles");
    }
}
