//! The processor's counter differs from CPU to CPU.

use super::Fault;
use crate::reading::short;
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "counter-out-of-step",
    title: "The processor's counter differs from CPU to CPU",
    about: "A value read on one CPU, with fences on both sides, was later than one that another \
            CPU read afterwards, or an exchange between them leaves no room for equal counters. A \
            thread that moves, or two threads that compare values, can see time run backwards.",
    fix: "Leave the counter to the kernel and use the system's monotonic clock. A firmware that \
          writes IA32_TSC_ADJUST on some CPUs is a usual cause: see `dmesg | grep -i tsc`. In a \
          virtual machine, ask for a host whose TSC is stable.",
    reference: "Linux arch/x86/kernel/tsc_sync.c",
    look: |report, fault| {
        let across = report.environment.across_cpus.as_ref()?;
        let pairs = across.pairs.iter().filter(|pair| !pair.in_step());
        let evidence: Vec<String> = pairs
            .map(|pair| {
                let [a, b] = pair.handed.cpus;
                format!(
                    "CPU {b} is ahead of CPU {a} by {:.0} to {:.0} ns; {} of {} backwards, by up \
                     to {}",
                    pair.low_ns,
                    pair.high_ns,
                    count(pair.handed.backwards),
                    plural(pair.handed.turns, "hand-over", "hand-overs"),
                    short(pair.handed.worst_ns.round())
                )
            })
            .collect();
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
