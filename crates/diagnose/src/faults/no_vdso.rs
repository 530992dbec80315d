//! The kernel maps no vDSO.

use super::Fault;
use crate::reading::{available, cost, ns};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "no-vdso",
    title: "There is no vDSO: every read of the time is a system call",
    about: "The kernel maps a small library, the vDSO, into each process, which reads the time \
            without a system call. Here it does not, so each read costs five to twenty times more.",
    fix: "Remove `vdso=0` from the kernel's command line (cat /proc/cmdline). In a sandbox or under \
          an emulator of system calls, ask for one that maps it.",
    reference: "vdso(7); Linux Documentation/admin-guide/kernel-parameters.txt, vdso=",
    look: |report, fault| {
        if report.environment.vdso.as_ref()?.present {
            return None;
        }
        let mut evidence = vec!["AT_SYSINFO_EHDR is 0 and nothing is mapped as [vdso]".to_owned()];
        if let Some((clock, cost)) =
            available(report, "posix/monotonic").and_then(|c| Some((c, cost(c)?)))
        {
            evidence.push(format!("{} costs {} a read", clock.id, ns(cost)));
        }
        fault.found(Level::Warning, Certainty::Evidence, evidence)
    },
};
