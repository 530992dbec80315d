//! The time-stamp counter of x86, unordered and ordered, and the cycle counter.

clocks! {
    rdtsc_asm,
    rdtsc_intrinsic,
    rdtsc_builtin,
    rdtscp,
    lfence_rdtsc,
    lfence_rdtsc_lfence,
    mfence_rdtsc,
    serialize_rdtsc,
    cpuid_rdtsc,
    rdpmc,
}

#[cfg(all(native_c, target_arch = "x86_64"))]
mod cpu;
