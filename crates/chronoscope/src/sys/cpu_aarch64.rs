//! What the processor reports about its generic timer, and how it waits for it.

use core::arch::asm;

use super::generic_timer;
pub use super::generic_timer::CLOCK_SOURCES;
use super::rest::NONE;
use crate::machine::Hint;

/// The system counter runs at a fixed rate in all states (Arm ARM, D12.1.1).
pub fn invariant() -> Option<bool> {
    Some(true)
}

/// CNTFRQ_EL0.
pub fn rate_hints() -> [Option<Hint>; 2] {
    let hz: u64;
    // SAFETY: reads a system register that user code may read whenever it may read the counter.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nomem, nostack, preserves_flags)) };
    // The register has 32 bits (Arm ARM, D19.12.9).
    [generic_timer::rate_hint(hz as u32, "CNTFRQ_EL0"), None]
}

/// `wfet`, if the kernel says that programs may use FEAT_WFxT.
#[cfg(target_os = "linux")]
pub fn rests_by() -> u8 {
    /// `HWCAP2_WFXT` in arch/arm64/include/uapi/asm/hwcap.h.
    const WFXT: libc::c_ulong = 1 << 31;
    // SAFETY: looks up a number in data that the kernel gave the process; returns zero if absent.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP2) };
    if capabilities & WFXT != 0 { NONE + 1 } else { NONE }
}

/// Other systems are not asked.
#[cfg(not(target_os = "linux"))]
pub const fn rests_by() -> u8 {
    NONE
}

/// Rests until the virtual counter is at `until` or an event comes, such as an interrupt.
pub fn rest_until(_instruction: u8, until: u64) {
    // SAFETY: `rests_by` named the instruction: "WFET", by the name that assemblers without
    // FEAT_WFxT know (Arm ARM, C6.2, WFET). It reads one register; touches no memory and no flags.
    unsafe {
        asm!("msr s0_3_c1_c0_0, {}", in(reg) until, options(nomem, nostack, preserves_flags));
    }
}
