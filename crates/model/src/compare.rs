//! Several reports next to each other, of different machines or of one machine at different times.

use crate::clock::{Language, Scope};
use crate::load::Load;
use crate::loops::Centre;
use crate::waits::Policy;

/// The version of the comparison's format that this crate writes.
pub const SCHEMA: &str = "chronoscope.comparison/1";

/// What changed between reports, and what they have in common. Each list called `on` has an element
/// for each report, in their order.
#[record]
pub struct Compared {
    /// [`SCHEMA`].
    pub schema: String,
    /// How the changes were judged.
    #[serde(default)]
    pub method: Method,
    /// How many pairs of runs were made; absent unless that is the method.
    pub pairs: Option<u32>,
    /// The seed of the order in which those runs were made, and of what follows from it; absent
    /// unless that is the method.
    pub seed: Option<u64>,
    /// The share by which a row has to be worse for the command to fail; absent if none was given.
    pub threshold: Option<f64>,
    /// Whether a row is worse by more than that.
    pub exceeded: bool,
    /// What changed from the first report to the second; absent if nothing was compared.
    #[serde(flatten)]
    pub change: Option<Change>,
    /// What changed from the first report to each further one.
    pub more: Vec<Change>,
    /// The earlier runs, if they are how the changes were judged.
    pub history: Option<History>,
    /// Each report of a folder or a stream, next to the first report: the one with most worse rows
    /// first.
    pub others: Vec<Other>,
    /// The reports.
    #[always]
    pub reports: Vec<Source>,
    /// Every clock of any report; empty if a report has none.
    pub clocks: Vec<ClockRow>,
    /// The clocks to use if one method has to work on all machines, those for intervals first, and
    /// of these the cheapest.
    pub portable: Vec<Portable>,
    /// What timing adds to a loop, for each clock and shape of the loop; empty if a report has
    /// none.
    pub overhead: Vec<OverheadRow>,
}

/// A report, and the machine that it was made on.
#[record]
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
    pub processor: Option<String>,
    /// The system.
    pub os: Option<String>,
    /// The hypervisor.
    pub hypervisor: Option<String>,
}

/// A clock on all machines.
#[record]
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
    pub raw: bool,
    /// What was found on each machine.
    #[always]
    pub on: Vec<Found>,
    /// The geometric mean of its costs in nanoseconds, if it works on all machines.
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
#[record]
pub struct Found {
    /// The cost of a read back to back, in nanoseconds.
    pub read_ns: Option<f64>,
    /// Lower end of its 95 % interval, in nanoseconds.
    pub low_ns: Option<f64>,
    /// Upper end of the same interval, in nanoseconds.
    pub high_ns: Option<f64>,
    /// The cost, divided by that of the cheapest clock without a problem on this machine.
    pub ratio: Option<f64>,
    /// The resolution, in nanoseconds: the distance between two values.
    pub step_ns: Option<f64>,
    /// Whether it followed an interval of 100 ms.
    pub follows: Option<bool>,
    /// When its value wraps, in seconds.
    pub wraps_after_s: Option<f64>,
    /// The first reason against keeping the time of an hour in milliseconds with it here.
    pub problem: Option<Problem>,
}

/// Why a clock does not keep the time of an hour in milliseconds on a machine.
#[record(PartialOrd, Ord)]
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
#[record]
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
#[record]
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
    #[always]
    pub on: Vec<Option<OverheadFound>>,
}

/// The overhead of timing on one machine.
#[record]
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

/// What changed from A to B.
#[record]
pub struct Change {
    /// What it is compared with.
    pub a: Side,
    /// What is compared.
    pub b: Side,
    /// What costs are judged in.
    #[serde(default)]
    pub unit: Unit,
    /// Why, in a clause.
    #[absent]
    pub unit_why: String,
    /// Facts about the machines and the tool: those that differ, and those that a reader would ask
    /// for although they are the same.
    pub environment: Vec<Difference>,
    /// Every figure that both have.
    pub rows: Vec<Row>,
    /// What the changed rows share, and no other row has.
    pub shared: Vec<Shared>,
    /// Findings that only one has; the key is the id of the fault.
    pub findings: Vec<Difference>,
    /// Verdicts on clocks that are not the same; the key is the id of the clock.
    pub verdicts: Vec<Difference>,
    /// What differs in the tests of trust.
    pub trust: Vec<Difference>,
    /// What was taken from the runs of each pair of commands; empty unless commands other than this
    /// tool took turns.
    pub taken: Vec<TakenOfPair>,
    /// How many rows have each verdict.
    #[serde(default)]
    pub counts: Counts,
}

/// The shares that were taken from two runs by others, of the time in which they were ready to run,
/// 0 to 1; absent if that cannot be seen.
#[record(Copy)]
pub struct TakenOfPair {
    /// From the run of A.
    pub a: Option<f64>,
    /// From the run of B.
    pub b: Option<f64>,
}

