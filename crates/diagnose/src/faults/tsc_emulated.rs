//! Each read of the TSC traps to the hypervisor.

use super::{Fault, Need};
use crate::reading::{ns, reads};
use chronoscope_model::clock::Reads;
use chronoscope_model::{Certainty, Level};

/// No processor takes that long for an rdtsc of its own, in nanoseconds: it is some twenty to a
/// hundred cycles (Agner Fog, Instruction tables), and an exit to a hypervisor takes a thousand.
const TRAPPED_NS: f64 = 400.0;

pub(super) const FAULT: Fault = Fault {
    id: "tsc-emulated",
    title: "Reads of the TSC trap to the hypervisor",
    about: "The hypervisor intercepts rdtsc and answers in its stead, which takes a microsecond \
            instead of ten nanoseconds. The vDSO pays for it too. Xen does this after a migration \
            to a host with another rate, and hosts do it to hide the real counter.",
    fix: "Have the virtual machine use the native TSC: on Xen `tsc_mode=native`; on KVM a host \
          whose TSC runs at the rate of the guest or can be scaled.",
    reference: "Xen public/arch-x86/cpuid.h, XEN_CPUID_TSC_EMULATED; Xen docs/misc/xen-tsc-mode; \
                Intel SDM vol. 3C, RDTSC exiting",
    certainty: Certainty::Measured,
    looks_at: "what a read of the counter costs, Xen's CPUID leaf 3",
    needs: &[Need::Tsc, Need::Costs],
    minor: false,
    look: |report, fault| {
        let env = &report.environment;
        if env.emulated.is_some() {
            return None;
        }
        let features = env.hypervisor.iter().flat_map(|found| &found.features);
        let announced = features.into_iter().any(|feature| feature == "xen-tsc-emulated");
        let counters = report.clocks.iter().filter(|clock| reads(clock, Reads::Counter));
        let cheapest = counters
            .filter_map(|clock| Some((clock, clock.read_ns()?)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        // On a processor without a TSC, what is slow is another counter.
        let slow = cheapest
            .filter(|(_, cost)| env.tsc.is_some() && *cost > TRAPPED_NS && cost.is_finite());
        let mut evidence: Vec<String> = slow
            .iter()
            .map(|(clock, cost)| format!("{} costs {} per read", clock.id, ns(*cost)))
            .collect();
        if announced {
            evidence.push("CPUID 0x40000003 EAX[0]=1: Xen emulates the TSC".into());
        }
        // A feature that costs nothing is no fault.
        let cheap = cheapest.is_some() && slow.is_none();
        if evidence.is_empty() || cheap {
            return None;
        }
        let certainty = match slow {
            Some(_) => Certainty::Measured,
            None => Certainty::Evidence,
        };
        fault.found(Level::Warning, certainty, evidence)
    },
};
