//! The counter jumped while it was watched.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::clock::{BuiltOn, Kind};
use chronoscope_model::{Certainty, Level};

/// The most jumps that are named.
const NAMED: usize = 4;

pub(super) const FAULT: Fault = Fault {
    id: "tsc-jump",
    title: "The processor's counter jumped against the other clocks",
    about: "The counter moved against the system's clocks by more than the reads and rates \
            explain. In a virtual machine that is a migration, a restored snapshot, or a virtual \
            CPU that was moved to another socket; the hypervisor's clock hides it from the \
            kernel's, but not from a program that reads the counter.",
    fix: "Use the system's monotonic clock and not the raw counter on this machine.",
    reference: "valkey-io/valkey#4691; Intel SDM vol. 3B, Invariant TSC",
    certainty: Certainty::Measured,
    looks_at: "looks at all clocks together, for the time of the run",
    needs: &[Need::Trust],
    minor: false,
    look: |report, fault| {
        let trust = report.trust.as_ref()?;
        let counter = |id: &str| match trust.of(id) {
            Some(watch) => {
                let built_on = watch.facts.as_ref().map(|facts| facts.built_on);
                watch.kind == Kind::Counter || built_on == Some(BuiltOn::Counter)
            }
            // The counter itself, which the pairs of CPUs compared.
            None => id == trust.matrix.id,
        };
        let jumps = trust.watched.jumps.iter().filter(|jump| counter(&jump.id));
        let evidence: Vec<String> = jumps
            .take(NAMED)
            .map(|jump| {
                format!(
                    "after {:.1} s, {} moved by {} against {}, which allows {}",
                    jump.at_s,
                    jump.id,
                    short(jump.ns.round()),
                    jump.against,
                    short(jump.tolerance_ns.round())
                )
            })
            .collect();
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Error, Certainty::Measured, evidence)
    },
};
