//! The counters of Arm.

clocks! {
    cntvct,
    isb_cntvct,
    cntvctss,
    pmccntr,
}

/// The instruction that reads the virtual counter.
const COUNTER_READ: &str = if cfg!(target_arch = "arm") { "mrrc" } else { "mrs cntvct_el0" };

/// The instruction that reads a 64-bit system register.
const READ: &str = if cfg!(target_arch = "arm") { "mrrc" } else { "mrs" };

/// Asks the kernel for permission to read the cycle counter.
#[cfg(all(native_c, target_os = "linux", target_arch = "aarch64"))]
use crate::clocks::perf_event::permit_cycles;

/// Does nothing: these systems have no way to ask. A driver or the firmware has made the counter
/// readable, or not.
#[cfg(all(
    native_c,
    unix,
    any(target_arch = "aarch64", target_arch = "arm"),
    not(all(target_os = "linux", target_arch = "aarch64"))
))]
fn permit_cycles() -> crate::clocks::native::State {
    crate::clocks::native::State::default()
}
