//! Adds up the deltas of a recording.

use chronoscope_model::deltas::{Changes, Deltas, Row};
use chronoscope_model::histogram::{Decoded, Histogram, empty};
use chronoscope_model::recording;
use std::collections::BTreeMap;

/// The most distinct differences of a clock; further ones are in the histogram only.
const MOST_DISTINCT: usize = 4096;

/// The differences between successive reads of a clock.
pub(super) struct Differences {
    ns_per_tick: f64,
    counts: BTreeMap<u64, u64>,
    left_out: u64,
    backwards: u64,
    histogram: Decoded,
}

impl Default for Differences {
    fn default() -> Self {
        Self {
            ns_per_tick: 1.0,
            counts: BTreeMap::new(),
            left_out: 0,
            backwards: 0,
            histogram: empty(),
        }
    }
}

impl Differences {
    pub(super) fn add(&mut self, seen: &recording::Deltas) {
        if seen.ns_per_tick.is_normal() && seen.ns_per_tick > 0.0 {
            self.ns_per_tick = seen.ns_per_tick;
        }
        self.backwards = self.backwards.saturating_add(seen.backwards);
        for (ns, times) in seen.counts.iter().filter(|(_, times)| *times > 0) {
            self.histogram.saturating_record_n(*ns, *times);
            if self.counts.len() < MOST_DISTINCT || self.counts.contains_key(ns) {
                let sum = self.counts.entry(*ns).or_default();
                *sum = sum.saturating_add(*times);
            } else {
                self.left_out += 1;
            }
        }
    }

    /// The row of a report, without its clock and load.
    pub(super) fn row(self) -> Deltas {
        let ticks = |ns: u64| (ns as f64 / self.ns_per_tick).round() as i64;
        let row =
            |(ns, count): (&u64, &u64)| Row { ticks: ticks(*ns), ns: *ns as f64, count: *count };
        let all = self.histogram.len();
        let zeros = self.counts.get(&0).copied().unwrap_or(0);
        let last = self.counts.last_key_value().map_or(0, |(ns, _)| *ns);
        Deltas {
            reads: all.saturating_add(self.backwards).saturating_add(1),
            ns_per_tick: self.ns_per_tick,
            zero_share: zeros as f64 / all.max(1) as f64,
            changes: self.changes(),
            rows: self.counts.iter().map(row).collect(),
            rows_left_out: self.left_out,
            negative: self.backwards,
            max_ticks: ticks(last),
            histogram: Histogram::of(&self.histogram),
            ..Deltas::default()
        }
    }

    /// The differences above zero; `None` if there are none.
    fn changes(&self) -> Option<Changes> {
        let above = || self.counts.range(1..);
        let count = above().fold(0u64, |sum, (_, times)| sum.saturating_add(*times));
        let sum: f64 = above().map(|(ns, times)| *ns as f64 * *times as f64).sum();
        let mut before = 0u64;
        let median = above().find(|(_, times)| {
            before = before.saturating_add(**times);
            before >= count.div_ceil(2)
        });
        Some(Changes {
            count,
            min_ns: *above().next()?.0 as f64,
            mean_ns: sum / count as f64,
            median_ns: *median?.0 as f64,
        })
    }
}
