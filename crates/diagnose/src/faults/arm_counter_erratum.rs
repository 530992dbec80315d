//! Arm's counter has a known erratum.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "arm-counter-erratum",
    title: "The processor's counter has a known erratum",
    about: "On some Arm processors a read of the counter can return a wrong value while it carries \
            over. A 64-bit kernel reads it again, and traps or redirects reads in user space, so \
            they cost more; that is expected. A 32-bit kernel does nothing about it, and time can \
            jump.",
    fix: "Use a 64-bit kernel with CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND, and check `dmesg | grep \
          'workaround for'`. Read the time through the system's clock and not from CNTVCT_EL0.",
    reference: "Linux drivers/clocksource/arm_arch_timer.c; \
                Documentation/arch/arm64/silicon-errata.rst",
    certainty: Certainty::Evidence,
    looks_at: "the device tree, MIDR, the kernel log",
    needs: &[Need::Linux, Need::Arm],
    minor: false,
    look: |report, fault| {
        let errata = &report.environment.counter.as_ref()?.errata;
        if errata.is_empty() {
            return None;
        }
        let helpless = errata.iter().any(|text| text.contains("no workaround"));
        let level = if helpless { Level::Warning } else { Level::Info };
        fault.found(level, Certainty::Evidence, errata.clone())
    },
};
