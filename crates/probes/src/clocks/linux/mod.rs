//! The clocks that only Linux has, and its ways to bypass the C library.

clocks! {
    monotonic_raw,
    boottime,
    tai,
    realtime_coarse,
    monotonic_coarse,
    realtime_syscall,
    monotonic_syscall,
    monotonic_raw_syscall,
    boottime_syscall,
    tai_syscall,
    realtime_coarse_syscall,
    monotonic_coarse_syscall,
    process_cputime_syscall,
    thread_cputime_syscall,
    monotonic_vdso,
    perf_mmap,
    ptp,
    rtc,
}

#[cfg(all(native_c, target_os = "linux"))]
mod device;
#[cfg(all(native_c, target_os = "linux"))]
mod vdso;

/// The instruction that enters the kernel, which the loop of a raw system call must contain.
const SYSCALL: &[&str] = if cfg!(any(target_arch = "aarch64", target_arch = "arm")) {
    &["svc"]
} else {
    &["syscall"]
};
