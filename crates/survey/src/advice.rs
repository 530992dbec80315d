//! The measurements that advice needs.

use crate::waits;
use chronoscope_diagnose::advise::{Basis, Purpose};
use chronoscope_measure::clocks;
use chronoscope_measure::engine::schedule;
use chronoscope_measure::run::measurement::{Error, Measurement, Setting};
use chronoscope_model::waits::WaitSpec;
use chronoscope_model::{Report, Spec};
use chronoscope_probes::clocks::ALL;
use std::time::Duration;

/// A request for the measurements that advice needs, in 4 s for clocks, 19 s for waits, and 8 s for
/// waits of one duration unless it is longer than 10 ms.
pub struct Request {
    basis: Basis,
    wait: Option<Duration>,
}

impl Request {
    /// A request for this purpose, or without one for every purpose of clocks.
    pub fn of(purpose: Option<&Purpose>) -> Self {
        Self { basis: purpose.map_or(Basis::Clocks, Purpose::basis), wait: None }
    }

    /// A request for waits, of this duration alone if there is one.
    pub fn waits(wait: Option<Duration>) -> Self {
        Self { basis: Basis::Waits, wait }
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        match self.basis {
            Basis::Clocks => {
                let clocks =
                    clocks::Request { entries: ALL.to_vec(), ..clocks::Request::default() };
                clocks.within(setting.budget.unwrap_or(schedule::ADVICE.time), setting, report)
            }
            Basis::Waits => {
                let wait = self.wait.into_iter().collect();
                report.spec = Some(Spec::Waits(WaitSpec { wait, ..WaitSpec::default() }));
                let overview = waits::Request::overview(self.wait);
                Box::new(overview).measure(setting, report)
            }
        }
    }
}
