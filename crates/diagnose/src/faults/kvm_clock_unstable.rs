//! The kvm-clock may differ from CPU to CPU.

use super::{Fault, Need, cost_of_system_clock};
use crate::reading::source;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "kvm-clock-unstable",
    title: "The kvm-clock is not stable, so it is not read in user space",
    about: "The hypervisor does not promise that its page gives the same time on each CPU. The \
            vDSO then makes a system call for each read, and the kernel keeps the time from going \
            back with a value that all CPUs share, which costs more the more of them read.",
    fix: "Have the host use the TSC as its clock source: KVM sets the bit only then. If the guest \
          has an invariant TSC, `clocksource=tsc` is the other way.",
    reference: "Linux Documentation/virt/kvm/x86/cpuid.rst, KVM_FEATURE_CLOCKSOURCE_STABLE_BIT; \
                arch/x86/kernel/pvclock.c",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource, CPUID 0x40000001 EAX[24]",
    needs: &[Need::Linux, Need::Virtual, Need::ClockSource],
    minor: false,
    look: |report, fault| {
        let env = &report.environment;
        let features = &env.hypervisor.as_ref()?.features;
        let has = |name: &str| features.iter().any(|feature| feature == name);
        // Without the first, the leaf was not read.
        if source(env)? != "kvm-clock" || !has("kvm-clock") || has("kvm-clock-stable") {
            return None;
        }
        let mut evidence = vec![
            "current_clocksource: kvm-clock".to_owned(),
            "CPUID 0x40000001 EAX[24]=0".to_owned(),
        ];
        evidence.extend(cost_of_system_clock(report));
        fault.found(Level::Warning, Certainty::Evidence, evidence)
    },
};
