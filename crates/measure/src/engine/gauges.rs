//! How fast the core adds: a chain of dependent additions, and independent ones. Together they show
//! the core's frequency, and whether something else uses its execution units.

use super::batch::{Additions, Gauge};
use super::bench::Bench;
use chronoscope_probes::clocks::{Reader, steps};

/// The dependent additions of a gauge, in cycles: so many that the ruler's own scatter, which is 10
/// ns on some processors, is below 1 % of their time.
const CYCLES: u64 = 4000;
/// The independent additions of a gauge: they take as long on a core that makes four per cycle.
const INDEPENDENT: u64 = 4 * CYCLES;
/// How often each gauge is tried per look. An interrupt can only lengthen a try, so the shortest
/// counts.
const TRIES: usize = 2;

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
    /// Core cycles per tick of the ruler; absent if unknown.
    pub pace: Option<f64>,
    /// The time of an independent addition, as a share of a dependent one; absent if unknown.
    pub width: Option<f64>,
}

impl Look {
    /// Takes a look now. `ruler_ticks` is the cost of the ruler.
    pub fn now(mut gauge: impl FnMut(Additions) -> Option<Gauge>, ruler_ticks: f64) -> Self {
        let mut least = |what| {
            let tries = (0..TRIES).filter_map(|_| gauge(what));
            let times = tries.filter_map(|gauge| ticks_per_addition(gauge, ruler_ticks));
            times.reduce(f64::min)
        };
        let chain = least(Additions::Dependent);
        let wide = least(Additions::Independent);
        Self {
            pace: chain.map(f64::recip),
            width: wide.zip(chain).map(|(wide, chain)| wide / chain),
        }
    }

    /// Measures only the width. The two gauges take about as long, so the cost of the ruler cancels
    /// in their ratio.
    pub fn width_now(gauge: impl FnMut(Additions) -> Option<Gauge>) -> Option<f64> {
        Self::now(gauge, 0.0).width
    }

    /// Combines two looks: the higher pace, because an interrupt can only slow a gauge down, and
    /// the worse width, because a neighbour may have been there for only part of the time.
    pub fn and(self, other: Self) -> Self {
        let larger = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (one, other) => one.or(other),
        };
        Self { pace: larger(self.pace, other.pace), width: larger(self.width, other.width) }
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
}
