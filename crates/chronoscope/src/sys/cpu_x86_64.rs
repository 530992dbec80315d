//! What the processor reports about its time-stamp counter, and how it waits for it.

use core::arch::asm;

use super::counter::{self, cpuid};
use super::rest::NONE;
use crate::machine::Hint;

/// Names under which a kernel uses the counter itself, as whole words: Hyper-V's
/// `hyperv_clocksource_tsc_page` is another clock although its name contains "tsc".
pub const CLOCK_SOURCES: &[&str] = &["tsc"];

fn highest(base: u32) -> u32 {
    cpuid(base).eax
}

/// CPUID leaf 0x8000_0007, EDX bit 8, "invariant TSC" (Intel SDM volume 3B).
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

/// `tpause`, of Intel.
const TPAUSE: u8 = NONE + 1;
/// `mwaitx`, of AMD.
const MWAITX: u8 = NONE + 2;

/// The instruction that rests until the counter has a value: CPUID leaf 7, ECX bit 5, "WAITPKG"
/// (Intel SDM volume 2A), and leaf 0x8000_0001, ECX bit 29, "MONITORX" (AMD APM volume 3, E.4.1).
pub fn rests_by() -> u8 {
    if highest(0) >= 7 && cpuid(7).ecx & (1 << 5) != 0 {
        TPAUSE
    } else if highest(0x8000_0000) >= 0x8000_0001 && cpuid(0x8000_0001).ecx & (1 << 29) != 0 {
        MWAITX
    } else {
        NONE
    }
}

/// Rests until the counter is at `until`, an interrupt comes, or the system's limit is reached
/// (IA32_UMWAIT_CONTROL), with an instruction that [`rests_by`] has named.
pub fn rest_until(instruction: u8, until: u64) {
    if instruction == TPAUSE {
        // SAFETY: CPUID named the instruction, and whoever may read the counter may execute it
        // (Intel SDM volume 2B, TPAUSE). It takes the moment in EDX:EAX, and a zero for the deeper
        // of two states, C0.2, the only one that leaves the core to its other thread. It writes
        // flags, and neither memory nor the stack.
        unsafe {
            asm!("tpause {:e}", in(reg) 0, in("eax") until as u32, in("edx") (until >> 32) as u32,
                options(nomem, nostack));
        }
        return;
    }
    let left = until.saturating_sub(counter::now()).min(u32::MAX.into());
    if left == 0 {
        return;
    }
    let watched = 0u64;
    // SAFETY: CPUID named the instructions, which all programs may execute (AMD APM volume 3,
    // MONITORX and MWAITX). The first watches the line of RAX, without extensions and hints in ECX
    // and EDX. The second, with bit 1 of ECX, ends after the ticks in EBX, and with the hint 0xf0
    // in EAX, its core leaves C0 not even then (Linux, arch/x86/lib/delay.c). RBX belongs to the
    // compiler and is restored. They write neither memory, nor the stack, nor flags.
    unsafe {
        asm!(
            "monitorx",
            "mov eax, 0xf0",
            "mov ecx, 2",
            "xchg rbx, {left}",
            "mwaitx",
            "xchg rbx, {left}",
            left = inout(reg) left => _,
            inout("rax") &raw const watched => _,
            inout("ecx") 0 => _,
            in("edx") 0,
            options(readonly, nostack, preserves_flags)
        );
    }
}
