//! The rates of clocks against each other.

use crate::comparison::Standing;
use serde::{Deserialize, Serialize};

/// How much faster one clock runs than another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RateAgainst {
    /// The clock.
    pub id: String,
    /// The reference.
    pub against: String,
    /// By how much the clock runs faster than the reference, in parts per million. The nominal
    /// length of its unit is that of its interface; for the counter, it follows from the rate that
    /// the processor, the hypervisor or the kernel states, or else from the ruler's.
    pub ppm: f64,
    /// Lower end of the 95 % interval.
    pub low_ppm: f64,
    /// Upper end of the 95 % interval.
    pub high_ppm: f64,
    /// How many pairs of values the rate is based on.
    pub pairs: u64,
    /// Over which time, in seconds.
    pub seconds: f64,
    /// Whether the reference can show a wrong rate.
    pub standing: Standing,
    /// Why, in a clause.
    pub why: String,
}

impl RateAgainst {
    /// Half the width of the interval, in parts per million.
    pub fn half_width_ppm(&self) -> f64 {
        (self.high_ppm - self.low_ppm) / 2.0
    }

    /// Whether the interval excludes a rate of 0.
    pub fn differs(&self) -> bool {
        self.low_ppm > 0.0 || self.high_ppm < 0.0
    }
}

/// Something outside the machine, or with an oscillator of its own, that can show a wrong rate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outside {
    /// What it is, such as `chrony` or `linux/ptp`.
    pub id: String,
    /// Whether a rate was compared with it.
    pub used: bool,
    /// What it shows, or why it is not there, in a clause.
    pub text: String,
}
