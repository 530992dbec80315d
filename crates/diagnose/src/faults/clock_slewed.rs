//! The clock is made to run at another rate.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

/// Crystals of computers are within 100 ppm of their rate.
const LIMIT_PPM: f64 = 200.0;

pub(super) const FAULT: Fault = Fault {
    id: "clock-slewed",
    title: "The clock is slewed far",
    about: "The kernel was told to let its clock run faster or slower than its clock source by \
            more than crystals are off. Either a large error is being corrected, or the clock \
            source's rate is wrong. Durations by the system's monotonic clock are off by as much.",
    fix: "See what the program that corrects the clock says (`chronyc tracking`). If the \
          correction stays, the rate of the clock source is wrong: tsc-rate-mismatch, \
          watchdog-off. CLOCK_MONOTONIC_RAW is not slewed.",
    reference: "adjtimex(2), freq and tick; Linux kernel/time/ntp.c",
    certainty: Certainty::Evidence,
    looks_at: "adjtimex(2), the slew that trust measures",
    needs: &[Need::Linux, Need::Discipline],
    minor: false,
    look: |report, fault| {
        let answer = report.environment.keeping.as_ref()?.adjtimex?;
        let ppm = answer.correction_ppm();
        let wall = report.trust.as_ref().and_then(|trust| trust.wall.as_ref());
        let slew = wall.and_then(|wall| wall.slew);
        let seen = slew.filter(|slew| slew.ppm.abs() - slew.error_ppm > LIMIT_PPM);
        if ppm.abs() <= LIMIT_PPM && seen.is_none() {
            return None;
        }
        let mut evidence = vec![format!("adjtimex: {}: {ppm:+.1} ppm", answer.line())];
        let measured = seen.map(|slew| {
            format!("measured over the run: {:+.1} ±{:.1} ppm", slew.ppm, slew.error_ppm)
        });
        let certainty = match measured {
            Some(_) => Certainty::Measured,
            None => Certainty::Evidence,
        };
        evidence.extend(measured);
        fault.found(Level::Warning, certainty, evidence)
    },
};
