//! The counters of Arm.

pub(crate) mod cntvct;
pub(crate) mod cntvctss;
pub(crate) mod isb_cntvct;
pub(crate) mod pmccntr;

/// The instruction that reads a 64-bit system register.
const READ: &str = if cfg!(target_arch = "arm") {
    "mrrc"
} else {
    "mrs"
};

/// Asks the kernel for the cycle counter, where there is a way to ask.
#[cfg(all(native_c, target_os = "linux", target_arch = "aarch64"))]
fn permit() {
    crate::clocks::linux::perf::permit();
}

/// There is none: a driver or the firmware has opened it, or not.
#[cfg(all(
    native_c,
    unix,
    any(target_arch = "aarch64", target_arch = "arm"),
    not(all(target_os = "linux", target_arch = "aarch64"))
))]
fn permit() {}
