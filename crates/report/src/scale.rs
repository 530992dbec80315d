//! Where values are on an axis, from 0 to 1, and which of them have a label. Every picture uses
//! these scales, in characters as on a page.

use chronoscope_model::units::{grouped, short_ns};
use std::collections::BTreeSet;

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

/// The value of a tick before it has a place and words, and its level.
type Candidate = (f64, u8);

/// How far from the axis a place can be, in lengths of the axis: all that is farther is drawn at
/// its end anyway.
const FARTHEST: f64 = 1e9;

/// The percentiles end here: the next share below 1 that a logarithm still tells apart well.
const LAST_NINES: i32 = 12;

impl Scale {
    /// The logarithmic axis that holds these values, from one 1, 2 or 5 times a power of ten to
    /// another. What is not finite or not positive is ignored.
    pub fn log(unit: Unit, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values).unwrap_or((1.0, 10.0));
        let low = steps(low).rfind(|step| *step <= low).unwrap_or(low);
        let high = steps(high).find(|step| *step >= high && *step > low).unwrap_or(f64::MAX);
        // Only a value at the end of all numbers is not below the end of its axis.
        let low = if low < high { low } else { low / 2.0 };
        Self { unit, division: Division::Log, low, high }
    }

    /// The linear axis from one value to another. If they are equal, or not told apart by more than
    /// rounding, the axis extends beyond both; what is not finite is ignored.
    pub fn linear(unit: Unit, low: f64, high: f64) -> Self {
        let ends = || [low, high].into_iter().filter(|end| end.is_finite());
        let low = ends().reduce(f64::min).unwrap_or(0.0);
        let high = ends().reduce(f64::max).unwrap_or(0.0);
        let most = low.abs().max(high.abs());
        let (low, high) = if most < 1e-100 {
            (0.0, 1.0)
        } else if high / 2.0 - low / 2.0 < most * 1e-9 {
            (low - most / 16.0, (high + most / 16.0).min(f64::MAX))
        } else {
            (low, high)
        };
        Self { unit, division: Division::Linear, low: low.max(-f64::MAX), high }
    }

    /// Percentiles up to the last that this number of samples has.
    pub fn nines(samples: u64) -> Self {
        let high = 1.0 - 0.5 / samples.max(1) as f64;
        let high = high.min(1.0 - 10f64.powi(-LAST_NINES));
        Self { unit: Unit::Share, division: Division::Nines, low: 0.0, high }
    }

    pub fn division(&self) -> Division {
        self.division
    }

    pub fn low(&self) -> f64 {
        self.low
    }

    pub fn high(&self) -> f64 {
        self.high
    }

    /// The place of a value, 0 to 1 if the axis holds it. It is finite, and larger for no smaller
    /// value; what is not a number is at 0.
    pub fn at(&self, value: f64) -> f64 {
        let Self { low, high, .. } = *self;
        let at = match self.division {
            // Halves, because a difference may exceed all numbers.
            Division::Linear => (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0),
            Division::Log => {
                let log = |v: f64| v.max(f64::from_bits(1)).ln();
                (log(value) - log(low)) / (log(high) - log(low))
            }
            Division::Nines => (1.0 - value.min(high)).log10() / (1.0 - high).log10(),
        };
        if at.is_nan() { 0.0 } else { at.clamp(-FARTHEST, FARTHEST) }
    }

    /// The marks of the axis, from its lower end to its upper one. At least two have a label at
    /// level 0 or 1, and no two have the same label.
    pub fn ticks(&self) -> Vec<Tick> {
        let mut candidates = match self.division {
            Division::Log => self.decades(),
            Division::Linear => self.multiples(),
            Division::Nines => return self.percentiles(),
        };
        candidates.retain(|it| (self.low..=self.high).contains(&it.0));
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        candidates.dedup_by(|a, b| a.0 == b.0);
        let distinct = |words: fn(Unit, f64) -> String| {
            let labels: BTreeSet<String> =
                candidates.iter().map(|it| words(self.unit, it.0)).collect();
            labels.len() == candidates.len()
        };
        let words = if distinct(words) { words } else { exact };
        if candidates.iter().filter(|it| it.1 < 2).count() < 2 || !distinct(words) {
            let ends = [self.low, self.high].into_iter();
            return ends.map(|v| self.tick(v, exact(self.unit, v), 0)).collect();
        }
        let ticks = candidates.iter();
        ticks.map(|(value, level)| self.tick(*value, words(self.unit, *value), *level)).collect()
    }

    fn tick(&self, value: f64, label: String, level: u8) -> Tick {
        Tick { at: self.at(value).clamp(0.0, 1.0), label, level }
    }

    /// Powers of ten, and their multiples if the axis is short enough to tell them apart.
    fn decades(&self) -> Vec<Candidate> {
        let (low, high) = (self.low.log10(), self.high.log10());
        let length = high - low;
        // At most six labels wherever there is any room, and a dozen on a wide chart.
        let every = |most: f64| (length / most).ceil().max(1.0) as i32;
        let (main, wide) = (every(5.0), every(12.0));
        let between: &[(u32, u8)] = match length {
            0.0..1.6 => &[(2, 0), (5, 0), (3, 2), (4, 2), (7, 2), (6, 3), (8, 3), (9, 3)],
            1.6..2.6 => &[(2, 1), (5, 1), (3, 2), (4, 2), (7, 2), (6, 3), (8, 3), (9, 3)],
            2.6..12.0 => &[(2, 2), (5, 2), (3, 3), (4, 3), (7, 3)],
            _ => &[],
        };
        let mut out = Vec::new();
        for decade in low.floor() as i32 - 1..=high.ceil() as i32 {
            let level = match decade {
                _ if decade % main == 0 => Some(0),
                _ if main == 2 || decade % wide == 0 => Some(1),
                _ if length < 40.0 => Some(2),
                _ => None,
            };
            let power = level.map(|level| (1, level)).into_iter();
            let all = power.chain(between.iter().copied());
            out.extend(all.map(|(multiple, level)| (decimal(multiple.into(), decade), level)));
        }
        out
    }

    /// Multiples of 1, 2 or 5 times a power of ten: four to nine at level 0, and finer ones.
    fn multiples(&self) -> Vec<Candidate> {
        let span = self.high / 2.0 - self.low / 2.0;
        // The lengths of steps are halved like the span.
        let all: Vec<(i64, i32)> = sizes(span / 8.0).collect();
        let first = all.iter().position(|(m, e)| decimal(*m, *e) / 2.0 >= span / 5.0);
        let first = first.unwrap_or(all.len() - 1);
        let mut out = Vec::new();
        for (level, nth) in (0u8..4).zip((0..=first).rev()) {
            let (multiple, exponent) = all[nth];
            let step = decimal(multiple, exponent);
            let from = (self.low / step).ceil();
            let to = (self.high / step).floor();
            // Beyond this, the multiples of a step are no longer whole numbers.
            if !(from.abs().max(to.abs()) < 1e15 && to - from < 200.0) {
                continue;
            }
            let known: Vec<u64> = out.iter().map(|it: &Candidate| it.0.to_bits()).collect();
            let values = (from as i64..=to as i64).map(|k| decimal(k * multiple, exponent));
            let fresh = values.filter(|v| !known.contains(&v.to_bits()));
            out.extend(fresh.map(|value| (value, level)));
        }
        out
    }

    /// 0, 50 and each further nine, with others between them.
    fn percentiles(&self) -> Vec<Tick> {
        let mut shares = vec![(0, 0, 0), (25, 2, 2), (5, 1, 0), (75, 2, 2)];
        for nines in 1..=LAST_NINES {
            let nine = 10i64.pow(nines.unsigned_abs()) - 1;
            // Each nine, then as 95, 98 and 99.5 to 99 and 99.9.
            let far = if nines > 3 { 2 } else { 1 };
            let main = if nines > 4 && nines % 2 == 0 { 1 } else { 0 };
            shares.push((nine, nines, main));
            shares.push((nine * 10 + 5, nines + 1, far));
            shares.push((nine * 10 + 8, nines + 1, 2));
        }
        let held = shares.into_iter().map(|(digits, places, level)| {
            (decimal(digits, -places), decimal(digits, 2 - places).to_string(), level)
        });
        let held = held.filter(|(share, ..)| *share <= self.high * (1.0 + f64::EPSILON));
        let mut ticks: Vec<Tick> =
            held.map(|(share, label, level)| self.tick(share, label, level)).collect();
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        ticks
    }
}

