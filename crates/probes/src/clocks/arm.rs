//! The counters of Arm.

use super::entry::{COUNTER, CYCLES, Entry, Facts, Kind, ORDERED_COUNTER, PLAIN, Range};
use chronoscope_model::clock::RateFrom;

/// The instruction that reads the virtual counter.
const COUNTER_READ: &str = if cfg!(target_arch = "arm") { "mrrc" } else { "mrs cntvct_el0" };

/// The instruction that reads a 64-bit system register.
const READ: &str = if cfg!(target_arch = "arm") { "mrrc" } else { "mrs" };

/// Asks the kernel for permission to read the cycle counter.
#[cfg(all(native_c, target_os = "linux", target_arch = "aarch64"))]
use super::perf_event::permit_cycles;

/// Does nothing: these systems have no way to ask. A driver or the firmware has made the counter
/// readable, or not.
#[cfg(all(
    native_c,
    unix,
    any(target_arch = "aarch64", target_arch = "arm"),
    not(all(target_os = "linux", target_arch = "aarch64"))
))]
fn permit_cycles() -> super::native::State {
    super::native::State::default()
}

const ARM: Entry = Entry { home: "Unix on Arm", range: Range::bits(56), ..PLAIN };

clocks! {
    CLOCKS: arm in native_c if all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        like ARM;

    "cntvct" =>
        if cfg!(target_arch = "arm") {
            "asm volatile(\"mrrc p15, 1, %Q0, %R0, c14\" : \"=r\"(t))"
        } else {
            "asm volatile(\"mrs %0, cntvct_el0\" : \"=r\"(t))"
        },
        Kind::Counter, Facts { rate_from: RateFrom::System, ..COUNTER }, common: true,
        expect: &[COUNTER_READ],
        asked_for: Some("reading the counter, which the kernel must permit (CNTKCTL.EL0VCTEN)");
    "isb-cntvct" =>
        if cfg!(target_arch = "arm") {
            "asm volatile(\"isb; mrrc p15, 1, %Q0, %R0, c14\" : \"=r\"(t))"
        } else {
            "asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t))"
        },
        Kind::Counter, Facts { rate_from: RateFrom::System, ..ORDERED_COUNTER }, common: true,
        expect: &["isb", COUNTER_READ],
        asked_for: Some("reading the counter, which the kernel must permit (CNTKCTL.EL0VCTEN)");
    "cntvctss" =>
        if cfg!(target_arch = "arm") {
            "asm volatile(\"mrrc p15, 9, %Q0, %R0, c14\" : \"=r\"(t))"
        } else {
            "asm volatile(\"mrs %0, cntvctss_el0\" : \"=r\"(t))"
        },
        Kind::Counter, Facts { rate_from: RateFrom::System, ..ORDERED_COUNTER }, expect: &[READ],
        asked_for: Some("CNTVCTSS, which needs a processor with FEAT_ECV");
    "pmccntr" after Ok(permit_cycles()) =>
        if cfg!(target_arch = "arm") {
            "asm volatile(\"mrc p15, 0, %0, c9, c13, 0\" : \"=r\"(cycles))"
        } else {
            "asm volatile(\"mrs %0, pmccntr_el0\" : \"=r\"(cycles))"
        },
        Kind::Counter, CYCLES, expect: &[if cfg!(target_arch = "arm") { "mrc" } else { "mrs" }],
        range: Range::bits(usize::BITS),
        asked_for: Some(
            "reading the cycle counter, which the kernel must permit (AArch64 Linux: perf events \
             and sysctl kernel.perf_user_access=1)",
        );
}
