//! The kernel changed its clock source during the run.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Finding, Level, change};

pub(super) const FAULT: Fault = Fault {
    id: "clocksource-changed",
    title: "The kernel changed its clock source during the run",
    about: "The clock source at the end of the run is not that at its start. Reads cost something \
            else since then, and the time may have moved when it was exchanged. The kernel does it \
            by itself if it finds its clock source unstable.",
    fix: "See the kernel log (`dmesg | grep -i clocksource`) for the reason, and measure again.",
    reference: "Linux Documentation/timers/timekeeping.rst; kernel/time/clocksource.c",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource, before and after",
    needs: &[Need::Linux, Need::ClockSource],
    minor: false,
    look: |report, fault| {
        let changed = report.run.changed.iter().find(|it| it.fact == change::CLOCK_SOURCE)?;
        let mut evidence =
            vec![format!("current_clocksource: {}, later {}", changed.before, changed.after)];
        let marked = |line: &&String| line.contains("nstable");
        let lines = report.environment.kernel_log.iter().filter(marked);
        evidence.extend(lines.take(2).map(|line| format!("kernel log: {line}")));
        let found = fault.found(Level::Warning, Certainty::Evidence, evidence)?;
        Some(Finding { affects_all: true, ..found })
    },
};
