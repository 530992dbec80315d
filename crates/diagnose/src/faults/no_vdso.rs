//! The kernel maps no vDSO.

use super::{Fault, Need, cost_of_system_clock};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "no-vdso",
    title: "There is no vDSO: every read of the time is a system call",
    about: "The kernel maps a small library, the vDSO, into each process; it reads the time \
            without a system call. Without it, each read costs five to twenty times more.",
    fix: "Remove `vdso=0` from the kernel's command line (cat /proc/cmdline). In a sandbox or \
          under an emulator of system calls, use one that maps the vDSO.",
    reference: "vdso(7); Linux Documentation/admin-guide/kernel-parameters.txt, vdso=",
    certainty: Certainty::Evidence,
    looks_at: "AT_SYSINFO_EHDR in the auxiliary vector",
    needs: &[Need::Linux, Need::Vdso],
    minor: false,
    look: |report, fault| {
        if report.environment.vdso.as_ref()?.present {
            return None;
        }
        let mut evidence = vec!["AT_SYSINFO_EHDR is 0 and nothing is mapped as [vdso]".to_owned()];
        evidence.extend(cost_of_system_clock(report));
        fault.found(Level::Warning, Certainty::Evidence, evidence)
    },
};
