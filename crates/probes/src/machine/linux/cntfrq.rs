//! The rate of Arm's counter, as its register tells it.

/// CNTFRQ; `None` where the kernel does not let user code read it, and on every other processor.
#[cfg(all(native_c, any(target_arch = "aarch64", target_arch = "arm")))]
pub fn read() -> Option<u64> {
    unsafe extern "C" {
        /// Of native/arm.c: 0 where it cannot be read.
        safe fn cs_arm_cntfrq() -> u64;
    }
    Some(cs_arm_cntfrq()).filter(|hz| *hz > 0)
}

/// No such register, or no compiler that could read it.
#[cfg(not(all(native_c, any(target_arch = "aarch64", target_arch = "arm"))))]
pub fn read() -> Option<u64> {
    None
}
