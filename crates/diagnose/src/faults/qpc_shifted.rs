//! Windows' performance counter is the TSC, shifted.

use super::{Fault, Need, performance_counter};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "qpc-shifted",
    title: "QueryPerformanceCounter ticks once in 1024 ticks of the TSC",
    about: "Before Windows 10 1809, the performance counter of a machine with an invariant TSC is \
            the TSC shifted right by ten bits, with a tick of a few hundred nanoseconds. That is \
            normal.",
    fix: "Nothing is wrong. Newer versions of Windows scale it to 10 MHz. For shorter intervals, \
          read the TSC.",
    reference: "Microsoft Learn, Acquiring high-resolution time stamps",
    certainty: Certainty::Evidence,
    looks_at: "QueryPerformanceFrequency",
    needs: &[Need::Windows],
    minor: true,
    look: |report, fault| {
        let (timer, hz) = performance_counter(report)?;
        if !timer.evidence.contains("1024") {
            return None;
        }
        let evidence = vec![format!("{}: {hz:.0} Hz; {}", timer.name, timer.evidence)];
        fault.found(Level::Info, Certainty::Evidence, evidence)
    },
};
