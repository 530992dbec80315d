//! Something below the kernel takes time.

use super::{Fault, Need};
use crate::late;
use chronoscope_model::units::{percent, plural, short_ns};
use chronoscope_model::why::Cause;
use chronoscope_model::{Certainty, Level, Report};

/// Below this share of the time, gaps are no worse than the interrupts of an idle machine.
const SHARE: f64 = 0.01;
/// Above it, they disturb most measurements.
const MUCH: f64 = 0.05;
/// A spin that ends this much later on average has lost its precision, in nanoseconds.
const LEAST_NS: f64 = 5_000.0;

pub(super) const FAULT: Fault = Fault {
    id: "host-gaps",
    title: "Time passes in which the kernel is not entered",
    about: "A spinning thread lost time, and the kernel was not entered: a null selector in ES, \
            which every interrupt of the kernel clears, still stood. In a virtual machine the host \
            took the CPU for less time than counts as steal; on bare metal it is the firmware \
            (system management interrupts). No tool inside the machine accounts for it.",
    fix: "In a virtual machine, ask for dedicated CPUs, or measure when the host is less busy. On \
          bare metal, update the firmware and switch off its power and memory functions that run \
          while the system does.",
    reference: "docs/waits.md, Why a wait ended late; METHOD.md, Noise",
    certainty: Certainty::Measured,
    looks_at: "spins in which the kernel was not entered",
    needs: &[Need::Noise],
    minor: false,
    look: |report, fault| {
        let rows = late::by(report, Cause::BelowKernel, LEAST_NS);
        let mut evidence: Vec<String> = watched(report).into_iter().map(|it| it.0).collect();
        evidence.extend(late::lines(&rows));
        if evidence.is_empty() {
            return None;
        }
        let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
        evidence.extend(
            noise
                .and_then(|noise| noise.steal_ms)
                .map(|ms| format!("/proc/stat: {} of steal in the run", short_ns(ms * 1e6))),
        );
        let level = match rows.is_empty() && !watched(report).is_some_and(|it| it.1 > MUCH) {
            true => Level::Info,
            false => Level::Warning,
        };
        fault.found(level, Certainty::Measured, evidence)
    },
};

/// What was taken from a spin next to the measurement, and the share.
fn watched(report: &Report) -> Option<(String, f64)> {
    let taken = report.ruler.as_ref()?.noise.taken?;
    let share = taken.share(taken.below);
    (share.is_finite() && share > SHARE).then(|| {
        let line = format!(
            "{} of {} of spinning, in {}, the longest {}",
            percent(share),
            short_ns(taken.watched_ns),
            plural(taken.below.count, "gap", "gaps"),
            short_ns(taken.below.longest_ns)
        );
        (line, share)
    })
}
