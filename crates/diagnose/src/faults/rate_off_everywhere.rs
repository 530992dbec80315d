//! No clock here can show that all of them run fast or slow.

use super::Fault;
use chronoscope_model::Trust;
use chronoscope_model::comparison::Standing;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "rate-off-everywhere",
    title: "The rate of the clocks is unverified",
    about: "Every clock that could be compared counts the same oscillator. If that runs fast or \
            slow, or the hypervisor scales it wrong, all clocks of this machine are off alike, and \
            nothing inside it can show that.",
    fix: "Let NTP or PTP synchronise the clock, and ask again; `chronoscope trust --duration \
          10min` uses them. Or compare with another machine by hand for an hour.",
    reference: "METHOD.md, Trust: Independence; microsoft/WSL#11790",
    certainty: Certainty::Unknown,
    looks_at: "what the rates were compared with",
    needs: &[],
    minor: true,
    look: |report, fault| {
        if report.trust.as_ref().is_some_and(Trust::rate_is_verified) {
            return None;
        }
        let rates = report.environment.counter_rates().iter();
        let compared = rates.filter_map(|rate| Some((rate, rate.compared.as_ref()?)));
        let compared: Vec<_> = compared.collect();
        if compared.is_empty()
            || compared.iter().any(|(_, with)| with.standing == Standing::Independent)
        {
            return None;
        }
        let evidence = compared
            .iter()
            .map(|(rate, with)| {
                let (name, standing) = (&rate.source, with.standing.name());
                format!("{name} against {}: {standing}; {}", with.with, with.why)
            })
            .collect();
        fault.found(Level::Info, Certainty::Unknown, evidence)
    },
};
