//! A read costs more the more threads read.

use super::{Fault, Need};
use crate::reading::ns;
use chronoscope_model::{Certainty, Level};

/// Threads that share cores and caches cost each other up to this factor.
const NOTABLE: f64 = 3.0;
/// With this factor, they wait for each other.
const GRAVE: f64 = 10.0;

pub(super) const FAULT: Fault = Fault {
    id: "contended-read",
    title: "A clock costs more when several threads read it",
    about: "Threads that read the clock at the same time wait for each other: for a device that \
            answers one read after the other, or for a cache line that all of them write. What is \
            cheap in a test on one thread is not cheap in a server.",
    fix: "Use a clock that each CPU reads by itself (the vDSO over the TSC), or read it once per \
          batch of work and hand the value on.",
    reference: "brettwooldridge/HikariCP#307; METHOD.md, Trust",
    certainty: Certainty::Measured,
    looks_at: "the cost with 1 and with N threads",
    needs: &[Need::Trust, Need::SeveralCpus],
    minor: false,
    look: |report, fault| {
        let contended = report.trust.as_ref()?.contention.iter().filter_map(|seen| {
            let factor = seen.factor().filter(|factor| *factor >= NOTABLE)?;
            let (one, most) = (seen.points.first()?, seen.points.last()?);
            // Beyond what both scatter by.
            (most.low_ns > one.high_ns * NOTABLE / 2.0).then(|| {
                let text = format!(
                    "{}: {} with one thread, {} with {}",
                    seen.id,
                    ns(one.ns),
                    ns(most.ns),
                    most.threads
                );
                (factor, text)
            })
        });
        let (factors, evidence): (Vec<f64>, Vec<String>) = contended.unzip();
        let most = factors.into_iter().max_by(f64::total_cmp)?;
        let level = if most >= GRAVE { Level::Warning } else { Level::Info };
        fault.found(level, Certainty::Measured, evidence)
    },
};
