//! The time-stamp counter of x86, unordered and ordered, and the cycle counter.

pub(crate) mod cpuid_rdtsc;
pub(crate) mod lfence_rdtsc;
pub(crate) mod lfence_rdtsc_lfence;
pub(crate) mod mfence_rdtsc;
pub(crate) mod rdpmc;
pub(crate) mod rdtsc_asm;
pub(crate) mod rdtsc_builtin;
pub(crate) mod rdtsc_intrinsic;
pub(crate) mod rdtscp;
pub(crate) mod serialize_rdtsc;

#[cfg(all(native_c, target_arch = "x86_64"))]
mod cpu;
pub(crate) mod tsc;
