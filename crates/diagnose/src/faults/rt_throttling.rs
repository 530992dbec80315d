//! Real-time threads are stopped when they run for long.

use super::{Fault, Need, logged};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "rt-throttling",
    title: "The kernel stopped real-time threads, or may stop them",
    about: "A real-time thread that spins is stopped for the rest of each period once it has run \
            for its share: with the usual setting, for 50 ms of every second. The kernel logs the \
            first time. Spinning waits at real-time priority are late by that much.",
    fix: "Let real-time threads sleep, or give them less work. Switching the limit off (`sysctl \
          kernel.sched_rt_runtime_us=-1`) lets a spinning thread hang its CPU: isolate that CPU \
          first.",
    reference: "Linux Documentation/scheduler/sched-rt-group.rst; sched(7)",
    certainty: Certainty::Evidence,
    looks_at: "the kernel log: RT throttling activated; sched_rt_runtime_us",
    needs: &[Need::Linux, Need::Log],
    minor: true,
    look: |report, fault| {
        let found = logged(report, fault, Level::Warning, &["RT throttling activated"]);
        let keeping = report.environment.keeping.as_ref();
        let (runtime, period) = keeping
            .and_then(|keeping| keeping.rt_runtime_us.zip(keeping.rt_period_us))
            .unwrap_or_default();
        let limit = format!("sched_rt_runtime_us: {runtime} of {period}");
        match found {
            Some(mut found) => {
                found.evidence.push(limit);
                Some(found)
            }
            // A share so small stops any thread that does real work.
            None if (0..period / 2).contains(&runtime) => {
                fault.found(Level::Info, Certainty::Evidence, vec![limit])
            }
            None => None,
        }
    },
};
