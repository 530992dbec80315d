//! Every clock and a few waits: what the tool shows without a command.

use crate::waits;
use chronoscope_measure::clocks;
use chronoscope_measure::measurement::{Error, Measurement, Setting};
use chronoscope_measure::notes;
use chronoscope_model::Report;
use chronoscope_model::waits::Load;
use chronoscope_probes::clocks::{ALL, Entry};
use std::time::Duration;

/// The time that a summary takes; most need two thirds of it.
const BUDGET: Duration = Duration::from_secs(12);

/// The share of a summary's time that the waits get.
const WAITS_SHARE: f64 = 0.16;

/// A request for what the tool shows without a command, in 12 s.
pub struct Request {
    /// The clocks.
    pub clocks: Vec<&'static Entry>,
    /// Whether a few waits are measured too.
    pub waits: bool,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let budget = setting.budget.unwrap_or(BUDGET);
        let for_waits = if self.waits { budget.mul_f64(WAITS_SHARE) } else { Duration::ZERO };
        if self.clocks.len() < ALL.len() {
            report.notes.push(notes::only_some_clocks(self.clocks.len(), ALL.len()));
        }
        let clocks = clocks::Request { entries: self.clocks, calls: None };
        clocks.within(budget.saturating_sub(for_waits), setting, report)?;
        if !self.waits {
            return Ok(());
        }
        setting.cpu = report.ruler.as_ref().and_then(|ruler| ruler.cpu);
        let found = waits::glance(setting, report, for_waits, &[Load::None]);
        if !setting.interrupt.is_set() {
            let missing = waits::left_out(report, found.err(), for_waits);
            report.notes.extend(missing);
        }
        Ok(())
    }
}
