//! Checks whether this thread may read the processor's counter, and the clocks that read it
//! internally. This must happen before the first read: a forbidden read raises SIGSEGV.

use super::Unavailable;
use crate::machine::tsc_permitted;

/// The clock sources that the vDSO reads with rdtsc or rdtscp: Linux
/// arch/x86/include/asm/vdso/gettimeofday.h, `__arch_get_hw_counter()`.
const SOURCES_BY_TSC: [&str; 3] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page"];

fn forbidden() -> bool {
    tsc_permitted() == Some(false)
}

/// Returns an error if the counter may not be read.
pub(crate) fn counter() -> Result<(), Unavailable> {
    if forbidden() {
        return Err(Unavailable(
            "this process may not read the TSC (PR_TSC_SIGSEGV): start it without \
             prctl(PR_SET_TSC), or allow reads again with PR_TSC_ENABLE"
                .into(),
        ));
    }
    Ok(())
}

/// Returns an error if the vDSO's functions may not be called. If the kernel's clock source is the
/// TSC, they read it in user mode, to which the process's own ban applies.
pub(crate) fn vdso() -> Result<(), Unavailable> {
    if !forbidden() {
        return Ok(());
    }
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match std::fs::read_to_string(path) {
        Ok(source) if !SOURCES_BY_TSC.contains(&source.trim()) => Ok(()),
        _ => Err(Unavailable(
            "the vDSO reads the TSC, which this process may not read (PR_TSC_SIGSEGV): use the \
             system call, or allow reads again with PR_TSC_ENABLE"
                .into(),
        )),
    }
}
