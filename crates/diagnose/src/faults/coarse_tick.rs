//! Sleeps end at a tick.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::waits::{Kind, Load, Wait};
use chronoscope_model::{Certainty, Level};

/// The earliest of so many sleeps is not late by chance.
const ENOUGH: u64 = 20;
/// Half the shortest tick, in nanoseconds. With high-resolution timers, the earliest of many sleeps
/// is tens of microseconds late.
const LEAST_NS: i64 = 500_000;

pub(super) const FAULT: Fault = Fault {
    id: "coarse-tick",
    title: "Sleeps are good to the system's tick only",
    about: "Even the shortest of many short sleeps ended far beyond its time: the system's timers \
            end at a tick of 1 to 16 ms. Whatever waits for a moment, or runs at a period, is late \
            by up to a tick.",
    fix: "On Linux see hrtimers-off. On Windows use a high-resolution waitable timer or \
          timeBeginPeriod(1). Otherwise spin for the last part of a wait: `chronoscope advise \
          --for wait`.",
    reference: "Linux Documentation/timers/highres.rst; Microsoft Learn, timeBeginPeriod",
    certainty: Certainty::Measured,
    looks_at: "the smallest overshoot of short sleeps",
    needs: &[Need::Waits],
    minor: false,
    look: |report, fault| {
        let sleeps = report.waits.iter().filter(|wait| {
            let idle = wait.available && wait.load == Load::None;
            idle && wait.kind == Kind::Sleep && wait.samples >= ENOUGH
        });
        // Slack is meant to be added.
        let least = |wait: &Wait| wait.min_ns - wait.slack_ns.map_or(0, |ns| ns.cast_signed());
        let worst = sleeps.max_by_key(|wait| least(wait))?;
        if least(worst) < LEAST_NS {
            return None;
        }
        let evidence = vec![format!(
            "{} of {}: the earliest of {} ended {} late",
            worst.id,
            short(worst.requested_ns? as f64),
            worst.samples,
            short(worst.min_ns as f64)
        )];
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
