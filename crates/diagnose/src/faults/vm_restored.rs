//! The machine was restored from a snapshot.

use super::{Fault, Need, logged};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "vm-restored",
    title: "The virtual machine was restored from a snapshot",
    about: "This machine was saved and started again, perhaps more than once and elsewhere. The \
            wall clock stood still meanwhile until something set it, monotonic clocks do not count \
            that time, and what programs had calibrated may be void.",
    fix: "Let something set the wall clock after a restore (chrony's `makestep 1 -1`, the \
          hypervisor's agent), and calibrate again. Programs can watch /dev/vmclock0.",
    reference: "Linux drivers/virt/vmgenid.c; Linux include/uapi/linux/vmclock-abi.h, \
                vm_generation_counter; firecracker#6200",
    certainty: Certainty::Evidence,
    looks_at: "the kernel log: virtual machine fork; /dev/vmclock0",
    needs: &[Need::Linux, Need::Virtual, Need::Log],
    minor: true,
    look: |report, fault| {
        let clock = report.trust.as_ref().and_then(|trust| trust.watched.vmclock.as_ref());
        if let Some([before, after]) = clock.filter(|it| it.restored()).and_then(|it| it.generation)
        {
            let evidence = format!("/dev/vmclock0: vm_generation_counter {before}, later {after}");
            return fault.found(Level::Warning, Certainty::Measured, vec![evidence]);
        }
        logged(report, fault, Level::Info, &["reseeded due to virtual machine fork"])
    },
};
