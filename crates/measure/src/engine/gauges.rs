//! How fast the core adds: a chain of dependent additions, and independent ones. Together they show
//! the core's frequency, and whether something else uses its execution units.

use super::batch::{Additions, Gauge};
use super::bench::Bench;
use chronoscope_probes::clocks::{Reader, steps};

/// The dependent additions of a gauge, in cycles: so many that a tick of the ruler, which is 10 ns
/// on some processors, is 0.5 % of their time.
const CYCLES: u64 = 8000;
/// The independent additions of a gauge: they take as long on a core that makes four per cycle.
const INDEPENDENT: u64 = 4 * CYCLES;
/// How often each gauge is tried per look.
const TRIES: usize = 2;
/// A try of the chain that takes longer than another of the same look by more than this share was
/// interrupted: ticks and the ruler's own scatter explain 1.5 %, and an interrupt takes 0.3 us or
/// more.
const INTERRUPTED: f64 = 0.02;

pub struct Gauges {
    dependent: Reader,
    independent: Reader,
}

impl Gauges {
    /// Returns the gauges of this processor; `None` if there are none.
    pub fn here() -> Option<Self> {
        let [dependent, _] = steps::four_and_five()?;
        Some(Self { dependent, independent: steps::independent()? })
    }

    pub fn time(&mut self, bench: &mut Bench, what: Additions) -> Gauge {
        let (reader, each, additions) = match what {
            Additions::Dependent => (&mut self.dependent, steps::CYCLES, CYCLES),
            Additions::Independent => (&mut self.independent, steps::INDEPENDENT, INDEPENDENT),
        };
        Gauge { batch: bench.time(|| reader.throughput(0, additions / each)), additions }
    }
}

/// What the gauges show at one moment, or over several.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The tries of the chain that count.
    tries: u32,
    /// The ticks per addition of these tries, added up.
    ticks: f64,
    /// The time of an independent addition, as a share of a dependent one; absent if unknown.
    pub width: Option<f64>,
}

impl Look {
    /// Takes a look now. `ruler_ticks` is the cost of the ruler.
    pub fn now(mut gauge: impl FnMut(Additions) -> Option<Gauge>, ruler_ticks: f64) -> Self {
        let mut times = |what| {
            let tries: [_; TRIES] = std::array::from_fn(|_| gauge(what));
            tries.map(|gauge| gauge.and_then(|gauge| ticks_per_addition(gauge, ruler_ticks)))
        };
        let least = |tries: [Option<f64>; TRIES]| tries.into_iter().flatten().reduce(f64::min);
        let (chain, wide) = (times(Additions::Dependent), times(Additions::Independent));
        let shortest = least(chain);
        let counts = |time: &f64| shortest.is_some_and(|it| *time <= it * (1.0 + INTERRUPTED));
        let counted = chain.into_iter().flatten().filter(counts);
        let (tries, ticks) = counted.fold((0, 0.0), |(n, sum), time| (n + 1, sum + time));
        Self { tries, ticks, width: least(wide).zip(shortest).map(|(wide, chain)| wide / chain) }
    }

    /// Measures only the width. The two gauges take about as long, so the cost of the ruler cancels
    /// in their ratio.
    pub fn width_now(gauge: impl FnMut(Additions) -> Option<Gauge>) -> Option<f64> {
        Self::now(gauge, 0.0).width
    }

    /// Core cycles per tick of the ruler; `None` if unknown. This is a mean of the tries, because
    /// each is counted in whole ticks, which begin at random: a mean resolves less than a tick, and
    /// the fastest of many tries would always be too fast.
    pub fn pace(&self) -> Option<f64> {
        (self.tries > 0).then(|| f64::from(self.tries) / self.ticks)
    }

    /// Combines two looks: the mean pace, because the batches between them ran at either, and the
    /// worse width, because a neighbour may have been there for only part of the time.
    pub fn and(self, other: Self) -> Self {
        let width = match (self.width, other.width) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (one, other) => one.or(other),
        };
        Self { tries: self.tries + other.tries, ticks: self.ticks + other.ticks, width }
    }
}

/// The duration of an addition, in ticks; `None` if the gauge was disturbed or its result is
/// absurd.
fn ticks_per_addition(gauge: Gauge, ruler_ticks: f64) -> Option<f64> {
    let ticks = (gauge.batch.ticks as f64 - ruler_ticks) / gauge.additions as f64;
    (!gauge.batch.disturbed && ticks.is_finite() && ticks > 0.0).then_some(ticks)
}

#[cfg(test)]
mod tests {
    use super::super::batch::Batch;
    use super::*;

    #[test]
    fn a_gauge_that_is_disturbed_or_absurd_is_ignored() {
        let gauge = |ticks, disturbed| Gauge { batch: Batch { ticks, disturbed }, additions: 4000 };
        assert_eq!(ticks_per_addition(gauge(4050, false), 50.0), Some(1.0));
        assert_eq!(ticks_per_addition(gauge(4050, true), 50.0), None);
        assert_eq!(ticks_per_addition(gauge(0, false), 50.0), None);
    }

    /// A look in which the two tries of the chain, and then those of the others, take this long.
    fn look(ticks: [u64; 4]) -> Look {
        let mut ticks = ticks.into_iter();
        let batch = |ticks| Batch { ticks, disturbed: ticks == 0 };
        Look::now(|_| Some(Gauge { batch: batch(ticks.next()?), additions: 1000 }), 0.0)
    }

    #[test]
    fn the_pace_is_the_mean_of_the_tries_that_nothing_interrupted() {
        assert_eq!(look([1000, 1010, 250, 250]).pace(), Some(2.0 / 2.01));
        assert_eq!(look([1000, 3000, 250, 250]).pace(), Some(1.0));
        assert_eq!(look([0, 1010, 250, 250]).pace(), Some(1.0 / 1.01));
        assert_eq!(look([0, 0, 250, 250]).pace(), None);
        let both = look([1000, 1000, 250, 250]).and(look([1250, 0, 250, 900]));
        assert_eq!(both.pace(), Some(3.0 / 3.25));
    }

    #[test]
    fn the_width_is_that_of_the_fastest_tries_and_of_the_worse_look() {
        assert_eq!(look([1010, 1000, 900, 250]).width, Some(0.25));
        assert_eq!(look([0, 0, 250, 250]).width, None);
        let alone = look([1000, 1000, 250, 250]);
        assert_eq!(alone.and(look([1000, 1000, 320, 320])).width, Some(0.32));
        assert_eq!(alone.and(look([0, 0, 320, 320])).width, Some(0.25));
    }
}