/// One side of a comparison.
#[record]
pub struct Side {
    /// The file as it was named, or the words of the command that made the runs.
    pub file: String,
    /// [`Run::id`](crate::Run); empty if the side is several runs.
    #[absent]
    pub run: String,
    /// The start of the run, or of the first of them, in UTC as RFC 3339.
    pub started: String,
    /// The CPU that was measured on; absent if it is not known.
    pub cpu: Option<usize>,
    /// How many runs it is; absent unless the side is a set of stored runs.
    pub runs: Option<u32>,
    /// Why the run may be off as a whole; empty for a calm one.
    pub disturbed: Vec<String>,
}

/// A fact on both sides.
#[record(Eq)]
pub struct Difference {
    /// The fact, in a few words, or an id.
    pub key: String,
    /// What it is in A; absent if A has none.
    pub a: Option<String>,
    /// What it is in B; absent if B has none.
    pub b: Option<String>,
    /// Whether it may be why figures differ.
    pub matters: bool,
}

impl Difference {
    /// Whether both sides have the same.
    pub fn is_same(&self) -> bool {
        self.a == self.b
    }

    /// One side in words.
    pub fn words(side: &Option<String>) -> &str {
        side.as_deref().unwrap_or("none")
    }
}

/// A fact that all changed rows have, and no row that is the same.
#[record(Eq)]
pub struct Shared {
    /// The fact: `reads`, `built_on`, `language`, `kind`.
    pub fact: String,
    /// What it is, as the report spells it.
    pub value: String,
    /// How many changed rows have it.
    pub changed: usize,
    /// How many rows changed.
    pub of: usize,
    /// How many rows that are the same have it.
    pub same: usize,
}

/// How many rows have each verdict.
#[record(Copy, Eq)]
pub struct Counts {
    /// Worse, or higher on another machine.
    pub worse: usize,
    /// Better, or lower on another machine.
    pub better: usize,
    /// The same.
    pub same: usize,
    /// Those that are undecided.
    pub cannot_tell: usize,
}

/// How changes were judged.
#[record]
pub enum Method {
    /// By the intervals of stored reports.
    #[default]
    Stored,
    /// By pairs of runs that took turns in random order.
    Pairs,
    /// By how much earlier runs of the same machine differ.
    History,
    /// By how much the runs of each of two sets differ among themselves.
    Sets,
}

/// What costs are judged in.
#[record(Verbatim)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    #[default]
    Ns,
    /// Cycles of the core.
    CoreCycles,
}

/// The part of a report that a row is from.
#[record(Names, Hash, PartialOrd, Ord)]
pub enum Section {
    /// The clocks.
    #[default]
    Clocks,
    /// The waits.
    Waits,
    /// The clocks of language runtimes.
    Runtimes,
    /// What timing adds to a loop.
    Overhead,
    /// Commands: the time that they took, or what they printed.
    Commands,
}

/// What a row is about.
#[record(Names, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// The cost of a read back to back.
    #[default]
    Read,
    /// The cost of a read that is ordered after the one before.
    Ordered,
    /// The cost of a read after the caches were displaced.
    Cold,
    /// The cost of the first read of a process.
    First,
    /// How late a wait ended.
    Overshoot,
    /// What timing adds to an iteration.
    Overhead,
    /// The time that a command took, or one that it printed.
    Time,
    /// A figure that a command printed and that is no time.
    Metric,
}

/// What is said of a row.
#[record(Hash)]
pub enum Verdict {
    /// It costs more, and the change is neither chance nor small.
    Worse,
    /// It costs less, and the change is neither chance nor small.
    Better,
    /// It costs more on another machine, or is a larger metric, which may be better or worse.
    Higher,
    /// It costs less on another machine, or is a smaller metric.
    Lower,
    /// Any change is smaller than a bound, which is stated.
    Same,
    /// None of these.
    #[default]
    CannotTell,
}

impl Verdict {
    /// Those that say that something changed.
    pub const CHANGED: [Self; 4] = [Self::Worse, Self::Better, Self::Higher, Self::Lower];

    /// Whether it says that something changed.
    pub const fn changed(self) -> bool {
        !matches!(self, Self::Same | Self::CannotTell)
    }
}

/// A figure with its 95 % interval, in nanoseconds; a metric has its own unit.
#[record(Copy)]
pub struct Figure {
    /// The estimate; of several runs, their median.
    pub value_ns: f64,
    /// Lower end of the interval.
    pub low_ns: f64,
    /// Upper end of the interval.
    pub high_ns: f64,
}

