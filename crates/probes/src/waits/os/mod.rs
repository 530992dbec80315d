//! What the measurement of a wait needs from the system: the clock that its timers run on, and what
//! it knows about a thread.

// The platform is chosen here only. Each file has the same functions, which `linux.rs` describes:
// those that it does not define are in `lacking`. `other.rs` compiles anywhere.
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "other.rs")]
mod imp;

use chronoscope_model::waits::Policy;
pub use imp::*;

/// Whether a thread may be given SCHED_FIFO here.
pub const HAS_FIFO: bool = cfg!(target_os = "linux");
/// Whether processes have priority classes.
pub const HAS_CLASSES: bool = cfg!(windows);

/// How a waiting thread is to be scheduled (Linux).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduling {
    pub policy: Policy,
    /// The priority, if the policy takes one.
    pub priority: u32,
    /// How long the thread waits, or its period, and how long it works in each, in nanoseconds.
    pub wait_ns: u64,
    pub work_ns: u64,
}

impl Scheduling {
    /// The runtime and the period of a thread with a deadline, in nanoseconds: what the work takes,
    /// and a tenth of the wait, at least 20 us.
    pub fn budget(self) -> (u64, u64) {
        let (period, work) = (self.wait_ns, self.work_ns);
        let runtime = work.saturating_add((period / 10).max(20_000));
        (runtime.min(period / 20 * 19), period)
    }
}

/// The wall clock, in nanoseconds since 1970.
pub fn wall() -> u64 {
    let now = std::time::SystemTime::now();
    let since = now.duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// A shorter suspension, in nanoseconds, is within the scatter of the reads.
pub const SUSPENDED_NS: u64 = 1_000_000;

/// What the system's clocks show at one moment, in nanoseconds. All that dates suspensions and
/// steps of the wall clock compares two of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    /// The clock that timers run on.
    pub monotonic: u64,
    /// The wall clock less that one, which wraps.
    pub wall_offset: u64,
    /// For how long the machine has been suspended, if the system counts that.
    pub suspended: Option<u64>,
}

/// What happened between two looks at the system's clocks, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// For how long the machine was suspended.
    pub suspended: u64,
    /// By how much the wall clock was set, if it was.
    pub set: Option<f64>,
}

impl Clocks {
    /// Looks at this machine.
    pub fn now() -> Self {
        let look = || {
            let (suspended, monotonic) = (suspended(), monotonic());
            Self { monotonic, wall_offset: wall_offset(), suspended }
        };
        let clocks = look();
        // What was read before a suspension and what was read after it do not belong together.
        let together = slept(clocks.suspended, suspended()) == 0;
        if together { clocks } else { look() }
    }

    /// What happened since `before`.
    pub fn since(&self, before: &Self) -> Change {
        /// How much faster or slower the wall clock may run without being set: what an NTP client
        /// may slew (adjtimex(2), 500 ppm), and the uncertainty of the reads, in nanoseconds.
        const SLEW: f64 = 500e-6;
        const READS_NS: f64 = 1e6;
        let suspended = slept(before.suspended, self.suspended);
        let passed = self.monotonic.saturating_sub(before.monotonic) as f64;
        let moved = self.wall_offset.wrapping_sub(before.wall_offset).cast_signed() as f64;
        // The monotonic clock of Linux stands still during suspension, and the wall clock does not;
        // on Windows both go on.
        let without = moved - suspended as f64;
        let moved = if without.abs() < moved.abs() { without } else { moved };
        let tolerance = SLEW * (passed + suspended as f64) + READS_NS;
        Change { suspended, set: (moved.abs() > tolerance).then_some(moved) }
    }
}

/// For how long the machine was suspended between two looks, in nanoseconds.
fn slept(before: Option<u64>, after: Option<u64>) -> u64 {
    let grew = before.zip(after).map_or(0, |(before, after)| after.saturating_sub(before));
    if grew < SUSPENDED_NS { 0 } else { grew }
}

/// The wall clock less the clock that timers run on, in nanoseconds, which wrap. The tightest of a
/// few tries counts, so that losing the CPU between two reads does not look like a step.
fn wall_offset() -> u64 {
    let tries = (0..8).map(|_| {
        let before = monotonic();
        let wall = wall();
        let width = monotonic().wrapping_sub(before);
        (width, wall.wrapping_sub(before.wrapping_add(width / 2)))
    });
    tries.min().map_or(0, |(_, offset)| offset)
}

/// Whether the process was stopped and continued since this or [`forget_continue`] was called.
pub fn take_continue() -> bool {
    let stopped = continued();
    if stopped {
        forget_continue();
    }
    stopped
}

/// What systems have that have nothing of their own in its place. Windows counts the switches of a
/// thread, but not which of them were involuntary; it has no such signals, and does not report that
/// a process was suspended and resumed.
#[allow(dead_code, reason = "a system that knows more defines its own")]
mod lacking {
    use super::{Scheduling, monotonic};
    use crate::clocks;
    use crate::waits::Unavailable;
    use chronoscope_model::waits::Class;

