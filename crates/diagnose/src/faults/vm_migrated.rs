//! The machine was moved to another host during the run.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "vm-migrated",
    title: "The virtual machine was moved to another host",
    about: "The hypervisor's page about time (/dev/vmclock0) changed its marker: the machine was \
            moved, or its counter disturbed in another way. The rate and offset of the counter may \
            differ from before, and every calibration that is older is void.",
    fix: "Measure again. Programs that read the counter themselves should watch that marker too, \
          or read the system's clock.",
    reference: "Linux include/uapi/linux/vmclock-abi.h, disruption_marker; \
                yugabyte/yugabyte-db#32077",
    certainty: Certainty::Measured,
    looks_at: "/dev/vmclock0 before and after",
    needs: &[Need::Linux, Need::Virtual, Need::VmClock],
    minor: false,
    look: |report, fault| {
        let clock = report.trust.as_ref()?.watched.vmclock.as_ref()?;
        let [before, after] = clock.disruption_marker;
        if before == after || clock.restored() {
            return None;
        }
        let evidence = vec![format!("/dev/vmclock0: disruption_marker {before}, later {after}")];
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
