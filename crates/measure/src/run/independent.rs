//! A clock with an oscillator of its own, which is read when a session begins and when it ends. The
//! ruler is calibrated against the system's clock, which mostly counts the ruler's own oscillator;
//! an independent reference can show that the system's clock is wrong.

use crate::engine::Ruler;
use crate::engine::ruler::{Bracket, Reference};
use chronoscope_model::comparison::{Comparison, Standing};
use chronoscope_model::environment::{Rate, RateKind};

/// The clocks that can serve as one. A real-time clock cannot, because it shows whole seconds.
const INDEPENDENT: [&str; 1] = ["linux/ptp"];

/// How many brackets are tried; the tightest counts. A read is a transfer over a bus or a call of
/// the hypervisor.
const TRIES: usize = 40;

/// A rate further off means that the device was stepped, or does not keep time: the kernel lets a
/// clock be slewed by 500 ppm (MAXFREQ in include/linux/timex.h).
const STEPPED_PPM: f64 = 500.0;

/// An independent reference, and its first bracket.
pub(crate) struct Independent {
    reference: Reference,
    first: Bracket,
}

impl Independent {
    /// Opens the first of these clocks that can be read here, and reads it.
    pub(crate) fn open(ruler: &Ruler) -> Option<Self> {
        let mut reference = Reference::open(&INDEPENDENT)?;
        let first = reference.bracket(ruler.kind(), TRIES);
        Some(Self { reference, first })
    }

    /// Returns the rate of the ruler by this clock, over the whole time since it was opened.
    /// `measured` is the rate by the system's clock.
    pub(crate) fn rate(&mut self, ruler: &Ruler, measured: f64) -> Option<Rate> {
        let last = self.reference.bracket(ruler.kind(), TRIES);
        let (hz, error_ppm) = self.reference.slope(self.first, last)?;
        let difference = (measured / hz - 1.0) * 1e6;
        if !difference.is_finite() || difference.abs() > STEPPED_PPM + error_ppm {
            return None;
        }
        let id = self.reference.id;
        Some(Rate {
            source: format!("measured, {id}"),
            kind: RateKind::Measured,
            hz: Some(hz),
            error_ppm: Some(error_ppm),
            note: format!("against {id}"),
            compared: Some(Comparison {
                with: id.into(),
                standing: Standing::Independent,
                difference_ppm: Some(difference),
                why: format!("{id} is a device with an oscillator of its own, or the host's clock"),
            }),
        })
    }
}