/// `digits` times a power of ten, rounded once.
fn decimal(digits: i64, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(0.0)
}

/// 1, 2 and 5 times the powers of ten around a length, from small to large, with their exponents:
/// three decades below it and one above.
fn sizes(length: f64) -> impl DoubleEndedIterator<Item = (i64, i32)> {
    let exponent = length.max(f64::from_bits(1)).log10().floor() as i32;
    (exponent - 2..=exponent + 2).flat_map(|e| [1, 2, 5].map(|m| (m, e)))
}

/// The steps of a logarithmic axis around a value that is positive, from small to large.
fn steps(value: f64) -> impl DoubleEndedIterator<Item = f64> {
    let steps = sizes(value).map(|(m, e)| decimal(m, e));
    steps.filter(|step| step.is_finite() && *step > 0.0)
}

/// A value in the words of its unit.
pub(crate) fn words(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Ns if value == 0.0 || (1e-3..1e17).contains(&value.abs()) => short_ns(value),
        Unit::Count if value.abs() >= 1e9 => format!("{} G", number(value / 1e9)),
        Unit::Count if value.abs() >= 1e6 => format!("{} M", number(value / 1e6)),
        Unit::Count if value.abs() >= 1e3 => format!("{} k", number(value / 1e3)),
        Unit::Share => format!("{} %", number(value * 100.0)),
        Unit::Change if value > 0.0 => format!("+{} %", number(value * 100.0)),
        Unit::Change => format!("{} %", number(value * 100.0)),
        Unit::Seconds if (1e-9..1.0).contains(&value.abs()) => short_ns(value * 1e9),
        _ => exact(unit, value),
    }
}

