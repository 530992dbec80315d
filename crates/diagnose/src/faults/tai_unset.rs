//! Nobody told the kernel how far TAI is from UTC.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "tai-unset",
    title: "CLOCK_TAI is not set: it gives UTC",
    about: "CLOCK_TAI is UTC plus a number of seconds that a program must set (37 since 2017). \
            Nobody did, so the clock gives UTC and steps at leap seconds like it.",
    fix: "If you need TAI: `leapsectz right/UTC` in chrony's configuration, or a leap file for \
          ntpd; ptp4l's phc2sys sets it too. Otherwise do not use CLOCK_TAI.",
    reference: "clock_gettime(2), CLOCK_TAI; adjtimex(2), tai; IERS Bulletin C",
    certainty: Certainty::Evidence,
    looks_at: "adjtimex(2)",
    needs: &[Need::Linux, Need::Discipline],
    minor: true,
    look: |report, fault| {
        let answer = report.environment.keeping.as_ref()?.adjtimex?;
        if answer.tai_s != 0 {
            return None;
        }
        fault.found(Level::Info, Certainty::Evidence, vec![format!("adjtimex: {}", answer.line())])
    },
};
