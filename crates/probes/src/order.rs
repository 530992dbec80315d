//! The fence that separates reads when their latency is measured.

/// Waits until every earlier instruction has completed locally.
///
/// x86-64: `lfence` (Intel SDM volume 2A, LFENCE). AArch64 and ARMv7: `isb` (Arm ARM, "Context
/// synchronization event"). On other processors it is only a compiler fence.
#[inline(always)]
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: lfence is part of SSE2, which is part of x86-64.
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    // SAFETY: isb has no operands and no effect except ordering.
    unsafe {
        core::arch::asm!("isb", options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm")))]
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}
