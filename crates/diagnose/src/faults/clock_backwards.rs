//! A clock was seen to go backwards.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "clock-backwards",
    title: "A clock went backwards",
    about: "On one thread, a read returned a smaller value than the read before it. Differences \
            between values of such a clock can be negative, or enormous if they are unsigned.",
    fix: "Do not measure with it. For a wall clock, find out what set it (chronyc tracking, \
          timedatectl, the hypervisor's tools); for a counter, see `dmesg | grep -i tsc`.",
    reference: "Linux arch/x86/kernel/tsc_sync.c (TSC warp)",
    certainty: Certainty::Measured,
    looks_at: "successive reads of each clock on one thread",
    needs: &[Need::Reads],
    minor: false,
    look: |report, fault| {
        let read = report.clocks.iter();
        let read = read.map(|clock| (&clock.id, clock.backwards.as_ref()));
        let watched = report.trust.iter().flat_map(|trust| &trust.clocks);
        let watched = watched.map(|watch| (&watch.id, watch.one_thread.as_ref()));
        let evidence: Vec<String> = read
            .chain(watched)
            .filter_map(|(id, backwards)| Some((id, backwards?)))
            .filter(|(_, b)| b.violations > 0)
            .map(|(id, b)| {
                format!(
                    "{id}: {} of {} returned less than the one before, by up to {}",
                    count(b.violations),
                    plural(b.tries, "read", "reads"),
                    short(b.worst_ns)
                )
            })
            .collect();
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Error, Certainty::Measured, evidence)
    },
};
