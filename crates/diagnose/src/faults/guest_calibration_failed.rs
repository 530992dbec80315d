//! The kernel could not find out the TSC's rate.

use super::{Fault, TSC_LOG, logged};
use crate::reading::source;
use chronoscope_model::Level;

/// What the kernel writes if no attempt succeeds.
const FAILED: &str = "could not calculate TSC khz";

pub(super) const FAULT: Fault = Fault {
    id: "guest-calibration-failed",
    title: "The kernel could not determine the TSC's rate",
    about: "The processor or hypervisor does not report the rate, and there was no timer to \
            measure it with (PIT, HPET, ACPI timer), or it gave nonsense. The kernel then cannot \
            use the TSC, and a guest may be left with its tick interrupt as the only clock.",
    fix: "Have the hypervisor report the rate (CPUID leaf 0x15, or 0x40000010), or provide \
          kvm-clock or an HPET.",
    reference: "Linux arch/x86/kernel/tsc.c, tsc_init and determine_cpu_tsc_frequencies",
    looks_at: "the kernel log: could not calculate TSC khz",
    look: |report, fault| {
        let ticks = matches!(source(&report.environment), Some("jiffies" | "refined-jiffies"));
        // A machine whose first attempt fails, and whose second does not, is sound.
        let mut log = report.environment.kernel_log.iter();
        let detected = log.any(|line| line.contains("tsc: Detected"));
        let words: &[&str] = match ticks && !detected {
            true => &[FAILED, "Unable to calibrate against PIT", "No reference (HPET/PMTIMER)"],
            false => &[FAILED],
        };
        logged(report, fault, Level::Warning, words)
    },
    ..TSC_LOG
};