/// What a row is about: a comparison has one row for each.
#[record(Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The part of the report.
    pub section: Section,
    /// The id of the clock, the wait, or the runtime and its clock; of a command, `wall-time` or
    /// the name of what it printed.
    pub id: String,
    /// What was measured of it.
    pub quantity: Quantity,
    /// The percentile of a wait: `p50`, `p99.9`; absent for costs.
    pub percentile: Option<String>,
    /// The duration that a wait asked for, in nanoseconds.
    pub requested_ns: Option<u64>,
    /// Its timer slack, in nanoseconds.
    pub slack_ns: Option<u64>,
    /// Its scheduler slice, in nanoseconds.
    pub slice_ns: Option<u64>,
    /// Its scheduling policy, if it was asked for one.
    pub policy: Option<Policy>,
    /// What ran alongside; absent for costs without a load.
    pub load: Option<Load>,
}

/// A figure that both sides have.
#[record]
pub struct Row {
    /// What it is about.
    #[serde(flatten)]
    pub key: Key,
    /// The figure in A.
    pub a: Figure,
    /// The figure in B.
    pub b: Figure,
    /// B divided by A, less 1, in the unit of the comparison.
    pub change: f64,
    /// Lower end of its 95 % interval, for this row alone.
    pub change_low: f64,
    /// Upper end of the same interval.
    pub change_high: f64,
    /// Any change is smaller than this share: the far end of the interval.
    pub at_most: f64,
    /// The probability of a difference as large as this one without a change, allowing for all
    /// rows that were judged; absent if the row was not judged.
    pub p: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the row is undecided, and what would decide it; absent for other verdicts.
    pub why: Option<String>,
    /// What is known of the change whatever the distribution; absent unless runs are compared.
    pub bounds: Option<Bounds>,
    /// B divided by A in each pair of runs; empty for stored reports.
    pub ratios: Vec<f64>,
}

/// How a run of B differs from one of A, whatever the distribution: medians of all quotients and
/// differences of a run of each, with intervals from the ranks of these. Of pairs, those of the
/// runs of each pair, and the means of every two of these (of quotients, the geometric ones).
#[record(Copy)]
pub struct Bounds {
    /// B divided by A.
    pub ratio: f64,
    /// Lower end of its interval.
    pub ratio_low: f64,
    /// Upper end of its interval.
    pub ratio_high: f64,
    /// B less A, in nanoseconds.
    pub shift_ns: f64,
    /// Lower end of its interval.
    pub shift_low_ns: f64,
    /// Upper end of its interval.
    pub shift_high_ns: f64,
    /// The probability that an interval misses what it encloses.
    pub misrate: f64,
}

/// Runs of the same machine and configuration, over time.
#[record]
pub struct History {
    /// The runs that took part, by their start.
    #[always]
    pub runs: Vec<Side>,
    /// The runs that took no part, by what differs.
    pub left_out: Vec<LeftOut>,
    /// The files that could not be read.
    pub unread: Vec<Unread>,
    /// Each figure over time, in the order of the rows.
    #[always]
    pub trends: Vec<Trend>,
}

/// Runs that took no part.
#[record]
pub struct LeftOut {
    /// What differs first: in these runs (A), and in the others (B).
    #[serde(flatten)]
    pub difference: Difference,
    /// How many runs these are.
    pub runs: usize,
    /// What changed from these to the runs that took part, both as sets; absent if they are too few
    /// or differ in nothing that matters.
    pub judged: Option<Box<Change>>,
}

impl LeftOut {
    /// What differs: `kernel 6.1, not 6.2`.
    pub fn why(&self) -> String {
        let it = &self.difference;
        match (&it.a, &it.b) {
            (None, None) => it.key.clone(),
            (a, b) => format!("{} {}, not {}", it.key, Difference::words(a), Difference::words(b)),
        }
    }
}

/// A file that could not be read.
#[record(Eq)]
pub struct Unread {
    /// Its name.
    pub file: String,
    /// Why.
    pub why: String,
}

/// A figure over time.
#[record]
pub struct Trend {
    /// What it is about.
    #[serde(flatten)]
    pub key: Key,
    /// The figure in each run, in the unit that it was judged in; `null` if the run does not have
    /// it.
    #[always]
    pub values: Vec<Option<f64>>,
    /// When it changed, the earliest first.
    pub turns: Vec<Turn>,
}

/// A run that began a new level: it and the next one lie on the same side of those before.
#[record]
pub struct Turn {
    /// The place of the run, from 0.
    pub run: usize,
    /// Its start, in UTC as RFC 3339.
    pub started: String,
    /// The new level divided by the old one, less 1.
    pub change: f64,
}

/// A report of many, next to the one that all are compared with.
#[record]
pub struct Other {
    /// The report. Of a stream, the file is followed by the line.
    #[serde(flatten)]
    pub side: Side,
    /// What differs between the machines and may be why figures differ.
    pub differs: Vec<Difference>,
    /// How many rows have each verdict.
    #[serde(default)]
    pub counts: Counts,
    /// The row that is worse by the largest share or, if none is, better by it; absent if nothing
    /// changed.
    pub most: Option<Row>,
    /// Why it cannot be read or compared; absent if it was.
    pub error: Option<String>,
}
