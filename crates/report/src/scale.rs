//! Where values are on an axis, from 0 to 1, and which of them have a label. Every picture uses
//! these scales, in characters as on a page.

use chronoscope_model::units::short_ns;

/// What the values of an axis are, which decides about their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Ns,
    Count,
    /// A share, 0 to 1.
    Share,
    /// A change, as a share with a sign.
    Change,
    Seconds,
    Ppm,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    Linear,
    Log,
    /// Percentiles (as shares): 90 %, 99 % and 99.9 % at equal distances.
    Nines,
}

/// An axis from `low` to `high`, both finite, `low` below `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    unit: Unit,
    division: Division,
    low: f64,
    high: f64,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The place, 0 to 1.
    pub at: f64,
    pub label: String,
    /// 0: labelled wherever there is any room, 1: on a wide chart, 2 and 3: after zooming in.
    pub level: u8,
}

impl Scale {
    /// The logarithmic axis that holds these values, from one 1, 2 or 5 times a power of ten to
    /// another. What is not finite or not positive is ignored.
    pub fn log(unit: Unit, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = values
            .into_iter()
            .filter(|v| v.is_finite() && *v > 0.0)
            .fold((f64::INFINITY, 0f64), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low.is_finite() { (low, high) } else { (1.0, 10.0) };
        let step = |v: f64| 10f64.powf(v.log10().floor());
        Self { unit, division: Division::Log, low: step(low), high: step(high) * 10.0 }
    }

    /// The linear axis from one value to another.
    pub fn linear(unit: Unit, low: f64, high: f64) -> Self {
        Self { unit, division: Division::Linear, low, high }
    }

    /// Percentiles up to the last that this number of samples has.
    pub fn nines(samples: u64) -> Self {
        let high = 1.0 - 0.5 / samples.max(1) as f64;
        Self { unit: Unit::Share, division: Division::Nines, low: 0.0, high }
    }

    /// The place of a value, 0 to 1 if the axis holds it.
    pub fn at(&self, value: f64) -> f64 {
        let Self { low, high, .. } = *self;
        match self.division {
            Division::Linear => (value - low) / (high - low),
            Division::Log => (value.max(low * 1e-9) / low).ln() / (high / low).ln(),
            Division::Nines => (1.0 - value.min(high)).log10() / (1.0 - high).log10(),
        }
    }

    /// The marks of the axis, from its lower end to its upper one.
    pub fn ticks(&self) -> Vec<Tick> {
        let label = |v: f64| match self.unit {
            Unit::Ns => short_ns(v),
            _ => format!("{v}"),
        };
        [self.low, self.high].map(|v| Tick { at: self.at(v), label: label(v), level: 0 }).into()
    }
}
