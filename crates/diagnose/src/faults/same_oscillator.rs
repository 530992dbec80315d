//! Every reference here counts the same oscillator.

use super::{Fault, Need};
use crate::reading::source;
use chronoscope_model::comparison::Standing;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "same-oscillator",
    title: "All clocks here count the same oscillator",
    about: "The kernel keeps time with the processor's counter, so comparing that counter with the \
            system's clocks shows errors of calibration and jumps, but never a wrong rate.",
    fix: "Nothing is wrong. If the rate matters, compare with NTP, PTP or an RTC: `chronoscope \
          trust` does if there is one.",
    reference: "METHOD.md, Trust: Independence",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource, and what the rate was compared with",
    needs: &[Need::ClockSource],
    minor: true,
    look: |report, fault| {
        let env = &report.environment;
        let same = env.counter_rates().iter().any(|rate| {
            let compared = rate.compared.as_ref();
            compared.is_some_and(|with| with.standing == Standing::SameOscillator)
        });
        if !same || !env.keeps_time_by_counter() {
            return None;
        }
        let source = source(env)?;
        let evidence = vec![format!("current_clocksource: {source}, which the counter drives")];
        fault.found(Level::Info, Certainty::Evidence, evidence)
    },
};
