//! Adds up the deltas of a recording.

use chronoscope_model::deltas::{Counts, Deltas, Row};
use chronoscope_model::histogram::{Histogram, empty};
use chronoscope_model::recording;

/// The differences between successive reads of a clock.
#[derive(Default)]
pub(super) struct Differences {
    /// That of the last of them.
    ns_per_tick: f64,
    counts: Counts,
    backwards: u64,
}

impl Differences {
    pub(super) fn add(&mut self, seen: &recording::Deltas) {
        self.ns_per_tick = seen.ns_per_tick;
        self.backwards = self.backwards.saturating_add(seen.backwards);
        for (ns, times) in seen.counts.iter().filter(|(_, times)| *times > 0) {
            self.counts.add(*ns, *times);
        }
    }

    /// The row of a report, without its clock and load.
    pub(super) fn row(self) -> Deltas {
        // A file may claim any tick.
        let is_tick = self.ns_per_tick.is_normal() && self.ns_per_tick > 0.0;
        let ns_per_tick = if is_tick { self.ns_per_tick } else { 1.0 };
        let mut histogram = empty();
        let mut rows = Vec::new();
        for (ns, count) in self.counts.iter() {
            histogram.saturating_record_n(ns, count);
            let ticks = (ns as f64 / ns_per_tick).round() as i64;
            rows.push(Row { ticks, ns: ns as f64, count });
        }
        let all = histogram.len();
        let zeros = rows.first().filter(|row| row.ns == 0.0).map_or(0, |row| row.count);
        Deltas {
            reads: all.saturating_add(self.backwards).saturating_add(1),
            ns_per_tick,
            zero_share: zeros as f64 / all.max(1) as f64,
            changes: self.counts.changes(),
            max_ticks: rows.last().map_or(0, |row| row.ticks),
            rows,
            negative: self.backwards,
            histogram: Histogram::of(&histogram),
            ..Deltas::default()
        }
    }
}