    lacking! {
        /// Of the systems served here, macOS on Apple's processors has the coarsest clock: 24 MHz.
        pub fn step() -> u64 = 42;
        pub fn reference() -> u64 = monotonic();
        pub fn suspended() -> Option<u64> = None;
        pub fn thread_cpu() -> Option<u64> = None;
        pub fn thread_id() -> Option<u64> = None;
        pub fn switches() -> Option<(u64, u64)> = None;
        pub fn cpu_of(u32) -> Option<u64> = None;
        pub fn slack() -> Option<u64> = None;
        pub fn set_slack(u64) -> Result<(), Unavailable> = Err(Unavailable::only_on("Linux"));
        /// The timer period, in milliseconds, that stands for a slack on a system whose processes
        /// ask for a period instead: Windows' `timeBeginPeriod`.
        pub fn period_ms(u64) -> Option<u32> = None;
        /// The resolution, in nanoseconds, that such a process asks for if the slack is too short
        /// for a period: Windows' `NtSetTimerResolution`.
        pub fn resolution_ns(u64) -> Option<u64> = None;
        pub fn ticks() -> Vec<u64> = Vec::new();
        pub fn slice() -> Option<u64> = None;
        pub fn set_slice(u64) -> Result<(), Unavailable> = Err(Unavailable::only_on("Linux"));
        pub fn set_fifo(u32) -> Result<(), Unavailable> = Err(Unavailable::only_on("Linux"));
        pub fn set_policy(Scheduling) -> Result<(), Unavailable> =
            Err(Unavailable::only_on("Linux"));
        pub fn set_policy_of(u32, Scheduling) -> Result<(), Unavailable> =
            Err(Unavailable::only_on("Linux"));
        pub fn limit_realtime(u64) -> Result<u64, Unavailable> = Err(Unavailable::only_on("Linux"));
        pub fn continued() -> bool = false;
        pub fn set_class(Class) -> Result<u32, Unavailable> = Err(Unavailable::only_on("Windows"));
    }

    pub fn process_cpu() -> Option<u64> {
        let clock = clocks::find("posix/process-cputime")?;
        Some(clock.open(clocks::Opening::Untouched).ok()?.value())
    }

    pub fn end_fifo() {}

    pub fn block_signals() {}

    pub fn hold_signals() {}

    pub fn forget_continue() {}

    /// Restores the priority class that `set_class` returned.
    pub fn restore_class(_: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// A second after another, while the wall clock is slewed as fast as the kernel allows.
    fn later(before: Clocks) -> Clocks {
        let wall_offset = before.wall_offset.wrapping_add(500_000);
        Clocks { monotonic: before.monotonic + SECOND, wall_offset, ..before }
    }

    #[test]
    fn a_wall_clock_that_is_set_is_seen_once_and_a_slew_is_not() {
        // The offset wraps meanwhile.
        let mut clocks = Clocks { wall_offset: u64::MAX - 1_000_000, ..Clocks::default() };
        let mut seen = Vec::new();
        for second in 1..=100 {
            let before = clocks;
            clocks = later(clocks);
            let by_s = match second {
                40 => 3_600,
                70 => -2,
                _ => 0,
            };
            let by = by_s * SECOND.cast_signed();
            clocks.wall_offset = clocks.wall_offset.wrapping_add_signed(by);
            let Change { suspended, set } = clocks.since(&before);
            assert_eq!(suspended, 0);
            seen.extend(set.map(|ns| (second, (ns / 1e9).round())));
        }
        assert_eq!(seen, [(40, 3_600.0), (70, -2.0)]);
    }

    #[test]
    fn a_suspension_sets_no_clock_on_either_kind_of_system() {
        let before = Clocks { suspended: Some(9 * SECOND), ..Clocks::default() };
        let night = 8 * 3_600 * SECOND;
        let after = Clocks { suspended: Some(9 * SECOND + night), ..later(before) };
        let linux = Clocks { wall_offset: after.wall_offset + night, ..after };
        let windows = Clocks { monotonic: after.monotonic + night, ..after };
        for after in [linux, windows] {
            assert_eq!(after.since(&before), Change { suspended: night, set: None });
        }
        // It is set right after the machine wakes.
        let set = Clocks { wall_offset: linux.wall_offset - 60 * SECOND, ..linux };
        assert!(set.since(&before).set.is_some_and(|ns| (ns + 60e9).abs() < 1e9));
        // The scatter of the reads, a count that falls, and one that is not known.
        for suspended in [Some(9 * SECOND + SUSPENDED_NS - 1), Some(0), None] {
            let after = Clocks { suspended, ..later(before) };
            assert_eq!(after.since(&before), Change::default());
        }
        let now = Clocks::now();
        assert_eq!(now.since(&now), Change::default());
    }
}
