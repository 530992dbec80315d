//! Counts the differences between successive reads, whoever made them.

use crate::stats::periodicity::Places;
use chronoscope_model::deltas::{Changes, Deltas, Row, median};
use chronoscope_model::histogram::{self, Histogram};
use std::collections::HashMap;

/// The most distinct differences that are counted exactly; a clock with more is represented by its
/// histogram.
const MOST_DISTINCT: usize = 1 << 16;
/// The most rows in the report.
const MOST_ROWS: usize = 4096;

/// Counts differences.
pub(crate) struct Tally {
    ns_per_tick: f64,
    counts: HashMap<i64, u64>,
    uncounted: u64,
    hdr: hdrhistogram::Histogram<u64>,
    /// The positive differences: how many there are, their sum and the smallest, in ticks.
    changes: (u64, f64, i64),
    places: Places,
}

impl Tally {
    pub fn new(ns_per_tick: f64) -> Self {
        Self {
            ns_per_tick,
            counts: HashMap::with_capacity(1 << 12),
            uncounted: 0,
            hdr: histogram::empty(),
            changes: (0, 0.0, i64::MAX),
            places: Places::default(),
        }
    }

    /// Adds the differences between successive values, which are in ticks.
    pub fn add(&mut self, values: &[u64]) {
        self.places.add(values, self.ns_per_tick);
        for pair in values.windows(2) {
            let delta = pair[1].wrapping_sub(pair[0]) as i64;
            if self.counts.len() < MOST_DISTINCT || self.counts.contains_key(&delta) {
                *self.counts.entry(delta).or_default() += 1;
            } else {
                self.uncounted += 1;
            }
            if delta >= 0 {
                self.hdr.saturating_record((delta as f64 * self.ns_per_tick).round() as u64);
            }
            if delta > 0 {
                let (count, sum, least) = self.changes;
                self.changes = (count + 1, sum + delta as f64, least.min(delta));
            }
        }
    }

    /// The differences, without what is known about the clock and about the reads.
    pub fn deltas(self) -> Deltas {
        let changes = self.changes();
        let Self { ns_per_tick, counts, uncounted, .. } = self;
        let total = counts.values().sum::<u64>() + uncounted;
        let max_ticks = counts.keys().copied().max().unwrap_or(0);
        let negative = counts.iter().filter(|(delta, _)| **delta < 0).map(|(_, count)| count).sum();
        let zero_share = counts.get(&0).map_or(0.0, |zeros| *zeros as f64 / total.max(1) as f64);
        let (rows, rows_left_out) = rows(counts, ns_per_tick, uncounted);
        Deltas {
            ns_per_tick,
            zero_share,
            changes,
            rows,
            rows_left_out,
            negative,
            max_ticks,
            histogram: Histogram::of(&self.hdr),
            periods: self.places.period().into_iter().collect(),
            ..Deltas::default()
        }
    }

    /// The positive differences; `None` if there are none. The median is exact unless more than
    /// half of them were too many to count.
    fn changes(&self) -> Option<Changes> {
        let (count, sum, least) = self.changes;
        let counts = self.counts.iter().map(|(delta, times)| (*delta, *times));
        let mut sorted: Vec<_> = counts.filter(|(delta, _)| *delta > 0).collect();
        sorted.sort_unstable();
        Some(Changes {
            count,
            min_ns: least as f64 * self.ns_per_tick,
            mean_ns: sum / count as f64 * self.ns_per_tick,
            median_ns: median(sorted, count)? as f64 * self.ns_per_tick,
        })
    }
}

/// Returns the rows in the order of their differences: all of them, or the most frequent and the
/// outermost.
fn rows(counts: HashMap<i64, u64>, ns_per_tick: f64, uncounted: u64) -> (Vec<Row>, u64) {
    let mut all: Vec<(i64, u64)> = counts.into_iter().collect();
    let mut left_out = uncounted;
    if all.len() > MOST_ROWS {
        all.sort_unstable();
        let mut kept: Vec<(i64, u64)> = all.split_off(all.len() - MOST_ROWS / 8);
        kept.extend(all.drain(..MOST_ROWS / 8));
        all.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(*count));
        left_out += all.split_off(MOST_ROWS - kept.len()).len() as u64;
        all.extend(kept);
    }
    all.sort_unstable();
    let row = |(ticks, count): (i64, u64)| Row { ticks, ns: ticks as f64 * ns_per_tick, count };
    (all.into_iter().map(row).collect(), left_out)
}
