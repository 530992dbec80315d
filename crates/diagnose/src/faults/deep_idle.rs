//! Leaving idle makes waits late.

use super::{Fault, Need};
use crate::late;
use chronoscope_model::units::{plural, short_ns};
use chronoscope_model::why::Cause;
use chronoscope_model::{Certainty, Level};

/// A CPU that wakes within this time slept lightly, in nanoseconds: an interrupt and a switch take
/// some 10 us.
const LEAST_NS: f64 = 40_000.0;
/// Waits that are this much later are late for most purposes, in nanoseconds.
const MUCH_NS: f64 = 200_000.0;

pub(super) const FAULT: Fault = Fault {
    id: "deep-idle",
    title: "CPUs take long to wake from idle",
    about: "Most of the lateness of waits lies between the expiry of the timer and the start of \
            the thread. The CPU was in an idle state and had to leave it; in a virtual machine the \
            host had to run it again.",
    fix: "Spin for the last part of a wait, as chronoscope::wait does, or keep CPUs out of deep \
          states: --keep-awake shows the effect, /dev/cpu_dma_latency or \
          cpuidle/state*/disable has it for good. In a virtual machine, use the haltpoll governor \
          or raise halt_poll_ns on the host.",
    reference: "Linux Documentation/admin-guide/pm/cpuidle.rst",
    certainty: Certainty::Measured,
    looks_at: "the parts of late wake-ups, and cpuidle/state*",
    needs: &[Need::Why],
    minor: false,
    look: |report, fault| {
        let rows = late::by(report, Cause::IdleExit, LEAST_NS);
        let worst = rows.first()?;
        let level = match worst.mean_ns() >= MUCH_NS {
            true => Level::Warning,
            false => Level::Info,
        };
        let mut evidence = late::lines(&rows);
        evidence.extend(worst.why.idle.iter().map(|state| {
            format!(
                "its CPU had entered the idle state {} (exit latency {}) before {}",
                state.name,
                short_ns(state.exit_ns as f64),
                plural(state.waits, "late wake-up", "late wake-ups")
            )
        }));
        fault.found(level, Certainty::Measured, evidence)
    },
};
