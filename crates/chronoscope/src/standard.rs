//! The same moment on the standard library's clock and on this library's, with a stated error.

use std::time::{Duration, Instant};

use crate::convert::Scale;

/// How fast a kernel may slew the clock that the standard library reads (`adjtimex(2)`).
const SLEW: f64 = 500e-6;

/// Both clocks, read together.
#[derive(Clone, Copy)]
pub struct Meeting {
    /// This library's clock just before and just after.
    pub before: u64,
    pub after: u64,
    /// The standard library's clock.
    pub there: Instant,
    /// The step in which this library's clock advances, in ticks.
    pub step: u64,
}

/// The length of a tick, and its relative error.
type Known = (Scale, f64);

impl Meeting {
    /// Takes the tightest of a few tries.
    pub fn take(ours: impl Fn() -> u64, step: u64) -> Self {
        let once = || {
            let before = ours();
            let there = Instant::now();
            let after = ours();
            Self { before, after, there, step }
        };
        let first = once();
        (0..7).map(|_| once()).fold(
            first,
            |best, next| {
                if next.width() < best.width() { next } else { best }
            },
        )
    }

    fn width(&self) -> u64 {
        self.after.saturating_sub(self.before)
    }

    /// Converts a moment of this library's clock to the standard library's.
    pub fn to_std(self, ticks: u64, known: Known) -> Option<(Instant, Duration)> {
        let distance = Duration::from_nanos(known.0.ns(ticks.abs_diff(self.before)));
        let moment = if ticks >= self.before {
            self.there.checked_add(distance)
        } else {
            self.there.checked_sub(distance)
        };
        Some((moment?, self.error(distance, known)))
    }

    /// Converts a moment of the standard library's clock to this library's.
    pub fn to_ticks(self, moment: Instant, known: Known) -> Option<(u64, Duration)> {
        let ticks = |distance: Duration| {
            let ns = u64::try_from(distance.as_nanos()).ok()?;
            known.0.ticks(ns)
        };
        let (moment, distance) = match moment.checked_duration_since(self.there) {
            Some(ahead) => (self.before.checked_add(ticks(ahead)?), ahead),
            None => {
                let ago = self.there.duration_since(moment);
                (self.before.checked_sub(ticks(ago)?), ago)
            }
        };
        Some((moment?, self.error(distance, known)))
    }

    /// The error: the time between the reads, the difference that the rates can make over the
    /// distance, a step for each of two moments, which lie within a step rather than at its
    /// beginning, and the nanoseconds that both conversions truncate.
    fn error(&self, distance: Duration, (scale, bound): Known) -> Duration {
        let ticks = scale.ns(self.width().saturating_add(2 * self.step));
        let rates = distance.mul_f64((SLEW + bound).min(1.0));
        Duration::from_nanos(ticks.saturating_add(2)).saturating_add(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whichever part of a tick each read falls into.
        #[test]
        fn the_error_is_as_stated(
            hz in prop::sample::select(vec![1_000_000u64, 19_200_000, 54_000_000, 2_600_000_000]),
            begin in 1e9..1e12f64,
            step in prop::sample::select(vec![1.0, 63.0f64]),
            to_there in 0.0..3000.0f64,
            to_after in 0.0..3000.0f64,
            distance in -1e5..1e5f64,
        ) {
            let scale = Scale::from_hz(hz).unwrap();
            let known = (scale, 0.0);
            let tick = scale.ns_per_tick();
            let epoch = Instant::now();
            let ours = |ns: f64| ((ns / tick / step) as u64) * step as u64;
            let theirs = |ns: f64| epoch + Duration::from_nanos(ns as u64);
            let meeting = Meeting {
                before: ours(begin),
                there: theirs(begin + to_there),
                after: ours(begin + to_there + to_after),
                step: step as u64,
            };
            let moment = begin + distance;

            let (found, error) = meeting.to_std(ours(moment), known).unwrap();
            let right = theirs(moment);
            prop_assert!(found.max(right) - found.min(right) <= error, "to std: {error:?}");

            let (found, error) = meeting.to_ticks(right, known).unwrap();
            let off = scale.ns(found.abs_diff(ours(moment)));
            prop_assert!(u128::from(off) <= error.as_nanos(), "{off} from std: {error:?}");
        }
    }
}
