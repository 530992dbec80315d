//! A leap second is due.

use super::{Fault, Need};
use chronoscope_model::timekeeping::Adjtimex;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "leap-pending",
    title: "A leap second is due at the end of this day (UTC)",
    about: "The kernel will insert or delete a second at midnight UTC. The wall clock then repeats \
            or skips one, and durations measured with it across midnight are off by a second.",
    fix: "Measure durations with a monotonic clock. If there is no leap second (IERS Bulletin C \
          announces them), find out which server says so: `chronyc tracking`, `ntpq -c rv`.",
    reference: "adjtimex(2), STA_INS and STA_DEL; IERS Bulletin C",
    certainty: Certainty::Evidence,
    looks_at: "adjtimex(2)",
    needs: &[Need::Linux, Need::Discipline],
    minor: false,
    look: |report, fault| {
        let answer = report.environment.keeping.as_ref()?.adjtimex?;
        let bits = [(Adjtimex::STA_INS, "STA_INS"), (Adjtimex::STA_DEL, "STA_DEL")];
        let set = bits.iter().find(|(bit, _)| answer.status & bit != 0)?;
        let evidence = vec![format!("adjtimex: {}: {}", answer.line(), set.1)];
        fault.found(Level::Warning, Certainty::Evidence, evidence)
    },
};
