//! There is no RDTSCP.

use super::{Fault, Need};
use chronoscope_model::environment::TscKind;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "rdtscp-forbidden",
    title: "RDTSCP is not available",
    about: "RDTSCP reads the counter after all earlier instructions, and the CPU's number with it. \
            This processor, or the hypervisor or enclave around it, does not offer it, and the \
            instruction raises SIGILL.",
    fix: "Read the counter with `lfence; rdtsc` instead. In a virtual machine, use a CPU model \
          that has the feature.",
    reference: "Intel SDM vol. 2B, RDTSCP; CPUID 0x80000001 EDX[27]; occlum/ngo#38",
    certainty: Certainty::Evidence,
    looks_at: "CPUID 0x80000001 EDX[27], the flag rdtscp in /proc/cpuinfo",
    needs: &[Need::Tsc],
    minor: true,
    look: |report, fault| {
        let tsc = report.environment.tsc.as_ref()?;
        if tsc.rdtscp || tsc.kind == TscKind::None {
            return None;
        }
        let evidence = vec!["CPUID 0x80000001 EDX[27]=0".to_owned()];
        fault.found(Level::Info, Certainty::Evidence, evidence)
    },
};
