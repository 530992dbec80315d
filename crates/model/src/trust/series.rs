//! How the clocks ran over a whole watch, and what a later run needs to continue it.

use serde::{Deserialize, Serialize};

/// How the clocks ran against one of them over the whole watch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Series {
    /// When the watch began, in UTC as RFC 3339, by the system's clock at that time.
    pub started: String,
    /// The clock that the others are compared with: one that is never slewed if there is one, or
    /// else the counter.
    pub against: String,
    /// The least time between two points, in seconds: 1, doubled each time that there would be more
    /// than 512 points, of which every second one is then dropped.
    pub spacing_s: f64,
    /// The times of the points, in seconds since the start by the counter.
    pub at_s: Vec<f64>,
    /// The clocks, with one figure for each point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<Course>,
}

/// How one clock ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Course {
    /// The clock, or the counter as it is read.
    pub id: String,
    /// The first of the points at which it had been read, from 0.
    #[serde(default, skip_serializing_if = "is_start")]
    pub first: usize,
    /// How far it got ahead of the reference since the start of the watch, in nanoseconds, steps
    /// and jumps included, at the first point and at each one after it. Each value was read between
    /// two reads of the counter, and the tightest of three such brackets counts.
    pub offset_ns: Vec<f64>,
    /// How much of each of these came from steps and jumps, in nanoseconds; empty if nothing did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stepped_ns: Vec<f64>,
    /// How much faster than the reference it ran from each of these points to the next, in parts
    /// per million, without steps and jumps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rate_ppm: Vec<f64>,
}

fn is_start(first: &usize) -> bool {
    *first == 0
}

impl Course {
    /// The offset at a point of the series, and how much of it came from steps and jumps, in
    /// nanoseconds.
    pub fn at(&self, point: usize) -> Option<[f64; 2]> {
        let nth = point.checked_sub(self.first)?;
        Some([*self.offset_ns.get(nth)?, self.stepped_ns.get(nth).copied().unwrap_or(0.0)])
    }

    /// The rate from the point before to this one, in parts per million.
    pub fn rate_at(&self, point: usize) -> Option<f64> {
        self.rate_ppm.get(point.checked_sub(self.first)?.checked_sub(1)?).copied()
    }
}

/// Where a watch ended, from which a later run on the same machine and boot continues it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Anchor {
    /// What distinguishes this boot of the machine from all others; empty if the system does not
    /// say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub boot: String,
    /// The counter that brackets all reads.
    pub counter: String,
    /// The length of its tick, in nanoseconds.
    pub tick_ns: f64,
    /// Its value at the first look, and at the last.
    pub looks: [u64; 2],
    /// The clocks at the last look.
    pub clocks: Vec<Anchored>,
}

/// A clock at the last look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Anchored {
    /// The clock.
    pub id: String,
    /// The counter before, the clock, and the counter after its last read.
    pub read: [u64; 3],
    /// How far it got ahead of the counter since the start, in nanoseconds, steps and jumps
    /// included.
    pub ahead_ns: f64,
    /// How much of that came from steps and jumps, in nanoseconds.
    pub stepped_ns: f64,
}
