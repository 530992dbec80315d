//! The firmware interrupts the processor.

use super::{Fault, Need};
use chronoscope_model::units::{plural, short_ns};
use chronoscope_model::{Certainty, Level};

/// Wake-ups that are shown.
const SHOWN: usize = 3;

pub(super) const FAULT: Fault = Fault {
    id: "smi",
    title: "The firmware interrupts the processor (SMI)",
    about: "A system management interrupt stops all CPUs while the firmware works on power, errors \
            or memory, for up to milliseconds. The kernel is not told of it: a wait ends late by \
            as much, and two reads of a clock lie that far apart. Processors of Intel count these \
            interrupts, and the kernel shows the count as the event msr/smi/.",
    fix: "Update the firmware; in its setup, switch off power management by the firmware, USB \
          legacy support and the logging of corrected errors. Measure again with `chronoscope \
          waits --why`.",
    reference: "Linux arch/x86/events/msr.c; Intel SDM volume 4, MSR_SMI_COUNT (34H)",
    certainty: Certainty::Measured,
    looks_at: "the event msr/smi/ at late wake-ups (waits --why)",
    needs: &[Need::Tsc, Need::Smis],
    minor: false,
    look: |report, fault| {
        let mut evidence = Vec::new();
        for wait in &report.waits {
            let Some((why, smis)) = wait.why.as_ref().and_then(|why| Some((why, why.smis?))) else {
                continue;
            };
            if smis == 0 {
                continue;
            }
            let counted = plural(smis, "interrupt", "interrupts");
            evidence.push(format!("msr/smi/: {counted} at late wake-ups of {}", wait.id));
            let hit = why.worst.iter().filter(|worst| worst.smis > 0);
            evidence.extend(hit.take(SHOWN).map(|worst| {
                format!(
                    "at {:.2} s: {} late, with {}",
                    worst.at_s,
                    short_ns(worst.late_ns as f64),
                    plural(worst.smis, "interrupt", "interrupts")
                )
            }));
        }
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
