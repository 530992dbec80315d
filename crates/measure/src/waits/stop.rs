//! What is known about the moment of an overshoot that ended a run: the system's counts before it
//! and just after it.

use super::job::{Job, Trip};
use chronoscope_model::waits::Moment;
use chronoscope_probes::machine::noise;
use chronoscope_probes::waits::moment::{Counts, interrupts, khz};

pub(super) struct Before {
    at_s: f64,
    steal_ns: Option<u64>,
    interrupts: Option<Counts>,
    switches: Option<(u64, u64)>,
}

impl Before {
    /// Reads the counts now; `switches` are those of the waiting threads.
    pub(super) fn now(job: &Job, switches: Option<(u64, u64)>) -> Self {
        Self {
            at_s: job.seconds(),
            steal_ns: noise::steal_ns(None),
            interrupts: interrupts(),
            switches,
        }
    }

    /// Returns what happened around the overshoot, from the counts `self` to the counts `after`.
    pub(super) fn moment(&self, trip: &Trip, limit: i64, after: &Self) -> Moment {
        let cpu = trip.cpu.or(trip.pinned);
        let since = |from: Option<u64>, to: Option<u64>| Some(to?.saturating_sub(from?));
        // Before the end of the first burst there are no counts, so they start from zero.
        let switch = |which: fn((u64, u64)) -> u64| {
            let before = self.switches.map_or(0, which);
            since(Some(before), after.switches.map(which))
        };
        let interrupts = match (&self.interrupts, &after.interrupts) {
            (Some(before), Some(after)) => after.since(before, cpu),
            _ => Vec::new(),
        };
        Moment {
            at_s: trip.at_s,
            overshoot_ns: u64::try_from(trip.overshoot).unwrap_or(0),
            limit_ns: u64::try_from(limit).unwrap_or(0),
            cpu,
            span_s: after.at_s - self.at_s,
            steal_ms: since(self.steal_ns, after.steal_ns).map(|ns| ns as f64 / 1e6),
            voluntary_switches: switch(|s| s.0),
            involuntary_switches: switch(|s| s.1),
            khz: cpu.and_then(khz),
            interrupts,
            last_ns: trip.last.clone(),
        }
    }
}
