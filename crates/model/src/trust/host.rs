//! What happened to the machine as a whole, as seen from inside.

use serde::{Deserialize, Serialize};

/// Whether something intercepts a read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trap {
    /// What was tested: `counter-permitted`, `counter-trapped`, `rdtscp-trapped`, `vdso-mapped`,
    /// `vdso-falls-back`.
    pub id: String,
    /// Whether there is a trap; absent if that could not be determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trapped: Option<bool>,
    /// The evidence, with figures.
    pub evidence: String,
}

/// Pauses of the machine and jumps of its counter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Watched {
    /// How often the clocks were read together.
    pub looks: u64,
    /// Times at which the run was kept from looking for long, the longest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// The longest time between two looks, in nanoseconds.
    pub longest_ns: f64,
    /// Times at which the run was stopped, until it was resumed. They are no pauses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
    /// Times at which one clock jumped against the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jumps: Vec<Jump>,
    /// Further jumps that `jumps` does not list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_jumps: Option<u64>,
    /// Times at which every other clock of the machine stood still while the battery-backed clock
    /// went on: how far that one got ahead, and of what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standstills: Vec<Jump>,
    /// What `/dev/vmclock0` reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vmclock: Option<VmClock>,
    /// Why it reported nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_vmclock: Option<String>,
}

/// A time at which nothing of this process ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pause {
    /// When it ended, in seconds from the start of the run.
    pub at_s: f64,
    /// How long it took, in nanoseconds, by the counter.
    pub ns: f64,
    /// The time that the hypervisor took from all CPUs meanwhile, in nanoseconds, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_ns: Option<f64>,
    /// The time that this thread waited for a CPU meanwhile, in nanoseconds, if the kernel says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_queue_ns: Option<f64>,
    /// What was probably paused.
    pub paused: Paused,
}

/// A time between the parts of a run that was resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// When the run was resumed, in seconds from its start.
    pub at_s: f64,
    /// How long the gap was, in seconds, by the counter.
    pub seconds: f64,
}

/// What was paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Paused {
    /// This is not known.
    #[default]
    Unknown,
    /// Only this thread: it waited for a CPU.
    Thread,
    /// The whole machine: the kernel did not see the time pass, or accounts for it as stolen.
    Machine,
}

/// A jump of one clock against the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Jump {
    /// When it was seen, in seconds from the start of the run.
    pub at_s: f64,
    /// The clock.
    pub id: String,
    /// The clock that it jumped against.
    pub against: String,
    /// By how much, in nanoseconds; below 0 if it fell behind.
    pub ns: f64,
    /// By how much the reads and the rates can explain, in nanoseconds.
    pub tolerance_ns: f64,
}

/// What the hypervisor's page about time reported (Linux, `include/uapi/linux/vmclock-abi.h`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VmClock {
    /// The marker that changes when the machine is disrupted, such as by migration: at the start of
    /// the run, and at its end.
    pub disruption_marker: [u64; 2],
    /// The marker that changes when the machine is restored from a snapshot, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<[u64; 2]>,
    /// How reliable the hypervisor says that the clock is.
    pub status: String,
}

impl VmClock {
    /// Whether the machine was moved or restored during the run.
    pub fn disrupted(&self) -> bool {
        let [before, after] = self.disruption_marker;
        before != after || self.restored()
    }

    /// Whether the machine was restored from a snapshot during the run.
    pub fn restored(&self) -> bool {
        self.generation.is_some_and(|[before, after]| before != after)
    }
}
