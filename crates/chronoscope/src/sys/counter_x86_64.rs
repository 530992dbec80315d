//! The time-stamp counter.
//!
//! Ordering follows the Intel SDM, volume 2B, RDTSC and RDTSCP: `rdtsc` is not ordered with
//! anything; `lfence` before it waits until earlier instructions have completed locally, and
//! `lfence` after it keeps later ones from starting; `rdtscp` itself waits for earlier
//! instructions. On AMD, `lfence` is dispatch-serialising because every supported kernel sets
//! DE_CFG[1] (APM volume 3, LFENCE).

use core::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};

pub const fn name() -> &'static str {
    "rdtsc"
}

pub const fn is_hardware() -> bool {
    true
}

#[inline(always)]
pub fn now() -> u64 {
    // SAFETY: rdtsc is part of x86-64. A process that has disabled it for itself (PR_SET_TSC) is
    // killed by the kernel, as it requested.
    unsafe { _rdtsc() }
}

#[inline(always)]
pub fn now_ordered() -> u64 {
    // SAFETY: lfence is part of SSE2, which is part of x86-64; for rdtsc see `now`.
    unsafe {
        _mm_lfence();
        _rdtsc()
    }
}

#[inline(always)]
pub fn start() -> u64 {
    // SAFETY: as in `now_ordered`.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

#[inline(always)]
pub fn stop() -> u64 {
    let mut aux = 0;
    // SAFETY: `aux` is a valid place for the CPU number. `has_stop` returns whether rdtscp exists,
    // and a caller that did not check gets an illegal instruction rather than undefined behaviour.
    unsafe {
        let ticks = __rdtscp(&mut aux);
        _mm_lfence();
        ticks
    }
}

/// The step in which it advances, in ticks.
#[cfg(feature = "std")]
pub const fn step() -> u64 {
    1
}

/// CPUID leaf 0x8000_0001, EDX bit 27 (Intel SDM volume 2A, CPUID).
pub fn has_stop() -> bool {
    cpuid(0x8000_0000).eax >= 0x8000_0001 && cpuid(0x8000_0001).edx & (1 << 27) != 0
}

/// CPUID, sub-leaf 0.
#[allow(unused_unsafe, reason = "it is safe to call only from Rust 1.94 on")]
pub fn cpuid(leaf: u32) -> core::arch::x86_64::CpuidResult {
    // SAFETY: every 64-bit processor has the instruction, and it reads nothing but its registers.
    unsafe { core::arch::x86_64::__cpuid_count(leaf, 0) }
}
