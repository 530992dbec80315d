//! Threads lose their CPU before their wait has ended.

use super::{Fault, Need};
use chronoscope_model::Certainty;
use chronoscope_model::why::Cause;

pub(super) const FAULT: Fault = Fault {
    id: "preempted-awake",
    title: "Waiting threads are preempted before they have finished",
    about: "Most of the lateness is time after the thread was taken off its CPU for another one. A \
            thread that spins uses up its time slice and is then the first to be preempted; one \
            that had slept was preempted by a thread of a higher priority, or a kernel thread.",
    fix: "Sleep for most of the wait instead of spinning, or give the thread a CPU of its own \
          (taskset, isolcpus) or a real-time priority (--priority).",
    reference: "perf_event_open(2), PERF_RECORD_SWITCH; sched(7)",
    certainty: Certainty::Measured,
    looks_at: "the parts of late wake-ups (waits --why)",
    needs: &[Need::Why],
    minor: false,
    look: |report, fault| fault.took_the_cpu(report, Cause::Preempted),
};
