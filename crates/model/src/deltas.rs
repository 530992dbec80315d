//! The differences between successive reads.

use crate::histogram::{Histogram, empty};
use crate::load::Load;
use std::collections::BTreeMap;

/// The differences between successive reads of one clock.
#[record]
pub struct Deltas {
    /// The clock.
    pub id: String,
    /// The call, as a program writes it; older reports have it of clocks of language runtimes only.
    pub call: Option<String>,
    /// The runtime with its version, if the clock is that of one.
    pub runtime: Option<String>,
    /// What ran alongside; absent if nothing did.
    pub load: Option<Load>,
    /// How many reads were made.
    pub reads: u64,
    /// How many reads were asked for, if the time ran out or the run was interrupted before all
    /// were made.
    pub wanted: Option<u64>,
    /// Nanoseconds per tick of the clock, in which `rows` counts.
    pub ns_per_tick: f64,
    /// The largest error of `ns_per_tick`, in parts per million, if a runtime's probe measured it.
    pub ns_per_tick_ppm: Option<f64>,
    /// The share of differences that were zero, 0 to 1.
    pub zero_share: f64,
    /// The differences above zero; absent if there are none, and in older reports.
    pub changes: Option<Changes>,
    /// The share of looks between the reads, 0 to 1, in which something else ran on the core's
    /// other hardware thread; absent if that is not known.
    pub shared: Option<f64>,
    /// Every distinct difference, or the most frequent and the largest ones if there are too many.
    #[always]
    pub rows: Vec<Row>,
    /// How many distinct differences `rows` leaves out.
    pub rows_left_out: u64,
    /// How many differences were below zero; `rows` has their values.
    pub negative: u64,
    /// The largest difference, in ticks.
    pub max_ticks: i64,
    /// The non-negative differences in nanoseconds.
    pub histogram: Histogram,
    /// The period recognised among the large differences. Older reports may have several, which
    /// contradict each other.
    pub periods: Vec<Period>,
    /// The largest elapsed time of an empty interval.
    pub nothing_measured: Option<Nothing>,
    /// What a runtime's object that times intervals shows if it is stopped at once.
    pub pairs: Option<Pairs>,
}

/// The differences above zero: how much the clock's value changes if it does.
#[record(Copy)]
pub struct Changes {
    /// How many there are.
    pub count: u64,
    /// The smallest, in nanoseconds.
    pub min_ns: f64,
    /// Their mean, in nanoseconds.
    pub mean_ns: f64,
    /// Their median, in nanoseconds.
    pub median_ns: f64,
}

/// How often each difference was seen, in nanoseconds: exactly up to [`Counts::MOST`] distinct
/// ones. A further one counts as the next lower one, or as the lowest; the largest stays exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<u64, u64>);

impl Counts {
    /// The most distinct differences.
    pub const MOST: usize = 4096;

    /// Adds a difference that was seen this often.
    pub fn add(&mut self, ns: u64, times: u64) {
        let mut at = ns;
        if self.0.len() >= Self::MOST && !self.0.contains_key(&ns) {
            let lower = self.0.range(..ns).next_back().or(self.0.first_key_value());
            at = lower.map_or(ns, |(lower, _)| *lower);
            // A new largest takes the place of the former one.
            if at < ns
                && let Some(last) = self.0.last_entry().filter(|last| *last.key() == at)
            {
                let former = last.remove();
                if let Some(mut lower) = self.0.last_entry() {
                    *lower.get_mut() = lower.get().saturating_add(former);
                }
                at = ns;
            }
        }
        let count = self.0.entry(at).or_default();
        *count = count.saturating_add(times);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The differences in ascending order, each with how often it was seen.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|(ns, times)| (*ns, *times))
    }

    /// The row of a report, without its clock and load. `ns_per_tick` may be anything, because a
    /// file may claim any; `backwards` more differences were below zero.
    pub fn deltas(&self, ns_per_tick: f64, backwards: u64) -> Deltas {
        let is_tick = ns_per_tick.is_normal() && ns_per_tick > 0.0;
        let ns_per_tick = if is_tick { ns_per_tick } else { 1.0 };
        let mut histogram = empty();
        let row = |(ns, count)| {
            histogram.saturating_record_n(ns, count);
            Row { ticks: (ns as f64 / ns_per_tick).round() as i64, ns: ns as f64, count }
        };
        let rows: Vec<Row> = self.iter().map(row).collect();
        let all = histogram.len();
        let zeros = rows.first().filter(|row| row.ns == 0.0).map_or(0, |row| row.count);
        Deltas {
            reads: all.saturating_add(backwards).saturating_add(1),
            ns_per_tick,
            zero_share: zeros as f64 / all.max(1) as f64,
            changes: self.changes(),
            max_ticks: rows.last().map_or(0, |row| row.ticks),
            rows,
            negative: backwards,
            histogram: Histogram::of(&histogram),
            ..Deltas::default()
        }
    }

    /// The differences above zero; `None` if there are none.
    pub fn changes(&self) -> Option<Changes> {
        let above = || self.iter().filter(|(ns, _)| *ns > 0);
        let count = above().fold(0u64, |sum, (_, times)| sum.saturating_add(times));
        let sum: f64 = above().map(|(ns, times)| ns as f64 * times as f64).sum();
        Some(Changes {
            count,
            min_ns: above().next()?.0 as f64,
            mean_ns: sum / count as f64,
            median_ns: median(above(), count)? as f64,
        })
    }
}

