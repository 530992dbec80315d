//! The TSC's actual rate is not the stated one.

use super::{Fault, Need};
use chronoscope_model::environment::{Rate, RateKind};
use chronoscope_model::{Certainty, Level};

/// NTP cannot correct a rate that is off by more: the kernel's discipline reaches 500 ppm
/// (`MAXFREQ`, include/linux/timex.h).
const LIMIT_PPM: f64 = 500.0;

pub(super) const FAULT: Fault = Fault {
    id: "tsc-rate-mismatch",
    title: "The TSC does not run at its stated rate",
    about: "A CPUID leaf or the kernel's calibration states one rate, and a measurement against \
            the system's clock finds another: they differ by more than 500 ppm beyond the error of \
            either. Ticks converted with the stated rate are off by that much: 500 ppm are 1.8 s \
            per hour. If the clock source is the TSC, the measured rate is the one that the kernel \
            determined when it booted, and either of the two may be wrong; the evidence says \
            whether an independent clock was compared.",
    fix: "Convert with the measured rate. If the kernel's rate is wrong, `tsc=recalibrate` on its \
          command line makes it calibrate against the HPET or the ACPI timer.",
    reference: "Linux arch/x86/kernel/tsc.c; valkey-io/valkey#3103",
    certainty: Certainty::Measured,
    looks_at: "CPUID leaves, the kernel log, and the rate measured",
    needs: &[Need::Tsc, Need::Rate],
    minor: false,
    look: |report, fault| {
        let rates = &report.environment.tsc.as_ref()?.rates;
        let of_kind = |kind| {
            let rates = rates.iter().filter(move |rate| rate.kind == kind);
            rates.filter_map(|rate| Some((rate, hz(rate)?)))
        };
        let (measured, real) = of_kind(RateKind::Measured).next()?;
        let mut evidence = Vec::new();
        // Nominal rates are left out: leaf 0x16 gives the core's base frequency in whole megahertz,
        // from the processor's specification and not from its actual state (Intel SDM vol. 2A,
        // CPUID, notes to leaf 16H), so the TSC's rate may well differ from it.
        for (stated, hz) in of_kind(RateKind::Stated) {
            let ppm = (hz / real - 1.0) * 1e6;
            let error = stated.error_ppm.unwrap_or(0.0) + measured.error_ppm.unwrap_or(0.0);
            if ppm.abs() > LIMIT_PPM + error {
                evidence.push(format!("{}: {hz:.0} Hz, {ppm:+.0} ppm", stated.source));
            }
        }
        if evidence.is_empty() {
            return None;
        }
        let compared = measured.compared.as_ref();
        let compared = compared.map_or(String::new(), |it| format!(" ({})", it.standing.name()));
        evidence.insert(0, format!("{}: {real:.0} Hz{compared}", measured.source));
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};

fn hz(rate: &Rate) -> Option<f64> {
    rate.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}
