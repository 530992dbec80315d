//! The kernel was told to trust the TSC.

use super::{Fault, Need};
use crate::reading::in_step;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "tsc-forced-reliable",
    title: "The kernel was told not to check the TSC",
    about: "A boot parameter switches off the kernel's checks of the TSC: those between CPUs when \
            they come up, those against another timer, or both. If the TSC is wrong, nothing will \
            say so, and this hides the evidence of other faults.",
    fix: "Remove `tsc=reliable` or `tsc=nowatchdog` from the kernel's command line, unless you \
          know from another source that the TSC is sound; `chronoscope trust` tests it.",
    reference: "Linux Documentation/admin-guide/kernel-parameters.txt, tsc=",
    certainty: Certainty::Evidence,
    looks_at: "/proc/cmdline",
    needs: &[Need::Linux, Need::Tsc, Need::Parameters],
    minor: false,
    look: |report, fault| {
        let env = &report.environment;
        let told = env.unchecked_tsc()?;
        let mut evidence = vec![format!("/proc/cmdline: {told}")];
        let level = match in_step(env) {
            Some(true) => {
                evidence.push("the counters of the CPUs compared in this run agree".into());
                Level::Info
            }
            Some(false) | None => Level::Warning,
        };
        fault.found(level, Certainty::Evidence, evidence)
    },
};
