//! Maps the pages of performance events, once, for `native/perf.c`.

use crate::clocks::Unavailable;
use crate::clocks::x86::tsc;
use std::sync::OnceLock;

// SAFETY: native/perf.c defines it so: it opens and maps an event, and returns 0, an errno or -1.
unsafe extern "C" {
    safe fn cs_linux_perf_time() -> i32;
}

/// Maps the page whose fields scale the counter.
pub(crate) fn time() -> Result<(), Unavailable> {
    static MAPPED: OnceLock<i32> = OnceLock::new();
    tsc::readable()?;
    explain(
        *MAPPED.get_or_init(|| cs_linux_perf_time()),
        "the kernel shows no scale (cap_user_time_zero is 0): its scheduler clock is not the \
         counter itself, as under kvm-clock or with an unstable TSC",
    )
}

fn explain(result: i32, lacking: &str) -> Result<(), Unavailable> {
    match result {
        0 => Ok(()),
        -1 => Err(Unavailable(lacking.into())),
        libc::EPERM | libc::EACCES => Err(Unavailable(
            "perf_event_open is not permitted: lower /proc/sys/kernel/perf_event_paranoid to 2, \
             or have CAP_PERFMON; a container's seccomp profile may forbid it too"
                .into(),
        )),
        libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV => Err(Unavailable(
            "no hardware performance counters here: a virtual machine needs its host to pass \
             them on"
                .into(),
        )),
        libc::ENOSYS => Err(Unavailable(
            "this kernel has no perf_event_open (CONFIG_PERF_EVENTS is off, or a sandbox hides it)"
                .into(),
        )),
        errno => Err(Unavailable::os("perf_event_open", errno)),
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use cycle_counter::cycles;

#[cfg(target_arch = "x86_64")]
mod cycle_counter {
    use super::{OnceLock, Unavailable, explain};

    // SAFETY: native/perf.c defines it so: as its like above, for another event.
    unsafe extern "C" {
        safe fn cs_x86_rdpmc_map() -> i32;
    }

    /// Gets a cycle counter that user code may read.
    pub(crate) fn cycles() -> Result<(), Unavailable> {
        static MAPPED: OnceLock<i32> = OnceLock::new();
        explain(
            *MAPPED.get_or_init(|| cs_x86_rdpmc_map()),
            "the kernel lets no user code read the counter (cap_user_rdpmc is 0): \
             write 1 to /sys/bus/event_source/devices/cpu/rdpmc",
        )
    }
}

#[cfg(target_arch = "aarch64")]
pub(crate) use arm_cycle_counter::permit;

#[cfg(target_arch = "aarch64")]
mod arm_cycle_counter {
    use super::OnceLock;

    // SAFETY: native/perf.c defines it so: it opens and maps an event, and returns 0, an errno or -1.
    unsafe extern "C" {
        safe fn cs_arm_pmccntr_map() -> i32;
    }

    /// Asks the kernel to let this thread read PMCCNTR. Whether it may is seen when it tries: some
    /// kernels let every program do so, and have no such event.
    pub(crate) fn permit() {
        static MAPPED: OnceLock<i32> = OnceLock::new();
        MAPPED.get_or_init(|| cs_arm_pmccntr_map());
    }
}
