//! What is known about the moment of an overshoot that ended a run: the system's counts before it
//! and just after it.

use super::job::Job;
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

    /// Adds to an overshoot what happened around it, from the counts `self` to the counts `after`.
    pub(super) fn around(&self, moment: &Moment, after: &Self) -> Moment {
        let since = |from: Option<u64>, to: Option<u64>| Some(to?.saturating_sub(from?));
        // Before the end of the first burst there are no counts, so they start from zero.
        let switch = |which: fn((u64, u64)) -> u64| {
            let before = self.switches.map_or(0, which);
            since(Some(before), after.switches.map(which))
        };
        let interrupts = match (&self.interrupts, &after.interrupts) {
            (Some(before), Some(after)) => after.since(before, moment.cpu),
            _ => Vec::new(),
        };
        Moment {
            span_s: after.at_s - self.at_s,
            steal_ms: since(self.steal_ns, after.steal_ns).map(|ns| ns as f64 / 1e6),
            voluntary_switches: switch(|s| s.0),
            involuntary_switches: switch(|s| s.1),
            khz: moment.cpu.and_then(khz),
            interrupts,
            ..moment.clone()
        }
    }
}
