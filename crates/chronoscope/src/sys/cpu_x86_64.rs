//! What the processor reports about its time-stamp counter.

use super::counter::cpuid;
use crate::machine::Hint;

/// Names under which a kernel uses the counter itself, as whole words: Hyper-V's
/// `hyperv_clocksource_tsc_page` is another clock although its name contains "tsc".
pub const CLOCK_SOURCES: &[&str] = &["tsc"];

fn highest(base: u32) -> u32 {
    cpuid(base).eax
}

/// CPUID leaf 0x8000_0007, EDX bit 8, "invariant TSC" (Intel SDM volume 3B, 18.17.1).
pub fn invariant() -> Option<bool> {
    (highest(0x8000_0000) >= 0x8000_0007).then(|| cpuid(0x8000_0007).edx & (1 << 8) != 0)
}

/// Rates from CPUID: leaf 0x15 (crystal and ratio, Intel SDM volume 2A) and leaf 0x4000_0010 of
/// hypervisors that have it (rate in kHz, a leaf introduced by VMware).
pub fn rate_hints() -> [Option<Hint>; 2] {
    [told_by_hypervisor(), told_by_crystal()]
}

fn told_by_hypervisor() -> Option<Hint> {
    // Bit 31 of leaf 1's ECX is reserved for hypervisors to set.
    let hypervisor = cpuid(1).ecx & (1 << 31) != 0;
    if !hypervisor || highest(0x4000_0000) < 0x4000_0010 {
        return None;
    }
    let khz = cpuid(0x4000_0010).eax;
    (khz != 0).then(|| Hint {
        hz: f64::from(khz) * 1e3,
        // The hypervisor's own measurement, or a rate that it scales the counter to.
        bound_ppm: 50.0,
        from: "CPUID 0x40000010",
    })
}

fn told_by_crystal() -> Option<Hint> {
    if highest(0) < 0x15 {
        return None;
    }
    let leaf = cpuid(0x15);
    (leaf.eax != 0 && leaf.ebx != 0 && leaf.ecx != 0).then(|| Hint {
        // In floating point, because integers would truncate the ratio by up to 30 %.
        hz: f64::from(leaf.ecx) * f64::from(leaf.ebx) / f64::from(leaf.eax),
        // A crystal without temperature compensation.
        bound_ppm: 200.0,
        from: "CPUID 0x15",
    })
}
