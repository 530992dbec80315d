//! The machine as it can be seen without privilege: processor, counters, timers, clock sources,
//! hypervisor, power, limits, and the emulator, if there is one.
//!
//! [`environment`] never fails. Each fact stands alone: if it cannot be found out, it is absent,
//! with a note that says why and what would make it visible.
//!
//! Everything outside the process is reached through a [`Root`], so that the same code reads this
//! machine and recordings of others.

pub mod affinity;
pub mod arrival;
mod bundle;
mod counter;
mod cpu;
mod hypervisor;
mod kernel;
mod kmsg;
#[allow(dead_code, missing_docs, reason = "a system that knows more defines its own")]
mod lacking;
mod other_process;
pub mod outside;
pub mod power;
pub mod quota;
mod root;
pub mod source_switch;
mod timers;
pub mod vdso;
pub mod vmclock;

pub use bundle::record;
pub use cpu::{nodes, online, siblings};
#[cfg(unix)]
pub use kernel::ignores_hangup;
pub use kmsg::{
    is_excerpt, is_log, messages as log_messages, says_of_clocks, select as select_log,
};
pub use quota::SINGLE;
pub use root::{Cpuid, Missing, Process, Root};

// The platform is chosen here only. Each file has the same functions; `lacking` has those of a
// system that is not known, and of which the others take what they do not define.
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows/mod.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg(any(target_os = "linux", windows, target_os = "macos"))]
mod os;
/// Systems without a file of their own: what the standard library knows, and nothing else.
#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
mod os {
    pub use super::lacking::*;

    /// The folder under which files hold facts, if there are any.
    pub const FILES: Option<&str> = Some("/");
}

/// [`adjtimex`] is what adjtimex(2) returns, in one line with the kernel's names and units; `None`
/// if the system has no such call or refuses it. [`power_source`] is what powers the machine now,
/// `mains` or `battery`; `None` if the system does not report it. [`boot_id`] distinguishes this
/// boot of the machine from all others; `None` if the system does not say.
pub use os::{ClockSet, adjtimex, boot_id, power_source};

/// Cheap signs that a measurement was disturbed, to be read before and after it; `None` on systems
/// that do not report them.
///
/// - `thread_switches`: how often this thread was taken off its CPU involuntarily.
/// - `steal_ns`: the time, in nanoseconds, that the hypervisor gave to others while this machine's
///   CPUs were ready to run: for one CPU, or for all together. It advances in ticks, mostly of
///   10 ms.
/// - `run_queue_ns`: how long this thread has been ready to run while something else had its CPU,
///   in nanoseconds.
/// - `current_cpu`: the CPU that this thread currently runs on.
/// - `cpu_times`: what each CPU has done since boot; empty on systems that do not report it.
/// - `children_cpu_ns`: the CPU time of children that have ended, in nanoseconds.
pub mod noise {
    pub use super::os::{
        children_cpu_ns, cpu_times, current_cpu, run_queue_ns, steal_ns, thread_switches,
    };

    /// What a CPU has done since boot. Both times advance in ticks, mostly of 10 ms.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CpuTimes {
        /// Its number.
        pub cpu: usize,
        /// How long it ran anything, in nanoseconds.
        pub busy_ns: u64,
        /// How long the hypervisor gave it to others while it was ready to run, in nanoseconds.
        pub steal_ns: u64,
    }
}

#[cfg(windows)]
pub(crate) use os::library;
#[cfg(target_os = "linux")]
pub(crate) use os::run_delay;

use chronoscope_model::Environment;

/// All that can be found out about the machine behind `root`.
///
/// It takes a few milliseconds. It only reads: it runs nothing and changes nothing, except that on
/// some hybrid processors the calling thread visits each CPU that it may use, and returns.
pub fn environment(root: &Root) -> Environment {
    let mut env = root.process().facts.clone();
    let log = kmsg::read(root);

    kernel::fill(root, &mut env);
    cpu::fill(root, &mut env);
    cpu::fill_topology(root, &mut env);
    cpu::fill_core_types(root, &mut env);
    cpu::fill_caches(root, &mut env);
    kernel::fill_clocksource(root, &log, &mut env);
    counter::fill_tsc(root, &log, &mut env);
    counter::fill_arm(root, &log, &mut env);
    timers::fill(root, &log, &mut env);
    hypervisor::fill(root, &log, &mut env);
    hypervisor::fill_emulation(root, &mut env);
    vdso::fill(root, &mut env);
    power::fill(root, &mut env);
    kernel::fill_load(root, &mut env);
    quota::fill(root, &mut env);
    kernel::fill_keeping(root, &mut env);
    kmsg::fill(root, &log, &mut env);
    if let Some(windows) = &root.process().windows {
        timers::fill_qpc(windows, &mut env);
    }
    if root.is_host() {
        os::fill(&mut env);
    }
    other_process::fill(root, &mut env);
    env
}

/// The lines about time in the kernel's log, oldest first; empty if it cannot be read.
pub fn kernel_log(root: &Root) -> Vec<String> {
    kmsg::read(root).0.unwrap_or_default()
}

/// What can change on the machine behind `root` while it is measured, and what the process itself
/// was told: the clock source, the CPUs, power and frequency, and what the process may do. It takes
/// less than a millisecond on most systems, and only reads.
pub fn state(root: &Root) -> Environment {
    let mut env = root.process().facts.clone();
    cpu::fill_topology(root, &mut env);
    kernel::fill_clocksource(root, &kmsg::Log::none(), &mut env);
    power::fill(root, &mut env);
    quota::fill(root, &mut env);
    kernel::fill_discipline(&mut env);
    if root.is_host() {
        os::fill(&mut env);
    }
    env
}
