//! The kernel does not say whether its clock is synchronised.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "adjtimex-denied",
    title: "Whether the clock is synchronised cannot be asked",
    about: "adjtimex(2) was refused, mostly by a sandbox's filter of system calls. It would set \
            nothing here. Whether the clock is synchronised, slewed, or about to be stepped by a \
            leap second is therefore unknown, which is neither good nor bad.",
    fix: "Allow adjtimex in the container's profile (Docker allows it with CAP_SYS_TIME; a newer \
          profile allows reading), or ask on the host.",
    reference: "adjtimex(2); prometheus/node_exporter, timex collector",
    certainty: Certainty::Unknown,
    looks_at: "the error of adjtimex(2)",
    needs: &[Need::Linux],
    minor: true,
    look: |report, fault| {
        let error = report.environment.keeping.as_ref()?.adjtimex_refused.as_deref()?;
        let evidence = vec![format!("adjtimex: {error}")];
        fault.found(Level::Info, Certainty::Unknown, evidence)
    },
};
