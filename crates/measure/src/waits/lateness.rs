//! How late the waits of a row ended, by the ruler and by the system's clock. One thread records
//! each wait here and nowhere else, and any other thread may read the records.

use super::recorder::Recorder;
use chronoscope_model::waits::{ByClock, Overshoots, Spread};
use chronoscope_probes::waits::os;
use hdrhistogram::Histogram as Hdr;
use std::sync::atomic::{
    AtomicI64, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// The records up to one moment: figures that can belong to the same waits.
pub(super) struct Recorded {
    pub(super) ruler: Overshoots,
    pub(super) clock: ByClock,
}

#[derive(Debug, Default)]
pub(super) struct Lateness {
    histogram: Recorder,
    ruler: LiveSpread,
    clock: LiveSpread,
    /// The number of waits whose recording has begun, and the number for which it has ended. The
    /// two differ while a wait is being recorded, which shows a reader that the spreads are
    /// changing.
    begun: AtomicU64,
    done: AtomicU64,
}

impl Lateness {
    /// Allocates all the memory that recording may need.
    pub(super) fn touch(&self) {
        self.histogram.touch();
    }

    /// Records a wait by its overshoots, each with the amount by which a wait may seem early
    /// without being early. Only for the thread that writes.
    #[inline]
    pub(super) fn record(&self, ruler: (i64, i64), clock: (i64, i64)) {
        let n = self.begun.load(Relaxed) + 1;
        self.begun.store(n, Relaxed);
        self.ruler.add(ruler);
        self.clock.add(clock);
        // A reader that sees the wait in the histogram also sees it in the spreads.
        self.histogram.record(u64::try_from(ruler.0).unwrap_or(0));
        self.done.store(n, Release);
    }

    /// Takes over the records of an earlier run. Only for the thread that starts the others.
    pub(super) fn load(&self, histogram: &Hdr<u64>, ruler: &ByClock, clock: Option<&ByClock>) {
        let n = histogram.len();
        self.histogram.load(histogram);
        self.ruler.load(ruler, n);
        if let Some(clock) = clock {
            self.clock.load(clock, n);
        }
        self.begun.store(n, Relaxed);
        self.done.store(n, Release);
    }

    pub(super) fn samples(&self) -> u64 {
        self.done.load(Acquire)
    }

    /// The largest overshoot by the ruler; 0 if there are no waits.
    pub(super) fn max_ns(&self) -> i64 {
        let max_ns = self.ruler.max.load(Acquire);
        if max_ns == i64::MIN { 0 } else { max_ns }
    }

    pub(super) fn add_to(&self, histogram: &mut Hdr<u64>) {
        self.histogram.add_to(histogram);
    }

    /// Returns the records so far. The spreads are read after the histogram, so they include all
    /// its waits even if more waits are recorded meanwhile.
    pub(super) fn read(&self) -> Recorded {
        let histogram = self.histogram.histogram();
        loop {
            let n = self.done.load(Acquire);
            let [spread, clock] =
                [&self.ruler, &self.clock].map(|spread| spread.read(n, histogram.len()));
            if self.begun.load(Relaxed) == n {
                let clock = clock.by_clock(os::CLOCK);
                return Recorded { ruler: Overshoots { histogram, spread }, clock };
            }
        }
    }
}

/// The smallest overshoot, the largest and the sum, by one clock. Its loads and stores are ordered
/// between those of the two counts around them.
#[derive(Debug)]
struct LiveSpread {
    min: AtomicI64,
    max: AtomicI64,
    sum: AtomicI64,
    early: AtomicU64,
    /// The value that the squares are about, near the mean so that nothing is lost to rounding: the
    /// first one, or the mean of an earlier run.
    centre: AtomicI64,
    /// The sum of the squares about the centre, as the bits of an f64; NaN if not known.
    squares: AtomicU64,
}

impl Default for LiveSpread {
    fn default() -> Self {
        let [min, max, sum, centre] = [i64::MAX, i64::MIN, 0, 0].map(AtomicI64::new);
        let [early, squares] = [0, 0].map(AtomicU64::new);
        Self { min, max, sum, early, centre, squares }
    }
}

impl LiveSpread {
    #[inline]
    fn add(&self, (ns, tolerance): (i64, i64)) {
        // Branches, because a new extreme is rare and a predicted branch costs nothing.
        if self.min.load(Relaxed) == i64::MAX {
            self.centre.store(ns, Release);
        }
        let off = ns.wrapping_sub(self.centre.load(Relaxed)) as f64;
        let squares = f64::from_bits(self.squares.load(Relaxed)) + off * off;
        self.squares.store(squares.to_bits(), Release);
        if ns < self.min.load(Relaxed) {
            self.min.store(ns, Release);
        }
        if ns > self.max.load(Relaxed) {
            self.max.store(ns, Release);
        }
        self.sum.store(self.sum.load(Relaxed).wrapping_add(ns), Release);
        if ns < -tolerance {
            self.early.store(self.early.load(Relaxed) + 1, Release);
        }
    }

    fn load(&self, from: &ByClock, n: u64) {
        if n > 0 {
            self.min.store(from.min_ns, Release);
            self.max.store(from.max_ns, Release);
            self.sum.store((from.mean_ns * n as f64) as i64, Release);
            self.early.store(from.early, Release);
            self.centre.store(from.mean_ns as i64, Release);
            let variance = from.std_dev_ns.map_or(f64::NAN, |std_dev| std_dev * std_dev);
            self.squares.store((variance * n as f64).to_bits(), Release);
        }
    }

    /// Returns the figures of `n` waits, of which a histogram holds `held`.
    fn read(&self, n: u64, held: u64) -> Spread {
        let mean_ns = self.sum.load(Acquire) as f64 / n.max(1) as f64;
        let off = mean_ns - self.centre.load(Acquire) as f64;
        let mean_square = f64::from_bits(self.squares.load(Acquire)) / n.max(1) as f64;
        Spread {
            samples: n,
            early: self.early.load(Acquire).min(held),
            min_ns: self.min.load(Acquire),
            max_ns: self.max.load(Acquire),
            mean_ns,
            squares: (mean_square - off * off) * n as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_deviation_is_exact_far_from_zero_and_survives_a_run_that_continues() {
        let lateness = Lateness::default();
        // By the definition: values of 1 h, plus 0 to 9 us, have one of 2.872 us.
        let far = i64::try_from(super::super::recorder::LONGEST).expect("an hour");
        (0..1000).for_each(|n| lateness.record((far + n % 10 * 1000, 0), (n % 2, 0)));
        let figures = |lateness: &Lateness| lateness.read().ruler.spread.by_clock("");
        let (ruler, Recorded { ruler: Overshoots { histogram, .. }, clock }) =
            (figures(&lateness), lateness.read());
        let near = |of: &ByClock, ns: f64| (of.std_dev_ns.expect("known") - ns).abs() < 0.01;
        assert!(near(&ruler, 8.25e6_f64.sqrt()) && near(&clock, 0.5), "{ruler:?} {clock:?}");
        let later = Lateness::default();
        later.load(&histogram, &ruler, Some(&clock));
        assert_eq!(figures(&later).std_dev_ns, ruler.std_dev_ns);
        // An earlier version did not store it.
        let older = Lateness::default();
        older.load(&histogram, &ByClock { std_dev_ns: None, ..ruler }, Some(&clock));
        older.record((far, 0), (0, 0));
        assert_eq!(figures(&older).std_dev_ns, None);
        assert_eq!(figures(&Lateness::default()).std_dev_ns, None);
    }

    #[test]
    fn what_is_read_while_waits_are_recorded_can_belong_to_the_same_waits() {
        const WAITS: u64 = 200_000;
        let lateness = Lateness::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..WAITS as i64 {
                    lateness.record((n - 50, 100), (-n, 0));
                }
            });
            loop {
                let Recorded { ruler: Overshoots { histogram, spread }, clock } = lateness.read();
                let ruler = spread.by_clock("");
                for of in [&ruler, &clock] {
                    let ends = of.min_ns as f64..=of.max_ns as f64;
                    assert!(ends.contains(&of.mean_ns) && of.early <= histogram.len(), "{of:?}");
                }
                assert!(ruler.max_ns as u64 >= histogram.lowest_equivalent(histogram.max()));
                if histogram.len() == WAITS {
                    assert_eq!((ruler.max_ns, clock.min_ns), (WAITS as i64 - 51, 1 - WAITS as i64));
                    break;
                }
            }
        });
    }
}
