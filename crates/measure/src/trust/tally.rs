//! What each clock has shown so far.

use super::pairs::AllHanded;
use chronoscope_model::clock::Backwards;
use chronoscope_model::trust::{Contended, Contention, Migrating, Sandwich, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Returns by how many units a value is above an earlier one, for a clock with this many bits.
pub(super) fn difference(earlier: u64, later: u64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (later.wrapping_sub(earlier) << unused).cast_signed() >> unused
}

/// Returns by how many nanoseconds a later value is below an earlier one, if it is.
fn back_ns(earlier: u64, later: u64, bits: u32, unit_ns: f64) -> Option<f64> {
    let step = difference(earlier, later, bits);
    (step < 0).then(|| step.unsigned_abs() as f64 * unit_ns)
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) one_thread: Backwards,
    pub(super) migrating: Migrating,
    pub(super) handed: AllHanded,
    /// Why no thread was moved, or no value was handed over.
    pub(super) refused: Option<String>,
    visited: BTreeSet<usize>,
    /// Whether the clock stood still in an earlier run.
    stood_still: bool,
    first: Option<u64>,
    changed: bool,
    /// When the clock's values were first and last read.
    seen: Option<[Duration; 2]>,
}

/// A clock whose value stays the same is frozen if it was read for at least this many of the ticks
/// that it claims, and for this long, …
const STILL_TICKS: f64 = 2.0;
const STILL: Duration = Duration::from_millis(50);
/// … or this often, if it claims a tick of at most a millisecond: the clock that measures this time
/// may itself stand still.
const STILL_READS: u64 = 1_000_000;

impl Tally {
    /// Continues with what an earlier run found.
    pub(super) fn of(watch: &Watch) -> Self {
        Self {
            one_thread: watch.one_thread.clone().unwrap_or_default(),
            migrating: watch.migrating.clone().unwrap_or_default(),
            handed: watch.handed.as_ref().map(AllHanded::of).unwrap_or_default(),
            stood_still: watch.frozen,
            ..Self::default()
        }
    }

    /// Adds successive values on one thread. Counts steps back that are longer than `slack` units.
    pub(super) fn values(&mut self, values: &[u64], bits: u32, unit_ns: f64) {
        self.see(values.iter().copied());
        let found = &mut self.one_thread;
        found.tries += values.len().saturating_sub(1) as u64;
        for back in values.windows(2).filter_map(|two| back_ns(two[0], two[1], bits, unit_ns)) {
            found.violations += 1;
            found.worst_ns = found.worst_ns.max(back);
        }
    }

    /// Adds values before and after moves between two CPUs.
    pub(super) fn moves(&mut self, cpus: [usize; 2], moves: &[[u64; 2]], bits: u32, unit_ns: f64) {
        self.see(moves.iter().flatten().copied());
        self.visited.extend(cpus);
        let found = &mut self.migrating;
        found.cpus = found.cpus.max(self.visited.len());
        found.moves += moves.len() as u64;
        for back in moves.iter().filter_map(|[from, to]| back_ns(*from, *to, bits, unit_ns)) {
            found.backwards += 1;
            found.worst_ns = found.worst_ns.max(back);
        }
    }

    fn see(&mut self, values: impl Iterator<Item = u64>) {
        for value in values {
            self.changed |= *self.first.get_or_insert(value) != value;
        }
    }

    /// Records that the clock's values were read now, by the clock for time limits.
    pub(super) fn seen_at(&mut self, now: Duration) {
        self.seen.get_or_insert([now; 2])[1] = now;
    }

    /// Whether the clock's value, which claims such ticks, stayed the same for longer than it may.
    pub(super) fn is_frozen(&self, tick_ns: f64) -> bool {
        let span = self.seen.map_or(Duration::ZERO, |[first, last]| last.saturating_sub(first));
        let ticks = span.as_nanos() as f64 / tick_ns.max(1.0);
        let long = span >= STILL && ticks >= STILL_TICKS;
        let often = self.one_thread.tries >= STILL_READS && tick_ns <= 1e6;
        self.stood_still || self.first.is_some() && !self.changed && (long || often)
    }
}

/// Adds sandwiches of values in nanoseconds each.
pub(super) fn sandwich(found: &mut Sandwich, values: &[[u64; 3]], bits: u32, unit_ns: f64) {
    for [before, vdso, after] in values {
        let span = difference(*before, *after, bits);
        found.tries += 1;
        if span < 0 {
            // The clock itself was set back, so the vDSO is not at fault.
            found.calls_backwards += 1;
            continue;
        }
        let (low, high) = (difference(*before, *vdso, bits), difference(*vdso, *after, bits));
        found.below += u64::from(low < 0);
        found.above += u64::from(high < 0);
        let worst = low.min(high).min(0).unsigned_abs() as f64 * unit_ns;
        found.worst_ns = found.worst_ns.max(worst);
    }
}

/// The costs of one clock by the number of threads. The quickest measurement of each counts,
/// because threads that wait for each other slow down every measurement, and other activity slows
/// down only some.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs(BTreeMap<usize, Contended>);

