//! The TSC is not invariant.

use super::{Fault, Need};
use chronoscope_model::environment::TscKind;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "tsc-variant",
    title: "The TSC is not invariant",
    about: "A variant TSC counts core cycles, so its rate changes with the frequency. A constant \
            one keeps its rate but may stop in deep idle states. Neither is a clock. An invariant \
            one runs at one rate in every power state.",
    fix: "Leave the TSC to the kernel and use the system's clock. In a virtual machine, have the \
          hypervisor expose `invtsc` if the host's TSC is invariant.",
    reference: "Intel SDM vol. 3B, 18.17.1 Invariant TSC; CPUID 0x80000007 EDX[8]",
    certainty: Certainty::Evidence,
    looks_at: "CPUID 0x80000007 EDX[8], flags in /proc/cpuinfo",
    needs: &[Need::Tsc],
    minor: false,
    look: |report, fault| {
        let tsc = report.environment.tsc.as_ref()?;
        let (level, kind) = match tsc.kind {
            TscKind::Variant => (Level::Warning, "variant"),
            TscKind::Constant => (Level::Info, "constant, not invariant"),
            TscKind::Invariant | TscKind::None => return None,
        };
        let mut evidence = vec![format!("kind: {kind}")];
        if !tsc.evidence.is_empty() {
            evidence.push(tsc.evidence.clone());
        }
        fault.found(level, Certainty::Evidence, evidence)
    },
};
