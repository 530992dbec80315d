//! The virtual counter of the generic timer, which user code may read on Linux, macOS and Windows.
//!
//! Without `isb` it may be read speculatively early (Arm ARM, D12.2.2, "the view of a counter").

use core::arch::asm;

pub const fn name() -> &'static str {
    "cntvct_el0"
}

pub const fn is_hardware() -> bool {
    true
}

#[inline(always)]
pub fn now() -> u64 {
    let ticks;
    // SAFETY: reads a system register into a general one; touches no memory and no flags.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags)) };
    ticks
}

#[inline(always)]
pub fn now_ordered() -> u64 {
    let ticks;
    // SAFETY: as in `now`; without `nomem`, so that the compiler also orders memory around it.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags)) };
    ticks
}

#[inline(always)]
pub fn start() -> u64 {
    let ticks;
    // SAFETY: as in `now_ordered`.
    unsafe {
        asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack, preserves_flags));
    }
    ticks
}

#[inline(always)]
pub fn stop() -> u64 {
    start()
}

#[cfg(feature = "std")]
pub fn step() -> u64 {
    super::generic_timer::step(start)
}

pub const fn has_stop() -> bool {
    true
}