impl Costs {
    /// Continues with what an earlier run found.
    pub(super) fn of(known: &Contention) -> Self {
        Self(known.points.iter().map(|point| (point.threads, *point)).collect())
    }

    pub(super) fn add(&mut self, found: Contended) {
        if !(found.ns.is_finite() && found.ns > 0.0) {
            return;
        }
        let quickest = self.0.entry(found.threads).or_insert(found);
        if found.ns < quickest.ns {
            *quickest = found;
        }
    }

    /// Whether this many threads seem to slow each other down.
    pub(super) fn seems_contended(&self, threads: usize) -> bool {
        /// Threads that share a core or a cache slow each other down by this factor.
        const SHARED: f64 = 2.0;
        let both = self.0.get(&1).zip(self.0.get(&threads));
        both.is_some_and(|(alone, found)| found.ns > SHARED * alone.ns)
    }

    /// Returns the costs as the report contains them; `None` if nothing was measured.
    pub(super) fn report(&self, id: &str) -> Option<Contention> {
        let points: Vec<Contended> = self.0.values().copied().collect();
        (!points.is_empty()).then(|| Contention { id: id.into(), points })
    }
}

/// Returns how many threads read at the same time: 1, 2, 4, …, and all.
pub(super) fn thread_counts(cpus: usize) -> Vec<usize> {
    /// With more threads, starting them takes longer than the measurement.
    const MOST: usize = 256;
    let most = cpus.min(MOST);
    let mut counts: Vec<usize> = (0..).map(|n| 1 << n).take_while(|n| *n < most).collect();
    counts.push(most);
    counts.retain(|count| *count > 0);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrap_is_no_step_back() {
        assert_eq!(difference(u64::MAX, 3, 64), 4);
        assert_eq!(difference(0xffff_fff0, 0x10, 32), 0x20);
        assert_eq!(difference(0x10, 0xffff_fff0, 32), -0x20);
        assert_eq!(difference(5, 3, 64), -2);
    }

    #[test]
    fn steps_back_are_counted_with_the_furthest() {
        let mut tally = Tally::default();
        tally.values(&[10, 11, 9, 20, 13, 13], 64, 2.0);
        assert_eq!((tally.one_thread.tries, tally.one_thread.violations), (5, 2));
        assert_eq!(tally.one_thread.worst_ns, 14.0);
        tally.moves([3, 1], &[[5, 6], [6, 4]], 64, 2.0);
        tally.moves([3, 7], &[[5, 6]], 64, 2.0);
        assert_eq!((tally.migrating.moves, tally.migrating.backwards), (3, 1));
        assert_eq!((tally.migrating.cpus, tally.migrating.worst_ns), (3, 4.0));
        tally.seen_at(Duration::ZERO);
        tally.seen_at(Duration::from_secs(60));
        assert!(!tally.is_frozen(1.0));
        let mut frozen = Tally::default();
        frozen.values(&[7; 100], 64, 1.0);
        frozen.seen_at(Duration::from_secs(1));
        assert!(!frozen.is_frozen(1.0));
        frozen.seen_at(Duration::from_secs(2));
        // The value of time() changes once a second.
        assert!(frozen.is_frozen(1e6) && !frozen.is_frozen(1e9));
        for _ in 0..200 {
            frozen.values(&[7; 8192], 64, 1.0);
        }
        assert!(frozen.is_frozen(1.0) && !frozen.is_frozen(1e9));
    }

    #[test]
    fn a_vdso_outside_of_its_sandwich_disagrees_unless_the_clock_was_set() {
        let mut found = Sandwich::default();
        sandwich(&mut found, &[[10, 11, 12], [10, 10, 10]], 64, 1.0);
        assert!(!found.disagrees() && found.tries == 2);
        sandwich(&mut found, &[[100, 90, 10]], 64, 1.0);
        assert!(!found.disagrees() && found.calls_backwards == 1);
        sandwich(&mut found, &[[10, 4, 12], [10, 20, 12]], 64, 1.0);
        assert_eq!((found.below, found.above, found.worst_ns), (1, 1, 8.0));
    }

    #[test]
    fn thread_counts_double_up_to_all() {
        assert_eq!(thread_counts(0), Vec::<usize>::new());
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(2), [1, 2]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
        assert_eq!(thread_counts(5000).last(), Some(&256));
    }

    fn cost(threads: usize, ns: f64) -> Contended {
        Contended { threads, ns, low_ns: ns - 0.1, high_ns: ns + 0.1 }
    }

    #[test]
    fn the_cost_is_that_of_the_quickest_measurement() {
        let mut costs = Costs::default();
        for middle in [9.0, 1.0, 5.0, f64::NAN] {
            costs.add(cost(2, middle));
        }
        let found = costs.report("x").expect("costs");
        assert_eq!(found.points[0].ns, 1.0);
        assert!(!costs.seems_contended(2), "nothing to compare with");
        costs.add(cost(1, 0.4));
        assert!(costs.seems_contended(2) && !costs.seems_contended(1));
        assert!(Costs::default().report("x").is_none());
    }
}
