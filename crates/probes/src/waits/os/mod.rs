//! What the measurement of a wait needs from the system: the clock that its timers run on, and what
//! it knows about a thread.

// The platform is chosen here only. Each file has the same functions, which `linux.rs` describes,
// and `other.rs` compiles anywhere.
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "other.rs")]
mod imp;

use chronoscope_model::waits::Policy;
pub use imp::*;

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

/// The wall clock less the clock that timers run on, in nanoseconds, which wrap. The tightest of a
/// few tries counts, so that losing the CPU between two reads does not look like a step.
pub fn wall_offset() -> u64 {
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

/// What only Linux reports about a thread or does for it. Windows counts the switches of a thread,
/// but not which of them were involuntary; it has no such signals, and does not report that a
/// process was suspended and resumed.
#[cfg(not(target_os = "linux"))]
mod lacking {
    use crate::waits::Unavailable;

    pub const HAS_FIFO: bool = false;

    pub fn switches() -> Option<(u64, u64)> {
        None
    }

    pub fn cpu_of(_: u32) -> Option<u64> {
        None
    }

    pub fn slice() -> Option<u64> {
        None
    }

    pub fn set_slice(_: u64) -> Result<(), Unavailable> {
        Err(Unavailable::only_on("Linux"))
    }

    pub fn set_fifo(_: u32) -> Result<(), Unavailable> {
        Err(Unavailable::only_on("Linux"))
    }

    pub fn set_policy(_: super::Scheduling) -> Result<(), Unavailable> {
        Err(Unavailable::only_on("Linux"))
    }

    pub fn set_policy_of(_: u32, _: super::Scheduling) -> Result<(), Unavailable> {
        Err(Unavailable::only_on("Linux"))
    }

    pub fn end_fifo() {}

    pub fn limit_realtime(_: u64) -> Result<u64, Unavailable> {
        Err(Unavailable::only_on("Linux"))
    }

    pub fn block_signals() {}

    pub fn hold_signals() {}

    pub fn continued() -> bool {
        false
    }

    pub fn forget_continue() {}
}
