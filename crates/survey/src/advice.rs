//! The measurements that advice needs.

use crate::waits;
use chronoscope_diagnose::advise::{Basis, Purpose};
use chronoscope_measure::measurement::{Error, Measurement, Setting};
use chronoscope_measure::{clocks, schedule};
use chronoscope_model::waits::WaitSpec;
use chronoscope_model::{Report, Spec};
use chronoscope_probes::clocks::ALL;

/// A request for the measurements that advice needs, in 4 s for clocks and 19 s for waits.
pub struct Request(Basis);

impl Request {
    /// A request for this purpose, or without one for every purpose of clocks.
    pub fn of(purpose: Option<&Purpose>) -> Self {
        Self(purpose.map_or(Basis::Clocks, Purpose::basis))
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        match self.0 {
            Basis::Clocks => {
                let clocks =
                    clocks::Request { entries: ALL.to_vec(), ..clocks::Request::default() };
                clocks.within(setting.budget.unwrap_or(schedule::ADVICE.time), setting, report)
            }
            Basis::Waits => {
                report.spec = Some(Spec::Waits(WaitSpec::default()));
                let overview = waits::Request::of(WaitSpec::default());
                let overview = overview.map_err(|error| Error::Invalid(error.to_string()))?;
                Box::new(overview).measure(setting, report)
            }
        }
    }
}
