//! The machine was not the same at the end of the run.

use super::Fault;
use chronoscope_model::{Certainty, Finding, Level, change};

pub(super) const FAULT: Fault = Fault {
    id: "changed-during-run",
    title: "The machine changed during the run",
    about: "A fact that costs and judgements depend on was different when the run ended: the \
            available clock sources, the CPUs, the frequency governor, the power source, or \
            whether the clock is kept synchronised. Some figures hold for the machine as it was \
            before, and some for the machine as it is now. Verdicts and advice are those for the \
            machine as it was before. A change that was undone before the end of the run is \
             not seen.",
    fix: "Measure again, and leave the machine's settings alone during the run. If you did not \
          change them, look for the cause in the kernel log (`dmesg`): the kernel itself gives up \
          a clock source that it finds unstable.",
    reference: "METHOD.md, Noise; Linux Documentation/timers/timekeeping.rst",
    certainty: Certainty::Evidence,
    looks_at: "the clock source, the CPUs, the governor, the power source and adjtimex(2), \
               before and after the run",
    needs: &[],
    minor: false,
    look: |report, fault| {
        // A change of the clock source is a fault of its own.
        let changes = report.run.changed.iter();
        let changes = changes.filter(|it| it.fact != change::CLOCK_SOURCE);
        let evidence: Vec<String> =
            changes.map(|it| format!("{}: {}, later {}", it.fact, it.before, it.after)).collect();
        if evidence.is_empty() {
            return None;
        }
        let found = fault.found(Level::Warning, Certainty::Evidence, evidence)?;
        Some(Finding { affects_all: true, ..found })
    },
};
