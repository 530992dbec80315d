//! The TSC's real rate is not the one that is told.

use super::Fault;
use chronoscope_model::environment::Rate;
use chronoscope_model::{Certainty, Level};

/// Above this difference NTP cannot make up for a wrong rate: the kernel's discipline reaches
/// 500 ppm (`MAXFREQ`, include/linux/timex.h) and no further.
pub const LIMIT_PPM: f64 = 500.0;

pub(super) const FAULT: Fault = Fault {
    id: "tsc-rate-mismatch",
    title: "The TSC does not run at the rate that is told of it",
    about: "A CPUID leaf or the kernel's calibration gives one rate, a measurement against \
            CLOCK_MONOTONIC_RAW another, by more than 500 ppm beyond what either may be wrong. \
            Whoever converts ticks by the told rate is off by that much: 500 ppm are 1.8 s an hour.",
    fix: "Convert by the measured rate. If it is the kernel that is wrong, `tsc=recalibrate` on its \
          command line has it calibrate against the HPET or the ACPI timer.",
    reference: "Linux arch/x86/kernel/tsc.c; valkey-io/valkey#3103",
    look: |report, fault| {
        let rates = &report.environment.tsc.as_ref()?.rates;
        let measured = rates
            .iter()
            .find(|r| r.source.contains("measured") && rate(r).is_some())?;
        let real = rate(measured)?;
        let mut evidence = Vec::new();
        for told in rates {
            // Leaf 0x16 tells the core's base frequency in whole megahertz, from the processor's
            // specification and not from its actual state (Intel SDM vol. 2A, CPUID, notes to
            // leaf 16H): that it, or what is derived from it, differs from the TSC's rate is no
            // fault.
            let nominal = told.source.contains("0x16") || told.note.contains("nominal");
            if std::ptr::eq(told, measured) || nominal {
                continue;
            }
            let Some(hz) = rate(told) else { continue };
            let ppm = (hz / real - 1.0) * 1e6;
            let slack = told.error_ppm.unwrap_or(0.0) + measured.error_ppm.unwrap_or(0.0);
            if ppm.abs() > LIMIT_PPM + slack {
                evidence.push(format!("{}: {hz:.0} Hz, {ppm:+.0} ppm", told.source));
            }
        }
        if evidence.is_empty() {
            return None;
        }
        evidence.insert(0, format!("{}: {real:.0} Hz", measured.source));
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};

fn rate(rate: &Rate) -> Option<f64> {
    rate.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}
