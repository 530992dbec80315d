//! What advice follows from.

use crate::waits;
use chronoscope_diagnose::advise::{Basis, Purpose};
use chronoscope_measure::clocks;
use chronoscope_measure::measurement::{Error, Measurement, Setting};
use chronoscope_model::Report;
use chronoscope_model::waits::Load;
use chronoscope_probes::clocks::ALL;
use std::time::Duration;

/// The time that it takes.
const BUDGET: Duration = Duration::from_secs(4);

/// The loads that advice on waits is measured under: those that need no privilege.
const LOADS: [Load; 3] = [Load::None, Load::Low, Load::Normal];

/// A request for the figures that advice needs.
pub(crate) struct Request(Basis);

impl Request {
    /// For this purpose; for every purpose of clocks if there is none.
    pub(crate) fn of(purpose: Option<&Purpose>) -> Self {
        Self(purpose.map_or(Basis::Clocks, Purpose::basis))
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let budget = setting.budget.unwrap_or(BUDGET);
        match self.0 {
            Basis::Clocks => {
                let clocks = clocks::Request {
                    entries: ALL.to_vec(),
                    calls: None,
                };
                clocks.within(budget, setting, report)
            }
            Basis::Waits => {
                let found = waits::glance(setting, report, budget, &LOADS);
                waits::require(report, found.err(), budget, &setting.interrupt)
            }
        }
    }
}
