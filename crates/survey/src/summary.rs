//! The measurements that the tool makes without a command: every clock and a few waits.

use crate::{overview, waits};
use chronoscope_measure::clocks;
use chronoscope_measure::measurement::{Error, Measurement, Progress, Setting};
use chronoscope_measure::notes;
use chronoscope_measure::schedule::{SUMMARY, SUMMARY_WAITS};
use chronoscope_model::Report;
use chronoscope_model::waits::WaitSpec;
use chronoscope_probes::clocks::{ALL, Entry};
use std::time::Duration;

/// The methods whose waits are measured: a sleep in this language, a sleep until a deadline, a
/// spin, and the library's own wait.
const METHODS: [&str; 4] =
    ["rust/thread-sleep", "linux/clock_nanosleep-abs", "busy/monotonic", "chronoscope/wait"];

/// A request for the measurements that the tool makes without a command, in 12 s.
pub struct Request {
    /// The clocks.
    pub clocks: Vec<&'static Entry>,
    /// Whether a few waits are measured too.
    pub waits: bool,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let budget = setting.budget.unwrap_or(SUMMARY.time);
        (setting.progress)(Progress::Time(budget));
        let for_waits = if self.waits { SUMMARY_WAITS.of(budget) } else { Duration::ZERO };
        if self.clocks.len() < ALL.len() {
            report.notes.push(notes::only_some_clocks(self.clocks.len(), ALL.len()));
        }
        let clocks = clocks::Request { entries: self.clocks, ..clocks::Request::default() };
        clocks.within(budget.saturating_sub(for_waits), setting, report)?;
        if self.waits {
            let asked = WaitSpec {
                ids: METHODS.map(String::from).to_vec(),
                wait: overview::DURATIONS.to_vec(),
                ..WaitSpec::default()
            };
            waits::after_clocks(asked, for_waits, setting, report);
        }
        Ok(())
    }
}
