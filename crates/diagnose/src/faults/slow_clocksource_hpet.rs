//! The kernel reads time from the HPET.

use super::Fault;
use crate::reading::{available, cost, ns, source};
use chronoscope_model::{Certainty, Finding, Level, Report};

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-hpet",
    title: "The kernel reads time from the HPET",
    about: "Every read of the time goes to a device on the memory bus and through a system call, \
            at 500 to 800 ns instead of 20 to 35. The kernel does so when it has found the TSC \
            unstable, or was told to.",
    fix: "See why the kernel left the TSC: `dmesg | grep -i -e tsc -e clocksource`. Without a \
          cause there, remove `clocksource=hpet` or `notsc` from the kernel's command line.",
    reference: "Linux Documentation/admin-guide/kernel-parameters.txt, clocksource=",
    look: |report, fault| look(report, fault, "hpet"),
};

/// Tells that the clock source in use is the slow one named, with what a read costs.
pub(super) fn look(report: &Report, fault: &Fault, name: &str) -> Option<Finding> {
    let env = &report.environment;
    if source(env)? != name {
        return None;
    }
    let mut evidence = vec![format!("current_clocksource: {name}")];
    if let Some(cs) = &env.clocksource {
        evidence.push(format!("available_clocksource: {}", cs.available.join(" ")));
    }
    if let Some((clock, cost)) =
        available(report, "posix/monotonic").and_then(|c| Some((c, cost(c)?)))
    {
        evidence.push(format!("{} costs {} a read", clock.id, ns(cost)));
    }
    fault.found(Level::Warning, Certainty::Evidence, evidence)
}