/// A value with all digits that distinguish it from others.
fn exact(unit: Unit, value: f64) -> String {
    let value = match (0.001..1e7).contains(&value.abs()) {
        _ if value == 0.0 => "0".into(),
        true if value.fract() == 0.0 => grouped(value),
        true => format!("{value}"),
        false => format!("{value:e}"),
    };
    match unit {
        Unit::Ns => format!("{value} ns"),
        Unit::Seconds => format!("{value} s"),
        Unit::Count => value,
        // As a factor, because a percentage of the largest numbers is none.
        Unit::Share | Unit::Change => format!("{value} x 100 %"),
    }
}

/// A number without the traces of binary fractions.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.9e}").parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".into(),
        1e-4..1e7 if rounded.fract() == 0.0 => grouped(rounded),
        1e-4..1e7 => format!("{rounded}"),
        _ => format!("{rounded:e}"),
    }
}

/// The powers of ten around these values; none if none of them is finite and positive.
pub fn decades(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let power = |log: f64| 10f64.powi(log as i32);
    let around = |(low, high): (f64, f64)| [power(low.log10().floor()), power(high.log10().ceil())];
    ends(values).map(around).into_iter().flatten().collect()
}
/// The least and the largest of these values, without those that are not finite and positive.
fn ends(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let values = values.into_iter().filter(|v| v.is_finite() && *v > 0.0).map(|v| (v, v));
    values.reduce(|(low, high), (v, _)| (low.min(v), high.max(v)))
}
