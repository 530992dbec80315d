//! A read of the counter overtakes earlier instructions.

use super::{Fault, Need};
use crate::reading::{in_step, short};
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Certainty, Level};

/// The most clocks that are named: all bare reads behave alike.
const NAMED: usize = 4;

pub(super) const FAULT: Fault = Fault {
    id: "unordered-read",
    title: "Reads of the counter are taken out of order",
    about: "The processor may execute a bare read of the counter before earlier instructions have \
            finished. Values that two threads hand to each other then run backwards, although the \
            counters agree. That is how the instruction is defined, and not a defect.",
    fix: "Use `lfence; rdtsc` or `rdtscp`, or the system's clock, if the order matters.",
    reference: "Intel SDM vol. 2B, RDTSC; genodelabs/genode#5430",
    certainty: Certainty::Measured,
    looks_at: "hand-overs between two CPUs, and reads next to fenced ones",
    needs: &[Need::Order],
    minor: true,
    look: |report, fault| {
        // If the counters themselves differ, that is the fault.
        if in_step(&report.environment) == Some(false) {
            return None;
        }
        let seen = report.clocks.iter().filter_map(|clock| {
            let ordering = clock.ordering.as_ref()?;
            if ordering.promised != Some(false) {
                return None;
            }
            let early =
                ordering.early().map(|ns| format!("read up to {} early", short(ns.round())));
            let back = ordering.backwards().map(|handed| {
                let turns = plural(handed.turns, "hand-over", "hand-overs");
                format!("{} of {turns} backwards", count(handed.backwards))
            });
            let both: Vec<String> = [early, back].into_iter().flatten().collect();
            (!both.is_empty()).then(|| format!("{}: {}", clock.id, both.join(", ")))
        });
        let evidence: Vec<String> = seen.take(NAMED).collect();
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Info, Certainty::Measured, evidence)
    },
};
