//! The machine as it can be seen without privilege: processor, counters, timers, clock sources,
//! hypervisor, power, limits, and the emulator, if there is one.
//!
//! [`environment`] never fails. Each fact stands alone: if it cannot be found out, it is absent,
//! with a note that says why and what would make it visible.
//!
//! Everything outside the process is reached through a [`Root`], so that the same code reads this
//! machine and recordings of others.

mod acpi;
pub mod affinity;
mod arm;
mod bundle;
mod c_library;
mod cache;
mod clocksource;
mod cores;
mod cpu;
mod cpuid;
mod cpulist;
mod emulation;
pub mod entered;
#[cfg(unix)]
pub mod hangup;
mod hypervisor;
mod keeping;
mod kernel;
mod kmsg;
#[cfg(not(target_os = "linux"))]
#[allow(dead_code, missing_docs, reason = "a system that knows more defines its own")]
mod lacking;
mod load;
pub mod noise;
pub mod permit;
mod power;
mod printable;
mod process;
mod qpc;
pub mod quota;
mod rates;
mod recording;
mod root;
#[cfg(not(target_os = "linux"))]
mod since;
pub mod source_switch;
mod timers;
mod topology;
mod tsc;
pub mod vdso;
pub mod vmclock;

pub use bundle::record;
pub use cpuid::Cpuid;
pub use kmsg::{is_log, messages as log_messages, select as select_log};
pub use process::Process;
pub use root::{Missing, Root};
pub use topology::{nodes, siblings};

// The platform is chosen here only. Each folder has the same functions, and `other` compiles
// anywhere.
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(windows, path = "windows/mod.rs")]
#[cfg_attr(target_os = "macos", path = "macos/mod.rs")]
#[cfg_attr(not(any(target_os = "linux", windows, target_os = "macos")), path = "other/mod.rs")]
mod os;

// What only Linux has. `other` compiles anywhere.
#[cfg_attr(target_os = "linux", path = "linux/clock_set.rs")]
#[cfg_attr(not(target_os = "linux"), path = "other/clock_set.rs")]
pub mod clock_set;

/// [`adjtimex`] is what adjtimex(2) returns, in one line with the kernel's names and units; `None`
/// if the system has no such call or refuses it. [`power_source`] is what powers the machine now,
/// `mains` or `battery`; `None` if the system does not report it. [`boot_id`] distinguishes this
/// boot of the machine from all others; `None` if the system does not say.
pub use os::{adjtimex, boot_id, power_source};

#[cfg(windows)]
pub(crate) use os::library;

use chronoscope_model::Environment;

/// All that can be found out about the machine behind `root`.
///
/// It takes a few milliseconds. It only reads: it runs nothing and changes nothing, except that on
/// some hybrid processors the calling thread visits each CPU that it may use, and returns.
pub fn environment(root: &Root) -> Environment {
    let mut env = Environment { arch: root.process().arch.clone(), ..Environment::default() };
    let log = kmsg::read(root);

    kernel::fill(root, &mut env);
    cpu::fill(root, &mut env);
    topology::fill(root, &mut env);
    cores::fill(root, &mut env);
    cache::fill(root, &mut env);
    clocksource::fill(root, &mut env);
    tsc::fill(root, &log, &mut env);
    arm::fill(root, &log, &mut env);
    timers::fill(root, &log, &mut env);
    hypervisor::fill(root, &log, &mut env);
    emulation::fill(root, &mut env);
    vdso::fill(root, &mut env);
    power::fill(root, &mut env);
    load::fill(root, &mut env);
    env.c_library.clone_from(&root.process().c_library);
    limits(root, &mut env);
    keeping::fill(root, &mut env);
    kmsg::fill(root, &log, &mut env);
    if let Some(windows) = &root.process().windows {
        qpc::fill(windows, &mut env);
    }
    if root.is_host() {
        os::fill(&mut env);
    }
    env
}

/// The lines about time in the kernel's log, oldest first; empty if it cannot be read.
pub fn kernel_log(root: &Root) -> Vec<String> {
    kmsg::read(root).0.unwrap_or_default()
}

/// What can change on the machine behind `root` while it is measured, and nothing else: the clock
/// source, the CPUs, power and frequency, and what the process may do. It takes less than a
/// millisecond on most systems, and only reads.
pub fn state(root: &Root) -> Environment {
    let mut env = Environment::default();
    topology::fill(root, &mut env);
    clocksource::fill(root, &mut env);
    power::fill(root, &mut env);
    limits(root, &mut env);
    keeping::state(root, &mut env);
    if root.is_host() {
        os::fill(&mut env);
    }
    env
}

/// Fills in what this process may do, and how late it may be woken.
fn limits(root: &Root, env: &mut Environment) {
    env.allowed_cpus.clone_from(&root.process().allowed);
    env.timer_slack_ns = root.process().timer_slack_ns;
    quota::fill(root, env);
}
