//! The kernel does not watch the TSC, and it is wrong.

use super::{Fault, Need};
use crate::reading::source;
use chronoscope_model::clock::Kind;
use chronoscope_model::comparison::Standing;
use chronoscope_model::{Certainty, Level};

/// Crystals of computers are within 100 ppm of their rate, and a calibration adds little. NTP can
/// correct 500 ppm.
const CRYSTAL_PPM: f64 = 200.0;

pub(super) const FAULT: Fault = Fault {
    id: "watchdog-off",
    title: "The TSC keeps the wrong rate, and the kernel does not check it",
    about: "Since commit b50db7095fe0, the kernel no longer checks the TSC of common machines once \
            it has booted, and `tsc=reliable` or `nowatchdog` switch the check off anywhere. Here, \
            a reference with another oscillator shows that the rate is off by more than crystals \
            are.",
    fix: "`tsc=recalibrate` on the kernel's command line makes it calibrate the TSC against the \
          HPET or the ACPI timer (Linux 6.3). Let NTP correct the rest, up to 500 ppm.",
    reference: "Linux commits b50db7095fe0 and a7ec817d5542; arch/x86/kernel/tsc.c",
    certainty: Certainty::Measured,
    looks_at: "the rate against a reference with another oscillator",
    needs: &[Need::Linux, Need::Tsc, Need::ClockSource, Need::OutsideRate],
    minor: false,
    look: |report, fault| {
        let env = &report.environment;
        if !env.keeps_time_by_counter() {
            return None;
        }
        let trust = report.trust.as_ref()?;
        let off = trust.rates.iter().filter(|rate| {
            let unslewed = trust.of(&rate.id).is_some_and(|watch| watch.kind != Kind::Wall);
            let ppm = rate.low_ppm.abs().min(rate.high_ppm.abs());
            let differs = rate.differs() && ppm > CRYSTAL_PPM && ppm.is_finite();
            unslewed && differs && rate.standing == Standing::Independent
        });
        let mut evidence: Vec<String> = off
            .map(|rate| {
                let half = rate.half_width_ppm();
                format!("{} against {}: {:+.1} ±{half:.1} ppm", rate.id, rate.against, rate.ppm)
            })
            .collect();
        if evidence.is_empty() {
            return None;
        }
        if let Some(source) = source(env) {
            evidence.push(format!("current_clocksource: {source}"));
        }
        evidence.extend(env.unchecked_tsc().map(|word| format!("/proc/cmdline: {word}")));
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
