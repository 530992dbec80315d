//! The clocks that only Linux has, and its ways to bypass the C library.

/// The system call of a clock by the instruction alone, as native/kernel_clock.h has it.
macro_rules! bare_call {
    ($clock:literal) => {
        if cfg!(target_arch = "aarch64") {
            concat!(
                "x8 = SYS_clock_gettime; x0 = ",
                $clock,
                "; x1 = &t; \
                 asm volatile(\"svc 0\" : \"+r\"(x0) : \"r\"(x1), \"r\"(x8) : \"memory\")"
            )
        } else if cfg!(target_arch = "arm") {
            concat!(
                "r7 = SYS_clock_gettime; r0 = ",
                $clock,
                "; r1 = &t; \
                 asm volatile(\"svc 0\" : \"+r\"(r0) : \"r\"(r1), \"r\"(r7) : \"memory\")"
            )
        } else {
            concat!(
                "asm volatile(\"syscall\" : \"=a\"(result) : \"0\"(SYS_clock_gettime), \"D\"(",
                $clock,
                "), \"S\"(&t) : \"rcx\", \"r11\", \"memory\")"
            )
        }
    };
}

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
    realtime_bare,
    monotonic_bare,
    monotonic_raw_bare,
    boottime_bare,
    tai_bare,
    realtime_coarse_bare,
    monotonic_coarse_bare,
    process_cputime_bare,
    thread_cputime_bare,
    monotonic_vdso,
    perf_mmap,
    ptp,
    rtc,
}

#[cfg(all(native_c, target_os = "linux"))]
mod device;
#[cfg(all(native_c, target_os = "linux"))]
mod vdso;

/// The C library's function for any system call.
const SYSCALL: &[&str] = &["syscall()"];

/// The instruction that enters the kernel.
const BARE: &[&str] =
    if cfg!(any(target_arch = "aarch64", target_arch = "arm")) { &["svc"] } else { &["syscall"] };
