//! The machine was suspended during the run.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::{Certainty, Level};

/// No suspension is shorter, in nanoseconds.
const LEAST_NS: u64 = 10_000_000;

pub(super) const FAULT: Fault = Fault {
    id: "suspended",
    title: "The machine was suspended",
    about: "CLOCK_BOOTTIME, which counts the time in suspension, advanced more than \
            CLOCK_MONOTONIC, which does not. Durations across it differ by that much between the \
            two.",
    fix: "Measure again, without suspending the machine. Use CLOCK_BOOTTIME for timeouts that \
          should count the time in suspension, and CLOCK_MONOTONIC for those that should not.",
    reference: "clock_gettime(2); rust-lang/rust#79462",
    certainty: Certainty::Measured,
    looks_at: "CLOCK_BOOTTIME against CLOCK_MONOTONIC, before and after",
    needs: &[Need::Linux, Need::Moved],
    minor: false,
    look: |report, fault| {
        let moved = report.run.moved.as_ref()?;
        let asleep = u64::try_from(moved.suspended_ns?).ok()?;
        if asleep <= LEAST_NS.max(moved.error_ns.unsigned_abs()) {
            return None;
        }
        let evidence = vec![format!(
            "CLOCK_BOOTTIME advanced {} more than CLOCK_MONOTONIC",
            short(asleep as f64)
        )];
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
