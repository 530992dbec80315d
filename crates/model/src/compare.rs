//! Several reports next to each other, of different machines or of one machine at different times.

mod change;
mod history;
mod row;

pub use change::{Change, Counts, Difference, Shared, Side};
pub use history::{History, LeftOut, Other, Trend, Turn, Unread};
pub use row::{Bounds, Figure, Key, Method, Quantity, Row, Section, Unit, Verdict};

use crate::clock::{Language, Scope};
use crate::overhead::Centre;
use serde::{Deserialize, Serialize};

/// The version of the comparison's format that this crate writes.
pub const SCHEMA: &str = "chronoscope.comparison/1";

/// What changed between reports, and what they have in common. Each list called `on` has an element
/// for each report, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// [`SCHEMA`].
    pub schema: String,
    /// How the changes were judged.
    #[serde(default)]
    pub method: Method,
    /// How many pairs of runs were made; absent unless that is the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u32>,
    /// The seed of the order in which those runs were made, and of what follows from it; absent
    /// unless that is the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The share by which a row has to be worse for the command to fail; absent if none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Whether a row is worse by more than that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exceeded: bool,
    /// What changed from the first report to the second; absent if nothing was compared.
    #[serde(flatten)]
    pub change: Option<Change>,
    /// What changed from the first report to each further one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Change>,
    /// The earlier runs, if they are how the changes were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
    /// Each report of a folder or a stream, next to the first report: the one with most worse rows
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
    /// The reports.
    pub reports: Vec<Source>,
    /// Every clock of any report; empty if a report has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<ClockRow>,
    /// The clocks to use if one method has to work on all machines, those for intervals first, and
    /// of these the cheapest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub portable: Vec<Portable>,
    /// What timing adds to a loop, for each clock and shape of the loop; empty if a report has
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overhead: Vec<OverheadRow>,
}

/// A report, and the machine that it was made on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The file, as it was named.
    pub file: String,
    /// [`Run::id`](crate::Run).
    pub run: String,
    /// The start of the run, in UTC as RFC 3339.
    pub started: String,
    /// The architecture that the tool was built for.
    pub arch: String,
    /// The processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// The system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The hypervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<String>,
}

/// A clock on all machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockRow {
    /// Its name in the catalogue.
    pub id: String,
    /// The call as a user writes it.
    pub call: String,
    /// The language in which the reading code was compiled.
    pub language: Language,
    /// What its time refers to, on the first machine that has it.
    pub scope: Scope,
    /// Whether its values are ticks whose length a program has to find out itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// What was found on each machine.
    pub on: Vec<Found>,
    /// The geometric mean of its costs in nanoseconds, if it works on all machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<f64>,
}

impl ClockRow {
    /// Whether it keeps the time of an hour in milliseconds on every machine.
    pub fn works(&self) -> bool {
        self.on.iter().all(|found| found.problem.is_none())
    }

    /// Whether every machine has it.
    pub fn exists(&self) -> bool {
        self.on.iter().all(|found| found.problem != Some(Problem::NotThere))
    }
}

/// A clock on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// The cost of a read back to back, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ns: Option<f64>,
    /// Lower end of its 95 % interval, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_ns: Option<f64>,
    /// Upper end of the same interval, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_ns: Option<f64>,
    /// The cost, divided by that of the cheapest clock without a problem on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The resolution, in nanoseconds: the distance between two values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_ns: Option<f64>,
    /// Whether it followed an interval of 100 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<bool>,
    /// When its value wraps, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wraps_after_s: Option<f64>,
    /// The first reason against keeping the time of an hour in milliseconds with it here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// Why a clock does not keep the time of an hour in milliseconds on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Problem {
    /// The machine does not have it.
    NotThere,
    /// The report does not hold it, or no cost of it.
    NotMeasured,
    /// It did not follow the interval of 100 ms.
    Off,
    /// Whether it follows an interval was not tested.
    NotTested,
    /// It wraps within an hour.
    Wraps,
    /// Its values are more than a millisecond apart.
    Coarse,
    /// The verdict on it is to avoid it.
    Avoid,
}

/// A clock to use on all machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Portable {
    /// Its name in the catalogue.
    pub id: String,
    /// The call as a user writes it.
    pub call: String,
    /// The language that it is the cheapest of.
    pub language: Language,
    /// Local time, for intervals; or universal time, for dates.
    pub scope: Scope,
    /// The geometric mean of its costs, in nanoseconds.
    pub mean_ns: f64,
}

/// The overhead of timing on all machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverheadRow {
    /// The clock.
    pub id: String,
    /// How many samples were asked for.
    pub samples: u64,
    /// Iterations per sample.
    pub n: u64,
    /// Integers summed in each iteration.
    pub m: u64,
    /// What was found on each machine; `null` if it was not measured there in this shape.
    pub on: Vec<Option<OverheadFound>>,
}

/// The overhead of timing on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverheadFound {
    /// How many samples were taken.
    pub taken: u64,
    /// An iteration without timing.
    pub baseline: Centre,
    /// An iteration with timing.
    pub timed: Centre,
    /// Timed minus baseline, sample by sample.
    pub overhead: Centre,
}
