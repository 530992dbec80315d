//! Too many batches were disturbed.

use super::Fault;
use chronoscope_model::units::{count, percent, plural};
use chronoscope_model::{Certainty, Level};

/// Above this share of disturbed batches, the others are hardly undisturbed: what evicts a thread
/// also evicts its caches, which no counter of context switches shows.
const SHARE: f64 = 0.10;

/// Fewer batches than this prove nothing.
const ENOUGH: u64 = 50;

pub(super) const FAULT: Fault = Fault {
    id: "noisy-machine",
    title: "The machine was busy during the measurement",
    about: "More than a tenth of the batches saw an involuntary context switch, a migration or \
            steal. No estimate includes them, but the batches between them ran with whatever the \
            other work left in the caches.",
    fix: "Measure again when less is running (`uptime`, `top`), or on an idle CPU: `--cpu N`.",
    reference: "METHOD.md, Noise",
    look: |report, fault| {
        let noise = &report.ruler.as_ref()?.noise;
        let share = noise.disturbed as f64 / noise.batches.max(1) as f64;
        if noise.batches < ENOUGH || share <= SHARE {
            return None;
        }
        let mut evidence = vec![format!(
            "{} of {} were disturbed ({})",
            count(noise.disturbed),
            plural(noise.batches, "batch", "batches"),
            percent(share)
        )];
        if let Some(n) = noise.involuntary_switches {
            evidence.push(plural(
                n,
                "involuntary context switch",
                "involuntary context switches",
            ));
        }
        if let Some([one, ..]) = report.environment.load {
            evidence.push(format!("load average over one minute: {one:.2}"));
        }
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
