//! What the processor reports about its generic timer.

use core::arch::asm;

use super::generic_timer;
pub use super::generic_timer::CLOCK_SOURCES;
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
