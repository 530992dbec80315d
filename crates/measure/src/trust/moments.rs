//! The clocks against each other over a whole run, in bounded memory.

use crate::stats::rate::theil_sen;

/// The most moments that are kept. When there are more, every second one is dropped, and from then
/// on only every second one is added.
const MOST: usize = 1024;

/// How far each clock was ahead of the counter at one moment.
#[derive(Clone, Debug)]
struct Moment {
    /// In seconds since the start, by the counter.
    at_s: f64,
    /// In nanoseconds since the start, less those of the counter; not a number if the clock was not
    /// read.
    ahead_ns: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    moments: Vec<Moment>,
    stride: u64,
    seen: u64,
}

/// A rate with its 95 % interval, in parts per million.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ppm {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) moments: u64,
    pub(super) seconds: f64,
}

impl Moments {
    pub(super) fn push(&mut self, at_s: f64, ahead_ns: Vec<f64>) {
        self.stride = self.stride.max(1);
        if self.seen.is_multiple_of(self.stride) {
            if self.moments.len() >= MOST {
                let mut at = 0;
                self.moments.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.stride *= 2;
            }
            self.moments.push(Moment { at_s, ahead_ns });
        }
        self.seen += 1;
    }

    /// Forgets this clock, whose rate begins again.
    pub(super) fn forget(&mut self, clock: usize) {
        let all = self.moments.iter_mut().filter_map(|moment| moment.ahead_ns.get_mut(clock));
        all.for_each(|ahead| *ahead = f64::NAN);
    }

    /// Returns how much faster one clock ran than the other, from at most this many moments; `None`
    /// stands for the counter. `None` if there are too few moments.
    pub(super) fn rate(
        &self,
        clock: Option<usize>,
        against: Option<usize>,
        most: usize,
    ) -> Option<Ppm> {
        let of = |moment: &Moment, clock: Option<usize>| {
            clock.map_or(Some(0.0), |clock| moment.ahead_ns.get(clock).copied())
        };
        let all = self.moments.iter().filter_map(|moment| {
            let ahead = of(moment, clock)? - of(moment, against)?;
            ahead.is_finite().then_some((moment.at_s, ahead))
        });
        let all: Vec<(f64, f64)> = all.collect();
        let step = all.len().div_ceil(most.max(3)).max(1);
        let points: Vec<(f64, f64)> = all.into_iter().step_by(step).collect();
        let found = theil_sen(&points)?;
        let (first, last) = (points.first()?.0, points.last()?.0);
        // Nanoseconds per second are thousandths of a part per million.
        Some(Ppm {
            value: found.slope / 1e3,
            low: found.low / 1e3,
            high: found.high / 1e3,
            moments: points.len() as u64,
            seconds: last - first,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_found_with_its_interval_however_long_the_run() {
        for seconds in [10u32, 36_000] {
            let mut moments = Moments::default();
            let mut rng = fastrand::Rng::with_seed(3);
            for n in 0..seconds * 20 {
                let at = f64::from(n) / 20.0;
                let noise = 20.0 * rng.f64();
                moments.push(at, vec![at * 7_500.0 + noise, at * 7_000.0, f64::NAN]);
            }
            assert!(moments.moments.len() <= MOST);
            let found = moments.rate(Some(0), Some(1), 500).expect("a rate");
            assert!(
                found.low <= 0.5 && 0.5 <= found.high && found.high - found.low < 0.02,
                "{found:?}"
            );
            assert!(found.seconds > f64::from(seconds) * 0.9);
            let counter = moments.rate(None, Some(1), 120).expect("a rate");
            assert!((counter.value + 7.0).abs() < 1e-3, "{counter:?}");
            assert!(moments.rate(Some(2), None, 500).is_none());
        }
    }

    #[test]
    fn too_few_moments_give_no_rate() {
        let mut moments = Moments::default();
        moments.push(0.0, vec![0.0]);
        moments.push(1.0, vec![0.0]);
        assert!(moments.rate(Some(0), None, 500).is_none());
    }
}
