//! Windows' performance counter is a slow timer.

use super::{Fault, Need, performance_counter};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "qpc-on-hpet",
    title: "QueryPerformanceCounter reads the HPET or the ACPI timer",
    about: "The rate of the performance counter is that of the HPET or of the ACPI timer and not \
            one derived from the TSC. Every call enters the kernel and reads a device: about a \
            microsecond instead of 20 ns.",
    fix: "`bcdedit /deletevalue useplatformclock` (as administrator), and restart. If that does \
          not help, Windows found the TSC unfit: look at the firmware or the hypervisor.",
    reference: "Microsoft Learn, Acquiring high-resolution time stamps; bcdedit /set \
                useplatformclock",
    certainty: Certainty::Evidence,
    looks_at: "QueryPerformanceFrequency",
    needs: &[Need::Windows],
    minor: false,
    look: |report, fault| {
        let (timer, hz) = performance_counter(report)?;
        let slow = ["ACPI PM", "HPET"].iter().any(|name| timer.evidence.contains(name));
        if !slow {
            return None;
        }
        let evidence = vec![format!("{}: {hz:.0} Hz; {}", timer.name, timer.evidence)];
        fault.found(Level::Warning, Certainty::Evidence, evidence)
    },
};
