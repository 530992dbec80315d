//! Noise with a known answer, for judging the estimators, and the judgement of two estimates.
//!
//! The truth is zero and the noise has a standard deviation of one, so a figure in the coverage
//! table reads as a fraction of the noise. Used by the tests and by `examples/coverage.rs`.

use fastrand::Rng;
use std::f64::consts::TAU;
use std::ops::Range;

/// A kind of noise around a truth of zero, with a core of standard deviation one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Gaussian, nothing else.
    Gaussian,
    /// A share of the samples is late by an exponential delay of the given mean (interrupts).
    Delayed {
        /// Share of delayed samples, 0 to 1.
        share: f64,
        /// Mean delay, in standard deviations of the core.
        mean: f64,
    },
    /// Rounded to a tick whose phase against the truth is random in every draw.
    Quantised {
        /// The tick, in standard deviations of the core.
        tick: f64,
    },
    /// Runs of consecutive samples are all shifted up (a slow period).
    Spells {
        /// Share of shifted samples, 0 to 1. It is exact, so the truth is always the majority's.
        share: f64,
        /// How far they are shifted, in standard deviations of the core.
        shift: f64,
        /// Mean length of such a run, in samples.
        length: f64,
    },
    /// Each sample depends on the one before (first-order autoregression).
    Correlated {
        /// Correlation of neighbours, -1 to 1.
        rho: f64,
    },
}

impl Noise {
    /// Fills `out` with samples, in the order in which they would be taken.
    pub fn fill(self, out: &mut [f64], rng: &mut Rng) {
        match self {
            Self::Gaussian => out.fill_with(|| gaussian(rng)),
            Self::Delayed { share, mean } => out.fill_with(|| {
                let late = if rng.f64() < share { exponential(rng) * mean } else { 0.0 };
                gaussian(rng) + late
            }),
            Self::Quantised { tick } => {
                let phase = rng.f64();
                out.fill_with(|| ((gaussian(rng) / tick + phase).round() - phase) * tick);
            }
            Self::Spells { share, shift, length } => {
                out.fill_with(|| gaussian(rng));
                let slow = (out.len() as f64 * share).round() as usize;
                let spells = ((slow as f64 / length).round() as usize).max(1);
                // One run in each of as many equal stretches, so that no two of them meet.
                for (stretch, spell) in shares(out.len(), spells).zip(shares(slow, spells)) {
                    let start = stretch.start + rng.usize(0..=stretch.len() - spell.len());
                    out[start..start + spell.len()].iter_mut().for_each(|x| *x += shift);
                }
            }
            Self::Correlated { rho } => {
                let fresh = (1.0 - rho * rho).max(0.0).sqrt();
                let mut last = gaussian(rng);
                out.fill_with(|| {
                    last = rho * last + fresh * gaussian(rng);
                    last
                });
            }
        }
    }
}

/// Splits `0..total` into `parts` ranges whose lengths differ by at most one.
fn shares(total: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    (0..parts).map(move |i| total * i / parts..total * (i + 1) / parts)
}

/// A standard Gaussian deviate (Box and Muller 1958).
pub fn gaussian(rng: &mut Rng) -> f64 {
    (2.0 * exponential(rng)).sqrt() * (TAU * rng.f64()).cos()
}

/// An exponential deviate of mean one, by inversion.
pub fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.f64()).ln()
}

/// Whether two estimates differ, each of them a value and half of its 95 % interval.
///
/// They differ if the distance of their values exceeds the root of the sum of their squared
/// half-widths. For two independent 95 % intervals that is the 95 % interval of the difference
/// (Goldstein and Healy 1995, *The graphical presentation of a collection of means*, JRSS A 158),
/// so two series of the same thing are found to differ in at most 5 of 100 trials.
/// This is a sharper test than whether the intervals overlap. An estimate that is not finite
/// differs from nothing, because nothing is known about it.
pub fn differ(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() > a.1.hypot(b.1)
}
