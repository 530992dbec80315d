//! Whether this thread may read the processor's counter, and what reads it underneath. Asked before
//! the first read: a forbidden read raises SIGSEGV.

use super::Unavailable;
use crate::machine::permit;

/// The clock sources whose vDSO reader executes rdtsc or rdtscp: Linux
/// arch/x86/include/asm/vdso/gettimeofday.h, `__arch_get_hw_counter()`.
const SOURCES_BY_TSC: [&str; 3] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page"];

fn forbidden() -> bool {
    permit::tsc() == Some(false)
}

/// Whether the counter can be read.
pub(crate) fn counter() -> Result<(), Unavailable> {
    if forbidden() {
        return Err(Unavailable(
            "this process has been forbidden to read the TSC (PR_TSC_SIGSEGV): \
             start it without prctl(PR_SET_TSC), or allow it again with PR_TSC_ENABLE"
                .into(),
        ));
    }
    Ok(())
}

/// Whether the vDSO's functions can be called: with the TSC as the kernel's clock source they read
/// it in user mode, under the process's own ban.
pub(crate) fn vdso() -> Result<(), Unavailable> {
    if !forbidden() {
        return Ok(());
    }
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match std::fs::read_to_string(path) {
        Ok(source) if !SOURCES_BY_TSC.contains(&source.trim()) => Ok(()),
        _ => Err(Unavailable(
            "the vDSO reads the TSC, which has been forbidden to this process \
             (PR_TSC_SIGSEGV): take the system call, or allow it again with PR_TSC_ENABLE"
                .into(),
        )),
    }
}
