//! What a run of chronoscope found: the types of the report, their JSON Schema, units and
//! histograms. Nothing in this crate runs a measurement or prints to a screen.
//!
//! A report is one JSON document. [`SCHEMA`] names its version. Within a version, keys are only
//! ever added, so a reader must ignore keys that it does not know and treat absent ones as empty.
//! A figure that could not be obtained is absent and a reason is given; it is never zero.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[macro_use]
extern crate chronoscope_model_macros;

pub mod advice;
pub mod against;
pub mod between;
pub mod change;
pub mod clock;
pub mod clock_source;
pub mod compare;
pub mod deltas;
pub mod environment;
pub mod estimate;
pub mod finding;
pub mod histogram;
pub mod kernel_log;
pub mod load;
pub mod loops;
pub mod noise;
pub mod ordering;
pub mod page;
pub mod quantile;
pub mod recording;
pub mod run;
pub mod runtimes;
pub mod schema;
pub mod snippet;
pub mod spec;
pub mod timekeeping;
pub mod trust;
pub mod units;
pub mod waits;
pub mod why;

pub use advice::{Advice, Shortest};

pub use clock::Clock;
pub use environment::Environment;
pub use estimate::Estimate;
pub use finding::{About, Certainty, Check, Finding, Level};
pub use page::Page;
pub use run::{Note, Ruler, Run};
pub use runtimes::Runtime;
pub use spec::Spec;
pub use trust::Trust;
pub use waits::Wait;
use why::Why;

/// The version of the report format that this crate writes.
pub const SCHEMA: &str = "chronoscope.report/1";

/// Everything that one run found.
#[record]
pub struct Report {
    /// Name and version of the document's schema, [`SCHEMA`].
    pub schema: String,
    /// When, how and by which version the report was made.
    pub run: Run,
    /// The machine, as it was found.
    pub environment: Environment,
    /// The clock that all durations in this report were measured with; absent if nothing was
    /// measured.
    pub ruler: Option<Ruler>,
    /// The clocks, in the order of the catalogue.
    pub clocks: Vec<Clock>,
    /// What reads cost under each load that was asked for, clock by clock. Nothing is judged by
    /// these.
    pub clocks_under_load: Vec<Clock>,
    /// The differences between successive reads, one entry per clock asked for.
    pub deltas: Vec<deltas::Deltas>,
    /// The mean of a million calls, the mean of ten, and a single call, in three passes.
    pub calls: Vec<loops::Calls>,
    /// What timing adds to a real loop.
    pub overhead: Vec<loops::Overhead>,
    /// How far repeated work varies, and what made it vary.
    pub noise: Option<noise::Noise>,
    /// A command that was watched, and what was taken from it.
    pub watched: Option<noise::Watched>,
    /// What each load next to clocks, differences or calls really got.
    pub load_runs: Vec<waits::LoadRun>,
    /// How precisely one can wait, one row per method, duration and load.
    pub waits: Vec<Wait>,
    /// What was asked of the run; absent if its measurement has no [`Spec`].
    pub spec: Option<Spec>,
    /// What the waits are, as asked for and as the tool chose; a checkpoint is resumed from this
    /// plan.
    pub waits_plan: Option<waits::Plan>,
    /// The clocks of language runtimes, one row per runtime and build.
    pub runtimes: Vec<Runtime>,
    /// Whether the clocks can be trusted: backward steps, agreement between CPUs, rates, and what
    /// happened to the machine meanwhile.
    pub trust: Option<Trust>,
    /// How far the clocks are from others: servers of time, the host.
    pub against: Option<against::Against>,
    /// The same measurements under each clock source of the kernel.
    pub sweep: Vec<sweep::Source>,
    /// What the run left out or did differently.
    pub notes: Vec<Note>,
    /// Problems and facts worth knowing, with the evidence.
    pub findings: Vec<Finding>,
    /// What was looked for, and what came of it; only if that was asked for.
    pub checks: Vec<Check>,
    /// Which clock to use for which purpose.
    pub advice: Vec<Advice>,
}

impl Report {
    /// Reads a report from JSON. This, and what writes one, is compiled only here: of all that
    /// handles many reports, it takes the longest.
    ///
    /// # Errors
    /// The bytes are not a report.
    pub fn read(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }

    /// The report as a JSON value. It is read from the text, because the serializer for values
    /// would compile each type once more.
    ///
    /// # Errors
    /// None are known, because its keys are strings.
    pub fn value(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::from_slice(&self.compact()?)
    }

    /// The report as JSON without spaces.
    ///
    /// # Errors
    /// None are known, because its keys are strings.
    pub fn compact(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// Whether the report has the name of a process that belongs to another user.
    pub fn names_others(&self) -> bool {
        let mut why = self.waits.iter().filter_map(|wait| wait.why.as_ref());
        let named = |it: &why::Culprit| it.other_user && it.name.is_some();
        why.any(|why| why.all_culprits().any(named))
            || self.watched.as_ref().is_some_and(noise::Watched::names_others)
    }

    /// Removes the names of processes that belong to other users.
    pub fn withhold_names(&mut self) {
        let why = self.waits.iter_mut().filter_map(|wait| wait.why.as_mut());
        why.for_each(Why::withhold_names);
        self.watched.iter_mut().for_each(noise::Watched::withhold_names);
    }
}

/// The same measurements under each clock source of the kernel.
pub mod sweep {
    use crate::{Clock, deltas::Deltas};

    /// What was measured under one clock source.
    #[record]
    pub struct Source {
        /// The clock source, as the kernel names it.
        pub name: String,
        /// Whether it was in use when the run began.
        #[always]
        pub original: bool,
        /// Why nothing, or not everything, was measured under it.
        pub left_out: Option<String>,
        /// What the clocks cost under it, and what their resolution is.
        pub clocks: Vec<Clock>,
        /// The differences between their successive reads.
        pub deltas: Vec<Deltas>,
    }
}

/// Files that the tool holds compressed: as they are, they would be a twentieth of it.
pub mod packed {
    pub use chronoscope_model_macros::packed;
    use std::io::Read;

    /// The bytes of a file that [`packed!`] compressed.
    pub fn bytes(packed: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(packed).read_to_end(&mut bytes).expect("our own file");
        bytes
    }

    /// The text of such a file.
    pub fn text(packed: &[u8]) -> String {
        String::from_utf8(bytes(packed)).expect("our own text")
    }
}

/// Whether a value may be absent from JSON.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
