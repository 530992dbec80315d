//! What a 32-bit Arm processor reports about its generic timer.

use core::arch::asm;

pub use super::generic_timer::CLOCK_SOURCES;
use super::{counter, generic_timer};
use crate::machine::Hint;

/// The system counter runs at a fixed rate in all states (Arm ARM for ARMv7, B8.1.1).
pub fn invariant() -> Option<bool> {
    counter::is_hardware().then_some(true)
}

/// CNTFRQ.
pub fn rate_hints() -> [Option<Hint>; 2] {
    if !counter::is_hardware() {
        return [None; 2];
    }
    let hz: u32;
    // SAFETY: reads a system register that user code may read whenever it may read the counter
    // (Arm ARM for ARMv7, B4.1.21); touches no memory and no flags.
    unsafe {
        asm!("mrc p15, 0, {}, c14, c0, 0", out(reg) hz, options(nomem, nostack, preserves_flags))
    };
    [generic_timer::rate_hint(hz, "CNTFRQ"), None]
}

/// No instruction rests until the counter has a value.
pub const fn rests_by() -> u8 {
    super::rest::NONE
}

pub fn rest_until(_instruction: u8, _until: u64) {}
