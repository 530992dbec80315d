//! What the processor says of its generic timer.

use core::arch::asm;

use crate::machine::Hint;

/// Names under which a kernel uses the counter itself.
pub const CLOCK_SOURCES: &[&str] = &["arch_sys_counter"];

/// The system counter runs at a fixed rate in all states (Arm ARM, D12.1.1).
pub fn invariant() -> Option<bool> {
    Some(true)
}

/// CNTFRQ_EL0, which firmware sets; it is not always the truth.
pub fn rate_hints() -> Vec<Hint> {
    let hz: u64;
    // SAFETY: reads a system register that user code may read wherever it may read the counter.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nomem, nostack, preserves_flags)) };
    // The register has 32 bits (Arm ARM, D19.12.9).
    let hz = hz as u32;
    if hz == 0 {
        return Vec::new();
    }
    vec![Hint {
        hz: f64::from(hz),
        bound_ppm: 200.0,
        from: "CNTFRQ_EL0",
    }]
}
