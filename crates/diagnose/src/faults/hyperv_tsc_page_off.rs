//! Hyper-V's page with the TSC's scale is not used.

use super::{Fault, Need, cost_of_system_clock};
use crate::reading::source;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "hyperv-tsc-page-off",
    title: "Hyper-V's reference time is not read in user space",
    about: "Hyper-V has a page with which a guest computes the time from the TSC without leaving \
            user space. Without it, the kernel reads a register of the hypervisor, and each read \
            of the time is a system call and an exit to the host.",
    fix: "Enable the reference TSC page for this virtual machine on the host, or have it expose an \
          invariant TSC; nested virtualisation and old hosts switch both off.",
    reference: "Hyper-V TLFS, Partition Reference TSC; CPUID 0x40000003 EAX[9]; Linux \
                drivers/clocksource/hyperv_timer.c",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource, CPUID 0x40000003 EAX[9]",
    needs: &[Need::Linux, Need::Virtual, Need::ClockSource],
    minor: false,
    look: |report, fault| {
        let env = &report.environment;
        let hypervisor = env.hypervisor.as_ref()?;
        if !hypervisor.name.contains("Hyper-V") || source(env)? != "hyperv_clocksource_msr" {
            return None;
        }
        let page = hypervisor.features.iter().any(|feature| feature == "hyperv-tsc-page");
        let mut evidence = vec![
            "current_clocksource: hyperv_clocksource_msr".to_owned(),
            format!("CPUID 0x40000003 EAX[9]={}", u8::from(page)),
        ];
        evidence.extend(cost_of_system_clock(report));
        fault.found(Level::Warning, Certainty::Evidence, evidence)
    },
};
