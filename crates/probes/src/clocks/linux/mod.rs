//! The clocks that only Linux has, and its ways around the C library.

pub(crate) mod boottime;
pub(crate) mod boottime_syscall;
pub(crate) mod monotonic_coarse;
pub(crate) mod monotonic_coarse_syscall;
pub(crate) mod monotonic_raw;
pub(crate) mod monotonic_raw_syscall;
pub(crate) mod monotonic_syscall;
pub(crate) mod monotonic_vdso;
pub(crate) mod perf_mmap;
pub(crate) mod process_cputime_syscall;
pub(crate) mod ptp;
pub(crate) mod realtime_coarse;
pub(crate) mod realtime_coarse_syscall;
pub(crate) mod realtime_syscall;
pub(crate) mod rtc;
pub(crate) mod tai;
pub(crate) mod tai_syscall;
pub(crate) mod thread_cputime_syscall;

#[cfg(all(native_c, target_os = "linux"))]
mod device;
#[cfg(all(
    native_c,
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(crate) mod perf;
#[cfg(all(native_c, target_os = "linux"))]
mod vdso;

/// The instruction that enters the kernel, as it must stand in the loop of a raw system call.
const SYSCALL: &[&str] = if cfg!(any(target_arch = "aarch64", target_arch = "arm")) {
    &["svc"]
} else {
    &["syscall"]
};
