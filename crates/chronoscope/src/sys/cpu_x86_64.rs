//! What the processor reports about its time-stamp counter.

use core::arch::x86_64::{__cpuid, __cpuid_count};

use crate::machine::Hint;

/// Names under which a kernel uses the counter itself, as whole words: Hyper-V's
/// `hyperv_clocksource_tsc_page` is another clock although its name contains "tsc".
pub const CLOCK_SOURCES: &[&str] = &["tsc"];

fn highest(base: u32) -> u32 {
    __cpuid(base).eax
}

/// CPUID leaf 0x8000_0007, EDX bit 8, "invariant TSC" (Intel SDM volume 3B, 18.17.1).
pub fn invariant() -> Option<bool> {
    (highest(0x8000_0000) >= 0x8000_0007).then(|| __cpuid(0x8000_0007).edx & (1 << 8) != 0)
}

/// Rates from CPUID: leaf 0x15 (crystal and ratio, Intel SDM volume 2A) and leaf 0x4000_0010 of
/// hypervisors that have it (rate in kHz, a leaf introduced by VMware).
pub fn rate_hints() -> Vec<Hint> {
    let mut hints = Vec::new();
    // Bit 31 of leaf 1's ECX is reserved for hypervisors to set.
    if __cpuid(1).ecx & (1 << 31) != 0 && highest(0x4000_0000) >= 0x4000_0010 {
        let khz = __cpuid(0x4000_0010).eax;
        if khz != 0 {
            hints.push(Hint {
                hz: f64::from(khz) * 1e3,
                // The hypervisor's own measurement, or a rate that it scales the counter to.
                bound_ppm: 50.0,
                from: "CPUID 0x40000010",
            });
        }
    }
    if highest(0) >= 0x15 {
        let leaf = __cpuid_count(0x15, 0);
        if leaf.eax != 0 && leaf.ebx != 0 && leaf.ecx != 0 {
            hints.push(Hint {
                // In floating point, because integers would truncate the ratio by up to 30 %.
                hz: f64::from(leaf.ecx) * f64::from(leaf.ebx) / f64::from(leaf.eax),
                // A crystal without temperature compensation.
                bound_ppm: 200.0,
                from: "CPUID 0x15",
            });
        }
    }
    hints
}
