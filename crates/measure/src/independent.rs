//! A clock with an oscillator of its own, which is read when a session begins and when it ends. The
//! ruler is calibrated against the system's clock, which mostly counts the same oscillator; this
//! one can show that it is wrong.

use crate::engine::Ruler;
use chronoscope_model::comparison::{Comparison, Standing};
use chronoscope_model::environment::{Rate, RateKind};
use chronoscope_probes::clocks::{self, Opening, Reader, Unit};

/// The clocks that can be one. A real-time clock cannot, because it shows whole seconds.
const WITNESSES: [&str; 1] = ["linux/ptp"];

/// How many brackets are tried; the tightest counts. A read is a transfer over a bus or a call of
/// the hypervisor.
const TRIES: usize = 40;

/// A rate further off means that the device was stepped, or does not keep time: the kernel lets a
/// clock be slewed by 500 ppm (MAXFREQ in include/linux/timex.h).
const STEPPED_PPM: f64 = 500.0;

/// An opened witness.
pub(crate) struct Independent {
    id: &'static str,
    hz: f64,
    reader: Reader,
    first: Bracket,
}

/// A value of the witness between two of the ruler.
#[derive(Clone, Copy, Debug, Default)]
struct Bracket {
    ticks: u64,
    width: u64,
    value: u64,
}

impl Independent {
    /// Opens the first that can be read here, and reads it.
    pub(crate) fn open(ruler: &Ruler) -> Option<Self> {
        let (id, hz, mut reader) = WITNESSES.iter().find_map(|id| {
            let reader = clocks::find(id)?.open(Opening::Checked).ok()?;
            match reader.unit {
                Unit::Hz(hz) => Some((*id, hz, reader)),
                Unit::Counter | Unit::Variable => None,
            }
        })?;
        let first = bracket(ruler, &mut reader);
        Some(Self { id, hz, reader, first })
    }

    /// The rate of the ruler by this clock, over the whole time since it was opened; `measured` is
    /// the one by the system's clock.
    pub(crate) fn rate(&mut self, ruler: &Ruler, measured: f64) -> Option<Rate> {
        let last = bracket(ruler, &mut self.reader);
        let (hz, error_ppm) = slope(self.first, last, self.hz)?;
        let difference = (measured / hz - 1.0) * 1e6;
        if !difference.is_finite() || difference.abs() > STEPPED_PPM + error_ppm {
            return None;
        }
        Some(Rate {
            source: format!("measured, {}", self.id),
            kind: RateKind::Measured,
            hz: Some(hz),
            error_ppm: Some(error_ppm),
            note: format!("against {}", self.id),
            compared: Some(Comparison {
                with: self.id.into(),
                standing: Standing::Independent,
                difference_ppm: Some(difference),
                why: format!(
                    "{} is a device with an oscillator of its own, or the host's clock",
                    self.id
                ),
            }),
        })
    }
}

fn bracket(ruler: &Ruler, reader: &mut Reader) -> Bracket {
    let look = |_| {
        let before = ruler.start();
        let value = reader.value();
        let width = ruler.stop().wrapping_sub(before);
        Bracket { ticks: before.wrapping_add(width / 2), width, value }
    };
    let tightest = (0..TRIES).map(look).min_by_key(|one| one.width);
    tightest.unwrap_or_default()
}

/// The ruler's ticks per second by a clock of `hz`, and the bound on its error in parts per
/// million: half the width of each bracket, and one unit of the clock at each end.
fn slope(first: Bracket, last: Bracket, hz: f64) -> Option<(f64, f64)> {
    let ticks = last.ticks.wrapping_sub(first.ticks) as f64;
    let units = last.value.checked_sub(first.value)? as f64;
    if units <= 0.0 || ticks <= 0.0 {
        return None;
    }
    let slack = (first.width as f64 + last.width as f64) / 2.0 / ticks;
    Some((ticks / units * hz, (slack + 2.0 / units) * 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ticks: u64, value: u64) -> Bracket {
        Bracket { ticks, width: 100, value }
    }

    #[test]
    fn the_rate_and_its_bound_follow_from_two_brackets() {
        // 2.6 GHz for ten seconds of a clock of nanoseconds, across the counter's wrap.
        let start = u64::MAX - 5;
        let last = at(start.wrapping_add(26_000_000_000), 10_000_000_500);
        let (hz, error) = slope(at(start, 500), last, 1e9).expect("a rate");
        assert!((hz - 2.6e9).abs() < 1.0, "{hz}");
        assert!((error - (100.0 / 26e9 + 2e-10) * 1e6).abs() < 1e-9, "{error}");
    }

    #[test]
    fn a_clock_that_stands_still_or_goes_back_gives_no_rate() {
        assert!(slope(at(0, 7), at(1000, 7), 1e9).is_none());
        assert!(slope(at(0, 7), at(1000, 6), 1e9).is_none());
        assert!(slope(at(5, 7), at(5, 8), 1e9).is_none());
    }
}
