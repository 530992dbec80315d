//! The rate of Arm's counter, as its register gives it.

/// CNTFRQ; `None` if the kernel does not let user code read it, and on other processors.
#[cfg(all(native_c, any(target_arch = "aarch64", target_arch = "arm")))]
pub fn read() -> Option<u64> {
    unsafe extern "C" {
        /// From native/arm.c: 0 if the register cannot be read.
        safe fn cs_arm_cntfrq() -> u64;
    }
    Some(cs_arm_cntfrq()).filter(|hz| *hz > 0)
}

/// `None`: the processor has no such register, or the build had no compiler for the code that reads
/// it.
#[cfg(not(all(native_c, any(target_arch = "aarch64", target_arch = "arm"))))]
pub fn read() -> Option<u64> {
    None
}
