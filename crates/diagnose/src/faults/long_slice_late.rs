//! Other threads' time slices make waits late.

use super::{Fault, Need};
use chronoscope_model::Certainty;
use chronoscope_model::why::Cause;

pub(super) const FAULT: Fault = Fault {
    id: "long-slice-late",
    title: "Awake threads wait for their CPU",
    about: "Most of the lateness is time in the run queue: the thread was awake, and threads of \
            the same priority first used up their time slices of some 3 ms. Since Linux 6.12 an \
            ordinary thread may ask for a shorter slice of its own, and is then scheduled sooner \
            after it wakes. That takes no privilege and no larger share of the CPU.",
    fix: "sched_setattr(0, SCHED_OTHER, sched_runtime = 100 us) in the waiting thread (Linux 6.12 \
          or later); otherwise a CPU of its own, or a real-time priority (--priority).",
    reference: "Linux Documentation/scheduler/sched-eevdf.rst; kernel commit 857b158dc5e8",
    certainty: Certainty::Measured,
    looks_at: "the parts of late wake-ups (waits --why)",
    needs: &[Need::Linux, Need::Why],
    minor: false,
    look: |report, fault| fault.took_the_cpu(report, Cause::RunQueue),
};