/// The median of values in ascending order, each with how often it was seen, of which there are
/// `count`: the last one if more than half of them are not among these.
pub fn median<T: Copy>(sorted: impl IntoIterator<Item = (T, u64)>, count: u64) -> Option<T> {
    let (mut before, mut last) = (0u64, None);
    for (value, times) in sorted {
        last = Some(value);
        before = before.saturating_add(times);
        if before >= count.div_ceil(2) {
            break;
        }
    }
    last
}

/// Objects that were started and stopped at once.
#[record]
pub struct Pairs {
    /// The calls, as a user writes them.
    pub call: String,
    /// How many objects there were.
    pub count: u64,
    /// The share of them that showed no time, 0 to 1.
    pub zero_share: f64,
    /// The mean of what they showed, in nanoseconds.
    pub mean_ns: f64,
    /// The longest, in ticks of the clock.
    pub max_ticks: i64,
    /// The same in nanoseconds.
    pub max_ns: f64,
}

/// One distinct difference.
#[record]
pub struct Row {
    /// In ticks of the clock.
    pub ticks: i64,
    /// In nanoseconds.
    pub ns: f64,
    /// How often it was seen.
    pub count: u64,
}

/// A regular disturbance, recognised by its period.
#[record]
pub struct Period {
    /// Its period, in nanoseconds.
    pub period_ns: f64,
    /// What it probably is.
    pub name: String,
    /// How many differences belong to it.
    pub count: u64,
    /// How many of its periods the differences extend over.
    pub periods: Option<u64>,
    /// How likely differences at random times are to recur like this, 0 to 1.
    pub chance: Option<f64>,
}

/// An empty interval, timed repeatedly.
#[record]
pub struct Nothing {
    /// How often it was timed.
    pub tries: u64,
    /// The largest elapsed time, in ticks of the clock.
    pub max_ticks: i64,
    /// The same in nanoseconds.
    pub max_ns: f64,
    /// The smallest elapsed time, in nanoseconds; below zero if the clock went backwards.
    pub min_ns: f64,
    /// Whether an interrupt entered the kernel within the 512 reads around the largest; if not, the
    /// time was taken below the kernel. Absent if that is unknown, or if the largest is shorter
    /// than a microsecond.
    pub interrupted: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_differences_do_not_fill_the_memory_and_the_largest_stays() {
        let most = Counts::MOST as u64;
        let all: Vec<u64> = (0..3 * most).map(|n| n * 10).collect();
        for order in [all.clone(), all.iter().rev().copied().collect()] {
            let mut counts = Counts::default();
            order.iter().for_each(|ns| counts.add(*ns, 1));
            assert_eq!(counts.iter().count(), Counts::MOST);
            assert_eq!(counts.iter().map(|(_, times)| times).sum::<u64>(), 3 * most);
            assert_eq!(counts.iter().last().map(|(ns, _)| ns), all.last().copied());
        }
    }
}
